//! What is written into: a file that has its name only when it is whole, or
//! stdout.

use super::overwrite::refuse_special;
use crate::input::{Compression, encoder};
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What is at least as long is written as it is; only smaller pieces are gathered.
const BUFFER: usize = 32 << 10;

/// A file that appears under its name only when it is whole.
pub struct AtomicFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl AtomicFile {
    /// Creates the temporary file beside `path`.
    ///
    /// # Errors
    /// If the directory or the file can't be created, or something that is no file has that name.
    pub fn create(path: &Path) -> Result<Self> {
        refuse_special(path)?;
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or_else(|| Path::new("."));
        fs::create_dir_all(parent)
            .with_context(|| format!("can't create the directory {}", parent.display()))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".epitome-");
        // Temporary files are private by default; the result is as any file of the user's.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder
            .tempfile_in(parent)
            .with_context(|| format!("can't create a file in {}", parent.display()))?;
        Ok(Self {
            file: BufWriter::with_capacity(BUFFER, file),
            path: path.to_path_buf(),
        })
    }

    /// Takes back all behind the first `length` bytes.
    ///
    /// # Errors
    /// If that fails.
    pub fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_mut().as_file_mut();
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length)).map(drop)
    }

    /// Syncs it and gives it its name.
    ///
    /// # Errors
    /// If that fails; the file then does not appear.
    pub fn publish(self) -> Result<()> {
        let path = self.path;
        let publish = || -> Result<()> {
            let file = self
                .file
                .into_inner()
                .map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            if let Some(parent) = path.parent() {
                sync_directory(parent);
            }
            Ok(())
        };
        publish().with_context(|| format!("can't write {}", path.display()))
    }
}

/// Makes a rename durable, where the system can do that.
pub(super) fn sync_directory(path: &Path) {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    if let Ok(directory) = File::open(path) {
        let _ = directory.sync_all();
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Where the output of one input goes.
pub struct OutputSink {
    inner: SinkTarget,
    written: u64,
}

enum SinkTarget {
    File(Box<crate::input::Encoder<AtomicFile>>),
    Stdout(BufWriter<io::Stdout>),
}

impl OutputSink {
    /// Into a file, compressed as it says.
    ///
    /// # Errors
    /// If compression can't begin.
    pub(super) fn file(file: AtomicFile, compression: Compression) -> Result<Self> {
        Ok(Self {
            inner: SinkTarget::File(Box::new(encoder(file, compression)?)),
            written: 0,
        })
    }

    /// Onto stdout.
    pub(super) fn stdout() -> Self {
        Self {
            inner: SinkTarget::Stdout(BufWriter::with_capacity(BUFFER, io::stdout())),
            written: 0,
        }
    }

    /// How many bytes went in so far, before compression.
    #[must_use]
    pub fn bytes_written(&self) -> u64 {
        self.written
    }

    /// Ends it; only now a file appears.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn publish(self) -> Result<()> {
        match self.inner {
            SinkTarget::File(encoder) => encoder
                .finish()
                .context("can't end the compressed file")?
                .publish(),
            SinkTarget::Stdout(mut stdout) => Ok(stdout.flush()?),
        }
    }
}

impl Write for OutputSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.inner {
            SinkTarget::File(file) => file.write(bytes),
            SinkTarget::Stdout(stdout) => stdout.write(bytes),
        }?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.inner {
            SinkTarget::File(file) => file.flush(),
            SinkTarget::Stdout(stdout) => stdout.flush(),
        }
    }
}
