//! Reads the files that options and keys of the configuration name, and makes their paths valid from
//! every directory.

use crate::deciding::model::{Models, parse_limits};
use crate::deciding::policy::{CachePlace, Policy};
use crate::deciding::tokens::{TokenCounter, tokenizer_json};
use anyhow::{Context, Result, anyhow};
use std::path::Path;

/// Adds a table of the user's own model limits to a policy. `option` is the option or key that
/// names the file. Fails if the file can't be read, or a line of it is wrong.
pub(super) fn read_limits(policy: &mut Policy, option: &'static str, path: &Path) -> Result<()> {
    let shown = path.display();
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("{option}: can't read {shown}"))?;
    let rows = parse_limits(&text).map_err(|problem| anyhow!("{option}: {shown}: {problem}"))?;
    policy.limits = Some(shown.to_string());
    policy.models = Models::with_rows(rows);
    Ok(())
}

/// Builds the counter of a `tokenizer.json`. Fails if the file can't be read or is no tokenizer.
pub(super) fn read_tokenizer(name: &'static str, path: &Path) -> Result<Box<dyn TokenCounter>> {
    let bytes = std::fs::read(path).with_context(|| format!("counter {name}: can't read it"))?;
    let counter = tokenizer_json::build(name, &bytes);
    counter.map_err(|problem| anyhow!("counter {name}: {problem}"))
}

/// Makes the paths of a policy absolute. Fails if there is no current directory.
pub(crate) fn make_paths_absolute(policy: &mut Policy) -> Result<()> {
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

fn absolute_path(path: &str) -> Result<String> {
    Ok(std::path::absolute(path)?.display().to_string())
}
