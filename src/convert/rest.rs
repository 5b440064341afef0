//! What is left of a record when all that was converted is taken away: the
//! guard against dropping something in silence. It knows no format: whatever
//! nobody accounted for is told by its path.

use crate::json::{JsonKind, Scanner, Span};
use crate::json::{decode_literal, decode_literal_wtf8};
use crate::transcript::{Message, Transcript};
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

/// Keys that say what a thing is; the result says it in its own way.
const STRUCTURE: [&str; 6] = ["role", "from", "type", "lc", "object", "index"];
/// What says that nothing went wrong: a result says so by saying nothing.
const GOOD: [(&str, &str); 5] = [
    ("is_error", "false"),
    ("isError", "false"),
    ("status", "\"success\""),
    ("status", "\"completed\""),
    ("refusal", "null"),
];
/// What says that something did.
const FAILED: [(&str, &str); 3] = [
    ("is_error", "true"),
    ("isError", "true"),
    ("status", "\"error\""),
];
/// Where usage stands.
const USAGE: [&str; 2] = ["usage", "usage_metadata"];

/// What was converted, by its place in the records.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    spans: HashMap<usize, Vec<Span>>,
    /// Literals (ids, names) that stand in the result: where they are repeated, nothing is lost.
    repeated: HashSet<Vec<u8>>,
    /// Whether the target says which calls failed.
    pub(super) tells_failure: bool,
    /// Whether it says what the provider reported.
    pub(super) tells_usage: bool,
}

impl Accounts {
    /// Whether a value at this path, of one of these messages, needs no place of its own.
    fn is_said(&self, path: &str, value: &[u8], messages: &[&Message]) -> bool {
        let key = path.rsplit('.').next().unwrap_or_default();
        let is = |pairs: &[(&str, &str)]| {
            pairs
                .iter()
                .any(|(name, text)| *name == key && text.as_bytes() == value)
        };
        let fails = || messages.iter().any(|message| message.incomplete);
        let is_used = || messages.iter().any(|message| message.usage.is_some());
        is(&GOOD)
            || (self.tells_failure && is(&FAILED) && fails())
            || (self.tells_usage && USAGE.contains(&key) && is_used())
    }

    /// A span of a record is accounted for.
    pub(super) fn add(&mut self, record: usize, span: Span) {
        self.spans.entry(record).or_default().push(span);
    }

    /// So is every string of this literal.
    pub(super) fn add_everywhere(&mut self, literal: &[u8]) {
        if !self.repeated.contains(literal) {
            self.repeated.insert(literal.to_vec());
        }
    }

    /// Whether every string of this literal is accounted for.
    #[must_use]
    pub(super) fn is_everywhere(&self, literal: &[u8]) -> bool {
        self.repeated.contains(literal)
    }

    /// How many spans of a record are accounted for.
    #[must_use]
    pub(super) fn count(&self, record: usize) -> usize {
        self.spans.get(&record).map_or(0, Vec::len)
    }

    /// Whether something of this span was accounted for, after the first `since` spans.
    #[must_use]
    pub(super) fn touches(&self, record: usize, span: Span, since: usize) -> bool {
        let spans = self
            .spans
            .get(&record)
            .map(Vec::as_slice)
            .unwrap_or_default();
        spans[since.min(spans.len())..]
            .iter()
            .any(|own| own.start < span.end && span.start < own.end)
    }
}

/// Something that is in no result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Left {
    /// Its path: keys, `[]` for elements; empty for a whole record.
    pub(super) path: String,
    /// Index of its record.
    pub(super) record: usize,
    /// The message that it stands in, where it stands in one.
    pub(super) message: Option<usize>,
}

