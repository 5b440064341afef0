//! Bytes read and not yet handed out. What is in front is given away piece by
//! piece, what is behind is read when it is wanted; no byte is moved more than
//! a constant number of times.

use anyhow::Result;
use std::io::{ErrorKind, Read};
use std::ops::Range;

pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";
pub(super) const READ_BYTES: usize = 128 << 10;

/// The front of a file.
pub(super) struct Buffer {
    pub(super) reader: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    start: usize,
    pub(super) eof: bool,
}

impl Buffer {
    pub(super) fn new(reader: Box<dyn Read + Send>) -> Self {
        Self { reader, bytes: Vec::new(), start: 0, eof: false }
    }

    /// What has been read.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Reads some more.
    pub(super) fn fill(&mut self) -> Result<()> {
        if self.start > self.bytes.len() / 2 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        let mut filled = self.bytes.len();
        self.bytes.resize(filled + READ_BYTES, 0);
        let outcome = loop {
            if filled == self.bytes.len() {
                break Ok(());
            }
            match self.reader.read(&mut self.bytes[filled..]) {
                Ok(0) => {
                    self.eof = true;
                    break Ok(());
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => break Err(error.into()),
            }
        };
        self.bytes.truncate(filled);
        outcome
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
        let taken = self.bytes()[..count].to_vec();
        self.start += count;
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
        let mut start = if self.bytes().starts_with(BOM) { BOM.len() } else { 0 };
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
            if let Some(found) = bytes[searched.min(bytes.len())..].iter().find(|byte| !byte.is_ascii_whitespace()) {
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
