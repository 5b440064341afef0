//! Files that were written, read and deleted (failed calls touched none), and single names, which fill
//! what is left: those that are most likely needed again, behind their key.

use crate::summary::extract::lexicon::{COMMAND_ARGUMENTS, OUTPUT_KEYS};
use crate::summary::extract::prelude::*;

/// The most files that are offered as read.
const MOST_READ: usize = 60;

/// A file with the newest thing that was done to it.
struct Touched<'s> {
    path: &'s str,
    action: FileAction,
    message: usize,
    /// The number of the newest touch among those of all files.
    number: usize,
}

/// Offers the files, the newest last.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let files = touched_files(reading);
    let root = common_root(&files);
    let reads = files.iter().filter(|file| file.action == FileAction::Read);
    let mut reads = reads.count();
    for file in &files {
        let kind = match file.action {
            FileAction::Written => Kind::Written,
            FileAction::Read => Kind::Read,
            FileAction::Deleted => Kind::Deleted,
        };
        reads -= usize::from(kind == Kind::Read);
        if kind == Kind::Read && reads >= MOST_READ {
            continue;
        }
        let path = file.path.strip_prefix(root).filter(|rest| !rest.is_empty());
        let path = path.unwrap_or(file.path);
        let signs = Signs { number: file.message, of: reading.session.length, ..Signs::default() };
        let line = Candidate::new(kind, (file.message, 0), Cow::Borrowed(path), signs);
        lines.push(line.under(0, Cow::Borrowed(root)));
    }
}

/// Returns each file once, the one that was touched last behind the others.
fn touched_files<'s>(reading: &'s Reading<'s>) -> Vec<Touched<'s>> {
    let mut files: Vec<Touched<'s>> = Vec::new();
    let mut by_name: SymbolMap<Vec<usize>> = SymbolMap::default();
    let mut number = 0;
    for call in &reading.session.calls {
        // A redirect creates its file even if a later step fails; a patch that fails writes none.
        let command = call.command.as_deref();
        let writes_all_the_same = command.is_some_and(|text| !text.contains("*** Begin Patch"));
        for (action, path) in &call.files {
            if call.failed() && !(writes_all_the_same && *action == FileAction::Written)
                || call.result.is_none() && *action == FileAction::Read
            {
                continue;
            }
            let path = path.trim_start_matches("./");
            number += 1;
            let mut file = Touched { path, action: *action, message: call.message, number };
            // Paths of one file share its name and the folder before it, if they name one.
            let name = path.rmatch_indices(['/', '\\']).nth(1).map_or(0, |(at, _)| at + 1);
            let name = path[name..].trim_start_matches('/');
            let places = by_name.entry(symbol_of(name)).or_default();
            match places.iter().find(|&&place| same_file(files[place].path, path)) {
                Some(&place) => {
                    let before = &mut files[place];
                    if *action == FileAction::Read && before.action == FileAction::Written {
                        file.action = FileAction::Written;
                    }
                    if before.path.len() > path.len() {
                        file.path = before.path;
                    }
                    *before = file;
                }
                None => {
                    places.push(files.len());
                    files.push(file);
                }
            }
        }
    }
    files.sort_by_key(|file| file.number);
    files
}

/// Returns true if two paths name one file: they are equal, or one is the end of the other, which is absolute.
fn same_file(left: &str, right: &str) -> bool {
    let (long, short) = if left.len() >= right.len() { (left, right) } else { (right, left) };
    left == right
        || is_absolute(long)
            && long
                .strip_suffix(short)
                .is_some_and(|rest| rest.ends_with('/') && short.contains('/'))
}

/// Returns true if a path begins at a root.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.get(1..3) == Some(":\\")
}

/// Returns the folder that all absolute paths share, with the mark behind it. Empty without one.
fn common_root<'s>(files: &[Touched<'s>]) -> &'s str {
    let paths = files.iter().map(|file| file.path);
    let mut paths = paths.filter(|path| is_absolute(path));
    let Some(first) = paths.next() else { return "" };
    let folder = |path: &'s str| path.rfind(['/', '\\']).map_or("", |at| &path[..at]);
    let mut root = folder(first);
    let mut all = 1;
    for path in paths {
        all += 1;
        let is_below =
            |root: &str| path.starts_with(root) && path[root.len()..].starts_with(['/', '\\']);
        // Two drives share nothing.
        while !root.is_empty() && !is_below(root) {
            root = folder(root);
        }
    }
    if all < 2 || root.matches(['/', '\\']).count() < 2 {
        return "";
    }
    &first[..=root.len()]
}

/// The most names that are offered.
const MOST_NAMES: usize = 120;
/// The least probability of a name to be offered, in millionths.
const LEAST: i64 = 500;
/// The longest key in bytes.
const LONGEST_KEY: usize = 32;
/// In place of the key of names that have none.
const NO_KEY: &str = "also";

/// Offers the likeliest names.
pub(crate) fn offer_names<'s>(
    reading: &'s Reading<'s>,
    values: &[i64],
    lines: &mut Vec<Candidate<'s>>,
) {
    let mut places: Vec<usize> =
        (0..values.len()).filter(|&place| values[place] >= LEAST).collect();
    places.sort_by_key(|&place| (std::cmp::Reverse(values[place]), place));
    for place in places.into_iter().take(MOST_NAMES) {
        let name = &reading.glossary.names[place];
        let key = name.key.filter(|key| {
            key.text.len() <= LONGEST_KEY
                && !COMMAND_ARGUMENTS.contains(&key.text)
                && !OUTPUT_KEYS.contains(&key.text)
                && !key.text.bytes().any(|b| b.is_ascii_digit() || b <= b' ')
        });
        // Keys are distinguished by their symbol: a table of them is not needed.
        let (group, key) = key.map_or((0, NO_KEY), |key| (key.symbol.0 as usize, key.text));
        let (at, text) = ((name.last as usize, place), Cow::Borrowed(name.text));
        let line = Candidate::new(Kind::Reference, at, text, Signs::default());
        lines.push(line.under(group, Cow::Borrowed(key)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_share_a_folder_or_none() {
        let root = |paths: &[&'static str]| {
            let files: Vec<Touched<'_>> = paths
                .iter()
                .map(|path| Touched { path, action: FileAction::Read, message: 0, number: 0 })
                .collect();
            common_root(&files)
        };
        assert_eq!(root(&["/home/a/x.rs", "/home/a/b/y.rs", "z.rs"]), "/home/a/");
        assert_eq!(root(&["C:\\a\\b\\x.rs", "C:\\a\\b\\y.rs"]), "C:\\a\\b\\");
        assert_eq!(root(&["C:\\a\\b.rs", "D:\\x\\y.rs"]), "");
        assert_eq!(root(&["/home/a/b.rs", "C:\\x\\y.rs"]), "");
    }
}