/// All that is not accounted for, in order: whole values, as far up as nothing in them was converted.
#[must_use]
pub(super) fn rest(transcript: &Transcript<'_>, mut accounts: Accounts) -> Vec<Left> {
    let mut left = Vec::new();
    let mut places: Vec<(usize, Span, usize)> = transcript
        .messages
        .iter()
        .enumerate()
        .map(|(index, one)| (one.record, one.span, index))
        .collect();
    places.sort_unstable();
    // A journal's messages are told anew in the first record: what stands there is converted or listed from there.
    let mut told = HashSet::new();
    if let (false, Some(document)) = (transcript.sources.is_empty(), transcript.records.first()) {
        collect(document.bytes, &mut told);
    }
    for (record, bytes) in transcript
        .records
        .iter()
        .map(|record| record.bytes)
        .enumerate()
    {
        let told = (record > 0).then_some(&told);
        accounts.spans.entry(record).or_default().sort_unstable();
        let spans = accounts
            .spans
            .get(&record)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut walk = Walk {
            bytes,
            spans,
            accounts: &accounts,
            told,
            next: 0,
            reach: 0,
            path: Vec::new(),
            found: Vec::new(),
        };
        // A record that was read once is read again without an error.
        let _ = walk.value(&mut Scanner::new(bytes));
        let message_of = |span: Span| {
            let before =
                places.partition_point(|(at, own, _)| (*at, own.start) <= (record, span.start));
            let (at, own, index) = places[..before].last()?;
            // Of messages that share an element the first is named.
            let first = || {
                places[..before]
                    .iter()
                    .rev()
                    .take_while(|(other, shared, _)| (other, shared) == (at, own))
                    .last()
                    .map_or(*index, |place| place.2)
            };
            (*at == record && span.end <= own.end).then(first)
        };
        let all: Vec<&Message> = transcript.messages.iter().collect();
        for (path, span) in walk.found {
            let message = message_of(span);
            let sharing = |first: usize| {
                transcript.messages[first..]
                    .iter()
                    .take_while(|other| other.span == transcript.messages[first].span)
                    .collect::<Vec<_>>()
            };
            let own = message.map(sharing);
            if !accounts.is_said(&path, span.slice(bytes), own.as_deref().unwrap_or(&all)) {
                left.push(Left {
                    path,
                    record,
                    message,
                });
            }
        }
    }
    left
}

struct Walk<'w> {
    bytes: &'w [u8],
    spans: &'w [Span],
    accounts: &'w Accounts,
    /// Values that are told elsewhere.
    told: Option<&'w HashSet<u64>>,
    /// The first accounted span that was not passed yet, and how far those before it reach.
    next: usize,
    reach: usize,
    path: Vec<String>,
    found: Vec<(String, Span)>,
}

impl Walk<'_> {
    /// Walks one value; says whether something of it is accounted for.
    fn value(&mut self, scanner: &mut Scanner<'_>) -> Result<bool, crate::error::RecordError> {
        let kind = scanner.peek_kind()?;
        let start = scanner.position();
        while let Some(span) = self.spans.get(self.next).filter(|span| span.start <= start) {
            self.reach = self.reach.max(span.end);
            self.next += 1;
        }
        if self.reach > start + 1
            || (self.reach > start && !matches!(kind, JsonKind::Object | JsonKind::Array))
        {
            // Spans nest: what covers the beginning covers all of a value.
            scanner.skip_value()?;
            return Ok(true);
        }
        let before = self.found.len();
        let mut is_touched = false;
        let span = match kind {
            JsonKind::Object => scanner.read_object_with_key_spans(|s, key| {
                let key = decode_literal(key.slice(self.bytes)).into_owned();
                if STRUCTURE.contains(&key.as_str())
                    && !matches!(s.peek_kind()?, JsonKind::Object | JsonKind::Array)
                {
                    return s.skip_value().map(drop);
                }
                self.path.push(key);
                is_touched |= self.value(s)?;
                self.path.pop();
                Ok(())
            })?,
            JsonKind::Array => {
                self.path.push("[]".to_owned());
                let span = scanner.read_array(|s| {
                    is_touched |= self.value(s)?;
                    Ok(())
                })?;
                self.path.pop();
                span
            }
            _ => scanner.skip_value()?,
        };
        let own = span.slice(self.bytes);
        is_touched |= match kind {
            // A part of a text may be converted.
            JsonKind::String => {
                self.spans
                    .get(self.next)
                    .is_some_and(|next| next.start < span.end)
                    || self.accounts.repeated.contains(own)
            }
            JsonKind::Number => self
                .accounts
                .repeated
                .contains(&[b"\"", own, b"\""].concat()),
            _ => false,
        };
        is_touched |= matches!(kind, JsonKind::String | JsonKind::Number)
            && self.told.is_some_and(|told| told.contains(&mark_of(own)));
        if !is_touched {
            self.found.truncate(before);
            if !matches!(own, b"null" | b"\"\"" | b"[]" | b"{}") {
                self.found
                    .push((self.path.join(".").replace(".[]", "[]"), span));
            }
        }
        Ok(is_touched)
    }
}

/// Stands for a string, however it is spelled, or a number.
fn mark_of(value: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    match value.first() {
        Some(b'"') => decode_literal_wtf8(value).hash(&mut hasher),
        _ => value.hash(&mut hasher),
    }
    hasher.finish()
}

