//! The destination of an input's output: a file or stdout.

use crate::files::archive::checksum::StretchChecksums;
use crate::files::input::{Compression, Encoder, encoder};
use crate::files::output::error::WriteError;
use crate::files::output::staged_file::{BUFFER_BYTES, StagedFile, StagedName};
use std::io::{self, BufWriter, Write};

/// The destination of the output of an input.
pub(crate) struct OutputSink {
    target: SinkTarget,
    bytes_written: u64,
    checksums: Option<StretchChecksums>,
}

enum SinkTarget {
    File(Box<Encoder<StagedFile>>),
    Stdout(BufWriter<io::Stdout>),
}

impl OutputSink {
    /// Creates a sink that writes into a file. Fails if the compressor can't be set up.
    pub(super) fn file(file: StagedFile, compression: Compression) -> Result<Self, WriteError> {
        Ok(Self {
            target: SinkTarget::File(Box::new(encoder(file, compression)?)),
            bytes_written: 0,
            checksums: None,
        })
    }

    /// Creates a sink that writes to stdout.
    pub(super) fn stdout() -> Self {
        Self {
            target: SinkTarget::Stdout(BufWriter::with_capacity(BUFFER_BYTES, io::stdout())),
            bytes_written: 0,
            checksums: None,
        }
    }

    /// Returns the number of bytes written so far, before compression.
    pub(crate) fn bytes_written(&self) -> u64 {
        self.bytes_written
    }

    /// Computes the checksums of all stretches from now on.
    pub(crate) fn sum_stretches(&mut self) {
        self.checksums = Some(StretchChecksums::default());
    }

    /// Returns the checksums of the stretches, if they are computed.
    pub(crate) fn checksums(&mut self) -> Option<&mut StretchChecksums> {
        self.checksums.as_mut()
    }

    /// Writes what is buffered. Returns the file, which has no name yet; none for stdout. Fails if
    /// the file or stdout can't be written.
    pub(crate) fn finish(self) -> Result<Option<StagedName>, WriteError> {
        match self.target {
            SinkTarget::File(encoder) => {
                let file = encoder.finish().map_err(WriteError::FinishCompression)?;
                file.finish().map(Some)
            }
            SinkTarget::Stdout(mut stdout) => {
                stdout.flush().map_err(WriteError::Stdout)?;
                Ok(None)
            }
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
        if let Some(checksums) = &mut self.checksums {
            checksums.update(&bytes[..count]);
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            SinkTarget::File(file) => file.flush(),
            SinkTarget::Stdout(stdout) => stdout.flush(),
        }
    }
}
