//! Where records begin and end: lines, the elements of an array, or the whole
//! document. Decided by the first bytes, never by the file's name.

use crate::error::RecordError;
use crate::format::{self, Format, Shape};
use crate::input::elements::Elements;
use crate::input::files::Input;
use crate::input::threads::LastRecords;
use crate::input::{Item, ItemKind, Reading, UNIT_BYTES, decompress};
use crate::transcript::json;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::Range;

const BOM: &[u8] = b"\xEF\xBB\xBF";
const READ_BYTES: usize = 128 << 10;
/// How far the beginning is looked at to tell lines from a document.
const HEAD_BYTES: usize = 1 << 20;

/// What a file turned out to be.
pub(super) struct Opened {
    pub(super) format: Option<&'static dyn Format>,
    pub(super) shape: Shape,
    pub(super) framing: Framing,
}

/// A stretch of the file.
#[derive(Default)]
pub(super) struct Stretch {
    pub(super) bytes: Vec<u8>,
    pub(super) items: Vec<Item>,
    pub(super) errors: Vec<(u64, RecordError)>,
    pub(super) last: bool,
}

/// How a file falls into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lines,
    /// The elements of the one array that the document is.
    Elements,
    Document,
}

/// Cuts a file into stretches.
pub(super) struct Framing {
    kind: Kind,
    buffer: Buffer,
    line: u64,
    /// For one message a record: where threads end.
    threads: Option<LastRecords>,
    records: u64,
    /// Inside a record that is too long to be kept.
    oversize: Option<u64>,
    elements: Elements,
    at_start: bool,
}

/// Bytes read and not yet handed out.
struct Buffer {
    reader: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    eof: bool,
}

impl Buffer {
    fn fill(&mut self) -> Result<()> {
        let before = self.bytes.len();
        self.bytes.resize(before + READ_BYTES, 0);
        let mut filled = before;
        while filled < self.bytes.len() {
            match self.reader.read(&mut self.bytes[filled..]) {
                Ok(0) => {
                    self.eof = true;
                    break;
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.bytes.truncate(filled);
                    return Err(error.into());
                }
            }
        }
        self.bytes.truncate(filled);
        Ok(())
    }

    fn fill_to(&mut self, wanted: usize) -> Result<()> {
        while !self.eof && self.bytes.len() < wanted {
            self.fill()?;
        }
        Ok(())
    }

    /// Hands out the first `count` bytes.
    fn take(&mut self, count: usize) -> Vec<u8> {
        let rest = self.bytes.split_off(count);
        std::mem::replace(&mut self.bytes, rest)
    }
}

/// Looks at the beginning of a file and decides how to read it.
pub(super) fn open(reader: Box<dyn Read + Send>, input: &Input, reading: Reading) -> Result<Opened> {
    let mut buffer = Buffer { reader, bytes: Vec::new(), eof: false };
    let kind = kind(&mut buffer, reading)?;
    let mut framing = Framing { kind, buffer, line: 1, threads: None, records: 0, oversize: None, elements: Elements::default(), at_start: true };
    let (format, shape) = framing.detect(reading)?;
    if kind == Kind::Lines && shape == Shape::Message {
        framing.find_threads(input)?;
    }
    Ok(Opened { format, shape, framing })
}

/// The first line that is not blank, without the byte order mark; the bytes before and after it.
fn first_line(bytes: &[u8]) -> Option<(Range<usize>, bool)> {
    let mut start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    loop {
        let (end, complete) = match memchr::memchr(b'\n', &bytes[start..]) {
            Some(length) => (start + length, true),
            None => (bytes.len(), false),
        };
        if !bytes[start..end].trim_ascii().is_empty() || !complete {
            return (start < end || complete).then_some((start..end, complete));
        }
        start = end + 1;
    }
}

