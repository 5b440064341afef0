//! The options of `epitome replay`, resolved.

use crate::commands::print_section_notes;
use crate::deciding::model::Prices;
use crate::deciding::policy::{PRESETS, Preset};
use crate::measuring::replay::training::TrainingOptions;
use crate::measuring::replay::work::ReplayPolicy;
use crate::settings::cli::{PolicyArgs, ReplayArgs};
use crate::settings::{self, Settings};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// The name of a single policy that comes from a file.
const UNNAMED: &str = "policy";

/// The keys of chat messages, which `--train-key` can't use.
const MESSAGE_KEYS: [&str; 6] =
    ["role", "content", "tool_calls", "tool_call_id", "name", "function_call"];

/// Returns the policies to replay under, in the order of the command line.
pub(super) fn read_policies(arguments: &ReplayArgs) -> Result<Vec<ReplayPolicy>> {
    if arguments.policies.is_empty() {
        return Ok(vec![read_policy(None, &arguments.policy)?]);
    }
    let mut policies: Vec<ReplayPolicy> = Vec::new();
    for text in &arguments.policies {
        let mut policy_arguments = arguments.policy.clone();
        // Policies that are named are compared as they are.
        policy_arguments.counting.no_config = true;
        let name = match text.split_once('=') {
            Some((name, file)) => {
                policy_arguments.counting.config = Some(PathBuf::from(file));
                name
            }
            None => {
                policy_arguments.preset = Some(find_preset(text)?);
                text
            }
        };
        if !is_safe_name(name) {
            bail!(
                "--policy {text}: the name becomes a directory; use letters, digits, '.', '_' and '-'"
            );
        }
        if policies.iter().any(|policy| policy.name.eq_ignore_ascii_case(name)) {
            bail!(
                "--policy {text}: there is another policy {name}; give one of them another name, NAME=FILE"
            );
        }
        policies.push(read_policy(Some(name), &policy_arguments)?);
    }
    Ok(policies)
}

/// Resolves a policy. Without a name it is named after its preset.
fn read_policy(name: Option<&str>, arguments: &PolicyArgs) -> Result<ReplayPolicy> {
    let settings = Settings::from_options(arguments);
    let settings = match name {
        Some(name) => settings.with_context(|| format!("--policy {name}"))?,
        None => settings?,
    };
    if !arguments.print_config {
        print_section_notes(&settings);
    }
    let name = name
        .or(arguments.preset.map(|preset| preset.name))
        .or(arguments.counting.config.as_ref().map(|_| UNNAMED))
        .unwrap_or(settings.policy.preset)
        .to_owned();
    Ok(ReplayPolicy { name, settings, summarizer: None })
}

fn find_preset(text: &str) -> Result<&'static Preset> {
    let Some(preset) = PRESETS.iter().find(|preset| preset.name == text) else {
        let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        bail!("--policy {text}: neither NAME=FILE nor a preset ({})", presets.join(", "));
    };
    Ok(preset)
}

/// Returns true if a policy's name can be the name of a directory.
fn is_safe_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

/// Returns the options of training samples, or None if no samples are asked for.
pub(super) fn read_training_options(arguments: &ReplayArgs) -> Result<Option<TrainingOptions>> {
    if !(arguments.segments || arguments.per_call) {
        if arguments.train_key.is_some() {
            bail!("--train-key is about training data: give --segments or --per-call, too");
        }
        return Ok(None);
    }
    if let Some(key) = arguments.train_key.as_deref()
        && (key.is_empty() || MESSAGE_KEYS.contains(&key))
    {
        bail!("--train-key {key:?}: messages use that key for something else");
    }
    Ok(Some(TrainingOptions {
        per_call: arguments.per_call,
        key: arguments.train_key.clone(),
        max_tokens: arguments.policy.max_tokens.and_then(|tokens| usize::try_from(tokens).ok()),
        rows: None,
    }))
}

/// Reads a file of prices, or returns the known prices without one.
pub(super) fn read_prices(path: Option<&Path>) -> Result<Prices> {
    let Some(path) = path else {
        return Ok(Prices::default());
    };
    let text = settings::read_text(path)?;
    Prices::parse(&text).map_err(|error| anyhow::anyhow!("--prices {}: {error}", path.display()))
}
