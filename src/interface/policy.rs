//! Policies: when a conversation is compacted, and how.

use crate::settings::Settings;
use crate::settings::cli::checked_values::parse_counter;
use std::path::Path;

/// A resolved policy with its token counters.
///
/// ```
/// let policy = epitome::CompactionPolicy::preset("deepagents")?;
/// assert!(policy.to_toml().contains("[summarize]"));
/// # Ok::<(), epitome::PolicyError>(())
/// ```
pub struct CompactionPolicy {
    pub(super) settings: Settings,
}

/// The reason why a policy can't be resolved.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct PolicyError {
    message: String,
}

impl PolicyError {
    fn from_settings(error: anyhow::Error) -> Self {
        Self { message: format!("{error:#}") }
    }
}

impl CompactionPolicy {
    /// Returns the policy of a preset, as `epitome presets` lists them.
    ///
    /// # Errors
    /// Fails if there is no such preset.
    pub fn preset(name: &str) -> Result<Self, PolicyError> {
        let settings = Settings::from_preset(name).map_err(PolicyError::from_settings)?;
        Ok(Self { settings })
    }

    /// Reads a policy from a TOML file, as `--config` does. What the file leaves out is as in its
    /// preset.
    ///
    /// # Errors
    /// Fails if the file can't be read, or a key or value in it is wrong.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, PolicyError> {
        let settings = Settings::from_config(path.as_ref()).map_err(PolicyError::from_settings)?;
        Ok(Self { settings })
    }

    /// Returns the policy with another token counter, as `--counter` names them.
    ///
    /// # Errors
    /// Fails if there is no such counter.
    pub fn with_counter(&self, name: &str) -> Result<Self, PolicyError> {
        let counter = parse_counter(name).map_err(|message| PolicyError { message })?;
        let settings = self.settings.with_counter(counter).map_err(PolicyError::from_settings)?;
        Ok(Self { settings })
    }

    /// Counts the tokens of a text.
    ///
    /// ```
    /// let policy = epitome::CompactionPolicy::preset("deepagents")?.with_counter("o200k_base")?;
    /// assert_eq!(policy.count_text("Hello, world!"), 4);
    /// # Ok::<(), epitome::PolicyError>(())
    /// ```
    #[must_use]
    pub fn count_text(&self, text: &str) -> usize {
        self.settings.counter(None, None).count_text(text)
    }

    /// Returns the policy as TOML, as `--print-config` prints it.
    #[must_use]
    pub fn to_toml(&self) -> String {
        crate::settings::to_toml(&self.settings.policy)
    }
}
