//! The destination of an input's output: a file or stdout.

use crate::input::{Compression, Encoder, encoder};
use crate::output::atomic_file::{AtomicFile, BUFFER_BYTES};
use crate::output::error::WriteError;
use std::io::{self, BufWriter, Write};

/// The destination of the output of an input.
pub(crate) struct OutputSink {
    target: SinkTarget,
    bytes_written: u64,
}

enum SinkTarget {
    File(Box<Encoder<AtomicFile>>),
    Stdout(BufWriter<io::Stdout>),
}

impl OutputSink {
    /// Creates a sink that writes into a file.
    ///
    /// # Errors
    /// Fails if the compressor can't be set up.
    pub(super) fn file(file: AtomicFile, compression: Compression) -> Result<Self, WriteError> {
        Ok(Self {
            target: SinkTarget::File(Box::new(encoder(file, compression)?)),
            bytes_written: 0,
        })
    }

    /// Creates a sink that writes to stdout.
    pub(super) fn stdout() -> Self {
        Self {
            target: SinkTarget::Stdout(BufWriter::with_capacity(BUFFER_BYTES, io::stdout())),
            bytes_written: 0,
        }
    }

    /// Returns the number of bytes written so far, before compression.
    #[must_use]
    pub(crate) fn bytes_written(&self) -> u64 {
        self.bytes_written
    }

    /// Writes what is buffered. A file appears under its name only now.
    ///
    /// # Errors
    /// Fails if the file or stdout can't be written.
    pub(crate) fn publish(self) -> Result<(), WriteError> {
        match self.target {
            SinkTarget::File(encoder) => encoder
                .finish()
                .map_err(WriteError::FinishCompression)?
                .publish(),
            SinkTarget::Stdout(mut stdout) => stdout.flush().map_err(WriteError::Stdout),
        }
    }
}

impl Write for OutputSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = match &mut self.target {
            SinkTarget::File(file) => file.write(bytes),
            SinkTarget::Stdout(stdout) => stdout.write(bytes),
        }?;
        self.bytes_written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            SinkTarget::File(file) => file.flush(),
            SinkTarget::Stdout(stdout) => stdout.flush(),
        }
    }
}
