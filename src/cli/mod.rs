//! The command line, typed. What it says is resolved in `settings`.

mod options;
mod parsers;
mod requests;
mod results;
pub mod values;

pub use options::{
    CountingArgs, InputArgs, MaxErrors, ModelArgs, PolicyArgs, RunArgs, ServerArgs, ToArgs, When,
};
pub use requests::{ApplyArgs, BatchArgs, ExportArgs, RequestsArgs, RequestsCommand};
pub use results::{CompactArgs, ConvertArgs, RestoreArgs};

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
  epitome compact logs/ -o out                      compact all transcripts below logs/
  epitome plan session.jsonl                        what would go, and why; writes nothing
  epitome plan logs/ --trigger tokens=4000 --check  status 1 if a transcript would change
  epitome restore out -o back                       the inputs of an earlier compact, byte for byte
  epitome replay logs/ -o out --policy deepagents   every model call, as that policy would have sent it
  epitome plan logs/ --summarizer http --summary-model openai:gpt-5.2   what model summaries will cost
  epitome convert logs/ --to openai -o chats        any format as chat transcripts; what can't be expressed is listed
  epitome count session.jsonl                       tokens, by role
  epitome evaluate logs/                            what a compaction would have lost
  epitome formats --explain session.jsonl           which format it is, and what tells so

Exit status: 0 done; 1 --check found a change, or a result still exceeds a limit;
2 usage or configuration, nothing written (or a model that can't be asked ended the run);
3 some input failed, all the rest was written (or the run broke off, as on a full disk);
130 Ctrl-C.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "epitome", version, about = ABOUT, after_help = AFTER_HELP, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Compact transcripts: same format out, with archives and a report
    #[command(after_help = COMPACT_HELP)]
    Compact(CompactArgs),
    /// Convert transcripts of any format to chat transcripts of another, and list what it can't express
    #[command(after_help = CONVERT_HELP)]
    Convert(ConvertArgs),
    /// Dry run: what would happen to which message, and why. Nothing is written
    #[command(after_help = PLAN_HELP)]
    Plan(PlanArgs),
    /// What the live agent would have sent at each model call, under one policy or several
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArgs),
    /// Put back all that an earlier `compact` took out: its inputs again, byte for byte
    #[command(after_help = RESTORE_HELP)]
    Restore(RestoreArgs),
    /// Summaries through batch files: half the price, or no network at all
    #[command(after_help = REQUESTS_HELP)]
    Requests(RequestsArgs),
    /// Count tokens per transcript and in total, by role
    Count(CountArgs),
    /// Measure how much of what came later a compaction would have kept
    #[command(after_help = EVALUATE_HELP)]
    Evaluate(EvaluateArgs),
    /// List the models whose limits are known; explain what a name means and what follows from it
    #[command(after_help = MODELS_HELP)]
    Models(ModelsArgs),
    /// List the formats that can be read, or explain how a file's format is told
    #[command(after_help = FORMATS_HELP)]
    Formats(FormatsArgs),
    /// Show the presets: what each reproduces, where it differs on purpose, and its values
    Presets(PresetsArgs),
}

const PLAN_HELP: &str = "\
`compact` with the same options carries out exactly this plan; only the text of a summary is
not known before. With --json there is one object a transcript: thread_id, file, line, and the
plan with its edits and the reasons of each stage.";

const EVALUATE_HELP: &str = "\
Each transcript of 10 messages or more is cut after 40, 60 and 80 %, before an assistant message.
What comes before the cut is compacted with the policy, whatever its trigger; what comes after it
tells what was needed. A --keep that is a share of the model's window counts as messages=4.

  recall     identifiers that the assistant writes later, nobody else wrote again, and only the
             compacted part held (not the system prompt, not the last 4 messages before the cut)
  arguments  those of them that it writes in arguments of calls
  linked     those of them that stand beside a word of their name
  user       content words of the user       errors    error lines, each kind once
  files      files in arguments of calls     faithful  identifiers of the result found in its source

Intervals are 95 % bootstrap intervals over transcripts; the same log gives the same numbers.
Examples:
  epitome evaluate logs/ --summary-tokens 512
  epitome evaluate logs/ --compare small.toml --compare model.toml --json
  epitome evaluate logs/ --fail-under recall=0.5 --fail-under faithful=0.9";

const MODELS_HELP: &str = "\
A name is provider:model, provider/model or model, and is looked up exactly: in --limits first, then in the
embedded table. A bare name means the maker's model. `:` and `/` mean the same: the provider's model, else the
one that bears the whole as its own name at a reseller (openai/gpt-oss-120b at Groq). Only if it is in no table,
it is looked up without `models/` or `ft:`, a router (openrouter/openai/...), a region (us.), the maker's prefix
(anthropic., then only as the maker's own), a version or variant (-v1:0, @..., :free), a date (-20250929,
-2025-12-11) or -latest, in this order. A reseller's limit counts only where it is smaller than the maker's.