fn kind(buffer: &mut Buffer, reading: Reading) -> Result<Kind> {
    let (line, complete) = loop {
        match first_line(&buffer.bytes) {
            Some(found) if found.1 || buffer.eof => break found,
            None if buffer.eof => return Ok(Kind::Lines),
            _ if buffer.bytes.len() > reading.max_record_bytes => return Ok(Kind::Lines),
            _ => buffer.fill()?,
        }
    };
    let text = buffer.bytes[line.clone()].trim_ascii().to_vec();
    if json::validate(&text).is_ok() {
        // One value on one line. An array that is all of the file may hold conversations.
        if text.first() != Some(&b'[') || (complete && has_more(buffer, line.end)?) {
            return Ok(Kind::Lines);
        }
        let conversation = format::detect([text.as_slice()]).is_some();
        return Ok(if conversation { Kind::Lines } else { Kind::Elements });
    }
    // A value over several lines. An object is read whole anyway, so it is looked at until it is certain; of an
    // array, which may be huge, only the beginning. What the end of the file cuts is a bad line, unless it opens
    // as only documents do.
    let is_array = text.first() == Some(&b'[');
    let mut looked_at = line.start + HEAD_BYTES;
    let document = loop {
        buffer.fill_to(looked_at)?;
        let head = &buffer.bytes[line.start..];
        if json::validate(head).is_ok() {
            break true;
        }
        if !json::is_unfinished(head) {
            break false;
        }
        if buffer.eof || is_array || head.len() > reading.max_record_bytes {
            break !buffer.eof || matches!(text.as_slice(), b"{" | b"[");
        }
        looked_at = buffer.bytes.len() * 2;
    };
    let head = &buffer.bytes[line.start..];
    Ok(match head.trim_ascii_start().first() {
        _ if !document => Kind::Lines,
        Some(b'[') => {
            let first = Elements::default().first(head);
            let message = first.and_then(|element| format::detect([element])).is_some_and(|(_, shape)| shape == Shape::Message);
            if message { Kind::Document } else { Kind::Elements }
        }
        _ => Kind::Document,
    })
}

fn has_more(buffer: &mut Buffer, from: usize) -> Result<bool> {
    loop {
        if !buffer.bytes[from..].trim_ascii().is_empty() {
            return Ok(true);
        }
        if buffer.eof {
            return Ok(false);
        }
        buffer.fill()?;
    }
}

impl Framing {
    /// The format of the first records that any format knows.
    fn detect(&mut self, reading: Reading) -> Result<(Option<&'static dyn Format>, Shape)> {
        if self.kind == Kind::Document {
            self.buffer.fill_to(usize::MAX)?;
        }
        let records: Vec<&[u8]> = match self.kind {
            Kind::Document => vec![&self.buffer.bytes],
            Kind::Elements => Elements::default().first(&self.buffer.bytes).into_iter().collect(),
            Kind::Lines => {
                self.buffer.fill_to(HEAD_BYTES)?;
                self.buffer.bytes.split(|byte| *byte == b'\n').collect()
            }
        };
        let mut records = records.iter().map(|record| record.strip_prefix(BOM).unwrap_or(record).trim_ascii()).filter(|record| !record.is_empty());
        if let Some(named) = reading.format {
            let shape = records.find_map(|record| named.recognise(record)).unwrap_or(Shape::Conversation);
            return Ok((Some(named), shape));
        }
        Ok(match format::detect(records) {
            Some((format, shape)) => (Some(format), shape),
            None => (None, Shape::Conversation),
        })
    }

