//! Reads an output stretch by stretch, and compares each with its checksum; and the reasons why an
//! input can't be restored from an output and its originals.

use crate::files::archive::{checksum::Checksum, path_below::EscapingPath};
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

    /// Copies up to `most` bytes, and returns how many there were.
    pub(crate) fn copy_at_most(&mut self, most: u64, into: &mut impl Write) -> io::Result<u64> {
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

/// An error while reading originals or restoring an input from them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RestoreError {
    /// The header names a version that this program can't read.
    #[error("version {0} of the originals is not known")]
    UnknownVersion(u32),
    /// The header names an input path outside the directory of restored files.
    #[error("the name of the input is not below the directory")]
    EscapingName(#[from] EscapingPath),
    /// The offsets of the entries don't increase.
    #[error("the originals are not in the order of their places")]
    UnorderedEntries,
    /// The bytes of an entry are not followed by a line end.
    #[error("the line of an original is not followed by {0} bytes")]
    WrongLength(u64),
    /// The output has another length than when the originals were written.
    #[error("the compacted file has {actual} bytes, but its originals belong to one of {expected}")]
    WrongOutputLength { actual: u64, expected: u64 },
    #[error(
        "the compacted file was changed: somewhere in its bytes {} to {} (lines {} to {}) it is not \
         what was written",
        .0.from_byte, .0.to_byte, .0.from_line, .0.to_line
    )]
    ChangedOutput(OutputStretch),
    /// Original bytes are not those that were removed.
    #[error("the originals of line {line} of the input were changed")]
    ChangedOriginals { line: u64 },
    #[error(
        "the originals were changed: a line between the original bytes is not what was written"
    )]
    ChangedLines,
    #[error("a checksum is missing in the originals")]
    MissingChecksum,
    /// The output ends before the offset of an entry.
    #[error(
        "the compacted file ends before the place of an original: it is not the one that they belong to"
    )]
    OutputTooShort,
    /// The originals end early.
    #[error("the originals are cut off")]
    CutOff(#[source] Option<io::Error>),
    /// A line of the originals is not the JSON that belongs there.
    #[error("a line of the originals can't be read")]
    InvalidLine(#[source] serde_json::Error),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The place of a stretch of an output: bytes and lines count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutputStretch {
    pub from_byte: u64,
    pub to_byte: u64,
    /// The line of the first byte.
    pub from_line: u64,
    /// The line of the last byte.
    pub to_line: u64,
}
