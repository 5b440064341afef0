//! What was removed: the history for people, in Markdown, and the exact
//! original bytes with their place, for machines. Text and names only; the
//! output module writes them.

pub mod markdown;
pub mod names;
pub mod originals;
pub mod secrets;

use std::path::{Path, PathBuf};

/// Directory of the Markdown histories, below the archive directory.
pub const HISTORY_DIR: &str = "conversation_history";
/// Directory of evicted results, below the archive directory.
pub const RESULTS_DIR: &str = "large_tool_results";
/// Directory of the original bytes, below the archive directory.
pub const ORIGINALS_DIR: &str = "originals";
/// What the originals of a file add to its name.
const ORIGINALS_ENDING: &str = ".originals";
/// All directories below the archive directory.
pub const ARCHIVE_DIRS: [&str; 3] = [HISTORY_DIR, RESULTS_DIR, ORIGINALS_DIR];
/// The report that every run writes into its output directory.
pub const REPORT_FILE: &str = "report.json";

/// Where the originals of an output lie, below the archive directory.
#[must_use]
pub fn originals_path(output: &Path) -> PathBuf {
    let mut name = Path::new(ORIGINALS_DIR).join(output).into_os_string();
    name.push(ORIGINALS_ENDING);
    name.into()
}

/// The output of a file below the directory of originals; none if it is no such file.
#[must_use]
pub fn output_of_originals(originals: &Path) -> Option<PathBuf> {
    Some(originals.to_str()?.strip_suffix(ORIGINALS_ENDING)?.into())
}
