//! The command line, typed. What it says is resolved in `settings`.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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
3 some input failed, all the rest was written; 130 Ctrl-C.";

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

const COMPACT_HELP: &str = "\
Every input file is written under its own relative path below DIR, beside
  conversation_history/THREAD.md     what was summarised, for people and for the model
  large_tool_results/THREAD/CALL     tool results that were too large
  originals/FILE.originals           the exact original bytes of all that was removed, for `epitome restore`
  report.json                        what was done to each transcript, and why
The input is never written over. A transcript that can't be compacted is written as it came.

With --to each transcript leaves as one line of another format (see `epitome convert --help`), also one that
needs no compaction; a record that can't be read is reported and not written.";

const CONVERT_HELP: &str = "\
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

const RESTORE_HELP: &str = "\
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

const PLAN_HELP: &str = "\
`compact` with the same options carries out exactly this plan; only the text of a summary is
not known before. With --json there is one object a transcript: thread_id, file, line, and the
plan with its edits and the reasons of each stage.";

const REQUESTS_HELP: &str = "\
In order:
  epitome requests export logs/ -o requests --summary-model openai:gpt-5.2   writes the request files
  epitome requests submit requests      hands them to OpenAI or Anthropic; or run them anywhere else
  epitome requests status requests      how far they are
  epitome requests fetch requests       gets the results
  epitome requests apply requests -o out   finishes the compaction

A request's custom_id is the hash of all that its answer depends on: results may come in any order and
in parts, and apply can be repeated as more of them arrive.";

/// What to do with requests.
#[derive(Debug, Args)]
pub struct RequestsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: RequestsCommand,
}

/// What to do with requests.
#[derive(Debug, Subcommand)]
pub enum RequestsCommand {
    /// Write the requests for all summaries into files for OpenAI's or Anthropic's batch interface
    Export(Box<ExportArgs>),
    /// Finish the compaction with results
    Apply(Box<ApplyArgs>),
    /// Hand exported requests to the server; what was handed over before is not again
    Submit(BatchArgs),
    /// How far the server is
    Status(BatchArgs),
    /// Get the results of what is done into the export directory
    Fetch(BatchArgs),
}

/// Options of `requests export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the request files; it must be new or empty
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Requests in one file at most [default: what the provider takes: openai 50000, anthropic 100000]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub max_requests: Option<u64>,
    /// Bytes of one file at most [default: what the provider takes: openai 100 MB, anthropic 256 MB]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub max_bytes: Option<u64>,
    /// When and how to compact.
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Options of `requests apply`.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// Result files (JSONL, in any order), or the export directory with the results that were fetched into it
    #[arg(value_name = "RESULTS", required = true)]
    pub results: Vec<PathBuf>,
    /// The export directory [default: where the first of RESULTS lies]
    #[arg(long, value_name = "DIR")]
    pub requests: Option<PathBuf>,
    /// Directory for the compacted transcripts
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Directory for histories, evicted results and originals [default: the output directory]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub archive: Option<PathBuf>,
    /// Also write a report: .json, .md or .html by its ending (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Vec<PathBuf>,
    /// Replace results that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// What becomes of a transcript whose result is missing or failed: keep, extract, fail [default: as exported]
    #[arg(long, visible_alias = "on-missing", value_name = "WHAT", help_heading = "Policy")]
    pub on_failure: Option<String>,
    /// What is written.
    #[command(flatten)]
    pub to: ToArgs,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if a transcript changed
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

/// Options of `requests submit`, `status` and `fetch`.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// The export directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Print JSON lines
    #[arg(long)]
    pub json: bool,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// Where a server is and what it wants to know.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Summaries by a model")]
pub struct ServerArgs {
    /// The server [default: the provider's own]; for example http://localhost:11434/v1
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// The environment variable that holds the key [default: OPENAI_API_KEY or ANTHROPIC_API_KEY]
    #[arg(long, value_name = "NAME", conflicts_with = "api_key_file")]
    pub api_key_env: Option<String>,
    /// The file that holds the key
    #[arg(long, value_name = "FILE")]
    pub api_key_file: Option<PathBuf>,
    /// Another header of each request, as `Name: value`; a value $NAME is taken from the environment (repeatable)
    #[arg(long, value_name = "HEADER")]
    pub header: Vec<String>,
}

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
  epitome evaluate logs/ --fail-under recall=0.9 --fail-under faithful=1";

