//! The files and directories that the user names for the system prompt.

use anyhow::{Context, Result, anyhow, bail};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// The reason why a directory has no skills, by its name in Deep Agents.
pub(super) type ListError = &'static str;
/// There is nothing at the path.
const NOT_FOUND: ListError = "path_not_found";
const NOT_DIRECTORY: ListError = "not_a_directory";

/// A directory below a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceDirectory {
    pub(super) name: String,
    /// Its path as the model sees it.
    pub(super) shown: String,
    /// Its path on the disk.
    pub(super) path: PathBuf,
}

/// Reads a regular file: a device or a pipe may never end.
pub(super) fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    fs::read(path)
}

/// The places where the paths of the user lie.
#[derive(Debug, Clone, Default)]
pub(super) struct SourceFiles {
    /// The directory that all paths lie below. None if they are paths of this machine.
    pub(super) root: Option<PathBuf>,
}

impl SourceFiles {
    /// Reads a file. Returns `None` if it does not exist.
    pub(super) fn read_text(&self, path: &str) -> Result<Option<String>> {
        let Some(place) = self.resolve(path)? else {
            return Ok(None);
        };
        match read_regular(&place) {
            Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|error| {
                let at = error.utf8_error().valid_up_to();
                anyhow!("[system] {path}: not UTF-8 from byte {at} on")
            }),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error).with_context(|| unreadable(path)),
        }
    }

    /// Lists the directories in a source, sorted by their path with a slash at its end.
    pub(super) fn list(&self, source: &str) -> Result<Result<Vec<SourceDirectory>, ListError>> {
        let Some(place) = self.resolve(source)? else {
            return Ok(Err(NOT_FOUND));
        };
        let entries = match fs::read_dir(&place) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Ok(Err(NOT_DIRECTORY));
            }
            Err(error) if is_missing(&error) => return Ok(Err(NOT_FOUND)),
            Err(error) => return Err(error).with_context(|| unreadable(source)),
        };
        let prefix = self.shown_prefix(source, &place);
        let mut directories: Vec<SourceDirectory> = entries
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .filter(|path| path.is_dir() && self.is_inside(path))
            .filter_map(|path| {
                let name = path.file_name()?.to_str()?.to_owned();
                let shown = format!("{prefix}{name}");
                Some(SourceDirectory { name, shown, path })
            })
            .collect();
        directories.sort_by_cached_key(|directory| format!("{}/", directory.shown));
        Ok(Ok(directories))
    }

    /// Returns true if a path, its links followed, is below the root.
    pub(super) fn is_inside(&self, path: &Path) -> bool {
        let Some(root) = &self.root else {
            return true;
        };
        let canonical = |path: &Path| fs::canonicalize(path).ok();
        canonical(root).zip(canonical(path)).is_some_and(|(root, path)| path.starts_with(root))
    }

    /// Returns the path on the disk. Returns none if a link leads out of the root.
    fn resolve(&self, path: &str) -> Result<Option<PathBuf>> {
        let Some(root) = &self.root else {
            return Ok(Some(PathBuf::from(path)));
        };
        let relative = Path::new(path.trim_start_matches('/'));
        let climbs = relative.components().any(|part| matches!(part, Component::ParentDir));
        if climbs || path.starts_with('~') {
            bail!("[system] {path:?}: a path must not contain .. or begin with ~");
        }
        let place = root.join(relative);
        Ok((!place.exists() || self.is_inside(&place)).then_some(place))
    }

    /// Returns the beginning of the paths in a source as the model sees them.
    fn shown_prefix(&self, source: &str, place: &Path) -> String {
        let shown = if self.root.is_some() {
            let parts: Vec<&str> =
                source.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
            format!("/{}", parts.join("/"))
        } else {
            let absolute = fs::canonicalize(place).unwrap_or_else(|_| place.to_path_buf());
            absolute.to_string_lossy().into_owned()
        };
        if shown.ends_with('/') { shown } else { shown + "/" }
    }
}

fn unreadable(path: &str) -> String {
    format!("[system] can't read {path}")
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
