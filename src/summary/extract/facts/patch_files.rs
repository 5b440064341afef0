//! Finds the files that a patch changes.

use super::file_actions::FileAction;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// Marks before the files of a patch, with the action on the file.
const PATCH_MARKS: &[(&str, FileAction)] = &[
    ("*** Update File: ", FileAction::Written),
    ("*** Add File: ", FileAction::Written),
    ("*** Delete File: ", FileAction::Deleted),
    ("*** Move to: ", FileAction::Written),
    ("+++ b/", FileAction::Written),
];
/// Maximum number of lines that are read of a patch.
const MOST_LINES: usize = 10_000;

/// Searches for the beginnings of the marks.
static MARK_SEARCH: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| ["*** ", "+++ "].map(|mark| Finder::new(mark).into_owned()));

/// Returns true if a text may hold a patch.
pub(crate) fn is_patch(text: &str) -> bool {
    memchr::memchr2(b'*', b'+', text.as_bytes()).is_some_and(|at| {
        let rest = &text.as_bytes()[at..];
        MARK_SEARCH.iter().any(|search| search.find(rest).is_some())
    })
}

/// Calls `found` with each file of a patch and the action on it.
pub(crate) fn visit_patch_files(patch: &str, found: &mut impl FnMut(&str, FileAction)) {
    // A file that is moved or deleted has its old name in the line before.
    let mut old_name = "";
    for line in patch.lines().take(MOST_LINES) {
        if let Some((path, action)) = PATCH_MARKS
            .iter()
            .find_map(|(mark, action)| Some((line.strip_prefix(mark)?, *action)))
        {
            found(path, action);
        }
        if !old_name.is_empty() && (line.starts_with("*** Move to: ") || line == "+++ /dev/null") {
            found(old_name, FileAction::Deleted);
        }
        old_name = line
            .strip_prefix("*** Update File: ")
            .or_else(|| line.strip_prefix("--- a/"))
            .unwrap_or_default();
    }
}
/// Splits a patch into the parts that write files, each behind the path of its file.
pub(super) fn split_patch(patch: &str) -> Vec<(&str, &str)> {
    let mut starts: Vec<(Option<&str>, usize)> = Vec::new();
    let mut at = 0;
    for line in patch.split_inclusive('\n').take(MOST_LINES) {
        let mark = PATCH_MARKS.iter().find_map(|(mark, action)| {
            let path = line.trim_end().strip_prefix(mark)?;
            Some((*action == FileAction::Written).then_some(path))
        });
        if let Some(path) = mark {
            starts.push((path, at));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(_, start)| *start);
    let ends: Vec<usize> = ends.chain([at]).collect();
    let parts = starts.into_iter().zip(ends);
    parts
        .filter_map(|((path, start), end)| Some((path?, &patch[start..end])))
        .collect()
}
