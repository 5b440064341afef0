//! Reads an output stretch by stretch, and compares each with its checksum.

use crate::files::archive::checksum::Checksum;
use crate::files::archive::restore_error::{OutputStretch, RestoreError};
use std::io::{self, BufRead, BufReader, Read, Write};

const READ_BYTES: usize = 64 << 10;

/// An output that is read stretch by stretch.
pub(crate) struct StretchReader<R> {
    output: BufReader<R>,
    checksum: Checksum,
    position: u64,
    line_ends: u64,
    /// The bytes and line ends before the present stretch.
    start: (u64, u64),
}

impl<R: Read> StretchReader<R> {
    /// Begins at the first byte.
    pub(crate) fn new(output: R) -> Self {
        Self {
            output: BufReader::with_capacity(READ_BYTES, output),
            checksum: Checksum::default(),
            position: 0,
            line_ends: 0,
            start: (0, 0),
        }
    }

    /// Returns the number of bytes read so far.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Copies exactly `bytes` bytes. Fails if the output ends before, can't be read, or `into`
    /// can't be written.
    pub(crate) fn copy(&mut self, bytes: u64, into: &mut impl Write) -> Result<(), RestoreError> {
        if self.copy_at_most(bytes, into)? < bytes {
            return Err(RestoreError::OutputTooShort);
        }
        Ok(())
    }

    /// Copies all bytes that are left. Fails if the output can't be read, or `into` can't be
    /// written.
    pub(crate) fn copy_rest(&mut self, into: &mut impl Write) -> io::Result<()> {
        self.copy_at_most(u64::MAX, into).map(drop)
    }

    fn copy_at_most(&mut self, most: u64, into: &mut impl Write) -> io::Result<u64> {
        let mut copied = 0;
        while copied < most {
            let bytes = self.output.fill_buf()?;
            let count = bytes.len().min(usize::try_from(most - copied).unwrap_or(usize::MAX));
            if count == 0 {
                break;
            }
            let bytes = &bytes[..count];
            self.checksum.update(bytes);
            self.line_ends += bytecount::count(bytes, b'\n') as u64;
            into.write_all(bytes)?;
            self.output.consume(count);
            copied += count as u64;
        }
        self.position += copied;
        Ok(copied)
    }

    /// Ends the present stretch.
    pub(crate) fn finish_stretch(&mut self) -> ReadStretch {
        let (start, line_ends) =
            std::mem::replace(&mut self.start, (self.position, self.line_ends));
        ReadStretch {
            xxh3: std::mem::take(&mut self.checksum).hex(),
            place: OutputStretch {
                from_byte: start + 1,
                to_byte: self.position,
                from_line: line_ends + 1,
                to_line: self.line_ends + 1,
            },
        }
    }
}

/// A stretch that was read.
pub(crate) struct ReadStretch {
    xxh3: String,
    place: OutputStretch,
}

impl ReadStretch {
    /// Compares the stretch with the checksum of when it was written. Fails if they differ.
    pub(crate) fn check(&self, written: Option<&String>) -> Result<(), RestoreError> {
        match written {
            None => Err(RestoreError::MissingChecksum),
            Some(written) if *written != self.xxh3 => Err(RestoreError::ChangedOutput(self.place)),
            Some(_) => Ok(()),
        }
    }
}
