//! Recognition of what an earlier run wrote, which is not read as input.

use crate::files::archive::manifest::{manifest_part_number, manifest_part_path, manifest_path};
use crate::files::archive::{
    ARCHIVE_DIRS, ORIGINALS_DIR, REPORT_FILE, REPORT_LINES_FILE, output_of_originals,
};
use crate::files::input::{entry::InputEntry, error::InputError, opened_below::open_below};
use crate::reporting::report::kinds::{JSON_LINES_REPORT, JSON_REPORT, ReportKind};
use std::fs::{self, DirEntry};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The number of bytes in which a report shows its kind.
const REPORT_HEAD: u64 = 16_384;

/// Returns the outputs that have originals below an archive directory, in sorted order. Fails if a
/// directory exists and can't be listed.
pub(crate) fn outputs_with_originals(archive: &Path) -> Result<Vec<PathBuf>, InputError> {
    let mut outputs = Vec::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(relative_path) = pending.pop() {
        for entry in list_if_exists(&archive.join(ORIGINALS_DIR).join(&relative_path))? {
            let path = relative_path.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(path);
            } else {
                outputs.extend(output_of_originals(&path));
            }
        }
    }
    outputs.sort();
    Ok(outputs)
}

/// Returns the numbers of the parts of a manifest in an archive directory, in order. Fails if the
/// directory of the manifest exists and can't be listed.
pub(crate) fn manifest_parts(archive: &Path) -> Result<Vec<u32>, InputError> {
    let entries = list_if_exists(&archive.join(ORIGINALS_DIR))?;
    let mut numbers: Vec<u32> = entries
        .into_iter()
        .filter_map(|entry| manifest_part_number(entry.file_name().to_str()?))
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Returns the paths of the manifest and its parts below an archive directory, in the order of
/// their lines. Not all of them need exist. Fails if the directory of the manifest exists and can't
/// be listed.
pub(crate) fn manifest_files(archive: &Path) -> Result<Vec<PathBuf>, InputError> {
    let parts = manifest_parts(archive)?;
    Ok(std::iter::once(manifest_path()).chain(parts.into_iter().map(manifest_part_path)).collect())
}

/// Lists a directory. One that does not exist is empty.
fn list_if_exists(path: &Path) -> Result<Vec<DirEntry>, InputError> {
    let listed = match fs::read_dir(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        entries => entries.and_then(Iterator::collect),
    };
    listed.map_err(|source| InputError::ReadDirectory { path: path.to_path_buf(), source })
}

/// Returns the archive directories in the output directory of an earlier run.
pub(super) fn archives_in(directory: &Path) -> Vec<PathBuf> {
    let names: &[&str] = if is_output_directory(directory) { &ARCHIVE_DIRS } else { &[] };
    names.iter().filter_map(|name| directory.join(name).canonicalize().ok()).collect()
}

/// Returns true if an input is a report of an earlier run.
pub(super) fn is_report(input: &InputEntry) -> bool {
    let Some(path) = &input.path else {
        return false;
    };
    match input.output.to_str() {
        Some(REPORT_FILE) => is_report_of(&JSON_REPORT, path),
        Some(REPORT_LINES_FILE) => {
            is_report_of(&JSON_REPORT, &path.with_file_name(REPORT_FILE))
                && is_report_of(&JSON_LINES_REPORT, path)
        }
        _ => false,
    }
}

/// Returns true if a directory holds the report of an earlier run.
pub(super) fn is_output_directory(directory: &Path) -> bool {
    is_report_of(&JSON_REPORT, &directory.join(REPORT_FILE))
}

/// Returns true if a file is a report of a kind.
pub(crate) fn is_report_of(kind: &ReportKind, path: &Path) -> bool {
    let holds_marks = |head: String| kind.marks.iter().all(|mark| head.contains(mark));
    read_head(path).is_some_and(holds_marks)
}

/// Returns the first bytes of a file; none if it can't be read.
fn read_head(path: &Path) -> Option<String> {
    let mut head = Vec::new();
    let file = open_below(path.parent()?, Path::new(path.file_name()?)).ok()??;
    file.take(REPORT_HEAD).read_to_end(&mut head).ok()?;
    Some(String::from_utf8_lossy(&head).into_owned())
}
