//! The layers of a policy: the preset, over it the configuration file, over that
//! the options of the command line.

use super::config::Config;
use super::error::SettingsError;
use super::named_files::read_limits;
use crate::policy::{PRESETS, Policy};
use std::path::Path;

/// Resolves a policy. The preset is the one that the options name, else the one that the file names,
/// else the default.
///
/// # Errors
/// If the file can't be read, or a key or a value is wrong.
pub(super) fn resolve_policy(
    config: Option<&Path>,
    options: Config,
) -> Result<Policy, SettingsError> {
    let file = config.map_or_else(|| Ok(Config::default()), Config::read_file)?;
    let preset = options.preset.or(file.preset).unwrap_or(&PRESETS[0]);
    let mut policy = preset.policy();
    for (option, layer) in [("limits", file), ("--limits", options)] {
        if let Some(path) = &layer.limits {
            read_limits(&mut policy, option, path)?;
        }
        layer.apply(&mut policy);
    }
    refuse_unknown_model(&policy)?;
    Ok(policy)
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
