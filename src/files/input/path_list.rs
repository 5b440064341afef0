//! A list of inputs in a file, for more paths than a command line holds.

use crate::files::archive::stored_path::StoredPath;
use crate::files::input::entry::STDIN;
use crate::files::input::error::ListingError;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Reads a list of paths from a file, or from stdin if it is `-`: one a line, or each ended by a
/// NUL byte, as `find -print0` prints them. Blank lines are skipped. Fails if the list can't be
/// read or names nothing.
pub(crate) fn read_path_list(list: &Path) -> Result<Vec<PathBuf>, ListingError> {
    let bytes = read_list(list)
        .map_err(|source| ListingError::PathList { path: list.to_path_buf(), source })?;
    let paths = split_list(&bytes);
    if paths.is_empty() {
        return Err(ListingError::EmptyPathList { path: list.to_path_buf() });
    }
    Ok(paths)
}

fn read_list(list: &Path) -> io::Result<Vec<u8>> {
    if list.as_os_str() != STDIN {
        return fs::read(list);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn split_list(bytes: &[u8]) -> Vec<PathBuf> {
    let has_nul = memchr::memchr(0, bytes).is_some();
    let end = if has_nul { 0 } else { b'\n' };
    let paths = bytes.split(|byte| *byte == end).map(|path| {
        let is_ended_twice = cfg!(windows) && !has_nul;
        path.strip_suffix(b"\r").filter(|_| is_ended_twice).unwrap_or(path)
    });
    paths.filter(|path| !path.is_empty()).map(listed_path).collect()
}

/// Returns a path of a list. `-` is a file here: stdin can't be listed.
fn listed_path(path: &[u8]) -> PathBuf {
    if path == STDIN.as_bytes() {
        return Path::new(".").join(STDIN);
    }
    StoredPath::Bytes(path.to_vec()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_end_with_a_line_or_a_nul() {
        let paths = |list: &str| -> Vec<String> {
            let paths = split_list(list.as_bytes()).into_iter();
            paths.map(|path| path.display().to_string()).collect()
        };
        assert_eq!(paths("a b\n\n- c\n-\nd"), ["a b", "- c", "./-", "d"]);
        assert_eq!(paths("a\nb\0c\0"), ["a\nb", "c"]);
        assert!(paths("\n\n").is_empty());
    }
}
