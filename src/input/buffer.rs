//! Bytes read and not yet handed out. What is in front is given away piece by
//! piece, what is behind is read when it is wanted; no byte is moved more than
//! a constant number of times.

use anyhow::Result;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";
pub(super) const READ_BYTES: usize = 64 << 10;

/// Memory that units gave back, to be used again. What is very large, or too much, is let go.
#[derive(Clone, Default)]
pub struct BufferPool(Arc<Mutex<Vec<Vec<u8>>>>);

const MOST_SPARES: usize = 8;
const LARGEST_SPARE: usize = 4 << 20;

impl BufferPool {
    /// Takes memory back.
    pub fn release(&self, bytes: Vec<u8>) {
        let mut spares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spares.len() < MOST_SPARES && bytes.capacity() <= LARGEST_SPARE {
            spares.push(bytes);
        }
    }

    fn acquire(&self) -> Vec<u8> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default()
    }
}

/// The front of a file.
pub(super) struct Buffer {
    pub(super) reader: Box<dyn Read + Send>,
    /// All of it is written once; what was read is the beginning.
    bytes: Vec<u8>,
    filled: usize,
    pub(super) eof: bool,
    spares: BufferPool,
}

impl Buffer {
    pub(super) fn new(reader: Box<dyn Read + Send>, spares: BufferPool) -> Self {
        Self {
            reader,
            bytes: spares.acquire(),
            filled: 0,
            eof: false,
            spares,
        }
    }

    /// What has been read.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// Reads some more.
    pub(super) fn fill(&mut self) -> Result<()> {
        let wanted = self.filled + READ_BYTES;
        if self.bytes.len() < wanted {
            self.bytes.resize(wanted, 0);
        }
        while self.filled < wanted {
            match self.reader.read(&mut self.bytes[self.filled..wanted]) {
                Ok(0) => {
                    self.eof = true;
                    break;
                }
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Forgets what was read.
    pub(super) fn clear(&mut self) {
        (self.filled, self.eof) = (0, false);
    }

    /// Reads until there are so many bytes, or no more.
    pub(super) fn fill_to(&mut self, wanted: usize) -> Result<()> {
        while !self.eof && self.bytes().len() < wanted {
            self.fill()?;
        }
        Ok(())
    }

    /// Hands out the first `count` bytes.
    pub(super) fn take(&mut self, count: usize) -> Vec<u8> {
        let mut spare = self.spares.acquire();
        let rest = &self.bytes[count..self.filled];
        if spare.len() < rest.len() {
            spare.resize(rest.len(), 0);
        }
        spare[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        let mut taken = std::mem::replace(&mut self.bytes, spare);
        taken.truncate(count);
        taken
    }

    /// Where a line that begins at `at` ends, its `\n` included; at the end of the file without it. None: it is
    /// longer than `most`, or there is none.
    pub(super) fn line_end(&mut self, at: usize, most: usize) -> Result<Option<usize>> {
        let mut searched = at;
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.bytes()[searched..]) {
                return Ok(Some(searched + found + 1));
            }
            searched = self.bytes().len();
            if self.eof {
                return Ok((searched > at).then_some(searched));
            }
            if searched - at > most {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    /// The first line that is not blank, without a byte order mark. None: there is none of at most `most` bytes.
    pub(super) fn first_line(&mut self, most: usize) -> Result<Option<Range<usize>>> {
        self.fill_to(BOM.len())?;
        let mut start = if self.bytes().starts_with(BOM) {
            BOM.len()
        } else {
            0
        };
        while let Some(end) = self.line_end(start, most)? {
            if !self.bytes()[start..end].trim_ascii().is_empty() {
                return Ok(Some(start..end));
            }
            start = end;
        }
        Ok(None)
    }

    /// The first byte that is not blank, behind a byte order mark.
    pub(super) fn first_byte(&mut self) -> Result<Option<u8>> {
        let mut searched = 0;
        loop {
            let bytes = self.bytes();
            let bytes = &bytes[if bytes.starts_with(BOM) { BOM.len() } else { 0 }..];
            if let Some(found) = bytes[searched.min(bytes.len())..]
                .iter()
                .find(|byte| !byte.is_ascii_whitespace())
            {
                return Ok(Some(*found));
            }
            if self.eof {
                return Ok(None);
            }
            searched = bytes.len().saturating_sub(BOM.len());
            self.fill()?;
        }
    }
}
