//! The folder that many files of a list share. It is written once: `% = /home/mia/workspaces/app`, then
//! `%/src/a.rs %/src/b.rs`.

use crate::summary::extract::labels::ROOT;
use hashbrown::HashMap;
use std::borrow::Cow;
use std::cmp::Reverse;

/// In place of the shared folder. `…` stands for what was left out.
const SHARED: &str = "%";
/// Minimum number of bytes that writing a folder once must save.
const LEAST_SAVED: usize = 40;
/// Minimum length in bytes of a folder that is written once. Shorter ones cost little and are read at
/// once.
const LEAST_ROOT: usize = 12;
/// Maximum number of paths that are looked at, and the room in bytes that one needs about.
const MOST_PATHS: usize = 60;
const USUAL_PATH: usize = 24;
/// Number of folders among which the list of files chooses.
const MOST_ROOTS: usize = 4;
/// Number of paths that are looked at in any case.
const LEAST_PATHS: usize = 4;

/// Returns the folders that save enough if they are written once for those of `paths`, best first, that fit in
/// about `room` bytes: at most `MOST_ROOTS`, those that save most first.
pub(super) fn shared_roots<'p>(paths: &[&'p str], room: usize) -> Vec<&'p str> {
    let most = (room / USUAL_PATH).clamp(LEAST_PATHS, MOST_PATHS);
    let mut counts: HashMap<&'p str, usize> = HashMap::new();
    let mut folders = Vec::new();
    for path in paths.iter().take(most) {
        for (at, _) in path
            .match_indices(['/', '\\'])
            .filter(|(at, _)| *at >= LEAST_ROOT)
        {
            let folder = &path[..at];
            let count = counts.entry(folder).or_insert(0);
            if *count == 0 {
                folders.push(folder);
            }
            *count += 1;
        }
    }
    let saved = |folder: &str| {
        let each = folder.len().saturating_sub(SHARED.len());
        (counts[folder] * each).saturating_sub(folder.len() + ROOT.len() + 1)
    };
    folders.retain(|folder| saved(folder) >= LEAST_SAVED);
    // Of two folders that save as much, the deeper one leaves shorter paths.
    folders.sort_by_key(|folder| Reverse((saved(folder), folder.len())));
    folders.truncate(MOST_ROOTS);
    folders
}

/// Returns what stands behind `root` and its separator in a path. Returns `None` for a path elsewhere.
pub(super) fn below_root<'p>(root: &str, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(root)?.strip_prefix(['/', '\\'])
}

/// Returns a path as it stands in a list, with a mark in place of `root`.
pub(super) fn path_below(root: &str, path: &str) -> Option<String> {
    below_root(root, path)?;
    Some(format!("{SHARED}{}", &path[root.len()..]))
}

/// Writes a path for a list of files: one with a blank in it stands between quotation marks.
pub(super) fn quote_blanks(path: Cow<'_, str>) -> Cow<'_, str> {
    if path.contains(' ') && !path.contains(QUOTE) {
        Cow::Owned(format!("{QUOTE}{path}{QUOTE}"))
    } else {
        path
    }
}

/// Returns the words of a list of files: paths as `quote_blanks` writes them, without the quotation marks.
pub(super) fn listed_paths(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list.trim_start();
    std::iter::from_fn(move || {
        let quoted = rest
            .strip_prefix(QUOTE)
            .and_then(|path| path.split_once(QUOTE));
        let (path, behind) = match quoted {
            Some(quoted) => quoted,
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        rest = behind.trim_start();
        (!path.is_empty()).then_some(path)
    })
}

/// Around a path with a blank in it.
const QUOTE: char = '"';

/// Returns true if a list of files writes any path with the mark.
pub(super) fn uses_root(lines: &[String]) -> bool {
    let mut paths = lines.iter().skip(1).flat_map(|line| listed_paths(line));
    paths.any(|path| {
        path.strip_prefix(SHARED)
            .is_some_and(|rest| rest.starts_with(['/', '\\']) && rest.len() > 1)
    })
}

/// Returns the paths that a summary writes with the mark, as they are.
pub(crate) fn paths_below_root(text: &str) -> Vec<String> {
    let Some(root) = text.lines().find_map(|line| line.strip_prefix(ROOT)) else {
        return Vec::new();
    };
    let words = text.lines().flat_map(listed_paths);
    words.filter_map(|shown| read_path(root, shown)).collect()
}

/// Returns the path that `shown` stands for, if `root` was written before it.
pub(super) fn read_path(root: &str, shown: &str) -> Option<String> {
    let rest = shown.strip_prefix(SHARED)?;
    rest.starts_with(['/', '\\'])
        .then(|| format!("{root}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_blanks_are_read_as_they_are_written() {
        let paths = ["/a/My Mill/b.rs", "c.rs", "/it's/d \"e\".rs", "%/f g"];
        let shown = paths.map(|path| quote_blanks(Cow::Borrowed(path)));
        assert_eq!(shown[0], "\"/a/My Mill/b.rs\"");
        let list = [&shown[0], &shown[1], &shown[3]].map(|path| path.as_ref());
        let list = list.join(" ");
        let read: Vec<&str> = listed_paths(&list).collect();
        assert_eq!(read, [paths[0], paths[1], paths[3]]);
        assert_eq!(listed_paths("\"a b").count(), 2);
        assert_eq!(listed_paths("  ").count(), 0);
    }

    #[test]
    fn the_folder_that_saves_most_is_shared() {
        let paths = [
            "/home/mia/workspaces/app/src/main.rs",
            "/home/mia/workspaces/app/src/lib.rs",
            "/home/mia/workspaces/app/README.md",
            "/home/mia/workspaces/app/tests/it.rs",
            "/etc/hosts",
            "notes.md",
        ];
        let root = shared_roots(&paths, 999)[0];
        assert_eq!(root, "/home/mia/workspaces/app");
        for path in &paths[..4] {
            let shown = path_below(root, path).unwrap();
            assert_eq!(read_path(root, &shown).as_deref(), Some(*path));
        }
        assert_eq!(path_below(root, paths[2]).as_deref(), Some("%/README.md"));
        assert_eq!(path_below(root, "/home/mia/workspaces/app2/a.rs"), None);
        assert_eq!(path_below(root, "notes.md"), None);
        assert_eq!(
            shared_roots(
                &[
                    "C:\\Users\\mia\\projects\\cap\\a.gd",
                    "C:\\Users\\mia\\projects\\cap\\b.gd",
                    "C:\\Users\\mia\\projects\\cap\\c.gd"
                ],
                999
            )[0],
            "C:\\Users\\mia\\projects\\cap"
        );
        assert!(shared_roots(&["/a/one.rs", "/a/two.rs"], 999).is_empty());
        assert_eq!(read_path(root, "%"), None);
    }
}
