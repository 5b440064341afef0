//! A stretch of a record that occurs in it several times, such as the prompt of two answers.

use crate::reading::transcript::prelude::*;

/// A stretch of the first record that occurs in it several times, byte for byte. What is edited in
/// it is edited in each copy, so that they stay alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RepeatedStretch {
    /// The stretch that the messages are read from.
    pub span: Span,
    /// The offsets at which the copies begin.
    pub copies: Vec<usize>,
}

impl RepeatedStretch {
    /// Returns the splices that make the same edits in the copies.
    pub(crate) fn splices_of_copies(&self, splices: &[Splice]) -> Vec<Splice> {
        let inside = splices.iter().filter(|splice| {
            self.span.start <= splice.span.start && splice.span.end <= self.span.end
        });
        inside.flat_map(|splice| self.copies.iter().map(|&copy| self.shift(splice, copy))).collect()
    }

    fn shift(&self, splice: &Splice, copy: usize) -> Splice {
        let offset = |place: usize| copy + (place - self.span.start);
        Splice {
            span: Span { start: offset(splice.span.start), end: offset(splice.span.end) },
            bytes: splice.bytes.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_take_the_edits_of_the_stretch_and_no_others() {
        let text = b"a[one two] b[one two] c[one two]";
        let stretch = RepeatedStretch { span: Span { start: 13, end: 20 }, copies: vec![2, 24] };
        let new =
            |start, end, bytes: &[u8]| Splice { span: Span { start, end }, bytes: bytes.to_vec() };
        let mut splices = vec![new(13, 16, b"1"), new(20, 20, b"!"), new(22, 23, b"d")];
        splices.extend(stretch.splices_of_copies(&splices));
        let mut out = Vec::new();
        apply_splices(text, &mut splices, &mut out);
        assert_eq!(out, b"a[1 two!] b[1 two!] d[1 two!]");
    }
}
