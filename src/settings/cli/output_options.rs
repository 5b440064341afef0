//! Options that say what is written: the results, their format and names, and the reports beside them.

use super::clap_parsers::target_parser;
use crate::convert::ConversionTarget;
use crate::files::archive::names::NameRule;
use crate::files::output::LockMode;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The reports to write.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReportArgs {
    /// Also write a report, for example page.html (repeatable)
    ///
    /// The file extension chooses its kind: .json, .jsonl, .md, .html or .xml (JUnit); or write
    /// KIND:FILE, such as json:out. `-` and KIND:- print to stdout. "$GITHUB_STEP_SUMMARY" is appended to
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Vec<PathBuf>,
}

/// The reports to write, and the consent to replace results.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct WritingArgs {
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Include the messages before and after in .html reports
    #[arg(long, help_heading = "Output")]
    pub report_texts: bool,
    /// Print what happens to each transcript, and why
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Run")]
    pub verbose: bool,
    /// Replace existing results, all at once when the run is done
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Resume an interrupted run
    ///
    /// Complete results from the same input and policy are kept; the rest are written again
    #[arg(long, conflicts_with = "force", help_heading = "Output")]
    pub resume: bool,
    /// What to do if another run writes into the same directory [default: wait; with stdin or
    /// stdout no longer than a minute]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Output")]
    pub lock: Option<WhenLocked>,
}

/// The format in which results are written.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ToArgs {
    /// Write chat transcripts of this format instead of the log's own
    #[arg(long, value_name = "FORMAT", value_parser = target_parser(), help_heading = "Output")]
    pub to: Option<&'static ConversionTarget>,
    /// Join consecutive user messages, for chat templates that refuse two messages of the same role
    /// in a row (anthropic and sharegpt always do)
    #[arg(long, requires = "to", help_heading = "Output")]
    pub merge_user: bool,
}

/// How archive files are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum NamesBy {
    /// By thread id; repeated names get a number, in input order
    #[default]
    Order,
    /// By thread id and a hash of the record: equal names mean equal contents, and a result depends
    /// only on its record and the policy
    Content,
}

impl From<NamesBy> for NameRule {
    fn from(wanted: NamesBy) -> Self {
        match wanted {
            NamesBy::Order => Self::Order,
            NamesBy::Content => Self::Content,
        }
    }
}

/// What to do if another run writes into the same directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhenLocked {
    /// Wait until that run ends
    Wait,
    /// Fail with status 2 (4 with `-o -`, where something may be written already)
    Fail,
}

impl From<WhenLocked> for LockMode {
    fn from(wanted: WhenLocked) -> Self {
        match wanted {
            WhenLocked::Wait => Self::Wait,
            WhenLocked::Fail => Self::Fail,
        }
    }
}
