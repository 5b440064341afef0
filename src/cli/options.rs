//! Options that several commands share.

use super::checked_values::{
    parse_clause, parse_counter, parse_keep, parse_keep_without_turns, parse_pin, parse_price,
    parse_summarizer,
};
use super::clap_parsers::{
    format_parser, frame_parser, number_parser, parse_above_zero, parse_concurrency, parse_cost,
    parse_glob, parse_size, parse_temperature, preset_parser, profiles_parser, report_kind_parser,
    target_parser,
};
use super::table_help::{counter_help, summarizer_help};
use super::token_counts::{parse_tokens, parse_tokens_or_none};
use super::value_error::ValueError;
use crate::archive::names::NameRule;
use crate::convert::ConversionTarget;
use crate::format::Format;
use crate::input::{ListingError, NamedInputs, PathRules, ReadLimits, STDIN, read_path_list};
use crate::model::ProfileRelease;
use crate::output::LockMode;
use crate::policy::{
    Amount, CallPrice, Clause, Dialect, Keep, OnFailure, PinRule, Preset, SummarizerKind,
};
use crate::report::kinds::ReportKind;
use crate::transcript::summary_frame::SummaryFrame;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The inputs, and how they are read.
#[derive(Debug, Clone, Args)]
pub(crate) struct InputArgs {
    /// Files, directories (.jsonl, .ndjson, .json, .traj, .eval, each also .gz or .zst; .parquet if built in), or `-` for stdin
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Read the inputs that this file lists, too: a path a line, or ended by a NUL byte; - reads the
    /// list from stdin
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub files_from: Option<PathBuf>,
    /// Follow links below a named directory (a link that is named itself is always followed)
    #[arg(long, help_heading = "Input")]
    pub follow: bool,
    /// Below a named directory read only files that match this pattern, spelled as in .gitignore
    /// (repeatable)
    #[arg(long, value_name = "GLOB", value_parser = parse_glob, help_heading = "Input")]
    pub include: Vec<String>,
    /// Below a named directory leave out what matches this pattern, spelled as in .gitignore
    /// (repeatable)
    #[arg(long, value_name = "GLOB", value_parser = parse_glob, help_heading = "Input")]
    pub exclude: Vec<String>,
    /// Enter hidden directories below a named directory
    #[arg(long, help_heading = "Input")]
    pub hidden: bool,
    /// Read everything as this format instead of detecting it by content (see `epitome formats`)
    #[arg(
        long,
        value_name = "NAME",
        value_parser = format_parser(),
        hide_possible_values = true,
        help_heading = "Input"
    )]
    pub format: Option<&'static dyn Format>,
    /// Copy lines longer than this unread, and report them; journals and documents longer than
    /// this are errors. Memory is bounded by it
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_size,
        default_value_t = ReadLimits::default().max_record_bytes,
        help_heading = "Input"
    )]
    pub max_record_bytes: usize,
    /// Refuse files that decompress to more than this many times their size (from 64 MiB on)
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_size,
        default_value_t = ReadLimits::default().max_decompression_ratio,
        help_heading = "Input"
    )]
    pub max_decompression_ratio: usize,
}

impl InputArgs {
    /// Appends the inputs that the list of `--files-from` names.
    ///
    /// # Errors
    /// Fails if the list can't be read, or stdin is an input itself.
    pub(crate) fn append_listed(&mut self) -> Result<(), ListingError> {
        let Some(list) = self.files_from.take() else {
            return Ok(());
        };
        let is_stdin = |path: &PathBuf| path.as_os_str() == STDIN;
        if is_stdin(&list) && self.inputs.iter().any(is_stdin) {
            return Err(ListingError::ListIsInput);
        }
        self.inputs.extend(read_path_list(&list)?);
        Ok(())
    }

    /// Returns the inputs that the user named.
    #[must_use]
    pub(crate) fn named(&self) -> NamedInputs<'_> {
        NamedInputs {
            paths: &self.inputs,
            rules: self.path_rules(),
        }
    }

    /// Returns what is read below a named directory.
    #[must_use]
    pub(crate) fn path_rules(&self) -> PathRules {
        PathRules {
            follow_links: self.follow,
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            hidden: self.hidden,
        }
    }
}

/// The reports to write.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReportArgs {
    /// Also write a report: .json, .jsonl, .md, .html or .xml (JUnit) by its ending; - prints it, and
    /// "$GITHUB_STEP_SUMMARY" is appended to (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Vec<PathBuf>,
    /// The kind of reports whose ending doesn't say it [default: md]
    #[arg(long, value_name = "KIND", value_parser = report_kind_parser(), help_heading = "Output")]
    pub report_format: Option<&'static ReportKind>,
}

