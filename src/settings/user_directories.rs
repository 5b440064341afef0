//! The directories of the user, as the environment names them.

use std::path::{Path, PathBuf};

/// Returns the directory in which this program keeps what is no cache: none of it can be made again.
pub(crate) fn state_directory() -> Option<PathBuf> {
    let state = absolute_variable("XDG_STATE_HOME")
        .or_else(|| absolute_variable("LOCALAPPDATA"))
        .or_else(|| Some(absolute_variable("HOME")?.join(".local/state")))?;
    Some(state.join("epitome"))
}

/// Returns the directories in which the key that seals journals may lie. Where a user has no
/// directory, one for temporary files must do.
pub(crate) fn key_directories() -> Vec<PathBuf> {
    state_directory().into_iter().chain(temporary_directory()).collect()
}

/// Returns a directory of the user's own among those for temporary files.
#[cfg(unix)]
fn temporary_directory() -> Option<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    Some(std::env::temp_dir().join(format!("epitome-{user}")))
}

#[cfg(not(unix))]
fn temporary_directory() -> Option<PathBuf> {
    None
}

/// Returns the user's cache directory on this system.
pub(super) fn cache_directory() -> Option<PathBuf> {
    let below_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    absolute_variable("XDG_CACHE_HOME")
        .or_else(|| absolute_variable("LOCALAPPDATA"))
        .or_else(|| Some(absolute_variable("HOME")?.join(below_home)))
}

/// Returns the directory of the user's configuration files.
pub(super) fn config_directory() -> Option<PathBuf> {
    absolute_variable("XDG_CONFIG_HOME")
        .or_else(|| Some(absolute_variable("HOME")?.join(Path::new(".config"))))
}

/// Returns the path in an environment variable if it is absolute.
fn absolute_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}
