//! Files that a directory holds, opened so that no link leads out of it.
//!
//! The directory itself may be reached through links: the user named it. Below it each name is opened
//! by itself and must be a real directory, and the last a regular file: a pipe would never end.

use crate::files::archive::path_below::PathBelow;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

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
    /// The directory.
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
            std::fs::create_dir_all(directory).unwrap();
        }
        std::fs::write(outside.join("f"), "secret").unwrap();
        std::fs::write(root.join("d/f"), "ours").unwrap();
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
