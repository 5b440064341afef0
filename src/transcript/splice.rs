//! Splices: new bytes in place of a span, all other bytes as they came; and
//! their inverse, which says what stood there.

use crate::json::Span;
use std::io::{self, Write};
use std::ops::Range;

/// New bytes for a span of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// What is replaced.
    pub span: Span,
    /// What stands there instead.
    pub bytes: Vec<u8>,
}

/// Appends `bytes` with the splices made to `out`. Splices must not overlap; their order does not matter.
pub fn apply_splices(bytes: &[u8], splices: &mut [Splice], out: &mut Vec<u8>) {
    splices.sort_by_key(|splice| splice.span);
    let mut at = 0;
    for Splice { span, bytes: new } in splices.iter() {
        out.extend_from_slice(&bytes[at..span.start]);
        out.extend_from_slice(new);
        at = span.end;
    }
    out.extend_from_slice(&bytes[at..]);
}

/// What a splice took away, by its place in the bytes that leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpliceUndo {
    /// Byte offset in the bytes that leave.
    pub at: u64,
    /// How many of them to take out there.
    pub len: u64,
    /// Which of the bytes that came in to put there.
    pub original: Range<usize>,
}

/// Bytes that leave: stretches of those that came in, and new ones between them. What stays is not copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SplicedOutput {
    pieces: Vec<OutputPiece>,
    /// How many bytes leave so far.
    len: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum OutputPiece {
    Kept(Range<usize>),
    New(Vec<u8>),
}

impl SplicedOutput {
    /// Adds bytes that came in.
    pub fn keep_range(&mut self, came: Range<usize>) {
        self.len += came.len() as u64;
        match self.pieces.last_mut() {
            Some(OutputPiece::Kept(last)) if last.end == came.start => last.end = came.end,
            _ => self.pieces.push(OutputPiece::Kept(came)),
        }
    }

    /// Adds new bytes.
    pub fn push_new(&mut self, new: Vec<u8>) {
        self.len += new.len() as u64;
        if !new.is_empty() {
            self.pieces.push(OutputPiece::New(new));
        }
    }

    /// Takes out bytes that came in; new ones stand in their place.
    #[must_use]
    pub fn replace_range(&mut self, original: Range<usize>, new: Vec<u8>) -> SpliceUndo {
        let (at, len) = (self.len, new.len() as u64);
        self.push_new(new);
        SpliceUndo { at, len, original }
    }

    /// Adds a record that came in, with splices made. They must be in the order of their places, and not overlap.
    pub fn push_spliced(
        &mut self,
        record: Range<usize>,
        splices: impl IntoIterator<Item = Splice>,
    ) -> Vec<SpliceUndo> {
        let mut at = record.start;
        let undo = |Splice { span, bytes }: Splice| {
            let original = record.start + span.start..record.start + span.end;
            self.keep_range(at..original.start);
            at = original.end;
            self.replace_range(original, bytes)
        };
        let undos = splices.into_iter().map(undo).collect();
        self.keep_range(at..record.end);
        undos
    }

    /// Writes the bytes that leave; `came` are those that came in.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write_to(&self, came: &[u8], out: &mut impl Write) -> io::Result<()> {
        self.pieces.iter().try_for_each(|piece| match piece {
            OutputPiece::Kept(range) => out.write_all(&came[range.clone()]),
            OutputPiece::New(bytes) => out.write_all(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn undos_invert_splices(text in "[a-z]{0,40}", before in 0..5_usize, cuts in proptest::collection::vec((0..40_usize, 0..5_usize, "[xy]{0,3}"), 0..5)) {
            let mut splices: Vec<Splice> = Vec::new();
            let mut cuts = cuts;
            cuts.sort();
            let record = before.min(text.len())..text.len();
            for (start, length, new) in cuts {
                let (start, end) = (start, start + length);
                if splices.last().is_none_or(|last| start >= last.span.end) && end <= record.len() {
                    splices.push(Splice { span: Span { start, end }, bytes: new.into_bytes() });
                }
            }
            let mut plain = text.as_bytes()[..record.start].to_vec();
            apply_splices(&text.as_bytes()[record.clone()], &mut splices.clone(), &mut plain);
            let mut leaving = SplicedOutput::default();
            leaving.keep_range(0..record.start);
            let undos = leaving.push_spliced(record, splices);
            let mut written = Vec::new();
            leaving.write_to(text.as_bytes(), &mut written).unwrap();
            prop_assert_eq!(written.len() as u64, leaving.len);
            prop_assert_eq!(&written, &plain);
            for undo in undos.iter().rev() {
                let at = undo.at as usize;
                written.splice(at..at + undo.len as usize, text.as_bytes()[undo.original.clone()].iter().copied());
            }
            prop_assert_eq!(written, text.into_bytes());
        }
    }
}
