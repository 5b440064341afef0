//! The configuration files of a run: the one that the user names, else the user's own and the one
//! in the working directory or above it.
//!
//! A file that is found may come with a repository that somebody else wrote. It sets policy only, and
//! must be a regular file of the user's own, no link.

use super::config::{Config, reaching_key, unreadable};
use super::environment::config_directory;
use crate::files::input::open_below;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The name of a configuration file that is found.
const FILE_NAME: &str = "epitome.toml";
/// A longer file is no configuration.
const MAX_BYTES: u64 = 1 << 20;

/// A configuration file that nobody named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FoundConfig {
    /// The user's own.
    Users(PathBuf),
    /// One beside the input, which applies.
    Applies(PathBuf),
    /// One beside the input that is not read, and why.
    Ignored(PathBuf, String),
}

/// Reads a configuration file in a directory that somebody else may have made. Unless `is_own`
/// knows its text, it reaches nothing outside: no server but the usual one, or one that the user
/// `names_server`, no key of another name, and no file. Fails if it is not a regular file, reaches
/// out, or is not a configuration: then the error quotes nothing of it, as it may be a secret.
pub(super) fn read_config_below(
    directory: &Path,
    name: &str,
    is_own: impl FnOnce(&str) -> bool,
    names_server: bool,
) -> Result<Config> {
    let path = directory.join(name);
    let read = match open_below(directory, Path::new(name)) {
        Ok(Some(file)) => read_bounded(file),
        Ok(None) => Err(io::ErrorKind::NotFound.into()),
        Err(error) => Err(error),
    };
    let text = read.with_context(|| unreadable(&path))?;
    let config = Config::read_strangers(&path, &text)?;
    let is_own = is_own(&text);
    let Some(key) = reaching_key(&text, names_server).filter(|_| !is_own) else {
        return Ok(config);
    };
    let or_name = match key {
        "base_url" => ", or name the server with --set summarizer.base_url=URL",
        _ => "",
    };
    bail!(
        "{}: {key}: this export was not made by you on this machine, so it may not choose \
         a server, a key or a file; export again here{or_name}",
        path.display()
    )
}

/// Finds and reads the user's own configuration file, and over it the one in the working directory
/// or the nearest above it. Adds to `found` what it finds. Fails if a file can't be read, a key or
/// a value is wrong, or a key is not allowed in such a file.
pub(super) fn find_configs(found: &mut Vec<FoundConfig>) -> Result<Vec<Config>> {
    let mut layers = Vec::new();
    let users_own = config_directory().map(|directory| directory.join("epitome").join(FILE_NAME));
    if let Some(path) = users_own.as_ref().filter(|path| path.is_file()) {
        layers.push(Config::read_file(path)?);
        found.push(FoundConfig::Users(path.clone()));
    }
    let Ok(working) = std::env::current_dir() else {
        return Ok(layers);
    };
    let mut folders = working.ancestors();
    let is_file = |folder: &Path| {
        let found = folder.join(FILE_NAME).symlink_metadata();
        found.is_ok_and(|metadata| !metadata.is_dir())
    };
    let Some(folder) = folders.find(|folder| is_file(folder)) else {
        return Ok(layers);
    };
    let path = folder.join(FILE_NAME);
    if Some(&path) == users_own.as_ref() {
        return Ok(layers);
    }
    match read_own_file(folder) {
        Ok(text) => {
            let users = layers.first().cloned().unwrap_or_default();
            let mut config = read_found_config(folder, &text, &users)?;
            // What the user masks stays masked.
            config.redact = config.redact.max(users.redact);
            layers.push(config);
            found.push(FoundConfig::Applies(path));
        }
        Err(error) => found.push(FoundConfig::Ignored(path, error.to_string())),
    }
    Ok(layers)
}

fn read_found_config(folder: &Path, text: &str, users: &Config) -> Result<Config> {
    let path = folder.join(FILE_NAME);
    let mut config = Config::read_found(&path, text, users)?;
    if let Some(limits) = &mut config.limits {
        // It is opened by its path later: here it must be a file of the folder, and no link.
        let opened =
            open_below(folder, limits).and_then(|file| file.ok_or(io::ErrorKind::NotFound.into()));
        *limits = folder.join(&limits);
        opened.with_context(|| unreadable(limits))?;
    }
    Ok(config)
}

/// Reads the file of a folder, if it is a regular file of the user's.
fn read_own_file(folder: &Path) -> io::Result<String> {
    let opened = open_below(folder, Path::new(FILE_NAME))?;
    let file = opened.ok_or(io::ErrorKind::NotFound)?;
    if !is_own(&file)? {
        return Err(io::Error::other("it belongs to another user"));
    }
    read_bounded(file)
}

fn read_bounded(file: File) -> io::Result<String> {
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is too long for a configuration"));
    }
    Ok(text)
}

/// Returns true if a file belongs to the user who runs the program.
#[cfg(unix)]
fn is_own(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.uid() == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_own(_: &File) -> io::Result<bool> {
    Ok(true)
}
