//! Units of work: stretches of input files, and the items that they consist of.

use crate::files::input::compression::Compression;
use crate::reading::format::journal::RebuiltJournal;
use crate::reading::format::{Format, Shape};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// An input file whose format and framing are known.
pub(crate) struct InputFile {
    /// The position in the run, from 0.
    pub index: usize,
    /// The name in messages.
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
    /// The file.
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

/// A piece of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnitItem {
    /// The byte range in the unit.
    pub span: Range<usize>,
    /// The line where the item begins, from 1.
    pub line: u64,
    /// The number of bytes before the item in that line. Array elements may begin anywhere.
    pub column: u64,
    /// The kind of the item.
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

/// The kind of a unit's item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitItemKind {
    /// A record.
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
