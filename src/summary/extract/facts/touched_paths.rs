//! Reads the paths in arguments, and tells folders that programs write anew.

use super::path_ends::file_name;
use crate::summary::extract::lex::identifier_kinds::{PATH, has_file_extension, kinds_of};
use std::borrow::Cow;

/// Returns true for a folder that programs write anew when it is deleted.
pub(super) fn is_generated(path: &str) -> bool {
    let name = file_name(path.trim_end_matches(['/', '\\']));
    CACHE_FOLDERS.contains(&name) || BUILD_FOLDERS.contains(&name)
}

/// Folders of what programs keep for the next time.
pub(super) const CACHE_FOLDERS: [&str; 7] = [
    "node_modules",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".cache",
    ".godot",
    ".next",
];
/// Folders of what programs build.
const BUILD_FOLDERS: [&str; 3] = ["target", "dist", "build"];

/// Trims the blanks around a path, without a copy where possible.
pub(super) fn trim_path(path: Cow<'_, str>) -> Cow<'_, str> {
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(path.trim()),
        Cow::Owned(path) if path.trim().len() == path.len() => Cow::Owned(path),
        Cow::Owned(path) => Cow::Owned(path.trim().to_owned()),
    }
}

/// Strips the lines that pi writes behind the path of a file that is read in part: `a.rs:772-778`.
pub(super) fn without_lines(path: Cow<'_, str>) -> Cow<'_, str> {
    let is_range = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_digit())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+'))
    };
    let length = match path.rsplit_once(':') {
        Some((file, lines)) if is_range(lines) && has_file_extension(file) => file.len(),
        _ => return path,
    };
    match path {
        Cow::Borrowed(path) => Cow::Borrowed(&path[..length]),
        Cow::Owned(mut path) => {
            path.truncate(length);
            Cow::Owned(path)
        }
    }
}

/// Takes a path out of the quotation marks that some harnesses write around it, as JSON: `"C:\\a.rs"`.
pub(super) fn without_quotes(path: Cow<'_, str>) -> Cow<'_, str> {
    let inner = path
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(inner) => Cow::Owned(inner.replace("\\\\", "\\")),
        None => path,
    }
}

/// Returns true if the value of any argument is a path by its look.
pub(super) fn looks_like_path(text: &str) -> bool {
    (text.contains('/') || has_file_extension(text))
        && !text.contains(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '@' | '(' | ')' | '\'' | '"' | '`' | '*' | '?' | '{' | '}'
                )
        })
        && kinds_of(text).is_some_and(|kinds| kinds & PATH != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_that_were_read_are_no_part_of_the_path() {
        let stripped = |path: &'static str| without_lines(Cow::Borrowed(path));
        assert_eq!(stripped("src/a.rs:772-778"), "src/a.rs");
        assert_eq!(stripped("a.rs:7"), "a.rs");
        assert_eq!(stripped("C:7"), "C:7");
        assert_eq!(stripped("a.rs:main"), "a.rs:main");
    }
}
