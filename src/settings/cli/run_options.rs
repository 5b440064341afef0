//! Options of a run apart from its policy: threads, tolerated failures and what is shown meanwhile.

use clap::{Args, ValueEnum};

/// The parameters of a run, apart from the policy.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// The number of threads [default: the number of cores]
    #[arg(short, long, value_name = "N", help_heading = "Run")]
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
