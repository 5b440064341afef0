//! The arguments of the commands that plan, write and restore transcripts, and the texts behind their
//! help.

use super::clap_parsers::{parse_whole, target_parser};
use super::output_options::{NamesBy, ReportArgs, ToArgs, WhenLocked, WritingArgs};
use super::policy_options::{PolicyArgs, RedactArgs};
use super::run_options::{InputArgs, RunArgs};
use crate::convert::ConversionTarget;
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
    #[command(flatten)]
    pub writing: WritingArgs,
    /// Measure how much summaries keep of what later messages need, for the reports; reads each
    /// session once more
    #[arg(long, help_heading = "Output")]
    pub measure: bool,
    #[command(flatten)]
    pub to: ToArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript changed
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

pub(super) const CONVERT_HELP: &str = "\
Each input file becomes a file in DIR of the same name that ends in .jsonl, with a line for each
transcript. DIR also gets report.json, which lists what was left out and what changed: what, why,
line, message, how often. The formats are:

  openai     {\"thread_id\", \"model\", \"messages\": [...], \"tools\": [...]}
  anthropic  {\"thread_id\", \"model\", \"system\", \"messages\": [...], \"tools\": [...]}, where user and
             assistant alternate
  sharegpt   {\"id\", \"conversations\": [{\"from\", \"value\"}], \"system\", \"tools\", \"images\"}, as
             LLaMA-Factory reads it
  langchain  {\"thread_id\", \"messages\": [{\"type\", \"data\"}], \"tools\": [...]}, as messages_from_dict
             reads it

Results follow directly after their calls. A call id that is missing, used twice or refused by the
format is invented or renumbered, in the call and in its result. A call without a result gets one
that says so, unless the log ends there. What the format can't express (thinking, usage, files,
metadata, and images in some) is left out and listed. Nothing is left out of a log that already has
the format.

A record that can't be read is reported and not written, and the exit status is 3. To compact first,
use `compact --to`.

Examples:
  epitome convert session.json --to openai -o chats
  epitome convert - --to anthropic -o - < log.jsonl
  epitome convert dataset/ --to sharegpt -o sft --check
  epitome compact logs/ --to openai -o short --trigger tokens=8000";

/// The arguments of `convert`.
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the results; `-` writes the JSONL of a single input to stdout
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// The format to convert to
    #[arg(long, value_name = "FORMAT", value_parser = target_parser(), help_heading = "Output")]
    pub to: &'static ConversionTarget,
    /// Join consecutive user messages, for chat templates that refuse two messages of the same role
    /// in a row (anthropic and sharegpt always do)
    #[arg(long, help_heading = "Output")]
    pub merge_user: bool,
    #[command(flatten)]
    pub redact: RedactArgs,
    #[command(flatten)]
    pub writing: WritingArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if anything was left out
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

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
        value_parser = parse_whole::<usize>, default_missing_value = "1", conflicts_with_all = ["json", "verbose", "thread"])]
    pub top: Option<usize>,
    #[command(flatten)]
    pub to: ToArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// How archive files are named (summaries contain these names) [default: order]
    #[arg(long, value_name = "RULE", value_enum, help_heading = "Output")]
    pub names: Option<NamesBy>,
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Include the messages before and after in .html reports
    #[arg(long, help_heading = "Output")]
    pub report_texts: bool,
    /// Replace reports that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript would change
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

pub(super) const RESTORE_HELP: &str = "\
Reads the files that `epitome compact ... -o DIR` wrote, and the originals beside them:

  epitome compact logs/ -o out && epitome restore out -o back && diff -r logs back

Checksums verify outputs and originals. A file that has changed since is refused, with the place of the
change, and so is a file whose originals are missing. Files that epitome did not write are listed, and
not restored. Compressed files are restored with the same content; their compressed bytes may differ.

  epitome restore out --check

writes nothing, and ends with status 3 if a file can't be restored.

  epitome restore rows.jsonl -o back

writes the records that the rows of `epitome stream` were made of.";

/// The arguments of `restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The output directory of an earlier compact, or files of rows that `epitome stream` wrote
    #[arg(value_name = "DIR|ROWS", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Directory for the restored files
    #[arg(short, long, value_name = "DIR", required_unless_present = "check")]
    pub output: Option<PathBuf>,
    /// Write nothing: only check that every file can be restored
    #[arg(long, conflicts_with_all = ["output", "force"])]
    pub check: bool,
    /// The directory that was given to `compact --archive` [default: DIR]
    #[arg(long, value_name = "DIR")]
    pub archive: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
    /// What to do if another run writes into the same directory [default: wait]
    #[arg(long, value_name = "WHAT", value_enum)]
    pub lock: Option<WhenLocked>,
    /// Print only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
}
