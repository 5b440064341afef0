//! The archive of removed content.
//!
//! Each compaction leaves two records of what it removed: a Markdown history
//! for people, and the exact original bytes with their offsets, from which the
//! input is restored. This module only makes text and names; `output` writes
//! the files.

pub(crate) mod checksum;
pub(crate) mod history;
pub(crate) mod manifest;
pub(crate) mod names;
pub(crate) mod originals;
pub(crate) mod restore_error;
pub(crate) mod stored_path;
pub(crate) mod stretch_reader;

use std::path::{Path, PathBuf};

/// The directory of the Markdown histories, below the archive directory.
pub(crate) const HISTORY_DIR: &str = "conversation_history";
/// The directory of evicted tool results, below the archive directory.
pub(crate) const RESULTS_DIR: &str = "large_tool_results";
/// The directory of the original bytes, below the archive directory.
pub(crate) const ORIGINALS_DIR: &str = "originals";
/// The suffix that a file of originals adds to the name of its output file.
const ORIGINALS_ENDING: &str = ".originals";
/// All directories below the archive directory.
pub(crate) const ARCHIVE_DIRS: [&str; 3] = [HISTORY_DIR, RESULTS_DIR, ORIGINALS_DIR];
/// The directory in which a run writes its files, below each directory that it writes into. It is
/// removed when the run ends.
pub(crate) const RUN_DIR: &str = ".epitome-run";
/// The file name of the report that every run writes into its output directory.
pub(crate) const REPORT_FILE: &str = "report.json";

/// Returns the path of an output file's originals, relative to the archive directory.
#[must_use]
pub(crate) fn originals_path(output: &Path) -> PathBuf {
    let mut name = Path::new(ORIGINALS_DIR).join(output).into_os_string();
    name.push(ORIGINALS_ENDING);
    name.into()
}

/// Returns the output path that a file of originals belongs to.
///
/// `originals` is relative to the directory of originals. Returns `None` if the
/// name does not end in `.originals`.
#[must_use]
pub(crate) fn output_of_originals(originals: &Path) -> Option<PathBuf> {
    Some(originals.to_str()?.strip_suffix(ORIGINALS_ENDING)?.into())
}
