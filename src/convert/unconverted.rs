//! Finds the values of the records that a conversion left out.
//!
//! This guards against silent loss, and knows no format: every value that was
//! not converted is listed by its path.

use crate::convert::converted_values::{ConvertedValues, MessageTraits};
use crate::convert::prelude::*;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// Keys of the structure of a record. The result expresses it by its own structure.
const STRUCTURE_KEYS: [&str; 6] = ["role", "from", "type", "lc", "object", "index"];

/// A value that no result contains.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnconvertedValue {
    /// The path: keys, and `[]` for elements. Empty for a whole record.
    pub(super) path: String,
    /// The index of the record.
    pub(super) record: usize,
    /// The index of the message that contains the value.
    pub(super) message: Option<usize>,
    pub(super) text_bytes: u64,
}

/// A string of so many bytes that has blanks is a text.
const MIN_TEXT_BYTES: usize = 40;

pub(super) fn text_bytes(json: &[u8]) -> u64 {
    if json.len() < MIN_TEXT_BYTES {
        return 0;
    }
    let mut bytes = 0;
    // What was read before is read again without an error.
    let _ = each_scalar(&mut Scanner::new(json), json, &mut |kind, value| {
        let is_text = kind == JsonKind::String
            && value.len() >= MIN_TEXT_BYTES
            && memchr::memchr(b' ', value).is_some();
        bytes += if is_text { value.len() as u64 - 2 } else { 0 };
    });
    bytes
}

/// Passes the kinds and bytes of the scalars in a value of `json` to `visit`.
fn each_scalar(
    scanner: &mut Scanner<'_>,
    json: &[u8],
    visit: &mut dyn FnMut(JsonKind, &[u8]),
) -> Result<(), RecordError> {
    match scanner.peek_kind()? {
        JsonKind::Object => scanner
            .read_object_with_key_spans(|scanner, _| each_scalar(scanner, json, visit))
            .map(drop),
        JsonKind::Array => {
            scanner.read_array(|scanner| each_scalar(scanner, json, visit)).map(drop)
        }
        kind => {
            visit(kind, scanner.skip_value()?.slice(json));
            Ok(())
        }
    }
}

/// Returns all values that were not converted, in order.
///
/// A value is listed as a whole if nothing in it was converted.
pub(super) fn find_unconverted(
    transcript: &Transcript<'_>,
    mut converted: ConvertedValues,
) -> Vec<UnconvertedValue> {
    converted.sort_spans();
    let places = MessagePlaces::new(&transcript.messages);
    let all_messages = MessageTraits::of(&transcript.messages);
    // The first record of a journal is a document with all its messages. What the document
    // contains is converted or listed from there.
    let mut document = HashSet::new();
    if let (false, Some(record)) = (transcript.sources.is_empty(), transcript.records.first()) {
        collect_marks(record.bytes, &mut document);
    }
    let mut unconverted = Vec::new();
    // A record to which a compaction is appended is repeated at the end of its transcript.
    let mut seen = HashSet::new();
    for (index, record) in transcript.records.iter().enumerate() {
        if !seen.insert(record.bytes.as_ptr_range()) {
            continue;
        }
        let mut walk = RecordWalk {
            bytes: record.bytes,
            spans: converted.record_spans(index),
            converted: &converted,
            document: (index > 0).then_some(&document),
            next: 0,
            reach: 0,
            path: Vec::new(),
            found: Vec::new(),
        };
        // The record was read before, so it is read again without an error.
        let _ = walk.walk_value(&mut Scanner::new(record.bytes));
        for (path, span) in walk.found {
            let place = places.place_of(index, span);
            let message = place.map(|place| place.message);
            let traits = place.map_or(all_messages, |place| place.traits);
            if !converted.expresses_field(&path, span.slice(record.bytes), traits) {
                unconverted.push(UnconvertedValue {
                    path,
                    record: index,
                    message,
                    text_bytes: text_bytes(span.slice(record.bytes)),
                });
            }
        }
    }
    unconverted
}

/// The places of the messages in the records, in order.
struct MessagePlaces(Vec<MessagePlace>);

/// The place of one message, or of several that share it.
struct MessagePlace {
    record: usize,
    span: Span,
    /// The index of the first message.
    message: usize,
    /// The traits of all of them.
    traits: MessageTraits,
}

