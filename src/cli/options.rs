//! Options that several commands share.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The greatest number that a policy file can hold, too.
const MOST: u64 = i64::MAX as u64;

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

/// What is written beside the results, and over what.
#[derive(Debug, Clone, Default, Args)]
pub struct WritingArgs {
    /// Also write a report: .json, .md or .html by its ending (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Vec<PathBuf>,
    /// Replace results that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,
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
    #[arg(long, value_name = "N", help_heading = "Policy", value_parser = clap::value_parser!(u64).range(..=MOST))]
    pub max_input_tokens: Option<u64>,
    /// What every result must fit, as a sequence budget: shrinks further until it does; where it can't, status 1 (`replay`: with --check)
    #[arg(long, value_name = "N", help_heading = "Policy", value_parser = clap::value_parser!(u64).range(..=MOST))]
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
    /// Make no call with which the run could cost more than so many US dollars; an answer counts with all that --max-output-tokens allows
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<f64>,
    /// Where answers are kept, so that none is paid twice [default: epitome in the user's cache directory]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,
    /// Keep no answers, and look for none
    #[arg(long)]
    pub no_cache: bool,
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
    /// Certificates (PEM) of authorities to trust beside the system's: of a company's proxy, of a server of your own
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Another header of each request, as `Name: value`; a value $NAME is taken from the environment (repeatable)
    #[arg(long, value_name = "HEADER")]
    pub header: Vec<String>,
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
        text.parse()
            .map(Self::Some)
            .map_err(|_| "expected a number or `all`".to_owned())
    }
}
