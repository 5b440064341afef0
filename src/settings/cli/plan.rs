//! The arguments of `plan`, and the text behind its help.

use super::input_options::InputArgs;
use super::output_options::{NamesBy, ReportArgs, ToArgs};
use super::policy_options::PolicyArgs;
use super::run_options::RunArgs;
use clap::Args;

pub(super) const PLAN_HELP: &str = "\
`compact` with the same options carries out exactly this plan; only the text of a summary is not
known in advance.

Up to five transcripts are shown with their messages. More are listed, those that save most first,
then totals by stage, and why other transcripts do not change. --thread ID or --top shows the
messages of some, --verbose those of all, and -q prints only the totals. With --json, each
transcript is one object: its entry of report.json, with the edits and the fate of each message.

Examples:
  epitome plan logs/ --trigger tokens=8000
  epitome plan logs/ --trigger tokens=8000 --top=3
  epitome plan logs/ --max-tokens 16k --check";

/// The arguments of `plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print JSON lines instead of a table
    #[arg(long)]
    pub json: bool,
    /// Show every transcript with its messages, even those that would not change
    #[arg(short, long)]
    pub verbose: bool,
    /// List every transcript, and show every message without folding long runs that meet the same
    /// fate
    #[arg(long)]
    pub full: bool,
    /// Show only transcripts that would change
    #[arg(long)]
    pub changed: bool,
    /// Show only this thread, with its messages (repeatable)
    #[arg(long, value_name = "ID")]
    pub thread: Vec<String>,
    /// Show the messages of the N transcripts that save most [default without N: 1]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true,
        default_missing_value = "1", conflicts_with_all = ["json", "verbose", "thread"])]
    pub top: Option<usize>,
    /// The format that `compact` would write.
    #[command(flatten)]
    pub to: ToArgs,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// How archive files are named (summaries contain these names) [default: order]
    #[arg(long, value_name = "RULE", value_enum, help_heading = "Output")]
    pub names: Option<NamesBy>,
    /// The reports to write.
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Include the messages before and after in .html reports
    #[arg(long, help_heading = "Output")]
    pub report_texts: bool,
    /// Replace reports that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript would change
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}
