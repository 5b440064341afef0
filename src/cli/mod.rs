//! The command line as typed arguments. `settings` resolves them.

mod options;
mod parsers;
mod requests;
mod results;
pub(crate) mod values;

pub(crate) use options::{
    CountingArgs, InputArgs, MaxErrors, ModelArgs, PolicyArgs, RunArgs, ServerArgs, ToArgs, When,
    WritingArgs,
};
pub(crate) use requests::{ApplyArgs, BatchArgs, ExportArgs, RequestsArgs, RequestsCommand};
pub(crate) use results::{CompactArgs, ConvertArgs, RestoreArgs};

use crate::policy::Preset;
use clap::{Args, Parser, Subcommand};
use parsers::preset_parser;
use requests::REQUESTS_HELP;
use results::{COMPACT_HELP, CONVERT_HELP, RESTORE_HELP};
use std::path::PathBuf;
use values::parse_counter;

const ABOUT: &str = "Compact logged LLM and agent transcripts, offline and in parallel";

const AFTER_HELP: &str = "\
Examples:
  Compact all transcripts in a directory:
    epitome compact logs/ -o out
  Show what would be removed and why, without writing anything:
    epitome plan session.jsonl
  Exit with status 1 if a transcript would change:
    epitome plan logs/ --trigger tokens=4000 --check
  Restore the inputs of an earlier compact, byte for byte:
    epitome restore out -o back
  Show every model call as a policy would have sent it:
    epitome replay logs/ -o out --policy deepagents
  Estimate the cost of summaries by a model:
    epitome plan logs/ --summarizer http --summary-model openai:gpt-5.2
  Convert any format to chat transcripts:
    epitome convert logs/ --to openai -o chats
  Count tokens by role:
    epitome count session.jsonl
  Measure what a compaction would have lost:
    epitome evaluate logs/
  Show how the format of a file is detected:
    epitome formats --explain session.jsonl

Exit status:
  0    Success
  1    --check found a change, or a result still exceeds a limit
  2    Wrong usage or configuration, and nothing was written; or the model could not be asked, and
       the run ended early
  3    Some input failed, and all other input was written; or the run broke off, as on a full disk
  130  Interrupted by Ctrl-C";

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "epitome", version, about = ABOUT, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compact transcripts in their own format, and write archives and a report
    #[command(after_help = COMPACT_HELP)]
    Compact(CompactArgs),
    /// Convert transcripts of any format to chat transcripts, and list what could not be expressed
    #[command(after_help = CONVERT_HELP)]
    Convert(ConvertArgs),
    /// Show what compact would do to which message and why, without writing anything
    #[command(after_help = PLAN_HELP)]
    Plan(PlanArgs),
    /// Show what a live agent would have sent at each model call under one or several policies
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArgs),
    /// Restore the inputs of an earlier compact, byte for byte
    #[command(after_help = RESTORE_HELP)]
    Restore(RestoreArgs),
    /// Write summaries through batch files, at half the price or without a network
    #[command(after_help = REQUESTS_HELP)]
    Requests(RequestsArgs),
    /// Count tokens per transcript and in total, by role
    Count(CountArgs),
    /// Measure how much of what is needed later a compaction would have kept
    #[command(after_help = EVALUATE_HELP)]
    Evaluate(EvaluateArgs),
    /// List the models whose limits are known, or explain how a name is looked up
    #[command(after_help = MODELS_HELP)]
    Models(ModelsArgs),
    /// List the formats that can be read, or explain how the format of a file is detected
    #[command(after_help = FORMATS_HELP)]
    Formats(FormatsArgs),
    /// Show what each preset reproduces, where it differs on purpose, and its values
    Presets(PresetsArgs),
}

const PLAN_HELP: &str = "\
`compact` with the same options carries out exactly this plan; only the text of a summary is not
known in advance. With --json, each transcript is one object with thread_id, file, line, and the
plan with its edits and the reasons of each stage.";

const EVALUATE_HELP: &str = "\
Each transcript of 10 messages or more is cut after 40, 60 and 80 % of its messages, before an
assistant message. What precedes the cut is compacted with the policy, whatever its trigger. What
follows it shows what was needed. A --keep that is a share of the model's window counts as
messages=4. The metrics are shares of:

  recall     identifiers that the assistant writes after the cut, that nobody else wrote again, and
             that only the compacted part contained (neither the system prompt nor the last 4
             messages before the cut)
  arguments  those identifiers that the assistant writes in the arguments of a call
  linked     those identifiers that stand next to a word of their name
  user       content words of the user
  errors     error lines, each kind counted once
  files      files in the arguments of calls
  faithful   identifiers of the summary that are found in its source

Intervals are 95 % bootstrap intervals over transcripts; the same log gives the same numbers.

Examples:
  epitome evaluate logs/ --summary-tokens 512
  epitome evaluate logs/ --compare small.toml --compare model.toml --json
  epitome evaluate logs/ --fail-under recall=0.5 --fail-under faithful=0.9";

const MODELS_HELP: &str = "\
A name is provider:model, provider/model or model. It is looked up exactly, first in --limits, then
in the embedded table. A bare name means the model of its maker. `:` and `/` mean the same: the
provider's model, or else the model with that full name at a reseller (openai/gpt-oss-120b at Groq).

A name that is in no table is looked up again without, in this order: `models/` or `ft:`; a router
(openrouter/openai/...); a region (us.); the maker's prefix (anthropic., then only as the maker's
own model); a version or variant (-v1:0, @..., :free); a date (-20250929, -2025-12-11) or -latest.
The limit of a reseller counts only if it is smaller than that of the maker.

