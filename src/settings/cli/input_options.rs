//! Options that say what is read, and how.

use super::clap_parsers::{format_parser, parse_glob, parse_size};
use crate::files::input::{
    ListingError, NamedInputs, PathRules, ReadLimits, STDIN, read_path_list,
};
use crate::reading::format::Format;
use clap::Args;
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

    /// Returns the inputs that the user named.
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
