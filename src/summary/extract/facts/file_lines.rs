//! Renders the files that calls touched as lines, the newest first.

use super::file_actions::FileAction;
use super::path_ends::file_name;
use super::path_roots::{
    below_root, listed_paths, path_below, quote_blanks, shared_roots, uses_root,
};
use super::touched_files::{LONGEST_PATH, MOST_TWINS, TouchedFile, TouchedFiles};
use super::touched_paths::CACHE_FOLDERS;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::labels::ROOT;
use crate::summary::extract::lex::clip::CLIP_MARK;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::escape_heading;
use hashbrown::HashSet;
use std::borrow::Cow;
use std::cmp::Reverse;

/// Before the files that were written.
const WRITTEN: &str = "written:";
/// The most files that were read, and that were deleted or only named, in the lists.
const MOST_READ: usize = 14;
const MOST_NAMED: usize = 8;

impl TouchedFiles<'_> {
    /// Renders lines `written: …`, `read: …` of at most `room` bytes together, newest file first. A
    /// list without room for all files ends with a mark.
    pub(crate) fn render(&self, room: usize) -> Vec<String> {
        if SummaryRule::Files.is_off() {
            return Vec::new();
        }
        let mut files: Vec<&TouchedFile<'_>> = self.all.iter().collect();
        files.sort_unstable_by_key(|file| {
            Reverse((file.action, !is_passing_file(&file.path), file.last))
        });
        // A name that folding changes would be the name of another file.
        files.retain(|file| fold_line(&file.path, LONGEST_PATH) == file.path);
        drop_relative_twins(&mut files);
        drop_folders_above(&mut files);
        let (mut lines, is_cut) = render_files(&files, room, FolderForm::Whole);
        if !is_cut || SummaryRule::SharedFolders.is_off() {
            return lines;
        }
        let kept = files.iter().filter(|file| !is_passing_file(&file.path));
        let paths: Vec<&str> = kept.map(|file| file.path.as_ref()).collect();
        for root in shared_roots(&paths, room) {
            let mut below_files = files.clone();
            drop_twins(&mut below_files, root);
            let below = render_files(&below_files, room, FolderForm::Below(root)).0;
            // A folder whose files are not listed would be written for nothing.
            if uses_root(&below) && lists_more(&below, &lines) {
                lines = below;
            }
        }
        if lines.is_empty() {
            lines = render_files(&files, room, FolderForm::Left).0;
        }
        lines
    }
}

/// Returns true if lines list more files than others: first of those that were written, then of all. Of as many,
/// fewer bytes are more.
fn lists_more(lines: &[String], others: &[String]) -> bool {
    let bytes = |lines: &[String]| lines.iter().map(String::len).sum::<usize>();
    let value = |lines: &[String]| {
        (
            listed_count(lines, WRITTEN),
            listed_count(lines, ""),
            Reverse(bytes(lines)),
        )
    };
    value(lines) > value(others)
}

/// Returns the number of files in the lines that begin with `label`.
fn listed_count(lines: &[String], label: &str) -> usize {
    (lines.iter())
        .filter(|line| !line.starts_with(ROOT) && line.starts_with(label))
        .map(|line| listed_paths(line).count().saturating_sub(1))
        .sum()
}

/// Returns true for a file that nobody keeps: what a program logged, and what stands in a folder for such
/// files.
fn is_passing_file(path: &str) -> bool {
    (CACHE_FOLDERS.iter().chain(&PASSING_FOLDERS)).any(|folder| has_folder(path, folder))
        || [".log", ".output", ".tmp"]
            .iter()
            .any(|end| path.ends_with(end))
}

/// Returns true if a path leads through a folder.
fn has_folder(path: &str, folder: &str) -> bool {
    path.split(['/', '\\']).any(|part| part == folder)
}

/// Folders of files that nobody keeps, besides those of caches.
const PASSING_FOLDERS: [&str; 3] = ["scratchpad", ".venv", "site-packages"];

/// Drops folders that were only named where a file below them stands in the lists.
fn drop_folders_above(files: &mut Vec<&TouchedFile<'_>>) {
    let all: Vec<&TouchedFile<'_>> = files.iter().take(MOST_TWINS).copied().collect();
    files.retain(|file| {
        file.action != FileAction::Named
            || !all.iter().any(|other| {
                let below = other
                    .path
                    .strip_prefix(file.path.trim_end_matches(['/', '\\']));
                below.is_some_and(|below| below.len() > 1 && below.starts_with(['/', '\\']))
            })
    });
}

