//! The part of a file that is read but not yet handed out.
//!
//! Bytes are handed out at the front and read at the back. No byte is moved
//! more than a constant number of times.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

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
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }
}

/// The bytes that must be free beside a buffer that grows.
const SPARE_BYTES: usize = 4 << 20;

/// Returns true if the memory that must be free beside a buffer is there.
fn has_spare_memory() -> bool {
    let mut spare = Vec::<u8>::new();
    let is_there = spare.try_reserve_exact(SPARE_BYTES).is_ok();
    // The compiler may leave out an allocation that nobody sees.
    std::hint::black_box(spare);
    is_there
}

/// The memory for a record is not there.
#[derive(Debug, Error)]
#[error("not enough memory to hold {0} bytes of a record (--max-record-bytes)")]
struct NotEnoughMemory(usize);

/// The bytes at the front of a file.
pub(super) struct ReadBuffer {
    pub(super) reader: Box<dyn Read + Send>,
    /// Initialised memory; the bytes from `start` to `filled` are from the file and not handed out.
    bytes: Vec<u8>,
    start: usize,
    filled: usize,
    pub(super) eof: bool,
    pool: BufferPool,
}

impl ReadBuffer {
    pub(super) fn new(reader: Box<dyn Read + Send>, pool: BufferPool) -> Self {
        Self { reader, bytes: pool.acquire(), start: 0, filled: 0, eof: false, pool }
    }

    /// Returns the bytes that are read and not handed out.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.filled]
    }

    /// Reads up to `READ_BYTES` more bytes. Fails if the file can't be read, or the memory is not
    /// there.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        if self.start > self.filled - self.start {
            // Each byte moves once for every byte that was handed out before it.
            self.bytes.copy_within(self.start..self.filled, 0);
            (self.start, self.filled) = (0, self.filled - self.start);
        }
        let wanted = self.filled + READ_BYTES;
        if self.bytes.len() < wanted {
            self.grow_to(wanted)?;
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

    /// Lengthens the memory to `length` bytes. Where it is not there, the bytes are given up, so that
    /// there is room for the message.
    #[cold]
    fn grow_to(&mut self, length: usize) -> io::Result<()> {
        let more = length - self.bytes.len();
        let reserved = self.bytes.try_reserve(more);
        // Less than twice the memory may still be there.
        let reserved = reserved.or_else(|_| self.bytes.try_reserve_exact(more));
        // The rest of the program needs some as well: it can't go on without.
        if reserved.is_err() || !has_spare_memory() {
            (self.start, self.filled) = (0, 0);
            self.bytes = Vec::new();
            return Err(io::Error::new(ErrorKind::OutOfMemory, NotEnoughMemory(length)));
        }
        self.bytes.resize(length, 0);
        Ok(())
    }

    /// Begins again with another reader. All bytes are discarded.
    pub(super) fn restart(&mut self, reader: Box<dyn Read + Send>) {
        self.reader = reader;
        (self.start, self.filled, self.eof) = (0, 0, false);
    }

    /// Discards all bytes up to the first that is not blank, without keeping them.
    pub(super) fn skip_blanks(&mut self) -> io::Result<()> {
        loop {
            let blanks = self.bytes().len() - self.bytes().trim_ascii_start().len();
            self.start += blanks;
            if self.eof || !self.bytes().is_empty() {
                return Ok(());
            }
            self.fill()?;
        }
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
        let end = self.start + count;
        let rest = &self.bytes[end..self.filled];
        // Whichever part is shorter moves. A long rest is what detection looked at.
        if rest.len() > count.max(READ_BYTES) {
            spare.clear();
            spare.extend_from_slice(&self.bytes[self.start..end]);
            self.start = end;
            return spare;
        }
        if spare.len() < rest.len() {
            spare.resize(rest.len(), 0);
        }
        spare[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        let mut front = std::mem::replace(&mut self.bytes, spare);
        front.truncate(end);
        front.drain(..std::mem::take(&mut self.start));
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
    /// none if there is none that begins within `head` bytes, or a line before its end is longer
    /// than `limit` bytes.
    pub(super) fn first_line(
        &mut self,
        head: usize,
        limit: usize,
    ) -> io::Result<Option<Range<usize>>> {
        self.fill_to(BOM.len())?;
        let mut start = if self.bytes().starts_with(BOM) { BOM.len() } else { 0 };
        while start <= head
            && let Some(end) = self.line_end(start, limit)?
        {
            if !self.bytes()[start..end].trim_ascii().is_empty() {
                return Ok(Some(start..end));
            }
            start = end;
        }
        Ok(None)
    }

    /// Returns the first byte behind a byte order mark that is not blank. Returns none if `head`
    /// bytes or more are blank.
    pub(super) fn first_byte(&mut self, head: usize) -> io::Result<Option<u8>> {
        let mut searched = 0;
        loop {
            let bytes = self.bytes();
            let bytes = &bytes[if bytes.starts_with(BOM) { BOM.len() } else { 0 }..];
            if let Some(found) =
                bytes[searched.min(bytes.len())..].iter().find(|byte| !byte.is_ascii_whitespace())
            {
                return Ok(Some(*found));
            }
            if self.eof || bytes.len() > head {
                return Ok(None);
            }
            searched = bytes.len().saturating_sub(BOM.len());
            self.fill()?;
        }
    }
}
