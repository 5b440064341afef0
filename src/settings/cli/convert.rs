//! The arguments of `convert`, and the text behind its help.

use super::clap_parsers::target_parser;
use super::input_options::InputArgs;
use super::output_options::WritingArgs;
use super::policy_options::RedactArgs;
use super::run_options::RunArgs;
use crate::convert::ConversionTarget;
use clap::Args;
use std::path::PathBuf;

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
    pub to: &'static ConversionTarget,
    /// Join consecutive user messages, for chat templates that refuse two messages of the same role
    /// in a row (anthropic and sharegpt always do)
    #[arg(long, help_heading = "Output")]
    pub merge_user: bool,
    /// What is masked.
    #[command(flatten)]
    pub redact: RedactArgs,
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
