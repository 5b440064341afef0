//! The compactions that agents made themselves, as their journals record them, and what appends
//! another.

use crate::base::sha256::Sha256;
use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::transcript::prelude::*;

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

    /// Returns the span of objects in a record, from the first to the last of them.
    pub(crate) fn of_objects(first: JsonNode<'_>, last: JsonNode<'_>) -> Self {
        Self {
            start: JournalPosition { record: first.record_index(), byte: first.span().start },
            end: JournalPosition { record: last.record_index(), byte: last.span().end },
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
        if let Ok(tree) = JsonTree::of_record(bytes, at) {
            finder.observe_record(tree.root(), &mut spans);
        }
    }
    spans
}

/// A search for compactions, fed record by record.
pub(crate) trait CompactionFinder {
    /// Looks at a record, and adds the compactions that it ends.
    fn observe_record(&mut self, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>);
}

/// The search in a journal of which a compaction is one record.
pub(crate) struct CompactionRecords(pub(crate) fn(JsonNode<'_>) -> bool);

impl CompactionFinder for CompactionRecords {
    fn observe_record(&mut self, record: JsonNode<'_>, spans: &mut Vec<CompactionSpan>) {
        if (self.0)(record) {
            spans.push(CompactionSpan::of_records(record.record_index(), record.record_index()));
        }
    }
}

/// Returns the splice that appends lines behind the last record of a transcript.
pub(crate) fn append_lines(transcript: &Transcript<'_>, lines: &[Vec<u8>]) -> Vec<(usize, Splice)> {
    let Some(last) = transcript.records.len().checked_sub(1) else {
        return Vec::new();
    };
    let end = transcript.records[last].bytes.len();
    let bytes = lines.iter().flat_map(|line| [b"\n".as_slice(), line].concat()).collect();
    let span = Span { start: end, end };
    vec![(last, Splice { span, bytes })]
}

/// Returns the splice that appends elements to a list, with the separator that the list has between
/// its other elements.
pub(crate) fn append_elements(list: JsonNode<'_>, elements: &[Vec<u8>]) -> Vec<(usize, Splice)> {
    let items: Vec<Span> = list.items().map(JsonNode::span).collect();
    let (at, separator): (usize, &[u8]) = match items.as_slice() {
        [.., before, last] => (last.end, &list.record_bytes()[before.end..last.start]),
        [only] => (only.end, b", "),
        [] => (list.span().start + 1, b", "),
    };
    let mut bytes = Vec::new();
    for (number, element) in elements.iter().enumerate() {
        if number > 0 || !items.is_empty() {
            bytes.extend_from_slice(separator);
        }
        bytes.extend_from_slice(element);
    }
    let span = Span { start: at, end: at };
    vec![(list.record_index(), Splice { span, bytes })]
}

/// Returns an id derived from `parts`: 32 hex digits of their digest. It is the same in every run,
/// and no other record has it.
pub(crate) fn hex_id(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::default();
    for part in parts {
        hash.update(part);
        hash.update(b"\0");
    }
    hash.hex_prefix(32)
}

/// Returns the id of [`hex_id`], spelled as a random UUID (version 4).
pub(crate) fn uuid_like_id(parts: &[&[u8]]) -> String {
    let hex = hex_id(parts);
    format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}
