//! The layers of a policy: the preset, over it the configuration files, over those
//! the options, which variables of the environment may give, and over all the keys that `--set`
//! names.

use super::config::Config;
use super::error::SettingsError;
use super::named_files::read_limits;
use crate::deciding::policy::{PRESETS, Policy};
use crate::settings::cli::ModelsArgs;

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
) -> Result<Policy, SettingsError> {
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
pub(crate) fn model_policy(arguments: &ModelsArgs) -> Result<Policy, SettingsError> {
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
fn refuse_unknown_model(policy: &Policy) -> Result<(), SettingsError> {
    match &policy.model {
        Some(name)
            if policy.strict_model
                && policy.max_input_tokens.is_none()
                && policy.models.lookup(name).is_none() =>
        {
            let problem = policy.models.resolve(name).unknown_limit(name);
            Err(SettingsError::UnknownModel(problem))
        }
        _ => Ok(()),
    }
}
