//! Options that say how tokens are counted, and when and how transcripts are compacted, with the help
//! texts that list the rows of a table.

use super::checked_values::{parse_clause, parse_counter, parse_keep, parse_summarizer};
use super::clap_parsers::{parse_assignment, parse_tokens, parse_whole, preset_parser};
use crate::base::secrets::Redaction;
use crate::dataset::DATASET_TARGETS;
use crate::deciding::policy::{Amount, Clause, Keep, Preset, SummarizerKind};
use crate::deciding::tokens::{AUTO, COUNTERS, tokenizer_json};
use crate::summary::SUMMARIZERS;
use clap::Args;
use std::path::PathBuf;

/// The counting of tokens.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CountingArgs {
    /// The model that the transcripts are for, as provider:model [default: each record's own]
    ///
    /// Its input limit sets the default trigger
    #[arg(long, value_name = "NAME", help_heading = "Policy")]
    pub model: Option<String>,
    #[arg(
        long,
        value_name = "NAME",
        value_parser = parse_counter,
        help = "The token counter, for example o200k_base",
        long_help = counter_help(),
        help_heading = "Policy"
    )]
    pub counter: Option<&'static str>,
    /// A table of your own model limits, which takes precedence over the embedded one (for its
    /// columns see `epitome models --help`)
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub limits: Option<PathBuf>,
    /// Read options from a TOML file; the command line takes precedence [default: epitome.toml in
    /// the working directory or above it, and ~/.config/epitome/epitome.toml below that]
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    pub config: Option<PathBuf>,
    /// Set a key of the configuration, such as summarizer.timeout=30 (repeatable)
    ///
    /// `--print-config` prints all keys. The value @FILE is the text of a file
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_assignment, help_heading = "Policy")]
    pub set: Vec<String>,
    /// Do not look for configuration files
    #[arg(long, conflicts_with = "config", help_heading = "Policy")]
    pub no_config: bool,
}

/// When and how to compact.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PolicyArgs {
    /// The agent or middleware to reproduce (see `epitome presets`) [default: deepagents]
    #[arg(long, value_name = "NAME", value_parser = preset_parser(), help_heading = "Policy")]
    pub preset: Option<&'static Preset>,
    #[command(flatten)]
    pub counting: CountingArgs,
    /// Input limit of the model in tokens, instead of the known one
    #[arg(long, value_name = "N", value_parser = parse_tokens, help_heading = "Policy")]
    pub max_input_tokens: Option<u64>,
    /// Token limit for every result
    ///
    /// Results are shrunk until they fit; if one cannot, the exit status is 1 (`replay`: with --check)
    #[arg(long, value_name = "N", value_parser = parse_tokens, help_heading = "Policy")]
    pub max_tokens: Option<u64>,
    /// When to summarize, for example tokens=100k
    ///
    /// A condition is tokens=N, messages=N, fraction=F or overflow. All conditions separated by commas
    /// must hold; if the option is repeated, any of them
    #[arg(long, value_name = "WHEN", value_parser = parse_clause, help_heading = "Policy")]
    pub trigger: Vec<Clause<Amount>>,
    /// How much recent context to keep, for example tokens=20k
    ///
    /// It is messages=N, tokens=N, fraction=F or turns=N|all[,tokens=N]; or events=N, recent=N,
    /// back=N, whole=N, answers=N, characters=F, as other agents do
    #[arg(long, value_name = "HOW", value_parser = parse_keep, help_heading = "Policy")]
    pub keep: Option<Keep>,
    #[arg(
        long,
        value_name = "NAME",
        value_parser = parse_summarizer,
        help = summarizer_help(),
        help_heading = "Policy"
    )]
    pub summarizer: Option<SummarizerKind>,
    /// Length of a summary in tokens [default: 5 % of what it replaces, from 256 to 2000]
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>, help_heading = "Policy")]
    pub summary_tokens: Option<usize>,
    #[command(flatten)]
    pub redact: RedactArgs,
    /// Print the resolved policy as TOML and exit
    #[arg(long, help_heading = "Policy")]
    pub print_config: bool,
}

/// What is masked.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RedactArgs {
    /// Mask secrets (keys, tokens, private keys, passwords in URLs) in everything that epitome itself
    /// writes; `--redact=pii` also masks mail addresses and phone, card and IP numbers
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

/// Returns the help of `--counter`.
pub(super) fn counter_help() -> String {
    format!(
        "The token counter: {}, {}PATH (a tokenizer.json), or {AUTO} (exact where the model's \
         encoding is known) [default: the preset's]",
        explain_names(COUNTERS.iter().map(|counter| (counter.name, counter.help))),
        tokenizer_json::PREFIX
    )
}

/// Returns the help of `--summarizer`.
pub(super) fn summarizer_help() -> String {
    let names = SUMMARIZERS.iter().map(|summarizer| (summarizer.name, summarizer.help));
    format!("The writer of summaries: {} [default: extract]", explain_names(names))
}

/// Returns the help of `--to` of `dataset`.
pub(super) fn dataset_target_help() -> String {
    let names = DATASET_TARGETS.iter().map(|target| (target.name, target.about));
    format!("The trainer's format: {}", explain_names(names))
}

fn explain_names(rows: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    rows.map(|(name, help)| format!("{name} ({help})")).collect::<Vec<_>>().join(", ")
}