    /// First pass over a file of one message a line. A pipe is copied to a temporary file for it.
    fn find_threads(&mut self, input: &Input) -> Result<()> {
        let again: Box<dyn Read + Send> = if input.regular {
            decompress::decoder(input.open()?)?.0
        } else {
            let mut spool = tempfile::NamedTempFile::new().context("can't make a temporary copy of a pipe")?;
            spool.write_all(&self.buffer.bytes).context("can't write the temporary copy of a pipe")?;
            std::io::copy(&mut self.buffer.reader, &mut spool).context("can't write the temporary copy of a pipe")?;
            self.buffer = Buffer { reader: Box::new(spool.reopen()?), bytes: Vec::new(), eof: false };
            Box::new(spool.reopen()?)
        };
        let mut last = LastRecords::default();
        let mut lines = BufReader::with_capacity(READ_BYTES, again);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            let record = line.strip_prefix(BOM).unwrap_or(&line).trim_ascii();
            if !record.is_empty() {
                last.note(record);
            }
            line.clear();
        }
        self.threads = Some(last);
        Ok(())
    }

    /// The next stretch of the file.
    pub(super) fn next(&mut self, reading: Reading) -> Result<Stretch> {
        match self.kind {
            Kind::Lines => self.next_lines(reading),
            Kind::Elements => self.next_elements(reading),
            Kind::Document => self.document(),
        }
    }

    /// Whole lines, until there are enough bytes or records, or all threads seen have ended.
    fn next_lines(&mut self, reading: Reading) -> Result<Stretch> {
        let mut stretch = Stretch::default();
        let mut at = 0;
        let mut taken = 0;
        let mut open_until = 0;
        loop {
            let Some(end) = self.line_end(at, reading, &mut stretch)? else { break };
            let had_records = self.records;
            self.line_items(at..end, &mut stretch, &mut open_until);
            at = end;
            taken += usize::from(self.records > had_records);
            let whole_threads = self.threads.is_none() || self.records > open_until;
            if whole_threads && (at >= UNIT_BYTES || taken >= reading.records_per_unit) {
                break;
            }
        }
        stretch.bytes = self.buffer.take(at);
        stretch.last = self.buffer.eof && self.buffer.bytes.is_empty();
        Ok(stretch)
    }

    /// Where the line that begins at `at` ends, its `\n` included; none at the end, or after an oversize part.
    fn line_end(&mut self, at: usize, reading: Reading, stretch: &mut Stretch) -> Result<Option<usize>> {
        let mut searched = at;
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer.bytes[searched..]) {
                return Ok(Some(searched + found + 1));
            }
            searched = self.buffer.bytes.len();
            if self.buffer.eof {
                return Ok((searched > at).then_some(searched));
            }
            if searched - at > reading.max_record_bytes {
                if at > 0 {
                    return Ok(None); // first what lies before it
                }
                if self.oversize.is_none() {
                    self.oversize = Some(self.line);
                    let reason = format!("longer than {} bytes (--max-record-bytes), written as it came", reading.max_record_bytes);
                    stretch.errors.push((self.line, RecordError::new(reason)));
                }
                return Ok(Some(searched));
            }
            self.buffer.fill()?;
        }
    }

    fn line_items(&mut self, span: Range<usize>, stretch: &mut Stretch, open_until: &mut u64) {
        let line = self.line;
        let bytes = &self.buffer.bytes[span.clone()];
        let ends = bytes.last() == Some(&b'\n');
        let mut item = |span: Range<usize>, kind| {
            if !span.is_empty() {
                stretch.items.push(Item { span, line, kind });
            }
        };
        if self.oversize.is_some() {
            item(span, ItemKind::Between);
            if ends {
                self.oversize = None;
                self.line += 1;
            }
            return;
        }
        let mut start = span.start;
        if std::mem::take(&mut self.at_start) && bytes.starts_with(BOM) {
            item(start..start + BOM.len(), ItemKind::Dropped);
            start += BOM.len();
        }
        let mut end = span.end - usize::from(ends);
        let returned = ends && end > start && self.buffer.bytes[end - 1] == b'\r';
        end -= usize::from(returned);
        let record = &self.buffer.bytes[start..end];
        if record.trim_ascii().is_empty() {
            item(start..end, ItemKind::Between);
        } else {
            item(start..end, ItemKind::Record);
            if let Some(threads) = &self.threads {
                *open_until = threads.last_of(record.trim_ascii()).max(*open_until);
            }
            self.records += 1;
        }
        if returned {
            item(end..end + 1, ItemKind::Dropped);
        }
        item(span.end - usize::from(ends)..span.end, ItemKind::Between);
        self.line += u64::from(ends);
    }

    /// Whole elements of the array that the document is, and what stands between them.
    fn next_elements(&mut self, reading: Reading) -> Result<Stretch> {
        let mut stretch = Stretch::default();
        let mut records = 0;
        let mut at = 0;
        loop {
            let rest = &self.buffer.bytes[at..];
            let bom = if std::mem::take(&mut self.at_start) && rest.starts_with(BOM) { BOM.len() } else { 0 };
            if bom > 0 {
                stretch.items.push(Item { span: 0..bom, line: 1, kind: ItemKind::Dropped });
                at += bom;
                continue;
            }
            match self.elements.next(rest, self.buffer.eof) {
                Some((length, is_element)) => {
                    let kind = if is_element { ItemKind::Record } else { ItemKind::Between };
                    stretch.items.push(Item { span: at..at + length, line: self.line, kind });
                    self.line += rest[..length].iter().filter(|byte| **byte == b'\n').count() as u64;
                    at += length;
                    records += usize::from(is_element);
                    if at >= UNIT_BYTES || records >= reading.records_per_unit {
                        break;
                    }
                }
                None if self.buffer.eof => break,
                None => {
                    if rest.len() > reading.max_record_bytes {
                        anyhow::bail!("line {}: an element of the array is longer than {} bytes (--max-record-bytes)", self.line, reading.max_record_bytes);
                    }
                    self.buffer.fill()?;
                }
            }
        }
        stretch.bytes = self.buffer.take(at);
        stretch.last = self.buffer.eof && self.buffer.bytes.is_empty();
        Ok(stretch)
    }

    /// The whole file as one record.
    fn document(&mut self) -> Result<Stretch> {
        self.buffer.fill_to(usize::MAX)?;
        let count = self.buffer.bytes.len();
        let bytes = self.buffer.take(count);
        let bom = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let start = bom + bytes[bom..].len() - bytes[bom..].trim_ascii_start().len();
        let end = bytes.trim_ascii_end().len().max(start);
        let line = 1 + bytes[..start].iter().filter(|byte| **byte == b'\n').count() as u64;
        let items = [(0..bom, ItemKind::Dropped), (bom..start, ItemKind::Between), (start..end, ItemKind::Record), (end..count, ItemKind::Between)];
        let items = items.into_iter().filter(|(span, _)| !span.is_empty()).map(|(span, kind)| Item { span, line, kind }).collect();
        Ok(Stretch { bytes, items, errors: Vec::new(), last: true })
    }
}
