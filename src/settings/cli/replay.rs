//! The arguments of `replay`, and the text behind its help.

use super::input_options::InputArgs;
use super::output_options::WhenLocked;
use super::policy_options::PolicyArgs;
use super::run_options::RunArgs;
use clap::Args;
use std::path::PathBuf;

pub(super) const REPLAY_HELP: &str = "\
There is a model call before each assistant message, and another at the end unless the transcript
ends with an assistant message. Each call is decided as by `compact`, on what the model would see at
that point: the last summary and what follows it. DIR (with several policies DIR/NAME of each) gets:

  replay.jsonl                    An object for each call
  conversation_history/THREAD.md  A section for each summary
  large_tool_results/THREAD/CALL  Tool results that were too large
  segments.jsonl                  Training data, with --segments
  report.json                     Calls, compactions, tokens and cache of each transcript

The table on stdout compares the tokens that a policy saves with the prompt cache that it breaks.

Examples:
  epitome replay logs/ -o out --trigger tokens=60000
  epitome replay logs/ -o out --policy deepagents --policy early=early.toml --prices prices.toml
  epitome replay data.jsonl -o out --segments --max-tokens 8192";

/// The arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the results
    #[arg(short, long, value_name = "DIR", required_unless_present = "print_config")]
    pub output: Option<PathBuf>,
    /// Replace existing results, all at once when the run is done
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// What to do if another run writes into the same directory [default: wait]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Output")]
    pub lock: Option<WhenLocked>,
    /// Replay under this preset, or under the policy in a TOML file, as NAME=FILE (repeatable)
    ///
    /// Several policies are compared; all other policy options apply to each of them
    #[arg(long = "policy", value_name = "PRESET|NAME=FILE", conflicts_with_all = ["config", "preset"], help_heading = "Compare")]
    pub policies: Vec<String>,
    /// Prices in US dollars per million tokens: TOML with a table ["MODEL"] of input, cached_input,
    /// cache_write and output for each model, and cache_life, the lifetime of its prompt cache in
    /// seconds (default 300)
    #[arg(long, value_name = "FILE", help_heading = "Compare")]
    pub prices: Option<PathBuf>,
    /// Write training data, with a sample for each stretch of calls between two compactions
    #[arg(long, help_heading = "Training data")]
    pub segments: bool,
    /// Write training data, with a sample for each model call
    #[arg(long, help_heading = "Training data")]
    pub per_call: bool,
    /// Mark each assistant message with "KEY": true or false, instead of "weight": 0 on those not to
    /// be trained on
    #[arg(long, value_name = "KEY", help_heading = "Training data")]
    pub train_key: Option<String>,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a call exceeds the model's limit
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}
