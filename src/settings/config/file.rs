//! Reads a configuration file.

use super::config::Config;
use super::document::parse_document;
use super::error::ConfigError;
use std::path::Path;

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// If the file can't be read, or a key or a value in it is wrong.
    pub(crate) fn read_file(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let config: Self = parse_document(path, &text)?;
        if config.summarizer.api_key_env.is_some() && config.summarizer.api_key_file.is_some() {
            return Err(ConfigError::TwoKeys {
                path: path.to_owned(),
            });
        }
        Ok(config)
    }
}
