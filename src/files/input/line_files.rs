//! Files beside the inputs: JSON lines that are read twice, and small files.
//!
//! Result files are scanned once to find the position of each line. Single
//! lines are read again later, so that the files need not fit into memory.
//!
//! Files that a directory holds, opened so that no link leads out of it.
//!
//! The directory itself may be reached through links: the user named it. Below it each name is opened
//! by itself and must be a real directory, and the last a regular file: a pipe would never end.

use crate::files::archive::path_below::PathBelow;
use crate::files::input::error::InputError;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const READ_BYTES: usize = 128 << 10;

/// The position of a line in [`LineFiles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinePosition {
    file: usize,
    offset: u64,
    length: usize,
    /// The line number in the file, from 1.
    pub line: u64,
}

/// A list of files of JSON lines.
#[derive(Debug)]
pub(crate) struct LineFiles {
    paths: Vec<PathBuf>,
    /// The most bytes that a line may have.
    max_line_bytes: usize,
}

impl LineFiles {
    /// Creates the list without opening the files.
    pub(crate) fn new(paths: Vec<PathBuf>, max_line_bytes: usize) -> Self {
        Self { paths, max_line_bytes }
    }

    /// Creates the list of one file below a directory that somebody else may have made. Fails if a
    /// link or something else is in the place of the file.
    pub(crate) fn below(
        directory: &Path,
        name: &str,
        max_line_bytes: usize,
    ) -> Result<Self, InputError> {
        open_if_exists(directory, Path::new(name))?;
        Ok(Self::new(vec![directory.join(name)], max_line_bytes))
    }

    /// Calls `visit` with every line that is not blank. Fails if a file can't be read, or a line is
    /// too long.
    pub(crate) fn visit_lines(
        &self,
        mut visit: impl FnMut(LinePosition, &[u8]),
    ) -> Result<(), InputError> {
        for (file, path) in self.paths.iter().enumerate() {
            let mut reader = BufReader::new(File::open(path).map_err(read_file_error(path))?);
            let (mut offset, mut number, mut bytes) = (0, 0, Vec::new());
            let limit = self.max_line_bytes as u64;
            while (&mut reader)
                .take(limit.saturating_add(1))
                .read_until(b'\n', &mut bytes)
                .map_err(read_file_error(path))?
                > 0
            {
                number += 1;
                if bytes.len() as u64 > limit && !bytes.ends_with(b"\n") {
                    return Err(InputError::LineTooLong {
                        path: path.clone(),
                        line: number,
                        limit: self.max_line_bytes,
                    });
                }
                if !bytes.trim_ascii().is_empty() {
                    let position = LinePosition { file, offset, length: bytes.len(), line: number };
                    visit(position, &bytes);
                }
                offset += bytes.len() as u64;
                bytes.clear();
            }
        }
        Ok(())
    }

    /// Reads a line again. Fails if the file can't be read.
    pub(crate) fn read_line(&self, position: LinePosition) -> Result<Vec<u8>, InputError> {
        let path = &self.paths[position.file];
        read_range(path, position)
            .map_err(|source| InputError::ReadAgain { path: path.clone(), source })
    }

    /// Returns `file:line`, for messages.
    pub(crate) fn display_position(&self, position: LinePosition) -> String {
        format!("{}:{}", self.paths[position.file].display(), position.line)
    }
}

fn read_range(path: &Path, position: LinePosition) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(position.offset))?;
    let mut bytes = vec![0; position.length];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_file_error(path: &Path) -> impl Fn(io::Error) -> InputError {
    move |source| InputError::ReadFile { path: path.to_path_buf(), source }
}

/// Opens a file below `root` for buffered reading, without decompression. Returns none if it does
/// not exist. Fails as [`open_below`] does.
pub(crate) fn open_if_exists(
    root: &Path,
    path: &Path,
) -> Result<Option<impl BufRead + use<>>, InputError> {
    let opened = open_below(root, path).map_err(read_file_error(&root.join(path)))?;
    Ok(opened.map(|file| BufReader::with_capacity(READ_BYTES, file)))
}

/// Reads a small file below `root` as text. Returns none if it does not exist. Fails as
/// [`open_below`] does, and if the file can't be read.
pub(crate) fn read_small_file(root: &Path, path: &Path) -> Result<Option<String>, InputError> {
    let mut text = String::new();
    let Some(mut file) = open_if_exists(root, path)? else {
        return Ok(None);
    };
    let read = file.read_to_string(&mut text);
    read.map_err(read_file_error(&root.join(path)))?;
    Ok(Some(text))
}

/// Opens a file below `root` and returns its length in bytes. Fails as [`open_below`] does, and if
/// there is no such file.
pub(crate) fn open_with_length(
    root: &Path,
    path: &Path,
) -> io::Result<(Box<dyn Read + Send>, u64)> {
    let file = open_below(root, path)?.ok_or(ErrorKind::NotFound)?;
    let length = file.metadata()?.len();
    Ok((Box::new(file), length))
}