impl MessagePlaces {
    fn new(messages: &[Message]) -> Self {
        let mut sorted: Vec<(usize, &Message)> = messages.iter().enumerate().collect();
        sorted.sort_by_key(|(_, message)| (message.record, message.span));
        let places = sorted
            .chunk_by(|(_, one), (_, next)| (one.record, one.span) == (next.record, next.span));
        let places = places.map(|place| MessagePlace {
            record: place[0].1.record,
            span: place[0].1.span,
            message: place[0].0,
            traits: MessageTraits::of(place.iter().map(|(_, message)| *message)),
        });
        Self(places.collect())
    }

    fn place_of(&self, record: usize, span: Span) -> Option<&MessagePlace> {
        let before = self
            .0
            .partition_point(|place| (place.record, place.span.start) <= (record, span.start));
        let last = self.0[..before].last()?;
        (last.record == record && span.end <= last.span.end).then_some(last)
    }
}

/// A walk over one record that collects what was not converted.
struct RecordWalk<'w> {
    bytes: &'w [u8],
    /// The converted spans of the record, in order.
    spans: &'w [Span],
    converted: &'w ConvertedValues,
    /// The marks of the values that the document of a journal contains.
    document: Option<&'w HashSet<u64>>,
    /// The index of the next converted span.
    next: usize,
    /// The end of the furthest of the spans before it.
    reach: usize,
    path: Vec<String>,
    /// The paths and spans of values that were not converted.
    found: Vec<(String, Span)>,
}

