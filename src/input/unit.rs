//! Units of work: stretches of input files, and the items that they consist of.

use crate::format::journal::RebuiltJournal;
use crate::format::{Format, Shape};
use crate::input::compression::Compression;
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
    #[must_use]
    pub(crate) fn place(&self, bytes: &[u8], offset: usize) -> (u64, u64) {
        let before = &bytes[..offset.min(bytes.len())];
        let lines = memchr::memchr_iter(b'\n', before).count() as u64;
        let in_line = memchr::memrchr(b'\n', before)
            .map_or(self.column + before.len() as u64, |end| {
                (before.len() - end - 1) as u64
            });
        (self.line + lines, in_line + 1)
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
        let item = UnitItem {
            span: 100..107,
            line: 4,
            column: 20,
            kind: UnitItemKind::Record,
        };
        let places = [0, 1, 2, 3, 5, 7].map(|offset| item.place(bytes, offset));
        assert_eq!(places, [(4, 21), (4, 22), (5, 1), (6, 1), (6, 3), (6, 5)]);
    }
}
