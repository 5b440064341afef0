//! The arguments of `compact`, and the text behind its help.

use super::input_options::InputArgs;
use super::output_options::{NamesBy, ToArgs, WritingArgs};
use super::policy_options::PolicyArgs;
use super::run_options::RunArgs;
use clap::Args;
use std::path::PathBuf;

pub(super) const COMPACT_HELP: &str = "\
Each input file is written to DIR under its own relative path. DIR also gets:

  conversation_history/THREAD.md  What was summarized, for people and for the model
  large_tool_results/THREAD/CALL  Tool results that were too large
  originals/FILE.originals        The original bytes of all that was removed, for `epitome restore`
  report.json                     What was done to each transcript, and why

The input is never overwritten. A transcript that can't be compacted is written unchanged.

With --to, each transcript is written as a line of another format, even if it needs no compaction
(see `epitome convert --help`). A record that can't be read is reported and not written.

Examples:
  epitome compact logs/ -o out
  epitome compact logs/ -o out --model openai:gpt-5.2 --report page.html
  epitome compact data.jsonl -o short --max-tokens 4000 --counter o200k_base";

/// The arguments of `compact`.
#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the results; `-` writes the compacted JSONL of a single input to stdout
    #[arg(short, long, value_name = "DIR", required_unless_present = "print_config")]
    pub output: Option<PathBuf>,
    /// Directory for histories, evicted results and originals [default: the output directory; with
    /// `-o -` a new one below ~/.local/state/epitome/archives]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub archive: Option<PathBuf>,
    /// How archive files are named [default: order]
    #[arg(long, value_name = "RULE", value_enum, help_heading = "Output")]
    pub names: Option<NamesBy>,
    /// Reports, and the consent to replace results.
    #[command(flatten)]
    pub writing: WritingArgs,
    /// Measure how much summaries keep of what later messages need, for the reports; reads each
    /// session once more
    #[arg(long, help_heading = "Output")]
    pub measure: bool,
    /// The format of the results.
    #[command(flatten)]
    pub to: ToArgs,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript changed
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}
