//! A report file and the place where it goes: a file of its own, the end of another, or stdout.

use crate::files::output::atomic_file::AtomicFile;
use crate::files::output::error::WriteError;
use crate::files::output::overwrite::refuse_special_file;
use crate::files::output::permissions::AccessLimit;
use crate::files::output::staged_file::NamedFile;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The place where a report goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReportDestination {
    /// A file of its own.
    File(PathBuf),
    /// The end of a file that others write to as well.
    Appended(PathBuf),
    Stdout,
}

impl ReportDestination {
    /// Returns the path of a file that the report would replace.
    pub(crate) fn replaced_path(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Appended(_) | Self::Stdout => None,
        }
    }
}

/// A report that is being written. It appears when it is published.
pub(crate) struct ReportFile(OpenReportFile);

enum OpenReportFile {
    Atomic(AtomicFile),
    /// The report waits in a file without a name, because what is appended can't be taken back.
    Waiting {
        waiting: File,
        destination: ReportDestination,
    },
}

impl ReportFile {
    /// Begins a report. Fails if a file can't be created, or a report can't be appended to
    /// `destination`.
    pub(crate) fn create(
        destination: &ReportDestination,
        access: AccessLimit,
    ) -> Result<Self, WriteError> {
        let waiting = || {
            Ok(OpenReportFile::Waiting {
                waiting: tempfile::tempfile()?,
                destination: destination.clone(),
            })
        };
        let open: Result<OpenReportFile, WriteError> = match destination {
            ReportDestination::File(path) => {
                AtomicFile::create(path, access).map(OpenReportFile::Atomic)
            }
            ReportDestination::Appended(path) => {
                refuse_special_file(path)?;
                open_end(path).map_err(WriteError::of_file(path))?;
                waiting()
            }
            ReportDestination::Stdout => waiting(),
        };
        open.map(Self)
    }

    /// Puts the report where it goes. Fails if the report can't be written. A file of its own then
    /// does not appear.
    pub(crate) fn publish(self) -> Result<(), WriteError> {
        match self.0 {
            OpenReportFile::Atomic(file) => file.publish(),
            OpenReportFile::Waiting { mut waiting, destination } => {
                waiting.rewind()?;
                match destination {
                    ReportDestination::File(path) | ReportDestination::Appended(path) => {
                        let copied =
                            open_end(&path).and_then(|mut end| io::copy(&mut waiting, &mut end));
                        copied.map(drop).map_err(WriteError::of_file(&path))
                    }
                    ReportDestination::Stdout => {
                        let mut stdout = io::stdout().lock();
                        let copied = io::copy(&mut waiting, &mut stdout);
                        copied.and_then(|_| stdout.flush()).map_err(WriteError::Stdout)
                    }
                }
            }
        }
    }

    /// Writes the bytes of the report and publishes it. Fails if the report can't be written.
    pub(crate) fn publish_bytes(mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.append(bytes)?;
        self.publish()
    }
}

fn open_end(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

impl NamedFile for ReportFile {
    fn path(&self) -> &Path {
        match &self.0 {
            OpenReportFile::Atomic(file) => file.path(),
            OpenReportFile::Waiting { destination, .. } => match destination {
                ReportDestination::File(path) | ReportDestination::Appended(path) => path,
                ReportDestination::Stdout => Path::new("stdout"),
            },
        }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        match &mut self.0 {
            OpenReportFile::Atomic(file) => file.cut(length),
            OpenReportFile::Waiting { waiting, .. } => {
                waiting.set_len(length)?;
                waiting.seek(SeekFrom::Start(length)).map(drop)
            }
        }
    }
}

impl Write for ReportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            OpenReportFile::Atomic(file) => file.write(bytes),
            OpenReportFile::Waiting { waiting, .. } => waiting.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            OpenReportFile::Atomic(file) => file.flush(),
            OpenReportFile::Waiting { waiting, .. } => waiting.flush(),
        }
    }
}
