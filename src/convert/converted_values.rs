//! The values of the records that a conversion expressed in its result.

use crate::convert::prelude::*;

/// Fields, as key and JSON value, that report success. A result reports it by silence.
const SUCCESS_FIELDS: [(&str, &str); 5] = [
    ("is_error", "false"),
    ("isError", "false"),
    ("status", "\"success\""),
    ("status", "\"completed\""),
    ("refusal", "null"),
];
/// Fields, as key and JSON value, that report a failure.
const FAILURE_FIELDS: [(&str, &str); 3] =
    [("is_error", "true"), ("isError", "true"), ("status", "\"error\"")];
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
    pub(super) fn has_literal(&self, literal: &[u8]) -> bool {
        self.literals.contains(literal)
    }

    pub(super) fn record_spans(&self, record: usize) -> &[Span] {
        self.spans.get(&record).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the spans of a record that were added after the first `since`.
    pub(super) fn spans_since(&self, record: usize, since: usize) -> SpanCover {
        let spans = self.record_spans(record);
        SpanCover::from_spans(spans[since.min(spans.len())..].to_vec())
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
    pub(super) fn expresses_field(
        &self,
        path: &str,
        value: &[u8],
        messages: MessageTraits,
    ) -> bool {
        let key = path.rsplit('.').next().unwrap_or_default();
        is_field_of(&SUCCESS_FIELDS, key, value)
            || (self.records_failure
                && is_field_of(&FAILURE_FIELDS, key, value)
                && messages.has_incomplete)
            || (self.records_usage && USAGE_KEYS.contains(&key) && messages.has_usage)
    }
}

/// The traits of messages that a field may belong to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MessageTraits {
    /// True if a call of theirs failed.
    has_incomplete: bool,
    /// True if usage is reported for them.
    has_usage: bool,
}

impl MessageTraits {
    /// Returns the traits of all these messages.
    pub(super) fn of<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Self {
        let mut traits = Self::default();
        for message in messages {
            traits.has_incomplete |= message.incomplete;
            traits.has_usage |= message.usage.is_some();
        }
        traits
    }
}

/// Spans in the order of their starts, for looking up overlaps.
#[derive(Debug)]
pub(super) struct SpanCover {
    /// For each span its start, and the furthest end of it and those before it.
    reach: Vec<(usize, usize)>,
}

impl SpanCover {
    fn from_spans(mut spans: Vec<Span>) -> Self {
        spans.sort_unstable();
        let mut end = 0;
        let reach = spans.iter().map(|span| {
            end = end.max(span.end);
            (span.start, end)
        });
        Self { reach: reach.collect() }
    }

    /// Returns true if a span overlaps any of the spans.
    pub(super) fn overlap(&self, span: Span) -> bool {
        let before = self.reach.partition_point(|(start, _)| *start < span.end);
        self.reach[..before].last().is_some_and(|(_, end)| span.start < *end)
    }
}

/// Returns true if the fields contain this key with this value.
fn is_field_of(fields: &[(&str, &str)], key: &str, value: &[u8]) -> bool {
    fields.iter().any(|(name, json)| *name == key && json.as_bytes() == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_found_among_spans_that_nest() {
        let span = |start, end| Span { start, end };
        let mut converted = ConvertedValues::default();
        for (start, end) in [(90, 95), (0, 20), (5, 8), (30, 40)] {
            converted.add_span(0, span(start, end));
        }
        let cover = converted.spans_since(0, 1);
        let overlaps = |start, end| cover.overlap(span(start, end));
        assert!(overlaps(10, 12) && overlaps(19, 25) && overlaps(25, 31) && overlaps(0, 100));
        assert!(!overlaps(20, 30) && !overlaps(40, 50) && !overlaps(91, 94));
    }
}
