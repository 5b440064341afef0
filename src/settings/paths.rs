//! Paths in a policy that is used again from elsewhere.

use super::counter_named;
use crate::policy::{CachePlace, Policy};
use crate::tokens::tokenizer_json;
use anyhow::Result;

/// Makes the paths in a policy lead to the same files from everywhere.
///
/// # Errors
/// If there is no current directory.
pub fn absolute(policy: &mut Policy) -> Result<()> {
    let whole =
        |path: &str| -> Result<String> { Ok(std::path::absolute(path)?.display().to_string()) };
    if let Some(path) = &mut policy.limits {
        *path = whole(path)?;
    }
    if let Some(path) = policy.counter.strip_prefix(tokenizer_json::PREFIX) {
        policy.counter =
            counter_named("counter", &[tokenizer_json::PREFIX, &whole(path)?].concat())?;
    }
    let model = &mut policy.summarizer.model;
    for path in [&mut model.key_file, &mut model.ca_file]
        .into_iter()
        .flatten()
    {
        *path = std::path::absolute(&*path)?;
    }
    if let CachePlace::At(path) = &mut model.cache {
        *path = std::path::absolute(&*path)?;
    }
    Ok(())
}
