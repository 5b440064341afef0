//! Shortens long paths to their ends: the files have a section of their own. The last end is the name.

use crate::summary::extract::lexicon::code_words::SCRATCH_OPENINGS;
use std::borrow::Cow;

/// Maximum length in bytes of a path that is shown as a whole.
const LONGEST_PATH: usize = 44;

/// Shortens the long paths in a line to their ends.
pub(super) fn shorten_paths(line: &str) -> Cow<'_, str> {
    if !line
        .split_whitespace()
        .any(|word| word.len() > LONGEST_PATH && word.contains('/'))
    {
        return Cow::Borrowed(line);
    }
    let words: Vec<Cow<'_, str>> = line.split(' ').map(end_of_path).collect();
    Cow::Owned(words.join(" "))
}

/// Returns the name of a file or a program without its folders.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns a path, or of a long one its last folders: the files have a section of their own.
pub(super) fn end_of_path(path: &str) -> Cow<'_, str> {
    if path.len() <= LONGEST_PATH {
        return Cow::Borrowed(path);
    }
    let start = path.len() - LONGEST_PATH;
    let at = path
        .match_indices('/')
        .map(|(at, _)| at)
        .find(|at| *at >= start);
    at.map_or(Cow::Borrowed(path), |at| {
        Cow::Owned(format!("…{}", &path[at..]))
    })
}

/// Returns true for the name of a script that an agent writes to try something out: `reproduce_error.py`.
pub(super) fn is_scratch(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    (SCRATCH_OPENINGS.iter()).any(|opening| lower.starts_with(opening))
}

/// Returns the name of a file with the folder that it stands in: `pumps/mod.rs`.
pub(super) fn name_with_folder(path: &str) -> &str {
    let folder = path[..path.len() - file_name(path).len()].trim_end_matches(['/', '\\']);
    let start = folder.rfind(['/', '\\']).map_or(0, |at| at + 1);
    &path[start..]
}

/// Returns the name of a file, with its folder if another one of `paths` has the same name.
pub(super) fn distinct_name<'p>(
    path: &'p str,
    paths: impl IntoIterator<Item = &'p str>,
) -> &'p str {
    let name = file_name(path);
    let mut others = paths.into_iter().filter(|other| *other != path);
    if others.any(|other| file_name(other) == name) {
        name_with_folder(path)
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_shows_its_end() {
        let folder = "x".repeat(60);
        assert_eq!(
            shorten_paths(&format!("read /{folder}/src/main.rs and b.rs")),
            "read …/src/main.rs and b.rs"
        );
        assert_eq!(end_of_path("/srv/a.rs"), "/srv/a.rs");
        assert!(is_scratch("reproduce_error.py") && is_scratch("repro.py"));
        assert!(!is_scratch("reply.py") && !is_scratch("verify_token.py"));
    }
}