/// The reports to write, and the consent to replace results.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct WritingArgs {
    /// The reports to write.
    #[command(flatten)]
    pub reports: ReportArgs,
    /// Show the messages before and after in .html reports
    #[arg(long, help_heading = "Output")]
    pub report_texts: bool,
    /// Print what becomes of each transcript, and why
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Run")]
    pub verbose: bool,
    /// Replace existing results, all at once when the run is done
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Go on with a run that was interrupted: results that are whole, and of the same input and policy,
    /// are kept, and all others are written
    #[arg(long, conflicts_with = "force", help_heading = "Output")]
    pub resume: bool,
    /// What to do if another run writes into the same directory [default: wait; with stdin or
    /// stdout no longer than a minute]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Output")]
    pub lock: Option<WhenLocked>,
}

/// The counting of tokens.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CountingArgs {
    /// The model that the transcripts are for, as provider:model [default: each record's own]
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub model: Option<String>,
    /// The token counter.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = parse_counter,
        help = counter_help(),
        help_heading = "Policy"
    )]
    pub counter: Option<&'static str>,
    /// A table of your own model limits, which takes precedence over the embedded one (for its
    /// columns see `epitome models --help`)
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub limits: Option<PathBuf>,
    /// Use the limits that this release of Deep Agents had, before the embedded ones
    #[arg(
        long,
        value_name = "RELEASE",
        value_parser = profiles_parser(),
        help_heading = "Policy"
    )]
    pub profiles: Option<ProfileRelease>,
    /// Refuse models whose input limit is not known, instead of warning and using the defaults
    /// without a limit
    #[arg(long, help_heading = "Policy")]
    pub strict_model: bool,
    /// Read options from a TOML file; the command line takes precedence [default: epitome.toml in
    /// the working directory or above it, and ~/.config/epitome/epitome.toml below that]
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub config: Option<PathBuf>,
    /// Read no configuration file that is not named
    #[arg(long, help_heading = "Policy", conflicts_with = "config")]
    pub no_config: bool,
}

/// When and how to compact.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PolicyArgs {
    /// The middleware to reproduce (see `epitome presets`) [default: deepagents]
    #[arg(
        long,
        value_name = "NAME",
        value_parser = preset_parser(),
        help_heading = "Policy"
    )]
    pub preset: Option<&'static Preset>,
    /// The counting of tokens.
    #[command(flatten)]
    pub counting: CountingArgs,
    /// The model's input limit in tokens, in place of the known one
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_tokens,
        help_heading = "Policy"
    )]
    pub max_input_tokens: Option<u64>,
    /// The number of tokens that every result must fit: it is shrunk further until it does; if that
    /// fails, the exit status is 1 (`replay`: with --check)
    #[arg(
        long,
        value_name = "N",
        value_parser = parse_tokens,
        help_heading = "Policy"
    )]
    pub max_tokens: Option<u64>,
    /// When to summarize: tokens=N, messages=N, fraction=F or overflow. All conditions separated by
    /// commas must hold; if the option is repeated, any of them
    #[arg(
        long,
        value_name = "WHEN",
        value_parser = parse_clause,
        help_heading = "Policy"
    )]
    pub trigger: Vec<Clause<Amount>>,
    /// How much recent context to keep: messages=N, tokens=N, fraction=F or turns=N|all[,tokens=N];
    /// or events=N, recent=N, characters=F, half, as other agents do
    #[arg(
        long,
        value_name = "HOW",
        value_parser = parse_keep,
        help_heading = "Policy"
    )]
    pub keep: Option<Keep>,
    /// Count this file as memory in the system prompt, as Deep Agents would have sent it
    /// (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub memory: Vec<String>,
    /// Count the skills below this directory in the system prompt, as Deep Agents would have listed
    /// them (repeatable)
    #[arg(long, value_name = "DIR", help_heading = "Policy")]
    pub skills: Vec<String>,
    /// The stages before the summary.
    #[command(flatten)]
    pub stages: StageArgs,
    /// The writer of summaries.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = parse_summarizer,
        help = summarizer_help(),
        help_heading = "Policy"
    )]
    pub summarizer: Option<SummarizerKind>,
    /// Length of a summary in tokens [default: 5 % of what it replaces, from 256 to 2000]
    #[arg(
        long,
        value_name = "N",
        value_parser = number_parser::<usize>(),
        help_heading = "Policy"
    )]
    pub summary_tokens: Option<usize>,
    /// Read the prompt for a model from a file; it must contain {messages}
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub prompt_file: Option<PathBuf>,
    /// What to do with a transcript whose summary fails [default: keep]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Policy")]
    pub on_failure: Option<OnFailure>,
    /// Give command:PROGRAM this environment variable beside PATH, HOME and the like (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub pass_env: Vec<String>,
    /// Mask secrets (keys, tokens, private keys, passwords in URLs) in requests, summaries and
    /// archives
    #[arg(long, help_heading = "Policy")]
    pub redact: bool,
    /// The parameters of asking a model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Print the resolved policy as TOML and exit
    #[arg(long, help_heading = "Policy")]
    pub print_config: bool,
}