const MODELS_HELP: &str = "\
A name is provider:model, provider/model or model, and is looked up exactly: in --limits first, then in the
embedded table. A bare name means the maker's model. Only if it is in no table, it is looked up without
`models/` or `ft:`, a router (openrouter/openai/...), a region (us.), the maker's prefix (anthropic.), a
version or variant (-v1:0, @..., :free), a date (-20250929, -2025-12-11) or -latest, in this order. A reseller's
limit counts only where it is smaller than the maker's.

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
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
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

/// Options of `compact`.
#[derive(Debug, Args)]
pub struct CompactArgs {
    /// What is read.
    #[command(flatten)]
    pub input: InputArgs,
    /// Directory for the results; `-` writes the compacted JSONL of one input to stdout
    #[arg(short, long, value_name = "DIR", required_unless_present = "print_config")]
    pub output: Option<PathBuf>,
    /// Directory for histories, evicted results and originals [default: the output directory; with `-o -` epitome-archive]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub archive: Option<PathBuf>,
    /// Also write a report: .json, .md or .html by its ending (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Vec<PathBuf>,
    /// Replace results that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
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

/// In which format results are written.
#[derive(Debug, Clone, Default, Args)]
pub struct ToArgs {
    /// Write chat transcripts of this format instead of the log's own: openai, anthropic, sharegpt, langchain
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub to: Option<String>,
    /// Join consecutive user messages, as chat templates want it that refuse two of one role (anthropic and sharegpt always do)
    #[arg(long, requires = "to", help_heading = "Output")]
    pub merge_user: bool,
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
    /// The format to convert to: openai, anthropic, sharegpt, langchain
    #[arg(long, value_name = "FORMAT", help_heading = "Output")]
    pub to: String,
    /// Join consecutive user messages, as chat templates want it that refuse two of one role (anthropic and sharegpt always do)
    #[arg(long, help_heading = "Output")]
    pub merge_user: bool,
    /// Also write a report: .json or .md by its ending (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Vec<PathBuf>,
    /// Replace results that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// How to run.
    #[command(flatten)]
    pub run: RunArgs,
    /// Exit with status 1 if anything was left out
    #[arg(long, help_heading = "Run")]
    pub check: bool,
}

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
    #[arg(short, long, value_name = "DIR", required_unless_present = "print_config")]
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
    #[arg(long, value_name = "N", default_value_t = 300, help_heading = "Compare")]
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
    #[arg(long, value_name = "COUNTER", num_args = 0..=1, require_equals = true, default_missing_value = "auto")]
    pub compare: Option<String>,
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
    /// Exit with status 1 if a figure of any policy is lower over all data: METRIC=SHARE (repeatable)
    #[arg(long, value_name = "METRIC=SHARE")]
    pub fail_under: Vec<String>,
    /// Also write what the embedded summarizer knows of each identifier, as JSON lines (see scripts/refit-weights.py)
    #[arg(long, value_name = "FILE")]
    pub references: Option<PathBuf>,
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
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
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

/// What is read.
#[derive(Debug, Clone, Args)]
pub struct InputArgs {
    /// Files, directories (.jsonl, .ndjson, .json, .traj, each also .gz, .zst), or `-` for stdin
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Read everything as this format, instead of by its content (see `epitome formats`)
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub format: Option<String>,
    /// Lines longer than this pass through unread, and are reported
    #[arg(long, value_name = "N", default_value_t = 1 << 30, help_heading = "Input")]
    pub max_record_bytes: usize,
}

/// How tokens are counted.
#[derive(Debug, Clone, Default, Args)]
pub struct CountingArgs {
    /// The model that the transcripts are for, as provider:model [default: each record's own]
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub model: Option<String>,
    /// Who counts tokens: approx (as the reference), cjk, utf16, exact o200k_base, o200k_harmony, cl100k_base,
    /// p50k_base, r50k_base, file:PATH of a tokenizer.json, or auto: exact where the model's encoding is known [default: the preset's]
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub counter: Option<String>,
    /// A table of your own model limits; its rows go before the embedded ones (columns: see `epitome models --help`)
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub limits: Option<PathBuf>,
    /// Refuse models whose input limit is not known, instead of a warning and the defaults without a limit
    #[arg(long, help_heading = "Policy")]
    pub strict_model: bool,
    /// Read options from a TOML file; the command line wins
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub config: Option<PathBuf>,
}

/// When and how to compact.
#[derive(Debug, Clone, Default, Args)]
pub struct PolicyArgs {
    /// The middleware to reproduce: deepagents, langchain, opencode, opencode-seed (see `epitome presets`) [default: deepagents]
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub preset: Option<String>,
    /// How tokens are counted.
    #[command(flatten)]
    pub counting: CountingArgs,
    /// The model's input limit, if it is not known or not what you want
    #[arg(long, value_name = "N", help_heading = "Policy")]
    pub max_input_tokens: Option<u64>,
    /// What every result must fit, as a sequence budget: shrinks further until it does; status 1 where it can't
    #[arg(long, value_name = "N", help_heading = "Policy")]
    pub max_tokens: Option<u64>,
    /// When to summarise: tokens=N, messages=N, fraction=F or overflow; commas: all of them; repeated: any
    #[arg(long, value_name = "WHEN", help_heading = "Policy")]
    pub trigger: Vec<String>,
    /// Recent context that stays: messages=N, tokens=N, fraction=F or turns=N|all[,tokens=N]
    #[arg(long, value_name = "HOW", help_heading = "Policy")]
    pub keep: Option<String>,
    /// Who writes summaries: extract (embedded, no model), http (a model), command:PROGRAM, none [default: extract]
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub summarizer: Option<String>,
    /// Tokens of a summary [default: 5 % of what it replaces, 256 to 2000]
    #[arg(long, value_name = "N", help_heading = "Policy")]
    pub summary_tokens: Option<usize>,
    /// A file with the prompt for a model; it must hold {messages}
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub prompt_file: Option<PathBuf>,
    /// What becomes of a transcript whose summary fails: keep (unchanged, marked), extract (embedded summary), fail (the run ends) [default: keep]
    #[arg(long, value_name = "WHAT", help_heading = "Policy")]
    pub on_failure: Option<String>,
    /// Mask secrets (keys, tokens, private keys, passwords in URLs) in requests, summaries and archives
    #[arg(long, help_heading = "Policy")]
    pub redact: bool,
    /// How a model is asked.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Print the resolved policy as TOML and end
    #[arg(long, help_heading = "Policy")]
    pub print_config: bool,
}

/// How a model is asked, with `--summarizer http`.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Summaries by a model")]
pub struct ModelArgs {
    /// The model that writes summaries, as the server knows it [default: that of --model]
    #[arg(long, value_name = "NAME")]
    pub summary_model: Option<String>,
    /// The server's interface: openai (chat completions), anthropic (Messages) [default: by the model's provider]
    #[arg(long, value_name = "NAME")]
    pub dialect: Option<String>,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Sampling temperature [default: the server's]
    #[arg(long, value_name = "F")]
    pub temperature: Option<f64>,
    /// Tokens that an answer may have [default: the server's limit]
    #[arg(long, value_name = "N")]
    pub max_output_tokens: Option<u64>,
    /// Seconds until one request is given up [default: 120]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    /// Seconds until a summary is given up, with all retries and waits [default: 600]
    #[arg(long, value_name = "SECONDS")]
    pub deadline: Option<u64>,
    /// How often a request that was not answered is repeated at most [default: 6]
    #[arg(long, value_name = "N")]
    pub retries: Option<u64>,
    /// Requests at the same time [default: 8]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<usize>,
    /// US dollars per million tokens, as INPUT,OUTPUT [default: known prices]
    #[arg(long, value_name = "IN,OUT")]
    pub price: Option<String>,
    /// Make at most so many calls; repeated requests and cached answers don't count
    #[arg(long, value_name = "N")]
    pub max_calls: Option<u64>,
    /// Make no call with which the run could cost more than so many US dollars
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<f64>,
    /// Where answers are kept, so that none is paid twice [default: epitome in the user's cache directory]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,
    /// Keep no answers, and look for none
    #[arg(long)]
    pub no_cache: bool,
}

/// How to run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Threads [default: one a core]
    #[arg(short, long, value_name = "N", help_heading = "Run")]
    pub jobs: Option<usize>,
    /// Failures that are tolerated: a number, or `all`
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Run")]
    pub max_errors: MaxErrors,
    /// Say only what went wrong
    #[arg(short, long, help_heading = "Run")]
    pub quiet: bool,
    /// Show progress on stderr
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto, help_heading = "Run")]
    pub progress: When,
}

/// When to do something that suits a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Also elsewhere
    Always,
    /// Not at all
    Never,
}

/// How many failures still make a good end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxErrors {
    /// At most so many.
    Some(u64),
    /// Any number.
    All,
}

impl std::str::FromStr for MaxErrors {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        text.parse().map(Self::Some).map_err(|_| "expected a number or `all`".to_owned())
    }
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
