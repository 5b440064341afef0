//! The arguments of `compact`, `convert` and `restore`.

use super::options::{InputArgs, PolicyArgs, RunArgs, ToArgs, WritingArgs};
use super::parsers::target_parser;
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
(see `epitome convert --help`). A record that can't be read is reported and not written.";

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

pub(super) const RESTORE_HELP: &str = "\
Reads the files that `epitome compact ... -o DIR` wrote, and the originals beside them:

  epitome compact logs/ -o out && epitome restore out -o back && diff -r logs back

A file that was changed since then, or whose originals are cut off, is refused. Compressed files are
restored with the same content; their compressed bytes may differ.";

/// The arguments of `restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The output directory of an earlier compact
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Directory for the restored files
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// The directory that `compact --archive` named for the originals [default: DIR]
    #[arg(long, value_name = "DIR")]
    pub archive: Option<PathBuf>,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
    /// Print only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
}

/// The arguments of `compact`.
#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the results; `-` writes the compacted JSONL of a single input to stdout
    #[arg(
        short,
        long,
        value_name = "DIR",
        required_unless_present = "print_config"
    )]
    pub output: Option<PathBuf>,
    /// Directory for histories, evicted results and originals [default: the output directory, or
    /// epitome-archive with `-o -`]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub archive: Option<PathBuf>,
    /// Reports, and the consent to replace results.
    #[command(flatten)]
    pub writing: WritingArgs,
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

/// The arguments of `convert`.
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the results; `-` writes the JSONL of a single input to stdout
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// The format to convert to
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = target_parser(),
        help_heading = "Output"
    )]
    pub to: &'static dyn ConversionTarget,
    /// Join consecutive user messages, for chat templates that refuse two messages of the same role
    /// in a row (anthropic and sharegpt always do)
    #[arg(long, help_heading = "Output")]
    pub merge_user: bool,
    /// Reports, and the consent to replace results.
    #[command(flatten)]
    pub writing: WritingArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if anything was left out
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}
