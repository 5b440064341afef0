//! Splices, which put new bytes in place of a span and keep all other bytes; and
//! their inverse, which restores the original bytes.

use crate::reading::json::Span;
use std::io::{self, Write};
use std::ops::Range;

/// New bytes for a span of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    pub span: Span,
    pub bytes: Vec<u8>,
}

/// Appends `bytes` with the splices made to `out`. Splices may be in any order, but must not
/// overlap.
pub(crate) fn apply_splices(bytes: &[u8], splices: &mut [Splice], out: &mut Vec<u8>) {
    splices.sort_by_key(|splice| splice.span);
    let mut at = 0;
    for Splice { span, bytes: new } in splices.iter() {
        out.extend_from_slice(&bytes[at..span.start]);
        out.extend_from_slice(new);
        at = span.end;
    }
    out.extend_from_slice(&bytes[at..]);
}

/// The inverse of a splice, by its place in the output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SpliceUndo {
    /// Offset of the new bytes in the output.
    pub at: u64,
    /// Number of new bytes to remove.
    pub len: u64,
    /// Range of the input to put there.
    pub original: Range<usize>,
}

/// Output made of ranges of the input and new bytes between them. Ranges of the input are not
/// copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SplicedOutput {
    pieces: Vec<OutputPiece>,
    /// Length of the output in bytes.
    len: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum OutputPiece {
    Kept(Range<usize>),
    New(Vec<u8>),
}

impl SplicedOutput {
    /// Appends a range of the input.
    pub(crate) fn keep_range(&mut self, range: Range<usize>) {
        self.len += range.len() as u64;
        match self.pieces.last_mut() {
            Some(OutputPiece::Kept(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(OutputPiece::Kept(range)),
        }
    }

    /// Appends new bytes.
    fn push_new(&mut self, new: Vec<u8>) {
        self.len += new.len() as u64;
        if !new.is_empty() {
            self.pieces.push(OutputPiece::New(new));
        }
    }

    /// Appends new bytes in place of a range of the input.
    pub(crate) fn replace_range(&mut self, original: Range<usize>, new: Vec<u8>) -> SpliceUndo {
        let (at, len) = (self.len, new.len() as u64);
        self.push_new(new);
        SpliceUndo { at, len, original }
    }

    /// Appends a record of the input with splices made. They must be in order and not overlap.
    pub(crate) fn push_spliced(
        &mut self,
        record: Range<usize>,
        splices: impl IntoIterator<Item = Splice>,
    ) -> Vec<SpliceUndo> {
        let mut at = record.start;
        let mut undos = Vec::new();
        for Splice { span, bytes } in splices {
            let original = record.start + span.start..record.start + span.end;
            self.keep_range(at..original.start);
            at = original.end;
            undos.push(self.replace_range(original, bytes));
        }
        self.keep_range(at..record.end);
        undos
    }

    /// Writes the output, given the input.
    pub(crate) fn write_to(&self, input: &[u8], out: &mut impl Write) -> io::Result<()> {
        self.pieces.iter().try_for_each(|piece| match piece {
            OutputPiece::Kept(range) => out.write_all(&input[range.clone()]),
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
            let mut output = SplicedOutput::default();
            output.keep_range(0..record.start);
            let undos = output.push_spliced(record, splices);
            let mut written = Vec::new();
            output.write_to(text.as_bytes(), &mut written).unwrap();
            prop_assert_eq!(written.len() as u64, output.len);
            prop_assert_eq!(&written, &plain);
            for undo in undos.iter().rev() {
                let at = undo.at as usize;
                written.splice(at..at + undo.len as usize, text.as_bytes()[undo.original.clone()].iter().copied());
            }
            prop_assert_eq!(written, text.into_bytes());
        }
    }
}
