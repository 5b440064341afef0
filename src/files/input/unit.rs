//! Units of work: stretches of input files, and the items that they consist of.

use crate::files::input::buffer::{BOM, READ_BYTES};
use crate::files::input::{compression::Compression, error::FramingError};
use crate::reading::format::{self, Format, Shape, journal::RebuiltJournal};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// An input file whose format and framing are known.
pub(crate) struct InputFile {
    /// The position in the run, from 0.
    pub index: usize,
    pub name: String,
    /// The path below the named directory, or the file name.
    pub relative_path: PathBuf,
    /// The path of the output below the output directory.
    pub output: PathBuf,
    /// The format; none if no record at the beginning of the file is known to any format.
    pub format: Option<&'static dyn Format>,
    /// True if the user named the format: no record is then read as another.
    pub is_format_named: bool,
    /// True if some format knows at least one of the first records.
    pub has_known_records: bool,
    /// The kind of content that each record holds.
    pub shape: Shape,
    /// The compression of the file, which is also that of its output.
    pub compression: Compression,
}

/// A stretch of an input file that can be worked on by itself.
pub(crate) struct InputUnit {
    pub file: Arc<InputFile>,
    /// The decompressed bytes.
    pub bytes: Vec<u8>,
    /// The pieces of `bytes`, in order and without gaps.
    pub items: Vec<UnitItem>,
    /// Problems with bytes that are not parsed as records.
    pub faults: Vec<InputFault>,
    /// True for the last unit of the file.
    pub is_last: bool,
    /// The number of records of the file in earlier units.
    pub records_before: u64,
    /// The conversations of a journal, rebuilt from its records when they are first needed.
    pub rebuilt: OnceLock<Vec<RebuiltJournal>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnitItem {
    /// The byte range in the unit.
    pub span: Range<usize>,
    /// The line where the item begins, from 1.
    pub line: u64,
    /// The number of bytes before the item in that line. Array elements may begin anywhere.
    pub column: u64,
    pub kind: UnitItemKind,
}

impl UnitItem {
    /// Returns line and column, both from 1, of the byte at `offset` in the item, or of the end of
    /// the item. `bytes` are the bytes of the item.
    pub(crate) fn place(&self, bytes: &[u8], offset: usize) -> (u64, u64) {
        ItemPlaces::new(self, bytes).place(offset)
    }
}

/// The places of many bytes of one item. In order each is found from the one before it.
pub(crate) struct ItemPlaces<'u> {
    item: &'u UnitItem,
    bytes: &'u [u8],
    /// The bytes that were looked at.
    seen: usize,
    /// The number of line ends among them.
    lines: u64,
    /// The byte behind the last line end.
    line_start: Option<usize>,
}

impl<'u> ItemPlaces<'u> {
    /// Looks at an item with these bytes.
    pub(crate) fn new(item: &'u UnitItem, bytes: &'u [u8]) -> Self {
        Self { item, bytes, seen: 0, lines: 0, line_start: None }
    }

