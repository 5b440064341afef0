//! Splices that append to a journal, and ids for what they append.

use crate::base::sha256::Sha256;
use crate::reading::format::tree::JsonNode;
use crate::reading::json::Span;
use crate::reading::transcript::Transcript;
use crate::reading::transcript::splice::Splice;

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

/// Returns the splice that appends elements to a list in record `record`, with the separator that
/// the list has between its other elements.
pub(crate) fn append_elements(
    list: JsonNode<'_>,
    record: usize,
    elements: &[Vec<u8>],
) -> Vec<(usize, Splice)> {
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
    vec![(record, Splice { span, bytes })]
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