/// The stages that run before a summary, and the frame of the summary.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Stages")]
pub(crate) struct StageArgs {
    /// Evict tool results longer than this many tokens, by 4 characters a token; 0 turns it off
    #[arg(long, value_name = "N", value_parser = parse_tokens_or_none)]
    pub evict_tokens: Option<u64>,
    /// When to truncate long arguments of old calls, as for --trigger
    #[arg(long, value_name = "WHEN", value_parser = parse_clause)]
    pub truncate_trigger: Vec<Clause<Amount>>,
    /// How much recent context is not truncated: messages=N, tokens=N or fraction=F
    #[arg(long, value_name = "HOW", value_parser = parse_keep_without_turns)]
    pub truncate_keep: Option<Keep>,
    /// The longest argument that is not truncated, in characters
    #[arg(long, value_name = "N", value_parser = number_parser::<usize>())]
    pub truncate_length: Option<usize>,
    /// Clear old tool results, as OpenCode does
    #[arg(long)]
    pub prune: bool,
    /// Keep this many tokens of the newest tool results when old ones are cleared
    #[arg(long, value_name = "N", value_parser = parse_tokens_or_none, requires = "prune")]
    pub prune_protect: Option<u64>,
    /// Clear old tool results only if more than this many tokens go
    #[arg(long, value_name = "N", value_parser = parse_tokens_or_none, requires = "prune")]
    pub prune_minimum: Option<u64>,
    /// Replace a tool result by a reference if a later result is the same, or shows the same file
    /// again
    #[arg(long)]
    pub dedup_results: bool,
    /// Shorten old tool results of more than this many tokens: JSON stays JSON, tables keep heads,
    /// logs their first, last and error lines; 0 turns it off
    #[arg(long, value_name = "N", value_parser = parse_tokens_or_none)]
    pub cut_tokens: Option<u64>,
    /// Leave messages alone in every stage: role=NAME, tool=NAME (its results), pattern=REGEX (in
    /// their text) or label=NAME (repeatable)
    #[arg(long, value_name = "WHAT", value_parser = parse_pin)]
    pub pin: Vec<PinRule>,
    /// The messages that present a summary to the model: archived (names the archive), plain (the
    /// summary alone), opencode (a question and its answer) [default: the preset's]
    #[arg(long, value_name = "NAME", value_parser = frame_parser(), hide_possible_values = true)]
    pub frame: Option<SummaryFrame>,
}

/// The parameters of asking a model, with `--summarizer http`.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Summaries by a model")]
pub(crate) struct ModelArgs {
    /// The model that writes summaries, by the server's name for it [default: that of --model]
    #[arg(long, value_name = "NAME")]
    pub summary_model: Option<String>,
    /// The server's interface [default: by the model's provider]
    #[arg(long, value_name = "NAME", value_enum)]
    pub dialect: Option<Dialect>,
    /// The server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Sampling temperature, from 0 to 2 [default: the server's]
    #[arg(long, value_name = "F", value_parser = parse_temperature)]
    pub temperature: Option<f64>,
    /// The most tokens of an answer [default: the server's limit]
    #[arg(long, value_name = "N", value_parser = number_parser::<u64>())]
    pub max_output_tokens: Option<u64>,
    /// Give up a request after this many seconds [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = parse_above_zero)]
    pub timeout: Option<u64>,
    /// Give up a summary after this many seconds, retries and waits included [default: 600]
    #[arg(long, value_name = "SECONDS", value_parser = parse_above_zero)]
    pub deadline: Option<u64>,
    /// Repeat a failed request at most this many times [default: 6]
    #[arg(long, value_name = "N", value_parser = number_parser::<u64>())]
    pub retries: Option<u64>,
    /// The number of requests at the same time, from 1 to 256 [default: 8]
    #[arg(long, value_name = "N", value_parser = parse_concurrency)]
    pub concurrency: Option<usize>,
    /// US dollars per million tokens of input and of output [default: known prices]
    #[arg(long, value_name = "IN,OUT", value_parser = parse_price)]
    pub price: Option<CallPrice>,
    /// Make at most this many calls, not counting repeated requests and cached answers
    #[arg(long, value_name = "N", value_parser = number_parser::<u64>())]
    pub max_calls: Option<u64>,
    /// Make no call that could raise the cost of the run above this many US dollars; an answer is
    /// assumed to be as long as --max-output-tokens allows
    #[arg(long, value_name = "USD", value_parser = parse_cost)]
    pub max_cost: Option<f64>,
    /// Cache answers in this directory, so that none is paid for twice [default: epitome in the
    /// user's cache directory]
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    pub cache: Option<PathBuf>,
    /// Neither read nor write cached answers
    #[arg(long)]
    pub no_cache: bool,
}

