//! The pieces of a unit, and where in the file a byte of them stands.

use std::ops::Range;

/// One piece of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitItem {
    /// Its bytes in the unit.
    pub span: Range<usize>,
    /// The line where it begins, from 1.
    pub line: u64,
    /// The bytes of that line before it: an element of an array may begin anywhere.
    pub column: u64,
    /// What it is.
    pub kind: UnitItemKind,
}

impl UnitItem {
    /// Line and column, both from 1, of one of its bytes, or of the one behind it; `bytes` are its own.
    #[must_use]
    pub fn place(&self, bytes: &[u8], offset: usize) -> (u64, u64) {
        let before = &bytes[..offset.min(bytes.len())];
        let lines = memchr::memchr_iter(b'\n', before).count() as u64;
        let in_line = memchr::memrchr(b'\n', before)
            .map_or(self.column + before.len() as u64, |end| {
                (before.len() - end - 1) as u64
            });
        (self.line + lines, in_line + 1)
    }
}

/// What is wrong at a place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFault {
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1, where one byte is to blame.
    pub column: Option<u64>,
    /// What is wrong.
    pub reason: String,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitItemKind {
    /// A record.
    Record,
    /// What stands between records: leaves as it came.
    Between,
    /// A byte order mark, or the `\r` of a line end: does not leave.
    Dropped,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_behind_a_line_end_stands_in_a_later_line() {
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