--limits takes a table like the embedded one: a heading with provider, model, context, input and
output, then a line for each model, all separated by tabs. An input limit that equals the context
may be empty.";

/// The arguments of `models`.
#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// The model to explain [default: list all]
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// A table of your own model limits, which takes precedence over the embedded one
    #[arg(long, value_name = "FILE")]
    pub limits: Option<PathBuf>,
    /// The preset whose defaults are shown [default: deepagents]
    #[arg(long, value_name = "NAME", value_parser = preset_parser())]
    pub preset: Option<&'static Preset>,
    /// Print JSON lines instead of a table
    #[arg(long)]
    pub json: bool,
}

const REPLAY_HELP: &str = "\
There is a model call before each assistant message, and another at the end unless the transcript
ends with an assistant message. Each call is decided as `compact` decides, on what the model would
see then: the last summary and what follows it. DIR (with several policies DIR/NAME of each) gets:

  replay.jsonl                    An object for each call
  conversation_history/THREAD.md  A section for each summary
  large_tool_results/THREAD/CALL  Tool results that were too large
  segments.jsonl                  Training data, with --segments
  report.json                     Calls, compactions, tokens and cache of each transcript

The table on stdout compares the tokens that a policy saves with the prompt cache that it breaks.

Examples:
  epitome replay logs/ -o out --trigger tokens=60000
  epitome replay logs/ -o out --policy deepagents --policy early=early.toml --prices prices.toml
  epitome replay data.jsonl -o out --segments --alternate --max-tokens 8192";

/// The arguments of `plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print JSON lines instead of a table
    #[arg(long)]
    pub json: bool,
    /// Show every message, even of transcripts that would not change
    #[arg(short, long)]
    pub verbose: bool,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript would change
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

/// The arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the results
    #[arg(
        short,
        long,
        value_name = "DIR",
        required_unless_present = "print_config"
    )]
    pub output: Option<PathBuf>,
    /// Replace results that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Replay under this policy: a preset, or NAME=FILE with its TOML. If the option is repeated,
    /// the policies are compared; all other policy options apply to each of them
    #[arg(long = "policy", value_name = "PRESET|NAME=FILE", conflicts_with_all = ["config", "preset"], help_heading = "Compare")]
    pub policies: Vec<String>,
    /// Prices in US dollars per million tokens: TOML with a table ["MODEL"] of input, cached_input,
    /// cache_write and output for each model
    #[arg(long, value_name = "FILE", help_heading = "Compare")]
    pub prices: Option<PathBuf>,
    /// Lifetime of the prompt cache in seconds: a longer gap between two calls of the log is a miss
    #[arg(
        long,
        value_name = "N",
        default_value_t = 300,
        help_heading = "Compare"
    )]
    pub cache_life: u32,
    /// Write training data, with a sample for each stretch of calls between two compactions
    #[arg(long, help_heading = "Training data")]
    pub segments: bool,
    /// Write training data, with a sample for each model call
    #[arg(long, help_heading = "Training data")]
    pub per_call: bool,
    /// Join turns so that user and assistant alternate; a summary joins the user turn after it
    #[arg(long, help_heading = "Training data")]
    pub alternate: bool,
    /// Mark each assistant message with "KEY": true or false, in place of "weight": 0 on messages
    /// that are not to be trained on
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

/// The arguments of `count`.
#[derive(Debug, Args)]
pub(crate) struct CountArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print JSON lines instead of a table
    #[arg(long)]
    pub json: bool,
    /// Also count with this counter, and show the difference; without a name, with the exact
    /// counter of each model
    #[arg(
        long,
        value_name = "COUNTER",
        value_parser = parse_counter,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "auto"
    )]
    pub compare: Option<&'static str>,
    /// The counting of tokens.
    #[command(flatten)]
    pub counting: CountingArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// The arguments of `evaluate`.
#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// The inputs.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// Also measure the policy in this TOML file; its row has the file's name (repeatable)
    #[arg(long, value_name = "FILE")]
    pub compare: Vec<PathBuf>,
    /// Exit with status 1 if this metric of any policy is lower over all data, or could not be
    /// measured (repeatable)
    #[arg(long, value_name = "METRIC=SHARE")]
    pub fail_under: Vec<String>,
    /// Also write what the embedded summarizer knows of each identifier, as JSON lines for
    /// scripts/refit-weights.py
    #[arg(long, value_name = "FILE")]
    pub references: Option<PathBuf>,
    /// Replace the file of --references if it exists
    #[arg(long, requires = "references")]
    pub force: bool,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The parameters of the run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// The arguments of `presets`.
#[derive(Debug, Args)]
pub(crate) struct PresetsArgs {
    /// Show only this preset, with its prompts
    #[arg(value_name = "NAME", value_parser = preset_parser())]
    pub name: Option<&'static Preset>,
    /// The model whose limits determine the values, as provider:model
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
}

const FORMATS_HELP: &str = "\
How `compact` writes a format:
  rewritten  In the same format; what does not change stays byte for byte
  appended   Nothing is rewritten; the agent's own record of a compaction is added
  --to only  The agent has no such record; `compact --to` writes a chat transcript";

/// The arguments of `formats`.
#[derive(Debug, Args)]
pub(crate) struct FormatsArgs {
    /// Show what was recognized in this file, and which format follows from it (repeatable)
    #[arg(long, value_name = "FILE")]
    pub explain: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_tree_is_sound() {
        Cli::command().debug_assert();
    }
}
