//! Reads a configuration file.

use super::config::Config;
use super::document::parse_document;
use super::error::ConfigError;
use super::refusal::refuse_trust;
use std::path::Path;

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// If the file can't be read, or a key or a value in it is wrong.
    pub(crate) fn read_file(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
        Self::read_text(path, &text)
    }

    /// Reads the text of a file that is found: it sets policy only.
    ///
    /// # Errors
    /// If it sets more than policy, or is not a configuration: then the error quotes nothing of it.
    pub(crate) fn read_found(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let config = Self::read_strangers(path, text)?;
        refuse_trust(path, text)?;
        Ok(config)
    }

    /// Reads the text of a file that somebody else may have written. Errors quote nothing of it.
    ///
    /// # Errors
    /// If it is no configuration.
    pub(crate) fn read_strangers(path: &Path, text: &str) -> Result<Self, ConfigError> {
        Self::read_text(path, text).map_err(|error| error.without_content(text))
    }

    pub(super) fn read_text(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let config: Self = parse_document(path, text)?;
        if config.summarizer.api_key_env.is_some() && config.summarizer.api_key_file.is_some() {
            return Err(ConfigError::TwoKeys { path: path.to_owned() });
        }
        Ok(config)
    }
}
