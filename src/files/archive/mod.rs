//! The archive of removed content.
//!
//! Each compaction leaves two records of what it removed: a Markdown history for people, and the
//! exact original bytes with their offsets, from which the input is restored. This module only
//! makes text and names; `output` writes the files.

pub(crate) mod checksum;
pub(crate) mod history;
mod history_xml;
pub(crate) mod inline_media;
pub(crate) mod manifest;
pub(crate) mod names;
pub(crate) mod originals;
pub(crate) mod path_below;
pub(crate) mod restored_input;
mod spilled_names;
pub(crate) mod stretch_reader;

use crate::base::sha256::Sha256;
use std::path::{Path, PathBuf};

/// The directory of the Markdown histories, below the archive directory.
pub(crate) const HISTORY_DIR: &str = "conversation_history";
/// The directory of media files, below that of the histories.
pub(crate) const MEDIA_DIR: &str = "media";
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
/// The directory of answers that a run of a program as summarizer keeps until it is whole, below the
/// archive directory.
pub(crate) const ANSWERS_DIR: &str = ".epitome-answers";
/// The directories of a run that is not at its end, which hold no results.
pub(crate) const UNFINISHED_DIRS: [&str; 2] = [RUN_DIR, ANSWERS_DIR];
/// The file name of the report that every run writes into its output directory.
pub(crate) const REPORT_FILE: &str = "report.json";
/// The file name of the entries of that report, one a line.
pub(crate) const REPORT_LINES_FILE: &str = "report.jsonl";

/// The longest file name that file systems take, in bytes.
const MAX_FILE_NAME_BYTES: usize = 255;
/// The part of a longer name that is kept, in bytes.
const KEPT_NAME_BYTES: usize = 200;
/// The hexadecimal digits that tell cut names apart.
const NAME_HASH_DIGITS: usize = 16;

/// Returns the path of an output file's originals, relative to the archive directory. A name that
/// would be too long is cut, and ended with digits of its SHA-256.
pub(crate) fn originals_path(output: &Path) -> PathBuf {
    let path = Path::new(ORIGINALS_DIR).join(output);
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    if name.len() + ORIGINALS_ENDING.len() > MAX_FILE_NAME_BYTES {
        let hash = Sha256::from_bytes(name.as_encoded_bytes()).hex_prefix(NAME_HASH_DIGITS);
        let text = name.to_string_lossy();
        let kept = &text[..text.floor_char_boundary(KEPT_NAME_BYTES)];
        name = format!("{kept}-{hash}").into();
    }
    name.push(ORIGINALS_ENDING);
    path.with_file_name(name)
}

/// Returns the output path that a file of originals belongs to.
///
/// `originals` is relative to the directory of originals. Returns `None` if the
/// name does not end in `.originals`, or is cut.
pub(crate) fn output_of_originals(originals: &Path) -> Option<PathBuf> {
    let output = originals.to_str()?.strip_suffix(ORIGINALS_ENDING)?;
    (!has_cut_name(output)).then(|| output.into())
}

/// Returns true if the file name of a path may have been cut by [`originals_path`].
fn has_cut_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('-').is_some_and(|(kept, hash)| {
        // The last character of what is kept may have crossed the limit.
        (KEPT_NAME_BYTES - 3..=KEPT_NAME_BYTES).contains(&kept.len())
            && hash.len() == NAME_HASH_DIGITS
            && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_originals_fit_and_are_told_apart() {
        let short = PathBuf::from(format!("d/{}", "a".repeat(245)));
        assert_eq!(originals_path(&short).file_name().unwrap().len(), 255);
        assert_eq!(output_of_originals(Path::new("d/a.jsonl.originals")), Some("d/a.jsonl".into()));
        for letter in ["a", "é", "\u{1f600}"] {
            let long = |last: char| format!("d/{}{last}", letter.repeat(250 / letter.len()));
            let [first, second] = ['x', 'y'].map(|last| originals_path(Path::new(&long(last))));
            assert_ne!(first, second);
            assert!(first.file_name().unwrap().len() <= MAX_FILE_NAME_BYTES);
            assert_eq!(first.parent(), Some(Path::new("originals/d")));
            assert_eq!(output_of_originals(&first), None);
        }
    }
}
