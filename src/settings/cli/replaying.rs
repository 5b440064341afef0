//! The arguments of the commands that replay what a live agent would have sent, and the texts behind
//! their help.

use super::clap_parsers::{dataset_target_parser, parse_byte_size, parse_whole};
use super::output_options::WhenLocked;
use super::policy_options::{PolicyArgs, dataset_target_help};
use super::run_options::{InputArgs, RunArgs};
use crate::dataset::{DatasetTarget, SplitShares};
use clap::{Args, ValueEnum};
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
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a call exceeds the model's limit
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

pub(super) const DATASET_HELP: &str = "\
A sample is what the live agent would have seen in a stretch of calls between two compactions, or
with --per-call before a single call. Each answer is trained on in one sample, and is context in
others. DIR gets:

  data/SPLIT-00000-of-00001.jsonl  The samples
  README.md                        The data set card: splits, columns, counts and policy
  dropped.jsonl                    What was dropped, and why
  dataset_info.json                LLaMA-Factory's description, with --to sharegpt
  conversation_history/THREAD.md   A section for each summary
  report.json                      Samples, compactions and warnings of each transcript

`datasets.load_dataset(DIR)` loads the samples. Summaries and notices name no files, unless you set
summarize.frame and evict.notice.

Examples:
  epitome dataset logs/ --to trl -o data
  epitome dataset logs/ --to axolotl --max-tokens 8192 --split train=0.98,test=0.02 -o data
  epitome dataset logs/ --to openai --counter o200k_base --max-tokens 16k --check -o data";

/// The duplicates that are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dedup {
    /// Samples with the same messages, tools and masks
    Exact,
    /// Also samples that share four fifths of their text with an earlier one
    Near,
}

/// The use of the other columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Columns {
    /// Copy them to each sample
    Keep,
    /// Write only the columns of the target
    Drop,
}

/// The type of the files in `data/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileType {
    /// A line of JSON for each sample
    Jsonl,
    /// Parquet, with the columns that the data set card describes
    Parquet,
}

/// The arguments of `dataset`.
#[derive(Debug, Args)]
pub(crate) struct DatasetArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the data set, new or empty
    #[arg(short, long, value_name = "DIR", required_unless_present = "print_config")]
    pub output: Option<PathBuf>,
    #[arg(
        long,
        value_name = "TARGET",
        value_parser = dataset_target_parser(),
        default_value = "openai",
        hide_possible_values = true,
        help = "The trainer's format",
        long_help = dataset_target_help(),
        help_heading = "Output"
    )]
    pub to: &'static DatasetTarget,
    /// Replace the files of an earlier data set, all at once when the run is done
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// What to do if another run writes into the same directory [default: wait]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Output")]
    pub lock: Option<WhenLocked>,
    /// The splits, and the share of the threads in each; all samples of a thread are in one split
    #[arg(long, value_name = "NAME=SHARE,...", help_heading = "Output")]
    pub split: Option<SplitShares>,
    /// What to do with the other columns of the input rows [default: keep, but
    /// for openai, which refuses them]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Output")]
    pub columns: Option<Columns>,
    /// The type of the files in data/
    #[arg(long, value_name = "TYPE", value_enum, default_value = "jsonl", help_heading = "Output")]
    pub file_type: FileType,
    /// Start a new file before one exceeds this size (B, kB, MB, GB, KiB, MiB, GiB)
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = parse_byte_size,
        default_value = "500MB",
        help_heading = "Output"
    )]
    pub shard_size: u64,
    /// Shuffle the samples of each split with this seed
    #[arg(long, value_name = "SEED", value_parser = parse_whole::<u64>, help_heading = "Output")]
    pub shuffle: Option<u64>,
    /// Write a sample for each model call, not for each stretch of calls
    #[arg(long, help_heading = "Samples")]
    pub per_call: bool,
    /// Count samples as the trainer does: a tokenizer.json, or the folder of a model, whose chat
    /// template renders each sample. A .jinja file replaces that template (repeatable)
    #[arg(long, value_name = "PATH", help_heading = "Samples")]
    pub tokenizer: Vec<PathBuf>,
    /// Drop duplicate samples
    #[arg(long, value_name = "HOW", value_enum, help_heading = "Samples")]
    pub dedup: Option<Dedup>,
    /// Do not train on answers of the log that have "KEY": false
    #[arg(long, value_name = "KEY", help_heading = "Samples")]
    pub train_key: Option<String>,
    /// Exit with status 1 if anything was dropped (always if no sample was written)
    #[arg(long, help_heading = "Run")]
    pub check: bool,
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[command(flatten)]
    pub run: RunArgs,
}
