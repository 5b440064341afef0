//! The archive of a run whose output is stdout, where the user named none.

use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// Returns a new directory below the user's own for what a run takes out of its input: a pipe leaves
/// nothing in the working directory. None if the user has no directory.
pub(super) fn stdout_archive() -> Option<PathBuf> {
    let state = absolute_variable("XDG_STATE_HOME")
        .or_else(|| absolute_variable("LOCALAPPDATA"))
        .or_else(|| Some(absolute_variable("HOME")?.join(".local/state")))?;
    let now = OffsetDateTime::now_utc();
    let name = format!(
        "{}-{:02}{:02}{:02}-{:08x}",
        now.date(),
        now.hour(),
        now.minute(),
        now.second(),
        fastrand::u32(..)
    );
    Some(state.join(Path::new("epitome").join("archives").join(name)))
}

/// Returns the path in an environment variable if it is absolute.
fn absolute_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}
