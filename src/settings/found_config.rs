//! The configuration files of a run: the one that the user names, else the user's own and the one
//! that stands in the working directory or above it.
//!
//! A file that is found may come with a repository that somebody else wrote. It decides when and
//! how to compact, but never runs a program, reads a key, or chooses who gets the conversations.

use super::config::{Config, ConfigError, SummarizerConfig};
use crate::policy::SummarizerKind;
use std::path::{Path, PathBuf};

/// The name of a configuration file that is found.
const FILE_NAME: &str = "epitome.toml";

/// A configuration file that was read.
pub(super) struct ConfigLayer {
    /// The path.
    pub path: PathBuf,
    /// Its keys.
    pub config: Config,
}

/// Reads the configuration file that the user names.
///
/// # Errors
/// If the file can't be read, or a key or a value is wrong.
pub(super) fn read_named_config(path: &Path) -> Result<ConfigLayer, ConfigError> {
    Ok(ConfigLayer {
        path: path.to_path_buf(),
        config: Config::read_file(path)?,
    })
}

/// Finds and reads the user's own configuration file, and over it the one in the working directory
/// or the nearest above it.
///
/// # Errors
/// If a file can't be read, a key or a value is wrong, or a key may not stand in such a file.
pub(super) fn find_configs() -> Result<Vec<ConfigLayer>, ConfigError> {
    let mut layers = Vec::new();
    let users_own = users_directory().map(|directory| directory.join("epitome").join(FILE_NAME));
    if let Some(path) = users_own.filter(|path| path.is_file()) {
        layers.push(read_named_config(&path)?);
    }
    let Ok(working) = std::env::current_dir() else {
        return Ok(layers);
    };
    let mut paths = working.ancestors().map(|folder| folder.join(FILE_NAME));
    if let Some(path) = paths.find(|path| path.is_file())
        && layers.iter().all(|layer| layer.path != path)
    {
        let mut layer = read_named_config(&path)?;
        refuse_trust(&layer)?;
        if let (Some(limits), Some(folder)) = (&mut layer.config.limits, path.parent()) {
            *limits = folder.join(&limits);
        }
        layers.push(layer);
    }
    Ok(layers)
}

/// Returns the directory of the user's configuration files.
fn users_directory() -> Option<PathBuf> {
    let variable = |name| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")))
}

/// Refuses keys that only a file may have which the user wrote.
fn refuse_trust(layer: &ConfigLayer) -> Result<(), ConfigError> {
    let SummarizerConfig {
        kind,
        pass_env,
        dialect,
        base_url,
        api_key_env,
        api_key_file,
        allow_plain_http,
        ca_file,
        headers,
        cache,
        weights,
        ..
    } = &layer.config.summarizer;
    let asks_others = matches!(
        kind,
        Some(SummarizerKind::Http | SummarizerKind::Command(_))
    );
    let keys = [
        ("kind", asks_others),
        ("pass_env", pass_env.is_some()),
        ("dialect", dialect.is_some()),
        ("base_url", base_url.is_some()),
        ("api_key_env", api_key_env.is_some()),
        ("api_key_file", api_key_file.is_some()),
        ("allow_plain_http", allow_plain_http.is_some()),
        ("ca_file", ca_file.is_some()),
        ("headers", headers.is_some()),
        ("cache", cache.is_some()),
        ("weights", weights.is_some()),
    ];
    match keys.into_iter().find(|(_, is_set)| *is_set) {
        Some((key, _)) => Err(ConfigError::Untrusted {
            path: layer.path.clone(),
            key,
        }),
        None => Ok(()),
    }
}