/// Lists the files of a directory whose names begin with one of `prefixes`, sorted by name. Fails
/// if the directory can't be read.
pub(crate) fn files_with_prefixes(
    directory: &Path,
    prefixes: &[&str],
) -> Result<Vec<PathBuf>, InputError> {
    let failed = |source| InputError::ReadDirectory { path: directory.to_path_buf(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if prefixes.iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            if !entry.file_type().map_err(failed)?.is_file() {
                return Err(read_file_error(&entry.path())(io::Error::other(
                    "it is not a regular file; name it itself to read it",
                )));
            }
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

/// Opens the regular file that `path` names below `root`. Returns none if nothing has the path.
/// Fails if the path leads out of `root`, a link is on its way, or it names no regular file.
pub(crate) fn open_below(root: &Path, path: &Path) -> io::Result<Option<File>> {
    let path =
        PathBelow::new(path).map_err(|error| io::Error::new(ErrorKind::InvalidInput, error))?;
    match open_file(root, &path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(file) if !file.metadata()?.is_file() => Err(no_regular_file()),
        Ok(file) => Ok(Some(file)),
    }
}

fn no_regular_file() -> io::Error {
    io::Error::other("it is not a regular file, or lies behind a link")
}

/// A directory that a file is in, opened without a link on the way to it.
#[cfg(unix)]
pub(crate) struct ParentBelow<'p> {
    pub directory: rustix::fd::OwnedFd,
    /// The name of the file in it.
    pub name: &'p std::ffi::OsStr,
}

#[cfg(unix)]
impl<'p> ParentBelow<'p> {
    /// Opens the directory of a file below `root`. Fails if it does not exist, or what is on the
    /// way to it is no real directory.
    pub(crate) fn open(root: &Path, path: &'p PathBelow) -> io::Result<Self> {
        use rustix::fs::{CWD, Mode, OFlags, openat};
        // A directory need not be readable to lead to a file in it.
        #[cfg(target_os = "linux")]
        const ENTERED: OFlags = OFlags::PATH;
        #[cfg(not(target_os = "linux"))]
        const ENTERED: OFlags = OFlags::RDONLY;
        let flags = ENTERED.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let mut directory = openat(CWD, root, flags, Mode::empty())?;
        let mut names = path.as_path().iter().peekable();
        while let Some(name) = names.next() {
            if names.peek().is_none() {
                return Ok(Self { directory, name });
            }
            directory = openat(&directory, name, flags | OFlags::NOFOLLOW, Mode::empty())
                .map_err(describe_link)?;
        }
        Err(no_regular_file())
    }
}

/// Says what the system means where a link is in the place of something else.
#[cfg(unix)]
fn describe_link(error: rustix::io::Errno) -> io::Error {
    use rustix::io::Errno;
    match error {
        Errno::LOOP | Errno::MLINK | Errno::NOTDIR => no_regular_file(),
        error => error.into(),
    }
}

#[cfg(unix)]
fn open_file(root: &Path, path: &PathBelow) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, openat};
    let parent = ParentBelow::open(root, path)?;
    // A pipe would make the opening wait, and some devices act on it.
    let found =
        rustix::fs::statat(&parent.directory, parent.name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)?;
    if rustix::fs::FileType::from_raw_mode(found.st_mode) != rustix::fs::FileType::RegularFile {
        return Err(no_regular_file());
    }
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file =
        openat(&parent.directory, parent.name, flags, Mode::empty()).map_err(describe_link)?;
    Ok(file.into())
}

#[cfg(not(unix))]
fn open_file(root: &Path, path: &PathBelow) -> io::Result<File> {
    let mut place = root.to_path_buf();
    for name in path.as_path() {
        place.push(name);
        if std::fs::symlink_metadata(&place)?.is_symlink() {
            return Err(no_regular_file());
        }
    }
    if !std::fs::metadata(&place)?.is_file() {
        return Err(no_regular_file());
    }
    File::open(place)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn nothing_outside_is_opened_and_nothing_but_a_file() {
        let place = tempfile::tempdir().unwrap();
        let (root, outside) = (place.path().join("in"), place.path().join("out"));
        for directory in [&root.join("d"), &outside] {
            fs::create_dir_all(directory).unwrap();
        }
        fs::write(outside.join("f"), "secret").unwrap();
        fs::write(root.join("d/f"), "ours").unwrap();
        symlink(outside.join("f"), root.join("link")).unwrap();
        symlink(&outside, root.join("folder")).unwrap();
        symlink("d", root.join("within")).unwrap();
        assert!(Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
        let mut text = String::new();
        open_below(&root, Path::new("d/f")).unwrap().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "ours");
        assert!(open_below(&root, Path::new("d/none")).unwrap().is_none());
        assert!(open_below(&root, Path::new("none/f")).unwrap().is_none());
        let out = outside.join("f");
        for path in
            ["link", "folder/f", "within/f", "pipe", "d", "../out/f", "", out.to_str().unwrap()]
        {
            assert!(open_below(&root, Path::new(path)).is_err(), "{path}");
        }
    }
}
