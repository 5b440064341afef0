//! The terms on which a command writes into directories, and the archive of a run whose output is
//! stdout, where the user named none.

use crate::files::output::{AccessLimit, LockMode, RunIdentity, WritingTerms};
use crate::settings::cli::WhenLocked;
use crate::settings::{key_directories, state_directory};
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// Returns the terms of a command. Without `--lock` it waits for another run.
pub(super) fn writing_terms(
    command: &'static str,
    force: bool,
    lock: Option<WhenLocked>,
) -> WritingTerms {
    WritingTerms {
        force,
        resumes: false,
        lock: lock.map_or(LockMode::Wait, LockMode::from),
        access: AccessLimit::UMASK,
        identity: RunIdentity { command, started: present_time() },
        key_directories: key_directories(),
    }
}

/// Returns the time of the clock. `SOURCE_DATE_EPOCH` does not count: this is for people who wait.
fn present_time() -> String {
    let now = OffsetDateTime::now_utc();
    format!("{} {:02}:{:02}:{:02} UTC", now.date(), now.hour(), now.minute(), now.second())
}

/// Returns a new directory below the user's own for what a run takes out of its input: a pipe leaves
/// nothing in the working directory. None if the user has no directory.
pub(super) fn stdout_archive() -> Option<PathBuf> {
    let now = OffsetDateTime::now_utc();
    let name = format!(
        "{}-{:02}{:02}{:02}-{:08x}",
        now.date(),
        now.hour(),
        now.minute(),
        now.second(),
        fastrand::u32(..)
    );
    Some(state_directory()?.join("archives").join(name))
}

/// Returns the line that names such an archive at the end of a run.
pub(super) fn archive_line(archive: &Path) -> String {
    format!("what was removed is in {} (--archive)", archive.display())
}