/// Drops relative paths that are the end of another path with which as much was done: a shell names
/// `src/a.rs` where an editor names all of its folders.
fn drop_relative_twins(files: &mut Vec<&TouchedFile<'_>>) {
    let is_end = |path: &str, end: &str| {
        path.strip_suffix(end)
            .is_some_and(|folder| folder.ends_with(['/', '\\']))
    };
    let all: Vec<&TouchedFile<'_>> = files.iter().take(MOST_TWINS).copied().collect();
    let tells = |other: FileAction, action: FileAction| {
        other == action || (action <= FileAction::Read && other == FileAction::Written)
    };
    files.retain(|file| {
        !all.iter().any(|other| {
            (tells(other.action, file.action) && is_end(&other.path, &file.path))
                // An editor shows by its whole path what was written by a short one.
                || (file.action == FileAction::Read
                    && other.action == FileAction::Written
                    && is_end(&file.path, &other.path))
        })
    });
}

/// Drops the older of a path and the same path as it is written in the folder `root`.
fn drop_twins(files: &mut Vec<&TouchedFile<'_>>, root: &str) {
    let mut names = HashSet::new();
    files.retain(|file| names.insert(below_root(root, &file.path).unwrap_or(&file.path)));
}

/// How the folders of files are written.
#[derive(Clone, Copy)]
enum FolderForm<'p> {
    Whole,
    /// A mark stands for this folder, which is written once.
    Below(&'p str),
    /// Only the name of a file is written: there is no room for its folder.
    Left,
}

impl FolderForm<'_> {
    /// Returns a path as it stands in the list.
    fn shown<'f>(self, path: &'f str) -> Cow<'f, str> {
        match self {
            Self::Whole => Cow::Borrowed(path),
            Self::Below(root) => path_below(root, path).map_or(Cow::Borrowed(path), Cow::Owned),
            Self::Left => Cow::Borrowed(file_name(path)),
        }
    }
}

/// Returns the most files of an action that are listed: what was read long ago is read again where it is needed.
const fn most_files(action: FileAction) -> usize {
    match action {
        FileAction::Written => usize::MAX,
        FileAction::Read => MOST_READ,
        FileAction::Deleted | FileAction::Named => MOST_NAMED,
    }
}

/// Renders lines of files. Returns true if a file has no room.
fn render_files(
    files: &[&TouchedFile<'_>],
    room: usize,
    folders: FolderForm<'_>,
) -> (Vec<String>, bool) {
    let mut lines = Vec::new();
    let mut left = room;
    let mut any_cut = false;
    if let FolderForm::Below(root) = folders {
        let line = format!("{ROOT}{root}");
        left = left.saturating_sub(line.len() + 1);
        lines.push(line);
    }
    for (action, label) in [
        (FileAction::Written, WRITTEN),
        (FileAction::Deleted, "deleted:"),
        (FileAction::Read, "read:"),
        (FileAction::Named, "named:"),
    ] {
        let mut line = String::new();
        let mut is_cut = false;
        let most = most_files(action);
        for (number, file) in (files.iter())
            .filter(|file| file.action == action)
            .enumerate()
        {
            if number >= most {
                is_cut = true;
                break;
            }
            let shown = quote_blanks(folders.shown(&file.path));
            // A path that ends with a separator names no file.
            if shown.is_empty() {
                continue;
            }
            let label_cost = if line.is_empty() { label.len() + 1 } else { 0 };
            let cost = shown.len() + 1 + label_cost;
            if cost + CLIP_MARK.len() > left {
                is_cut = true;
                continue;
            }
            if line.is_empty() {
                line.push_str(label);
            }
            line.push(' ');
            line.push_str(&shown);
            left -= cost;
        }
        any_cut |= is_cut;
        if is_cut && !line.is_empty() {
            line.push_str(CLIP_MARK);
            left -= CLIP_MARK.len();
        }
        if !line.is_empty() {
            lines.push(escape_heading(&line).into_owned());
        }
    }
    // A folder without files says nothing.
    if matches!(folders, FolderForm::Below(_)) && lines.len() == 1 {
        lines.clear();
    }
    (lines, any_cut)
}
