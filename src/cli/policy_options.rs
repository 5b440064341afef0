//! Options that say how tokens are counted, and when and how transcripts are compacted.

use super::checked_values::{parse_clause, parse_counter, parse_keep, parse_pin, parse_summarizer};
use super::clap_parsers::{
    frame_parser, number_parser, parse_assignment, parse_tokens, preset_parser, profiles_parser,
};
use super::model_options::ModelArgs;
use super::table_help::{counter_help, summarizer_help};
use crate::model::ProfileRelease;
use crate::policy::{Amount, Clause, Keep, OnFailure, PinRule, Preset, SummarizerKind};
use crate::secrets::Redaction;
use crate::transcript::summary_frame::SummaryFrame;
use clap::Args;
use std::path::PathBuf;

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
    /// Use the limits that this release of Deep Agents had, by their exact names
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
    /// Set a key of the configuration, such as summarizer.timeout=30 (repeatable; `--print-config`
    /// prints all keys)
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_assignment, help_heading = "Policy")]
    pub set: Vec<String>,
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
    /// or events=N, recent=N, back=N, whole=N, answers=N, characters=F, as other agents do
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
    /// What is masked.
    #[command(flatten)]
    pub redact: RedactArgs,
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
    /// Clear old tool results, as OpenCode does
    #[arg(long)]
    pub prune: bool,
    /// Replace a tool result by a reference if a later result is the same, or shows the same file
    /// again
    #[arg(long)]
    pub dedup_results: bool,
    /// Leave messages alone in every stage: role=NAME, tool=NAME (its results), pattern=REGEX (in
    /// their text) or label=NAME (repeatable)
    #[arg(long, value_name = "WHAT", value_parser = parse_pin)]
    pub pin: Vec<PinRule>,
    /// The messages that present a summary to the model: archived (names the archive), plain (the
    /// summary alone), opencode (a question and its answer) [default: the preset's]
    #[arg(long, value_name = "NAME", value_parser = frame_parser(), hide_possible_values = true)]
    pub frame: Option<SummaryFrame>,
}

/// What is masked.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RedactArgs {
    /// Mask secrets (keys, tokens, private keys, passwords in URLs) in all that is written anew;
    /// `--redact=pii` masks mail addresses, phone, card and IP numbers, too
    #[arg(
        long,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "secrets",
        value_parser = parse_redaction,
        help_heading = "Policy"
    )]
    pub redact: Option<Redaction>,
}

fn parse_redaction(word: &str) -> Result<Redaction, String> {
    Redaction::from_word(word).ok_or_else(|| "it must be secrets or pii".to_owned())
}
