//! The lock of a directory that a run writes into: one run at a time.

use crate::files::archive::RUN_DIR;
use crate::files::input::open_below;
use crate::files::output::error::{OverwriteError, WriteError};
use crate::files::output::message::print_message;
use crate::files::output::terms::{LockMode, RunIdentity};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The file that is locked, in the run directory.
pub(super) const LOCK_FILE: &str = "lock";
/// The time that [`LockMode::WaitBriefly`] waits.
const BRIEFLY: Duration = Duration::from_secs(60);
/// The time between two looks at a lock.
const LOOK: Duration = Duration::from_millis(20);
/// A holder longer than this is not read.
const MAX_HOLDER_BYTES: u64 = 4096;

/// The run that holds a lock, as it describes itself in the lock file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LockHolder {
    pid: u32,
    #[serde(default)]
    host: String,
    started: String,
    command: String,
}

impl LockHolder {
    fn this_process(identity: &RunIdentity) -> Self {
        Self {
            pid: std::process::id(),
            host: host_name(),
            started: identity.started.clone(),
            command: identity.command.to_owned(),
        }
    }

    /// Describes the run: `the run of process 12 (compact, started ...)`.
    pub(super) fn describe(&self) -> String {
        let host = if self.host == host_name() || self.host.is_empty() {
            String::new()
        } else {
            format!(" on {}", self.host)
        };
        let started = if self.started.is_empty() {
            String::new()
        } else {
            format!(", started {}", self.started)
        };
        format!("the run of process {}{host} ({}{started})", self.pid, self.command)
    }
}

#[cfg(unix)]
fn host_name() -> String {
    let name = rustix::system::uname();
    name.nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    String::new()
}

/// A lock that is held.
#[derive(Debug)]
pub(super) struct RunLock {
    file: File,
    /// The run that held the lock before and ended without removing it.
    pub(super) dead: Option<LockHolder>,
}

impl RunLock {
    /// Locks a directory, which must exist. Waits for another run, or fails, as `mode` says. Fails
    /// if another run holds the lock longer than `mode` waits, or the lock can't be written.
    pub(super) fn acquire(root: &Path, mode: LockMode) -> Result<Self, WriteError> {
        let directory = root.join(RUN_DIR);
        let path = directory.join(LOCK_FILE);
        let mut patience = Patience::new(root, mode);
        loop {
            create_private_directory(&directory)?;
            let Some(file) = open_lock_file(&path).map_err(lock_error(&path))? else {
                // The run that held it has just removed the directory.
                continue;
            };
            if patience.wait_for(&file, LockKind::Exclusive)? && is_same_file(&file, &path) {
                let dead = read_holder(&file).map_err(lock_error(&path))?;
                return Ok(Self { file, dead });
            }
        }
    }

    /// Waits until no run holds the lock of a directory. Nothing is written there. Fails if a run
    /// holds the lock longer than `mode` waits, or the lock can't be read.
    pub(super) fn await_release(root: &Path, mode: LockMode) -> Result<(), WriteError> {
        let lock = Path::new(RUN_DIR).join(LOCK_FILE);
        let mut patience = Patience::new(root, mode);
        loop {
            let opened = open_below(root, &lock).map_err(lock_error(&root.join(&lock)))?;
            let Some(file) = opened else {
                return Ok(());
            };
            if patience.wait_for(&file, LockKind::Shared)? {
                return Ok(());
            }
        }
    }

    /// Writes into the lock file who holds it now. Fails if the file can't be written.
    pub(super) fn describe_holder(&mut self, identity: &RunIdentity) -> io::Result<()> {
        let mut line = serde_json::to_vec(&LockHolder::this_process(identity))?;
        line.push(b'\n');
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&line)
    }
}

/// How a lock is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LockKind {
    /// By the run that writes.
    Exclusive,
    /// By those that only read: a file that can't be written can be locked so.
    Shared,
}

/// The waiting for a lock of a directory.
struct Patience<'r> {
    root: &'r Path,
    mode: LockMode,
    waited: Duration,
    announced: bool,
}

impl<'r> Patience<'r> {
    fn new(root: &'r Path, mode: LockMode) -> Self {
        Self { root, mode, waited: Duration::ZERO, announced: false }
    }

    /// Locks a file, or waits for a moment and returns false. Fails if the file can't be locked, or
    /// another run holds it and the patience is at its end.
    fn wait_for(&mut self, file: &File, kind: LockKind) -> Result<bool, WriteError> {
        let path = self.root.join(RUN_DIR).join(LOCK_FILE);
        let tried = match kind {
            LockKind::Exclusive => file.try_lock(),
            LockKind::Shared => file.try_lock_shared(),
        };
        match tried {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(source)) => return Err(lock_error(&path)(source)),
        }
        let holder = read_holder(file).map_err(lock_error(&path))?.unwrap_or_default();
        let is_patient = match self.mode {
            LockMode::Wait => true,
            LockMode::WaitBriefly => self.waited < BRIEFLY,
            LockMode::Fail => false,
        };
        if !is_patient {
            return Err(OverwriteError::Locked {
                directory: self.root.to_path_buf(),
                holder: holder.describe(),
            }
            .into());
        }
        if !std::mem::replace(&mut self.announced, true) {
            print_message(&format!(
                "epitome: waiting for {}, which writes into {} (--lock fail refuses instead)",
                holder.describe(),
                self.root.display()
            ));
        }
        if self.mode == LockMode::WaitBriefly {
            thread::sleep(LOOK);
            self.waited += LOOK;
            return Ok(false);
        }
        let locked = match kind {
            LockKind::Exclusive => file.lock(),
            LockKind::Shared => file.lock_shared(),
        };
        locked.map(|()| true).map_err(lock_error(&path))
    }
}

fn lock_error(path: &Path) -> impl Fn(io::Error) -> WriteError {
    let path = path.to_path_buf();
    move |source| WriteError::Lock { path: path.clone(), source }
}

fn create_private_directory(path: &Path) -> Result<(), WriteError> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let failed = |source| WriteError::CreateDirectory { path: path.to_path_buf(), source };
    match builder.create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        created => return created.map_err(failed),
    }
    // It may be gone again by now.
    match fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_dir() => {
            Err(OverwriteError::NotRealDirectory(path.to_path_buf()).into())
        }
        _ => Ok(()),
    }
}

/// Opens the lock file, which is written to. Returns none if its directory is gone.
fn open_lock_file(path: &Path) -> io::Result<Option<File>> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| !is_only_name(&metadata)) {
        return Err(io::Error::other("it is not a regular file, or has another name"));
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        options.mode(0o600).custom_flags(flags.cast_signed());
    }
    match options.open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if a file has one name only: what is written into it arrives nowhere else.
#[cfg(unix)]
fn is_only_name(metadata: &fs::Metadata) -> bool {
    metadata.is_file() && std::os::unix::fs::MetadataExt::nlink(metadata) <= 1
}

#[cfg(not(unix))]
fn is_only_name(metadata: &fs::Metadata) -> bool {
    metadata.is_file()
}

fn read_holder(mut file: &File) -> io::Result<Option<LockHolder>> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MAX_HOLDER_BYTES).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text).ok())
}

/// Returns true if the path still leads to the open file.
#[cfg(unix)]
pub(super) fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(named)) = (file.metadata(), fs::symlink_metadata(path)) else {
        return false;
    };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

#[cfg(not(unix))]
pub(super) fn is_same_file(_: &File, path: &Path) -> bool {
    path.exists()
}

/// The directory of a run below a directory that it writes into.
pub(super) fn run_directory(root: &Path) -> PathBuf {
    root.join(RUN_DIR)
}
