//! What the process inherits: the directories of the user, the variables that a program which writes
//! summaries gets, and the signals that are ignored.

use crate::deciding::policy::SummarizerPolicy;
use std::ffi::OsString;
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

/// The variables that every program gets.
const USUAL_VARIABLES: &str = "\
    PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR TMP TEMP XDG_CACHE_HOME \
    XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR SOURCE_DATE_EPOCH SYSTEMROOT SYSTEMDRIVE \
    WINDIR COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA";
/// The start of the names of further variables of the language.
const LANGUAGE_PREFIX: &str = "LC_";

/// Returns the variables of this process that a program which writes summaries gets: the usual ones,
/// and those that the policy names. It gets little, because the environment of a run often holds keys
/// that are none of its business.
pub(crate) fn program_environment(policy: &SummarizerPolicy) -> Vec<(OsString, OsString)> {
    let variables = std::env::vars_os();
    let passed = variables.filter(|(name, _)| {
        let Some(name) = name.to_str() else {
            return false;
        };
        let is_usual = USUAL_VARIABLES
            .split(' ')
            .any(|usual| name == usual || (cfg!(windows) && name.eq_ignore_ascii_case(usual)));
        is_usual
            || name.starts_with(LANGUAGE_PREFIX)
            || policy.pass_env.iter().any(|passed| passed == name)
    });
    passed.collect()
}

/// Returns the signals that whoever started the program lets it ignore, as `nohup` does, as a mask. None where the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn ignored_signals() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(ignored.trim(), 16).ok()
}