/// The marks of all strings and numbers in a JSON text, and of JSON that stands in its strings.
fn collect(json: &[u8], marks: &mut HashSet<u64>) {
    fn walk(
        scanner: &mut Scanner<'_>,
        json: &[u8],
        marks: &mut HashSet<u64>,
    ) -> Result<(), crate::error::RecordError> {
        match scanner.peek_kind()? {
            JsonKind::Object => scanner
                .read_object_with_key_spans(|s, _| walk(s, json, marks))
                .map(drop),
            JsonKind::Array => scanner.read_array(|s| walk(s, json, marks)).map(drop),
            kind => {
                let value = scanner.skip_value()?.slice(json);
                marks.insert(mark_of(value));
                if kind == JsonKind::String && matches!(value.get(1), Some(b'{' | b'[')) {
                    collect(&decode_literal_wtf8(value), marks);
                }
                Ok(())
            }
        }
    }
    // What is no JSON is one text, and has its mark already.
    let _ = walk(&mut Scanner::new(json), json, marks);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Record, Role};

    fn left(record: &str, accounted: &[&str], everywhere: &[&str]) -> Vec<(String, Option<usize>)> {
        let find = |part: &str| {
            record
                .find(part)
                .map(|start| Span {
                    start,
                    end: start + part.len(),
                })
                .unwrap()
        };
        let mut accounts = Accounts::default();
        accounted
            .iter()
            .for_each(|part| accounts.add(0, find(part)));
        everywhere
            .iter()
            .for_each(|literal| accounts.add_everywhere(literal.as_bytes()));
        let messages = record.match_indices("{\"role\"").map(|(start, _)| {
            let end = start + record[start..].find("}").unwrap() + 1;
            Message::new(0, Span { start, end }, Role::User)
        });
        let transcript = Transcript {
            messages: messages.collect(),
            records: vec![Record {
                bytes: record.as_bytes(),
                line: 1,
            }],
            ..Transcript::default()
        };
        rest(&transcript, accounts)
            .into_iter()
            .map(|left| (left.path, left.message))
            .collect()
    }

    #[test]
    fn what_nobody_accounted_for_is_told_as_far_up_as_it_goes() {
        let record = r#"{"id": "t", "meta": {"a": 1, "type": "x"}, "n": null, "messages": [{"role": "user", "content": "hi", "ts": 3}, {"role": "user", "content": "lost"}]}"#;
        assert_eq!(
            left(record, &["\"hi\""], &["\"t\""]),
            [
                ("meta".to_owned(), None),
                ("messages[].ts".to_owned(), Some(0)),
                ("messages[]".to_owned(), Some(1))
            ]
        );
        assert_eq!(left(record, &[], &[]), [(String::new(), None)]);
        assert_eq!(
            left(
                record,
                &[
                    "{\"role\": \"user\", \"content\": \"lost\"}",
                    "\"hi\"",
                    "{\"a\": 1, \"type\": \"x\"}",
                    "3"
                ],
                &["\"t\""]
            ),
            []
        );
    }

    #[test]
    fn what_a_journal_was_told_from_is_told_once() {
        use crate::transcript::journal::ElementSource;
        let document = br#"{"messages": [{"role": "assistant", "content": "hi\u00e9", "arguments": "{\"n\": 7, \"p\": \"a\"}"}]}"#;
        let journal = "{\"uuid\": \"u\", \"message\": {\"content\": \"hié\", \"input\": {\"n\": 7, \"p\": \"a\", \"q\": \"lost\"}}}";
        let records =
            [document.as_slice(), journal.as_bytes()].map(|bytes| Record { bytes, line: 1 });
        let sources = vec![ElementSource {
            element: Span::default(),
            places: Vec::new(),
        }];
        let transcript = Transcript {
            records: records.to_vec(),
            sources,
            ..Transcript::default()
        };
        let mut accounts = Accounts::default();
        accounts.add(
            0,
            Span {
                start: 0,
                end: document.len(),
            },
        );
        let paths: Vec<String> = rest(&transcript, accounts)
            .into_iter()
            .map(|left| left.path)
            .collect();
        assert_eq!(paths, ["uuid", "message.input.q"]);
    }

    #[test]
    fn a_part_of_a_text_accounts_for_it() {
        assert_eq!(
            left(
                r#"{"role": "a", "value": "{\"name\": 1}"}"#,
                &["\\\"name"],
                &[]
            ),
            []
        );
        assert_eq!(
            left(r#"{"session": 17, "x": 18}"#, &[], &["\"17\""]),
            [("x".to_owned(), None)]
        );
    }
}
