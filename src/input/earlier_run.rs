//! Recognition of what an earlier run wrote, which is not read as input.

use crate::archive::manifest::{manifest_part_number, manifest_part_path, manifest_path};
use crate::archive::{ARCHIVE_DIRS, ORIGINALS_DIR, REPORT_FILE, output_of_originals};
use crate::input::entry::InputEntry;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The number of bytes in which the report names the tool that wrote it.
const REPORT_HEAD: u64 = 200;

/// Returns the outputs that have originals below an archive directory, in sorted order.
#[must_use]
pub(crate) fn outputs_with_originals(archive: &Path) -> Vec<PathBuf> {
    let mut outputs = Vec::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(relative_path) = pending.pop() {
        let entries = fs::read_dir(archive.join(ORIGINALS_DIR).join(&relative_path))
            .into_iter()
            .flatten()
            .flatten();
        for entry in entries {
            let path = relative_path.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(path);
            } else {
                outputs.extend(output_of_originals(&path));
            }
        }
    }
    outputs.sort();
    outputs
}

/// Returns the numbers of the parts of a manifest in an archive directory, in order.
#[must_use]
pub(crate) fn manifest_parts(archive: &Path) -> Vec<u32> {
    let entries = fs::read_dir(archive.join(ORIGINALS_DIR));
    let mut numbers: Vec<u32> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| manifest_part_number(entry.file_name().to_str()?))
        .collect();
    numbers.sort_unstable();
    numbers
}

/// Returns the paths of the manifest and its parts in an archive directory, in the order of their
/// lines. Not all of them need exist.
#[must_use]
pub(crate) fn manifest_files(archive: &Path) -> Vec<PathBuf> {
    let parts = manifest_parts(archive).into_iter().map(manifest_part_path);
    std::iter::once(manifest_path())
        .chain(parts)
        .map(|path| archive.join(path))
        .collect()
}

/// Returns the archive directories in the output directory of an earlier run.
pub(super) fn archives_in(directory: &Path) -> Vec<PathBuf> {
    let names: &[&str] = if is_output_directory(directory) {
        &ARCHIVE_DIRS
    } else {
        &[]
    };
    names
        .iter()
        .filter_map(|name| directory.join(name).canonicalize().ok())
        .collect()
}

/// Returns true if an input is the report of an earlier run.
pub(super) fn is_report(input: &InputEntry) -> bool {
    input.output == Path::new(REPORT_FILE)
        && input.path.as_ref().is_some_and(|path| is_report_file(path))
}

/// Returns true if a directory holds the report of an earlier run.
pub(super) fn is_output_directory(directory: &Path) -> bool {
    is_report_file(&directory.join(REPORT_FILE))
}

fn is_report_file(path: &Path) -> bool {
    let mut head = String::new();
    let read =
        fs::File::open(path).and_then(|file| file.take(REPORT_HEAD).read_to_string(&mut head));
    read.is_ok() && head.contains("\"tool\": \"epitome ")
}