    /// Returns line and column, both from 1, of the byte at `offset` in the item, or of its end.
    pub(crate) fn place(&mut self, offset: usize) -> (u64, u64) {
        let offset = offset.min(self.bytes.len());
        if offset < self.seen {
            *self = Self::new(self.item, self.bytes);
        }
        for end in memchr::memchr_iter(b'\n', &self.bytes[self.seen..offset]) {
            self.lines += 1;
            self.line_start = Some(self.seen + end + 1);
        }
        self.seen = offset;
        let in_line = match self.line_start {
            Some(start) => (offset - start) as u64,
            None => self.item.column + offset as u64,
        };
        (self.item.line + self.lines, in_line + 1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitItemKind {
    Record,
    /// Bytes between records, copied unchanged.
    Between,
    /// A byte order mark or the `\r` of a line end. It is not written to the output.
    Dropped,
}

/// A problem at a place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InputFault {
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1, if the problem is at one byte.
    pub column: Option<u64>,
    /// The problem.
    pub reason: String,
}

#[derive(Default)]
pub(crate) struct UnitContents {
    pub(crate) bytes: Vec<u8>,
    pub(crate) items: Vec<UnitItem>,
    pub(crate) faults: Vec<InputFault>,
    pub(crate) is_last: bool,
    pub(crate) records_before: u64,
}

impl InputUnit {
    pub(crate) fn new(file: Arc<InputFile>, contents: UnitContents) -> Self {
        Self {
            file,
            bytes: contents.bytes,
            items: contents.items,
            faults: contents.faults,
            is_last: contents.is_last,
            records_before: contents.records_before,
            rebuilt: OnceLock::new(),
        }
    }
}

impl UnitContents {
    /// Adds the items of a line of `buffer`: a byte order mark, the record and the line end. Returns
    /// the span of the record, unless the line is blank.
    pub(super) fn push_line(
        &mut self,
        buffer: &[u8],
        span: Range<usize>,
        line: u64,
        drops_bom: bool,
    ) -> Option<Range<usize>> {
        let bytes = &buffer[span.clone()];
        let ends = bytes.last() == Some(&b'\n');
        let line_start = span.start;
        let mut start = span.start;
        if drops_bom && bytes.starts_with(BOM) {
            let bom = start..start + BOM.len();
            self.push_line_item(bom, line, line_start, UnitItemKind::Dropped);
            start += BOM.len();
        }
        let mut end = span.end - usize::from(ends);
        let has_return = ends && end > start && buffer[end - 1] == b'\r';
        end -= usize::from(has_return);
        let is_blank = buffer[start..end].trim_ascii().is_empty();
        let kind = if is_blank { UnitItemKind::Between } else { UnitItemKind::Record };
        self.push_line_item(start..end, line, line_start, kind);
        if has_return {
            self.push_line_item(end..end + 1, line, line_start, UnitItemKind::Dropped);
        }
        let newline = span.end - usize::from(ends)..span.end;
        self.push_line_item(newline, line, line_start, UnitItemKind::Between);
        (!is_blank).then_some(start..end)
    }

    /// Adds an item of the line that begins at `line_start`, unless it is empty.
    pub(super) fn push_line_item(
        &mut self,
        span: Range<usize>,
        line: u64,
        line_start: usize,
        kind: UnitItemKind,
    ) {
        if span.is_empty() {
            return;
        }
        // Lines without a record are many in some files, and one item is enough for them. The line
        // end of a record stays apart: it goes where the record goes.
        if kind == UnitItemKind::Between
            && let [.., before, last] = &mut self.items[..]
            && [before.kind, last.kind] == [kind, kind]
        {
            last.span.end = span.end;
            return;
        }
        let column = (span.start - line_start) as u64;
        self.items.push(UnitItem { span, line, column, kind });
    }
}

/// The last record of every thread, in a file of one message per record: a first pass over the file
/// finds it, and the second hands out a unit as soon as no thread in it goes on. Memory grows with the number of
/// threads (16 bytes each), not with their length.
#[derive(Debug, Default)]
pub(super) struct LastRecordByThread {
    last: HashMap<u64, u64>,
    records: u64,
}

impl LastRecordByThread {
    /// Reads a file of lines to its end. Fails if the file can't be read, or a line is longer than
    /// `limit` bytes.
    pub(super) fn scan_lines(file: impl Read, limit: usize) -> Result<Self, FramingError> {
        let mut last = Self::default();
        let mut lines = BufReader::with_capacity(READ_BYTES, file);
        let mut line = Vec::new();
        let mut number = 0;
        // The line of the limit is read to its end only if that is near.
        let most = (limit as u64).saturating_add(1);
        while (&mut lines).take(most).read_until(b'\n', &mut line)? > 0 {
            number += 1;
            if line.len() > limit {
                return Err(FramingError::ThreadsTooLong { line: number, limit });
            }
            let record = line.strip_prefix(BOM).unwrap_or(&line).trim_ascii();
            if !record.is_empty() {
                last.last.insert(thread_hash(record), last.records);
                last.records += 1;
            }
            line.clear();
        }
        Ok(last)
    }

    /// Returns the index of the last record in the thread of `record`.
    pub(super) fn last_index(&self, record: &[u8]) -> u64 {
        self.last.get(&thread_hash(record)).copied().unwrap_or(self.records)
    }
}

/// Returns the hash of a record's thread key. Records without a key, and those that can't be read,
/// are one thread. A collision only makes a unit longer than needed.
fn thread_hash(record: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    format::thread_key(record).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_counts_the_lines_before_an_offset() {
        let bytes = b"{\n\n  5}";
        let item = UnitItem { span: 100..107, line: 4, column: 20, kind: UnitItemKind::Record };
        let places = [0, 1, 2, 3, 5, 7].map(|offset| item.place(bytes, offset));
        assert_eq!(places, [(4, 21), (4, 22), (5, 1), (6, 1), (6, 3), (6, 5)]);
    }
}
