//! Reads the files that options and keys of the configuration name.

use super::config::ConfigError;
use super::error::SettingsError;
use crate::deciding::model::{Models, parse_limits};
use crate::deciding::policy::Policy;
use crate::deciding::tokens::{TokenCounter, tokenizer_json};
use std::path::Path;

/// Adds a table of the user's own model limits to a policy. `option` is the option or key that
/// names the file. Fails if the file can't be read, or a line of it is wrong.
pub(super) fn read_limits(
    policy: &mut Policy,
    option: &'static str,
    path: &Path,
) -> Result<(), SettingsError> {
    let text = std::fs::read_to_string(path).map_err(|source| SettingsError::UnreadableLimits {
        option,
        path: path.to_owned(),
        source,
    })?;
    let rows = parse_limits(&text).map_err(|problem| SettingsError::WrongLimits {
        option,
        path: path.to_owned(),
        problem,
    })?;
    policy.limits = Some(path.display().to_string());
    policy.models = Models::with_rows(rows);
    Ok(())
}

/// Builds the counter of a `tokenizer.json`. Fails if the file can't be read or is no tokenizer.
pub(super) fn read_tokenizer(
    name: &'static str,
    path: &Path,
) -> Result<Box<dyn TokenCounter>, SettingsError> {
    let bytes =
        std::fs::read(path).map_err(|source| SettingsError::UnreadableCounter { name, source })?;
    tokenizer_json::build(name, &bytes)
        .map_err(|problem| SettingsError::WrongCounter { name, problem: problem.to_string() })
}

/// Reads a text file. Fails if it can't be read as UTF-8. The error names the file.
pub(crate) fn read_text(path: &Path) -> Result<String, SettingsError> {
    std::fs::read_to_string(path).map_err(|source| {
        SettingsError::Config(ConfigError::Unreadable { path: path.to_owned(), source })
    })
}
