//! The archive of a run whose output is stdout, where the user named none.

use crate::settings::state_directory;
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

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
