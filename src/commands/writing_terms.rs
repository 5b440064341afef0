//! The terms on which a command writes into directories.

use crate::files::output::{AccessLimit, LockMode, RunIdentity, WritingTerms};
use crate::settings::cli::WhenLocked;
use crate::settings::key_directories;
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
        identity: RunIdentity {
            command,
            started: present_time(),
        },
        key_directories: key_directories(),
    }
}

/// Returns the time of the clock. `SOURCE_DATE_EPOCH` does not count: this is for people who wait.
fn present_time() -> String {
    let now = OffsetDateTime::now_utc();
    format!(
        "{} {:02}:{:02}:{:02} UTC",
        now.date(),
        now.hour(),
        now.minute(),
        now.second()
    )
}
