//! Byte ranges of values in a record.

/// A half-open byte range in a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the bytes that the span covers.
    ///
    /// # Panics
    /// If the span reaches beyond `bytes`.
    pub(crate) fn slice(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.end]
    }

    /// Returns true if `other` is within the span.
    pub(crate) fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the same span with offsets that count from `start`.
    pub(crate) fn relative_to(self, start: usize) -> Self {
        Self { start: self.start - start, end: self.end - start }
    }
}