--limits takes a table like the embedded one: the heading provider, model, context, input, output, then a
model a line, all separated by tabs; an input limit that is the context may be left empty.";

/// Options of `models`.
#[derive(Debug, Args)]
pub struct ModelsArgs {
    /// The model to explain [default: list all]
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// A table of your own model limits; its rows go before the embedded ones
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
There is one model call before each assistant message, and a last one unless the transcript ends
with one. Each is decided as `compact` decides, on what the model would see then: the last summary
and what follows it. Written to DIR (with several policies to DIR/NAME for each):
  replay.jsonl                       one object a call
  conversation_history/THREAD.md     one section a summary
  large_tool_results/THREAD/CALL     tool results that were too large
  segments.jsonl                     with --segments: training data
  report.json                        each transcript: calls, compactions, tokens, cache
The table on stdout sets the tokens that a policy saves beside the prompt cache that it breaks.

Examples:
  epitome replay logs/ -o out --trigger tokens=60000
  epitome replay logs/ -o out --policy deepagents --policy early=early.toml --prices prices.toml
  epitome replay data.jsonl -o out --segments --alternate --max-tokens 8192";

/// Options of `plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print JSON lines instead of a table
    #[arg(long)]
    pub json: bool,
    /// Show every message, also of transcripts that would not change
    #[arg(short, long)]
    pub verbose: bool,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript would change
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

/// Options of `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// What is read.
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
    /// Replay under this policy: a preset, or NAME=FILE with the policy's TOML. Repeated: side by side;
    /// all other policy options hold for each
    #[arg(long = "policy", value_name = "PRESET|NAME=FILE", conflicts_with_all = ["config", "preset"], help_heading = "Compare")]
    pub policies: Vec<String>,
    /// Prices in USD per million tokens: TOML with a table ["MODEL"] of input, cached_input, cache_write, output for each
    #[arg(long, value_name = "FILE", help_heading = "Compare")]
    pub prices: Option<PathBuf>,
    /// How long the prompt cache lives, in seconds: a longer gap between two calls, by the log's times, is a miss
    #[arg(
        long,
        value_name = "N",
        default_value_t = 300,
        help_heading = "Compare"
    )]
    pub cache_life: u32,
    /// Write training data: one sample for each stretch of calls between two compactions
    #[arg(long, help_heading = "Training data")]
    pub segments: bool,
    /// Write one sample for each model call instead
    #[arg(long, help_heading = "Training data")]
    pub per_call: bool,
    /// Join turns so that user and assistant alternate: a summary goes into the user turn behind it
    #[arg(long, help_heading = "Training data")]
    pub alternate: bool,
    /// Mark each assistant message with "KEY": true or false [default: "weight": 0 where it is not to be trained on]
    #[arg(long, value_name = "KEY", help_heading = "Training data")]
    pub train_key: Option<String>,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if the model would have refused a call
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

/// Options of `count`.
#[derive(Debug, Args)]
pub struct CountArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print JSON lines instead of a table
    #[arg(long)]
    pub json: bool,
    /// Count with this counter as well and show how far the other is off [auto: each model's own exact one]
    #[arg(
        long,
        value_name = "COUNTER",
        value_parser = parse_counter,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "auto"
    )]
    pub compare: Option<&'static str>,
    /// Who counts, and for which model.
    #[command(flatten)]
    pub counting: CountingArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Options of `evaluate`.
#[derive(Debug, Args)]
pub struct EvaluateArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub json: bool,
    /// A further policy to measure, from a TOML file (repeatable); its row has the file's name
    #[arg(long, value_name = "FILE")]
    pub compare: Vec<PathBuf>,
    /// Exit with status 1 if a figure of any policy is lower over all data, or could not be measured: METRIC=SHARE (repeatable)
    #[arg(long, value_name = "METRIC=SHARE")]
    pub fail_under: Vec<String>,
    /// Also write what the embedded summarizer knows of each identifier, as JSON lines (see scripts/refit-weights.py)
    #[arg(long, value_name = "FILE")]
    pub references: Option<PathBuf>,
    /// Replace that file if it exists
    #[arg(long, requires = "references")]
    pub force: bool,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Options of `presets`.
#[derive(Debug, Args)]
pub struct PresetsArgs {
    /// Only this preset, with its prompts
    #[arg(value_name = "NAME", value_parser = preset_parser())]
    pub name: Option<&'static Preset>,
    /// The model whose limits the values depend on, as provider:model
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
}

const FORMATS_HELP: &str = "\
How compact writes a format:
  rewritten  the same format out, byte for byte as it came where nothing changes
  appended   nothing is rewritten: the agent's own record of a compaction is added
  --to only  there is no such record; compact --to openai|anthropic|sharegpt|langchain writes a chat transcript";

/// Options of `formats`.
#[derive(Debug, Args)]
pub struct FormatsArgs {
    /// Say what is seen in this file, and which format follows from it (repeatable)
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
