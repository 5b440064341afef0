//! The values of the records that a conversion expressed in its result.

use crate::json::Span;
use crate::transcript::Message;
use std::collections::{HashMap, HashSet};

/// Fields, as key and JSON value, that report success. A result reports it by silence.
const SUCCESS_FIELDS: [(&str, &str); 5] = [
    ("is_error", "false"),
    ("isError", "false"),
    ("status", "\"success\""),
    ("status", "\"completed\""),
    ("refusal", "null"),
];
/// Fields, as key and JSON value, that report a failure.
const FAILURE_FIELDS: [(&str, &str); 3] = [
    ("is_error", "true"),
    ("isError", "true"),
    ("status", "\"error\""),
];
/// Keys of the reported usage.
const USAGE_KEYS: [&str; 2] = ["usage", "usage_metadata"];

/// The converted values, by their places in the records.
#[derive(Debug, Default)]
pub(super) struct ConvertedValues {
    /// The converted spans of each record.
    spans: HashMap<usize, Vec<Span>>,
    /// Literals of ids and names in the result. All their occurrences count as converted.
    literals: HashSet<Vec<u8>>,
    /// True if the target records which calls failed.
    pub(super) records_failure: bool,
    /// True if the target records the reported usage.
    pub(super) records_usage: bool,
}

impl ConvertedValues {
    /// Adds a span of a record.
    pub(super) fn add_span(&mut self, record: usize, span: Span) {
        self.spans.entry(record).or_default().push(span);
    }

    /// Adds all strings with this literal.
    pub(super) fn add_literal(&mut self, literal: &[u8]) {
        if !self.literals.contains(literal) {
            self.literals.insert(literal.to_vec());
        }
    }

    /// Returns true if all strings with this literal are converted.
    #[must_use]
    pub(super) fn has_literal(&self, literal: &[u8]) -> bool {
        self.literals.contains(literal)
    }

    /// Returns the converted spans of a record.
    #[must_use]
    pub(super) fn record_spans(&self, record: usize) -> &[Span] {
        self.spans
            .get(&record)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns true if a span of a record overlaps a span that was added after the first `since`.
    #[must_use]
    pub(super) fn overlaps_since(&self, record: usize, span: Span, since: usize) -> bool {
        let spans = self.record_spans(record);
        spans[since.min(spans.len())..]
            .iter()
            .any(|converted| converted.start < span.end && span.start < converted.end)
    }

    /// Sorts the spans of each record by their places.
    pub(super) fn sort_spans(&mut self) {
        for spans in self.spans.values_mut() {
            spans.sort_unstable();
        }
    }

    /// Returns true if the result expresses a field in another way.
    ///
    /// `path` ends with the key of the field, and `messages` are those that the field may
    /// belong to.
    pub(super) fn expresses_field(&self, path: &str, value: &[u8], messages: &[Message]) -> bool {
        let key = path.rsplit('.').next().unwrap_or_default();
        is_field_of(&SUCCESS_FIELDS, key, value)
            || (self.records_failure
                && is_field_of(&FAILURE_FIELDS, key, value)
                && messages.iter().any(|message| message.incomplete))
            || (self.records_usage
                && USAGE_KEYS.contains(&key)
                && messages.iter().any(|message| message.usage.is_some()))
    }
}

/// Returns true if the fields contain this key with this value.
fn is_field_of(fields: &[(&str, &str)], key: &str, value: &[u8]) -> bool {
    fields
        .iter()
        .any(|(name, json)| *name == key && json.as_bytes() == value)
}