/// The address of a server and the credentials for it.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Summaries by a model")]
pub(crate) struct ServerArgs {
    /// The server's address, such as http://localhost:11434/v1 [default: the provider's]
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Read the API key from this environment variable [default: OPENAI_API_KEY or
    /// ANTHROPIC_API_KEY]
    #[arg(long, value_name = "NAME", conflicts_with = "api_key_file")]
    pub api_key_env: Option<String>,
    /// Read the API key from this file
    #[arg(long, value_name = "FILE")]
    pub api_key_file: Option<PathBuf>,
    /// Send the API key over plain http, too, to a server that is not on this machine
    #[arg(long)]
    pub allow_plain_http: bool,
    /// Trust the certificate authorities in this PEM file beside the system's
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Send another header with each request, as `Name: value`; a value $NAME is read from the
    /// environment (repeatable)
    #[arg(long, value_name = "HEADER")]
    pub header: Vec<String>,
}

/// The format in which results are written.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ToArgs {
    /// Write chat transcripts of this format instead of the log's own
    #[arg(
        long,
        value_name = "FORMAT",
        value_parser = target_parser(),
        help_heading = "Output"
    )]
    pub to: Option<&'static dyn ConversionTarget>,
    /// Join consecutive user messages, for chat templates that refuse two messages of the same role
    /// in a row (anthropic and sharegpt always do)
    #[arg(long, requires = "to", help_heading = "Output")]
    pub merge_user: bool,
}

/// The parameters of a run, apart from the policy.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// The number of threads [default: the number of cores]
    #[arg(short, long, value_name = "N", help_heading = "Run")]
    pub jobs: Option<usize>,
    /// Tolerate this many failures and results over their limit: a number, or `all`
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Run")]
    pub max_errors: MaxErrors,
    /// Print only errors and warnings
    #[arg(short, long, help_heading = "Run")]
    pub quiet: bool,
    /// Print errors, and transcripts over their limit, so that a CI server shows them beside the file
    #[arg(long, value_name = "SERVER", value_enum, help_heading = "Run")]
    pub annotations: Option<AnnotationStyle>,
    /// Show progress on stderr
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = When::Auto, help_heading = "Run")]
    pub progress: When,
}

/// The CI server that shows annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnnotationStyle {
    /// Workflow commands of GitHub
    Github,
}

/// When to do what only a terminal is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How archive files are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum NamesBy {
    /// By thread id; repeated names get a number, in input order
    #[default]
    Order,
    /// By thread id and a hash of the record, so that equal names stand for equal contents. A
    /// transcript's result then depends on nothing but its record and the policy
    Content,
}

impl From<NamesBy> for NameRule {
    fn from(wanted: NamesBy) -> Self {
        match wanted {
            NamesBy::Order => Self::Order,
            NamesBy::Content => Self::Content,
        }
    }
}

/// What to do if another run writes into the same directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhenLocked {
    /// Wait until that run ends
    Wait,
    /// Fail with status 2 (4 in a pipe, where something may be written already)
    Fail,
}

impl From<WhenLocked> for LockMode {
    fn from(wanted: WhenLocked) -> Self {
        match wanted {
            WhenLocked::Wait => Self::Wait,
            WhenLocked::Fail => Self::Fail,
        }
    }
}

/// The number of failures that do not change the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MaxErrors {
    /// At most this many.
    Some(u64),
    /// Any number.
    All,
}

impl MaxErrors {
    /// Returns true if this many failures do not change the exit status.
    #[must_use]
    pub(crate) fn tolerates(self, failures: u64) -> bool {
        match self {
            Self::Some(most) => failures <= most,
            Self::All => true,
        }
    }
}

impl std::str::FromStr for MaxErrors {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        if text == "all" {
            return Ok(Self::All);
        }
        text.parse()
            .map(Self::Some)
            .map_err(|_| ValueError::NoErrorCount)
    }
}
