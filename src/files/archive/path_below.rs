//! A path below a directory, proved when it is made: what a journal, a manifest or a row names can't
//! lead out of the directory that it is in.

use crate::files::archive::stored_path::StoredPath;
use crate::files::archive::{HISTORY_DIR, RESULTS_DIR};
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};

/// A path that leads out of the directory that it should lie below.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path {} leads out of its directory", .0.display())]
pub(crate) struct EscapingPath(pub PathBuf);

/// A path below a directory: only names, and at least one. Links on its way are refused where it is
/// opened, as nothing in a path shows them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "StoredPath", into = "StoredPath")]
pub(crate) struct PathBelow(PathBuf);

impl PathBelow {
    /// Proves a path. Fails if it is empty or absolute, or holds `..`, a drive or a NUL byte.
    pub(crate) fn new(path: &Path) -> Result<Self, EscapingPath> {
        let stays = path.components().all(|part| match part {
            Component::Normal(name) => !leads_elsewhere(name.as_encoded_bytes()),
            _ => false,
        });
        let names: PathBuf = path.components().collect();
        if !stays || names.as_os_str().is_empty() {
            return Err(EscapingPath(path.to_path_buf()));
        }
        Ok(Self(names))
    }

    /// Returns the path, relative to its directory.
    pub(crate) fn as_path(&self) -> &Path {
        &self.0
    }
}

/// Returns true if a name ends the path, or is that of a stream or a drive.
fn leads_elsewhere(name: &[u8]) -> bool {
    name.contains(&0) || (cfg!(windows) && name.contains(&b':'))
}

impl TryFrom<&Path> for PathBelow {
    type Error = EscapingPath;

    fn try_from(path: &Path) -> Result<Self, EscapingPath> {
        Self::new(path)
    }
}

impl TryFrom<StoredPath> for PathBelow {
    type Error = EscapingPath;

    fn try_from(stored: StoredPath) -> Result<Self, EscapingPath> {
        Self::new(&PathBuf::from(stored))
    }
}

impl From<PathBelow> for StoredPath {
    fn from(path: PathBelow) -> Self {
        path.as_path().into()
    }
}

/// The path of an archive file below an archive directory: a history or an evicted result, which is
/// all that a run writes there beside the originals.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "StoredPath", into = "StoredPath")]
pub(crate) struct ArchiveFilePath(PathBelow);

impl ArchiveFilePath {
    /// Returns the path, relative to the archive directory.
    pub(crate) fn as_path(&self) -> &Path {
        self.0.as_path()
    }
}

impl TryFrom<&Path> for ArchiveFilePath {
    type Error = EscapingPath;

    fn try_from(path: &Path) -> Result<Self, EscapingPath> {
        let below = PathBelow::new(path)?;
        let mut names = below.as_path().iter();
        let is_archive =
            names.next().is_some_and(|first| first == HISTORY_DIR || first == RESULTS_DIR);
        if !is_archive || names.next().is_none() {
            return Err(EscapingPath(path.to_path_buf()));
        }
        Ok(Self(below))
    }
}

impl TryFrom<StoredPath> for ArchiveFilePath {
    type Error = EscapingPath;

    fn try_from(stored: StoredPath) -> Result<Self, EscapingPath> {
        Self::try_from(PathBuf::from(stored).as_path())
    }
}

impl From<ArchiveFilePath> for StoredPath {
    fn from(path: ArchiveFilePath) -> Self {
        match path.as_path().to_str() {
            // Manifests and rows have the same text on every system.
            Some(text) => Self::Text(text.replace(std::path::MAIN_SEPARATOR, "/")),
            None => path.as_path().into(),
        }
    }
}

/// The name of a file that is directly in a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct FileNameBelow(String);

impl FileNameBelow {
    /// Returns the name.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for FileNameBelow {
    type Error = EscapingPath;

    fn try_from(name: String) -> Result<Self, EscapingPath> {
        let below = PathBelow::new(Path::new(&name))?;
        if below.as_path().as_os_str() != name.as_str() || below.as_path().iter().count() != 1 {
            return Err(EscapingPath(name.into()));
        }
        Ok(Self(name))
    }
}

impl From<FileNameBelow> for String {
    fn from(name: FileNameBelow) -> Self {
        name.0
    }
}

impl std::fmt::Display for FileNameBelow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: for<'t> Deserialize<'t>>(path: &str) -> Option<T> {
        serde_json::from_value(path.into()).ok()
    }

    #[test]
    fn a_path_that_is_read_stays_below_its_directory() {
        for inside in ["a", "a/b.jsonl", "..a/.b/c..", "a//b", "a/./b", " ", "-", "a\\..\\b"] {
            let path: Option<PathBelow> = read(inside);
            assert_eq!(path.is_some(), !cfg!(windows) || !inside.contains('\\'), "{inside}");
        }
        for outside in [
            "",
            ".",
            "./a",
            "..",
            "../a",
            "a/..",
            "a/../b",
            "a/../../b",
            "/",
            "/a",
            "//a/b",
            "a\0b",
        ] {
            assert_eq!(read::<PathBelow>(outside), None, "{outside}");
        }
        let bytes: Option<PathBelow> =
            serde_json::from_value(serde_json::json!([46, 46, 47, 255])).ok();
        assert_eq!(bytes, None, "a path that is no text");
    }

    #[test]
    fn a_file_name_is_one_name() {
        for (name, is_name) in
            [("a.json", true), ("..a", true), ("..", false), ("a/b", false), ("a/", false)]
        {
            assert_eq!(read::<FileNameBelow>(name).is_some(), is_name, "{name}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn drives_shares_and_streams_are_elsewhere() {
        for outside in ["C:\\a", "C:a", "\\\\server\\share\\a", "\\a", "a:stream", "..\\a"] {
            assert_eq!(read::<PathBelow>(outside), None, "{outside}");
        }
    }

    #[test]
    fn an_archive_file_is_a_history_or_a_result() {
        for (path, is_archive) in [
            ("conversation_history/a.md", true),
            ("large_tool_results/t/c", true),
            ("conversation_history", false),
            ("originals/a.originals", false),
            (".git/config", false),
            ("conversation_history/../a", false),
        ] {
            assert_eq!(read::<ArchiveFilePath>(path).is_some(), is_archive, "{path}");
        }
    }
}
