//! The part of a file that is read but not yet handed out.
//!
//! Bytes are handed out at the front and read at the back. No byte is moved
//! more than a constant number of times.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";
pub(super) const READ_BYTES: usize = 64 << 10;

const MAX_POOLED_BUFFERS: usize = 8;
const MAX_POOLED_CAPACITY: usize = 4 << 20;

/// A pool of buffers that finished units give back. Very large buffers and those beyond a fixed
/// number are freed.
#[derive(Clone, Default)]
pub(crate) struct BufferPool(Arc<Mutex<Vec<Vec<u8>>>>);

impl BufferPool {
    /// Takes a buffer back.
    pub(crate) fn release(&self, bytes: Vec<u8>) {
        let mut buffers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buffers.len() < MAX_POOLED_BUFFERS && bytes.capacity() <= MAX_POOLED_CAPACITY {
            buffers.push(bytes);
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

/// The bytes at the front of a file.
pub(super) struct ReadBuffer {
    pub(super) reader: Box<dyn Read + Send>,
    /// Initialised memory; the first `filled` bytes are from the file.
    bytes: Vec<u8>,
    filled: usize,
    pub(super) eof: bool,
    pool: BufferPool,
}

impl ReadBuffer {
    pub(super) fn new(reader: Box<dyn Read + Send>, pool: BufferPool) -> Self {
        Self {
            reader,
            bytes: pool.acquire(),
            filled: 0,
            eof: false,
            pool,
        }
    }

    /// Returns the bytes that are read and not handed out.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// Reads up to `READ_BYTES` more bytes.
    pub(super) fn fill(&mut self) -> io::Result<()> {
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
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Discards all bytes, so that reading can begin again with another reader.
    pub(super) fn clear(&mut self) {
        (self.filled, self.eof) = (0, false);
    }

    /// Reads until at least `wanted` bytes are there, or the file ends.
    pub(super) fn fill_to(&mut self, wanted: usize) -> io::Result<()> {
        while !self.eof && self.bytes().len() < wanted {
            self.fill()?;
        }
        Ok(())
    }

    /// Hands out the first `count` bytes.
    pub(super) fn take_front(&mut self, count: usize) -> Vec<u8> {
        let mut spare = self.pool.acquire();
        let rest = &self.bytes[count..self.filled];
        if spare.len() < rest.len() {
            spare.resize(rest.len(), 0);
        }
        spare[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        let mut front = std::mem::replace(&mut self.bytes, spare);
        front.truncate(count);
        front
    }

    /// Returns the end of the line that begins at `start`, behind its `\n` or at the end of the
    /// file. Returns none if there is no such line, or it is longer than `limit` bytes.
    pub(super) fn line_end(&mut self, start: usize, limit: usize) -> io::Result<Option<usize>> {
        let mut searched = start;
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.bytes()[searched..]) {
                return Ok(Some(searched + found + 1));
            }
            searched = self.bytes().len();
            if self.eof {
                return Ok((searched > start).then_some(searched));
            }
            if searched - start > limit {
                return Ok(None);
            }
            self.fill()?;
        }
    }

    /// Returns the range of the first line that is not blank, without a byte order mark. Returns
    /// none if there is none, or a line before its end is longer than `limit` bytes.
    pub(super) fn first_line(&mut self, limit: usize) -> io::Result<Option<Range<usize>>> {
        self.fill_to(BOM.len())?;
        let mut start = if self.bytes().starts_with(BOM) {
            BOM.len()
        } else {
            0
        };
        while let Some(end) = self.line_end(start, limit)? {
            if !self.bytes()[start..end].trim_ascii().is_empty() {
                return Ok(Some(start..end));
            }
            start = end;
        }
        Ok(None)
    }

    /// Returns the first byte behind a byte order mark that is not blank.
    pub(super) fn first_byte(&mut self) -> io::Result<Option<u8>> {
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
