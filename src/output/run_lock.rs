//! The lock of a directory that a run writes into: one run at a time.

use crate::archive::RUN_DIR;
use crate::output::error::{OverwriteError, WriteError};
use crate::output::message::print_message;
use crate::output::terms::{LockMode, RunIdentity};
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
        format!(
            "the run of process {}{host} ({}{started})",
            self.pid, self.command
        )
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
    /// Locks a directory, which must exist. Waits for another run, or fails, as `mode` says.
    ///
    /// # Errors
    /// Fails if another run holds the lock longer than `mode` waits, or the lock can't be written.
    pub(super) fn acquire(root: &Path, mode: LockMode) -> Result<Self, WriteError> {
        let directory = root.join(RUN_DIR);
        let path = directory.join(LOCK_FILE);
        let failed = |source| WriteError::Lock {
            path: path.clone(),
            source,
        };
        let mut waited = Duration::ZERO;
        let mut announced = false;
        loop {
            create_private_directory(&directory)?;
            let Some(file) = open_lock_file(&path).map_err(failed)? else {
                // The run that held it has just removed the directory.
                continue;
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let holder = read_holder(&file).map_err(failed)?.unwrap_or_default();
                    let is_patient = match mode {
                        LockMode::Wait => true,
                        LockMode::WaitBriefly => waited < BRIEFLY,
                        LockMode::Fail => false,
                    };
                    if !is_patient {
                        return Err(OverwriteError::Locked {
                            directory: root.to_path_buf(),
                            holder: holder.describe(),
                        }
                        .into());
                    }
                    if !std::mem::replace(&mut announced, true) {
                        print_message(&format!(
                            "epitome: waiting for {}, which writes into {} (--lock fail refuses instead)",
                            holder.describe(),
                            root.display()
                        ));
                    }
                    if mode == LockMode::WaitBriefly {
                        thread::sleep(LOOK);
                        waited += LOOK;
                        continue;
                    }
                    file.lock().map_err(failed)?;
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
            if is_same_file(&file, &path) {
                let dead = read_holder(&file).map_err(failed)?;
                return Ok(Self { file, dead });
            }
        }
    }

    /// Writes into the lock file who holds it now.
    ///
    /// # Errors
    /// Fails if the file can't be written.
    pub(super) fn describe_holder(&mut self, identity: &RunIdentity) -> io::Result<()> {
        let mut line = serde_json::to_vec(&LockHolder::this_process(identity))?;
        line.push(b'\n');
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&line)
    }
}

fn create_private_directory(path: &Path) -> Result<(), WriteError> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let failed = |source| WriteError::CreateDirectory {
        path: path.to_path_buf(),
        source,
    };
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

/// Opens the lock file. Returns none if its directory is gone.
fn open_lock_file(path: &Path) -> io::Result<Option<File>> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
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
