//! Makes the paths of a policy valid from every directory.

use super::error::SettingsError;
use crate::deciding::policy::{CachePlace, Policy};
use crate::deciding::tokens::tokenizer_json;

/// Makes the paths of a policy absolute. Fails if there is no current directory.
pub(crate) fn make_paths_absolute(policy: &mut Policy) -> Result<(), SettingsError> {
    if let Some(path) = &mut policy.limits {
        *path = absolute_path(path)?;
    }
    if let Some(path) = policy.counter.strip_prefix(tokenizer_json::PREFIX) {
        let name = [tokenizer_json::PREFIX, &absolute_path(path)?].concat();
        policy.counter = Box::leak(name.into_boxed_str());
    }
    if let Some(root) = &mut policy.system.root {
        *root = std::path::absolute(&*root)?;
    }
    if let Some(path) = &mut policy.summarizer.weights {
        *path = std::path::absolute(&*path)?;
    }
    let model = &mut policy.summarizer.model;
    for path in [&mut model.key_file, &mut model.ca_file].into_iter().flatten() {
        *path = std::path::absolute(&*path)?;
    }
    if let CachePlace::At(path) = &mut model.cache {
        *path = std::path::absolute(&*path)?;
    }
    Ok(())
}

fn absolute_path(path: &str) -> Result<String, SettingsError> {
    Ok(std::path::absolute(path)?.display().to_string())
}
