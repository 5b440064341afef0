//! The compactions that agents made themselves, as their journals record them.

use crate::reading::format::tree::{JsonNode, JsonTree};

/// A position in a journal: the index of a record, and a byte in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct JournalPosition {
    /// The index of the record.
    pub record: usize,
    /// The byte in the record.
    pub byte: usize,
}

/// The stretch of a journal that records a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CompactionSpan {
    /// The first byte of it. What comes before it was there before the compaction.
    pub start: JournalPosition,
    /// The byte behind it.
    pub end: JournalPosition,
}

impl CompactionSpan {
    /// Returns the span of whole records, from `first` to `last`.
    pub(crate) fn of_records(first: usize, last: usize) -> Self {
        Self {
            start: JournalPosition { record: first, byte: 0 },
            end: JournalPosition { record: last + 1, byte: 0 },
        }
    }

    /// Returns the span of objects in record `record`, from the first to the last of them.
    pub(crate) fn of_objects(record: usize, first: JsonNode<'_>, last: JsonNode<'_>) -> Self {
        Self {
            start: JournalPosition { record, byte: first.span().start },
            end: JournalPosition { record, byte: last.span().end },
        }
    }
}

/// Returns the compactions that a journal records, in order. `finder` is a new search of its format.
pub(crate) fn find_compactions(
    mut finder: Box<dyn CompactionFinder>,
    records: &[&[u8]],
) -> Vec<CompactionSpan> {
    let mut spans = Vec::new();
    for (at, bytes) in records.iter().enumerate() {
        if let Ok(tree) = JsonTree::new(bytes) {
            finder.observe_record(at, tree.root(), &mut spans);
        }
    }
    spans
}

/// A search for compactions, fed record by record.
pub(crate) trait CompactionFinder {
    /// Looks at record `at`, and adds the compactions that it ends.
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>);
}

/// The search in a journal of which a compaction is one record.
pub(crate) struct CompactionRecords(pub(crate) fn(JsonNode<'_>) -> bool);

impl CompactionFinder for CompactionRecords {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>) {
        if (self.0)(record) {
            spans.push(CompactionSpan::of_records(at, at));
        }
    }
}
