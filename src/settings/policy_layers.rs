//! The layers of a policy: the preset, over it the configuration files, over those
//! the options, which variables of the environment may give, and over all the keys that `--set`
//! names.

use super::config::{Config, CounterName, SummarizerConfig};
use super::named_files::read_limits;
use crate::deciding::policy::{PRESETS, Policy, Trigger};
use crate::settings::cli::{CountingArgs, ModelsArgs, PolicyArgs};
use anyhow::{Result, bail};
use std::num::NonZeroU64;

/// The share of a trigger that stays at most, where neither a keep nor a preset is named.
const KEEP_SHARE: f64 = 0.25;

/// What is laid over a preset, the weakest first.
#[derive(Default)]
pub(super) struct PolicyLayers {
    /// The configuration files, the weakest first.
    pub files: Vec<Config>,
    /// The options, and the variables of the environment that stand for them.
    pub options: Config,
    /// The keys that the command line sets.
    pub assigned: Config,
}

/// Resolves a policy. The preset is the one that the strongest layer names, else the default.
/// `adjust_preset` changes its values before anything is laid over it. Fails if a table of limits
/// can't be read, or a model is not known and the policy is strict.
pub(super) fn resolve_policy(
    layers: PolicyLayers,
    adjust_preset: fn(&mut Policy),
) -> Result<Policy> {
    let PolicyLayers { files, options, assigned } = layers;
    let files = files.into_iter().map(|file| ("limits", file));
    let options = [("--limits", options), ("limits", assigned)];
    let layers: Vec<_> = files.chain(options).collect();
    let named = layers.iter().rev().find_map(|(_, layer)| layer.preset);
    let mut policy = named.unwrap_or(&PRESETS[0]).policy();
    if named.is_none() {
        // Who names a trigger and no preset follows no live agent, whose keep may be above it.
        policy.summarize.keep_share = KEEP_SHARE;
    }
    adjust_preset(&mut policy);
    for (option, layer) in layers {
        if let Some(path) = &layer.limits {
            read_limits(&mut policy, option, path)?;
        }
        layer.apply(&mut policy);
    }
    policy.models = policy.models.with_profiles(policy.profiles);
    refuse_unknown_model(&policy)?;
    Ok(policy)
}

/// Resolves what `epitome models` shows: a preset, a table of limits and keys over it. Fails
/// as [`resolve_policy`] does, and if a key is unknown or its value is wrong.
pub(crate) fn model_policy(arguments: &ModelsArgs) -> Result<Policy> {
    let assigned = Config::from_assignments(&arguments.set)?;
    let options = Config {
        preset: Some(arguments.preset.unwrap_or(&PRESETS[0])),
        limits: arguments.limits.clone(),
        ..Config::default()
    };
    let layers = PolicyLayers { options, assigned, ..PolicyLayers::default() };
    resolve_policy(layers, |_| ())
}

/// Refuses a model that no table knows, if the policy is strict and gives no limit.
fn refuse_unknown_model(policy: &Policy) -> Result<()> {
    match &policy.model {
        Some(name)
            if policy.strict_model
                && policy.max_input_tokens.is_none()
                && policy.models.lookup(name).is_none() =>
        {
            bail!("strict_model: {}", policy.models.resolve(name).unknown_limit(name))
        }
        _ => Ok(()),
    }
}

pub(super) fn counting_options(arguments: &CountingArgs) -> Config {
    Config {
        model: arguments.model.clone(),
        limits: arguments.limits.clone(),
        counter: arguments.counter.map(CounterName),
        ..Config::default()
    }
}

pub(super) fn policy_options(arguments: &PolicyArgs) -> Config {
    let mut config = counting_options(&arguments.counting);
    config.preset = arguments.preset;
    config.max_input_tokens = arguments.max_input_tokens.and_then(NonZeroU64::new);
    config.redact = arguments.redact.redact;
    config.overflow.max_tokens = arguments.max_tokens;
    if !arguments.trigger.is_empty() {
        let clauses = arguments.trigger.clone();
        config.summarize.trigger = Some(Trigger { clauses });
    }
    config.summarize.keep = arguments.keep;
    config.summarizer = SummarizerConfig {
        kind: arguments.summarizer.clone(),
        budget: arguments.summary_tokens,
        ..SummarizerConfig::default()
    };
    config
}
