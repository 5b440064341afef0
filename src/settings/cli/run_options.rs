//! Options of a run apart from its policy: what is read, and how; threads, tolerated failures and what
//! is shown meanwhile.

use super::clap_parsers::{format_parser, parse_glob, parse_size, parse_whole};
use crate::files::input::{
    ListingError, NamedInputs, PathRules, ReadLimits, STDIN, read_path_list,
};
use crate::reading::format::Format;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The inputs, and how they are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct InputArgs {
    /// Files, directories, or `-` for stdin
    ///
    /// In directories, files that end in .jsonl, .ndjson, .json, .traj or .eval are read, also with
    /// .gz or .zst, and .parquet in builds with Parquet
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Also read the inputs listed in FILE, one path per line or NUL-separated; - reads the list from
    /// stdin
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub files_from: Option<PathBuf>,
    /// Follow symbolic links inside directories (a link given as INPUT is always followed)
    #[arg(long, help_heading = "Input")]
    pub follow: bool,
    /// Read only files in directories that match this pattern (.gitignore syntax)
    /// (repeatable)
    #[arg(long, value_name = "GLOB", value_parser = parse_glob, help_heading = "Input")]
    pub include: Vec<String>,
    /// Skip files in directories that match this pattern (.gitignore syntax)
    /// (repeatable)
    #[arg(long, value_name = "GLOB", value_parser = parse_glob, help_heading = "Input")]
    pub exclude: Vec<String>,
    /// Also enter hidden directories
    #[arg(long, help_heading = "Input")]
    pub hidden: bool,
    /// Read everything as this format instead of detecting it by content (see `epitome formats`)
    #[arg(
        long,
        value_name = "NAME",
        value_parser = format_parser(),
        hide_possible_values = true,
        help_heading = "Input"
    )]
    pub format: Option<&'static dyn Format>,
    /// Maximum bytes of a record, which bounds memory: longer lines are copied unread and reported,
    /// longer journals and documents are errors
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_size,
        default_value_t = ReadLimits::default().max_record_bytes,
        help_heading = "Input"
    )]
    pub max_record_bytes: usize,
}

impl InputArgs {
    /// Appends the inputs that the list of `--files-from` names. Fails if the list can't be read,
    /// or stdin is an input itself.
    pub(crate) fn append_listed(&mut self) -> Result<(), ListingError> {
        let Some(list) = self.files_from.take() else {
            return Ok(());
        };
        let is_stdin = |path: &PathBuf| path.as_os_str() == STDIN;
        if is_stdin(&list) && self.inputs.iter().any(is_stdin) {
            return Err(ListingError::ListIsInput);
        }
        self.inputs.extend(read_path_list(&list)?);
        Ok(())
    }

    pub(crate) fn named(&self) -> NamedInputs<'_> {
        NamedInputs { paths: &self.inputs, rules: self.path_rules() }
    }

    /// Returns what is read below a named directory.
    pub(crate) fn path_rules(&self) -> PathRules {
        PathRules {
            follow_links: self.follow,
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            hidden: self.hidden,
        }
    }
}

/// The parameters of a run, apart from the policy.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// The number of threads [default: the number of cores]
    #[arg(short, long, value_name = "N", value_parser = parse_whole::<usize>, help_heading = "Run")]
    pub jobs: Option<usize>,
    /// Tolerate this many failures and results over their limit: a number, or `all`
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Run")]
    pub max_errors: MaxErrors,
    /// Print only errors and warnings
    #[arg(short, long, help_heading = "Run")]
    pub quiet: bool,
    /// Print errors and transcripts over their limit as annotations of a CI server
    #[arg(long, value_name = "SERVER", value_enum, help_heading = "Run")]
    pub annotations: Option<AnnotationStyle>,
    /// Show progress on stderr
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t = When::Auto,
        help_heading = "Run"
    )]
    pub progress: When,
}

/// The CI server that shows annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnnotationStyle {
    /// Workflow commands of GitHub
    Github,
}

/// When to do what only a terminal is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The number of failures that do not change the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MaxErrors {
    /// At most this many.
    Some(u64),
    /// Any number.
    All,
}

impl MaxErrors {
    /// Returns true if this many failures do not change the exit status.
    pub(crate) fn tolerates(self, failures: u64) -> bool {
        match self {
            Self::Some(most) => failures <= most,
            Self::All => true,
        }
    }
}

impl std::str::FromStr for MaxErrors {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        text.parse().map(Self::Some).map_err(|_| "expected a number or `all`".to_owned())
    }
}
