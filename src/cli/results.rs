//! `compact`, `convert` and `restore`: what writes results beside the input.

use super::options::{InputArgs, PolicyArgs, RunArgs, ToArgs, WritingArgs};
use super::parsers::target_parser;
use crate::convert::ConversionTarget;
use clap::Args;
use std::path::PathBuf;

pub(super) const COMPACT_HELP: &str = "\
Every input file is written under its own relative path below DIR, beside
  conversation_history/THREAD.md     what was summarised, for people and for the model
  large_tool_results/THREAD/CALL     tool results that were too large
  originals/FILE.originals           the exact original bytes of all that was removed, for `epitome restore`
  report.json                        what was done to each transcript, and why
The input is never written over. A transcript that can't be compacted is written as it came.

With --to each transcript leaves as one line of another format (see `epitome convert --help`), also one that
needs no compaction; a record that can't be read is reported and not written.";

pub(super) const CONVERT_HELP: &str = "\
Every input file becomes a file of the same name that ends in .jsonl below DIR, with one line a transcript, beside
  report.json      for each transcript what was left out and what reads otherwise: what, why, line, message, how often

  openai      {\"thread_id\", \"model\", \"messages\": [...], \"tools\": [...]}
  anthropic   {\"thread_id\", \"model\", \"system\", \"messages\": [...], \"tools\": [...]}; user and assistant take turns
  sharegpt    {\"id\", \"conversations\": [{\"from\", \"value\"}], \"system\", \"tools\", \"images\"}, as LLaMA-Factory reads it
  langchain   {\"thread_id\", \"messages\": [{\"type\", \"data\"}], \"tools\": [...]}, as messages_from_dict reads it

Results stand right behind their calls; a call id that is missing, used twice or refused by the target is made up
or renumbered, in the call and in its result. A call without a result gets one that says so, unless the log ends
there. What the target can't express (thinking, usage, files, metadata; images where it takes none) is left out and
listed. From a log of the target's own format everything comes along.

A record that can't be read can't be converted either: it is reported, not written, and the status is 3.
`compact --to` compacts first. Examples:
  epitome convert session.json --to openai -o chats
  epitome convert - --to anthropic -o - < log.jsonl
  epitome convert dataset/ --to sharegpt -o sft --check      status 1 if anything was left out
  epitome compact logs/ --to openai -o short --trigger tokens=8000";

pub(super) const RESTORE_HELP: &str = "\
Reads the files that `epitome compact ... -o DIR` wrote, and the originals that lie beside them:
  epitome compact logs/ -o out && epitome restore out -o back && diff -r logs back
A file that was changed since, or whose originals are cut off, is refused. Compressed files come back
compressed; what they hold is the same, the compressor may spell it otherwise.";

/// Options of `restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The output directory of an earlier `compact`
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Directory for the restored files
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Where `compact --archive` put the originals [default: DIR]
    #[arg(long, value_name = "DIR")]
    pub archive: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    pub force: bool,
    /// No talk, only errors and warnings
    #[arg(short, long)]
    pub quiet: bool,
}

/// Options of `compact`.
#[derive(Debug, Args)]
pub struct CompactArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the results; `-` writes the compacted JSONL of one input to stdout
    #[arg(
        short,
        long,
        value_name = "DIR",
        required_unless_present = "print_config"
    )]
    pub output: Option<PathBuf>,
    /// Directory for histories, evicted results and originals [default: the output directory; with `-o -` epitome-archive]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub archive: Option<PathBuf>,
    /// What is written beside the results, and over what.
    #[command(flatten)]
    pub writing: WritingArgs,
    /// What is written.
    #[command(flatten)]
    pub to: ToArgs,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript changed
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

/// Options of `convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the results; `-` writes the JSONL of one input to stdout
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
    /// Join consecutive user messages, as chat templates want it that refuse two of one role (anthropic and sharegpt always do)
    #[arg(long, help_heading = "Output")]
    pub merge_user: bool,
    /// What is written beside the results, and over what.
    #[command(flatten)]
    pub writing: WritingArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if anything was left out
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}