impl RecordWalk<'_> {
    /// Walks one value. Returns true if any part of it was converted.
    fn walk_value(&mut self, scanner: &mut Scanner<'_>) -> Result<bool, RecordError> {
        let kind = scanner.peek_kind()?;
        let is_container = matches!(kind, JsonKind::Object | JsonKind::Array);
        let start = scanner.position();
        while let Some(span) = self.spans.get(self.next).filter(|span| span.start <= start) {
            self.reach = self.reach.max(span.end);
            self.next += 1;
        }
        if self.reach > start + 1 || (self.reach > start && !is_container) {
            // Spans nest, so a span over the beginning of a value covers all of it.
            scanner.skip_value()?;
            return Ok(true);
        }
        let found_before = self.found.len();
        let mut is_converted = false;
        let span = match kind {
            JsonKind::Object => scanner.read_object_with_key_spans(|scanner, key| {
                let key = decode_literal(key.slice(self.bytes)).into_owned();
                if STRUCTURE_KEYS.contains(&key.as_str())
                    && !matches!(scanner.peek_kind()?, JsonKind::Object | JsonKind::Array)
                {
                    return scanner.skip_value().map(drop);
                }
                self.path.push(cut_key(key));
                is_converted |= self.walk_value(scanner)?;
                self.path.pop();
                Ok(())
            })?,
            JsonKind::Array => {
                self.path.push("[]".to_owned());
                let span = scanner.read_array(|scanner| {
                    is_converted |= self.walk_value(scanner)?;
                    Ok(())
                })?;
                self.path.pop();
                span
            }
            _ => scanner.skip_value()?,
        };
        let value = span.slice(self.bytes);
        is_converted |= self.is_scalar_converted(kind, span);
        if !is_converted {
            self.found.truncate(found_before);
            if !matches!(value, b"null" | b"\"\"" | b"[]" | b"{}") {
                let path = self.path.join(".").replace(".[]", "[]");
                self.found.push((path, span));
            }
        }
        Ok(is_converted)
    }

    /// Returns true if a string or a number is converted, or contained in the document of a
    /// journal.
    fn is_scalar_converted(&self, kind: JsonKind, span: Span) -> bool {
        let value = span.slice(self.bytes);
        let is_converted = match kind {
            // A conversion may take a part of a text only.
            JsonKind::String => {
                self.spans.get(self.next).is_some_and(|next| next.start < span.end)
                    || self.converted.has_literal(value)
            }
            JsonKind::Number => self.converted.has_literal(&fill_json(r#""$""#, &[value])),
            _ => return false,
        };
        is_converted || self.document.is_some_and(|document| document.contains(&value_mark(value)))
    }
}

/// The number of bytes of a key that paths show: a path is repeated for each value below it.
const MAX_KEY_BYTES: usize = 200;

/// Cuts a key that is too long to be shown.
fn cut_key(mut key: String) -> String {
    if key.len() > MAX_KEY_BYTES {
        key.truncate(key.floor_char_boundary(MAX_KEY_BYTES));
        key.push('…');
    }
    key
}

/// Returns a hash of a string or a number. All spellings of a string have the same hash.
fn value_mark(value: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value.first() {
        Some(b'"') => decode_literal_wtf8(value).hash(&mut hasher),
        _ => value.hash(&mut hasher),
    }
    hasher.finish()
}

/// Adds the marks of all strings and numbers in a JSON text, and of JSON within its strings.
fn collect_marks(json: &[u8], marks: &mut HashSet<u64>) {
    // A string that is no JSON ends with an error. Its own mark is added before.
    let _ = each_scalar(&mut Scanner::new(json), json, &mut |kind, value| {
        marks.insert(value_mark(value));
        if kind == JsonKind::String && matches!(value.get(1), Some(b'{' | b'[')) {
            collect_marks(&decode_literal_wtf8(value), marks);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the path of each value that is not converted, with the index of its message.
    fn unconverted(record: &str, converted_parts: &[&str], literals: &[&str]) -> Vec<String> {
        let find = |part: &str| {
            record.find(part).map(|start| Span { start, end: start + part.len() }).unwrap()
        };
        let mut converted = ConvertedValues::default();
        converted_parts.iter().for_each(|part| converted.add_span(0, find(part)));
        literals.iter().for_each(|literal| converted.add_literal(literal.as_bytes()));
        let messages = record.match_indices("{\"role\"").map(|(start, _)| {
            let end = start + record[start..].find("}").unwrap() + 1;
            Message::new(0, Span { start, end }, Role::User)
        });
        let transcript = Transcript {
            messages: messages.collect(),
            records: vec![Record { bytes: record.as_bytes(), line: 1 }],
            ..Transcript::default()
        };
        find_unconverted(&transcript, converted)
            .into_iter()
            .map(|UnconvertedValue { path, message, .. }| match message {
                Some(index) => format!("{path} of {index}"),
                None => path,
            })
            .collect()
    }

    #[test]
    fn unconverted_values_are_listed_by_their_outermost_path() {
        let record = r#"{"id": "t", "meta": {"a": 1, "type": "x"}, "n": null, "messages": [{"role": "user", "content": "hi", "ts": 3}, {"role": "user", "content": "lost"}]}"#;
        let listed = unconverted(record, &["\"hi\""], &["\"t\""]);
        assert_eq!(listed, ["meta", "messages[].ts of 0", "messages[] of 1"]);
        assert_eq!(unconverted(record, &[], &[]), [""]);
        let (lost, meta) = (r#"{"role": "user", "content": "lost"}"#, r#"{"a": 1, "type": "x"}"#);
        assert_eq!(unconverted(record, &[lost, "\"hi\"", meta, "3"], &["\"t\""]), [""; 0]);
    }

    #[test]
    fn values_of_a_journal_in_the_document_are_not_listed_again() {
        use crate::reading::transcript::journal::ElementSource;
        let document = br#"{"messages": [{"role": "assistant", "content": "hi\u00e9", "arguments": "{\"n\": 7, \"p\": \"a\"}"}]}"#;
        let journal = "{\"uuid\": \"u\", \"message\": {\"content\": \"hié\", \"input\": {\"n\": 7, \"p\": \"a\", \"q\": \"lost\"}}}";
        // The last record is the one to which a compaction is appended.
        let records = [document.as_slice(), journal.as_bytes(), journal.as_bytes()];
        let records = records.map(|bytes| Record { bytes, line: 1 });
        let sources =
            vec![ElementSource { element: Span::default(), sent_units: None, places: Vec::new() }];
        let transcript = Transcript {
            records: records.to_vec(),
            sources: sources.into(),
            ..Transcript::default()
        };
        let mut converted = ConvertedValues::default();
        converted.add_span(0, Span { start: 0, end: document.len() });
        let paths: Vec<String> =
            find_unconverted(&transcript, converted).into_iter().map(|value| value.path).collect();
        assert_eq!(paths, ["uuid", "message.input.q"]);
    }

    #[test]
    fn a_converted_part_of_a_text_converts_all_of_it() {
        let nested = r#"{"role": "a", "value": "{\"name\": 1}"}"#;
        assert_eq!(unconverted(nested, &["\\\"name"], &[]), [""; 0]);
        assert_eq!(unconverted(r#"{"session": 17, "x": 18}"#, &[], &["\"17\""]), ["x"]);
    }
}
