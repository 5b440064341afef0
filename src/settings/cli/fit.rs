//! The arguments of `fit`, and the text behind its help.

use super::input_options::InputArgs;
use super::policy_options::CountingArgs;
use super::run_options::RunArgs;
use clap::Args;
use std::path::PathBuf;

pub(super) const FIT_HELP: &str = "\
The embedded summarizer ranks names and lines by a table of learnt weights. This learns the same
table from your own logs: each transcript of 10 messages or more is cut after 40, 60 and 80 %
of its messages, and what the assistant wrote behind a cut shows what was needed of what comes
before it. The weights are pulled towards the embedded ones, so that few sessions do not undo what
others taught. One transcript in five is held out, to check whether the new table ranks what was
needed better than the embedded one:

  names  needed names among the first 40 of a cut
  lines  words used later in the first 12 lines of a cut, of the most that 12 lines can hold

The same logs give the same table. It is used with `weights = \"FILE\"` in the table [summarizer] of
the configuration.

Examples:
  epitome fit logs/ -o weights.toml
  epitome fit logs/ -o weights.toml --force --jobs 1";

/// The arguments of `fit`.
#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// The file to write the table of weights to
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    /// The reading of models and counters.
    #[command(flatten)]
    pub counting: CountingArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
}
