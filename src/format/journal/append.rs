//! What is put behind a journal's records.

use crate::format::tree::JsonNode;
use crate::json::Span;
use crate::sha256::Sha256;
use crate::transcript::Transcript;
use crate::transcript::splice::Splice;

/// Lines behind the last record of a transcript.
pub(in crate::format) fn append_lines(
    transcript: &Transcript<'_>,
    lines: &[Vec<u8>],
) -> Vec<(usize, Splice)> {
    let Some(last) = transcript.records.len().checked_sub(1) else {
        return Vec::new();
    };
    let end = transcript.records[last].bytes.len();
    let bytes = lines
        .iter()
        .flat_map(|line| [b"\n".as_slice(), line].concat())
        .collect();
    vec![(
        last,
        Splice {
            span: Span { start: end, end },
            bytes,
        },
    )]
}

/// The splice that appends elements to the list that stands at `list` in record `record`, with the separator it has elsewhere.
pub(in crate::format) fn append_elements(
    list: JsonNode<'_>,
    record: usize,
    elements: &[Vec<u8>],
) -> Vec<(usize, Splice)> {
    let items: Vec<Span> = list.items().map(JsonNode::span).collect();
    let (at, separator): (usize, &[u8]) = match items.as_slice() {
        [.., before, last] => (last.end, &list.record()[before.end..last.start]),
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
    vec![(
        record,
        Splice {
            span: Span { start: at, end: at },
            bytes,
        },
    )]
}

/// An id that no other record has, made of what it stands for: 32 hex digits.
pub(in crate::format) fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::default();
    for part in parts {
        hash.update(part);
        hash.update(b"\0");
    }
    hash.hex_prefix(32)
}

/// The same, spelled as a random UUID is.
pub(in crate::format) fn uuid(parts: &[&[u8]]) -> String {
    let hex = digest(parts);
    format!(
        "{}-{}-4{}-a{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[13..16],
        &hex[17..20],
        &hex[20..]
    )
}
