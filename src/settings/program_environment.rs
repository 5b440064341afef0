//! The environment of a program that writes summaries. It gets little, because the environment of
//! a run often holds keys that are none of its business.

use crate::deciding::policy::SummarizerPolicy;
use std::ffi::OsString;

/// The variables that every program gets.
const USUAL_VARIABLES: [&str; 26] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "TMPDIR",
    "TMP",
    "TEMP",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "SOURCE_DATE_EPOCH",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
];
/// The start of the names of further variables of the language.
const LANGUAGE_PREFIX: &str = "LC_";

/// Returns the variables of this process that a program gets: the usual ones, and those that the
/// policy names.
pub(crate) fn program_environment(policy: &SummarizerPolicy) -> Vec<(OsString, OsString)> {
    let variables = std::env::vars_os();
    let passed = variables.filter(|(name, _)| {
        let Some(name) = name.to_str() else {
            return false;
        };
        let is_usual = USUAL_VARIABLES
            .iter()
            .any(|usual| name == *usual || (cfg!(windows) && name.eq_ignore_ascii_case(usual)));
        is_usual
            || name.starts_with(LANGUAGE_PREFIX)
            || policy.pass_env.iter().any(|passed| passed == name)
    });
    passed.collect()
}
