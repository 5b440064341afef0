//! The time of a message, if the log has it: a field beside the text, under a
//! common key, as ISO 8601 or as seconds or a fraction of seconds since 1970.
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): a regular
//! expression for the keys takes 5.0 times as long.

use crate::reading::transcript::prelude::*;
use time::format_description::well_known::Iso8601;
use time::{OffsetDateTime, PrimitiveDateTime};

/// Keys that hold the time of a message. Of several, the first in this list wins.
const TIME_KEYS: [&str; 5] = ["timestamp", "created_at", "createdAt", "created", "time"];
/// Starts of these keys in JSON. Two searches find all keys.
const KEY_STARTS: [&[u8]; 2] = [b"\"time", b"\"created"];
/// Greater numbers are milliseconds or smaller units: as seconds they would be after the year 5000.
const MAX_SECONDS: f64 = 1e11;

/// Returns true if a key of a message holds its time.
pub(crate) fn is_time_key(key: &[u8]) -> bool {
    TIME_KEYS.iter().any(|name| name.as_bytes() == key)
}

impl Transcript<'_> {
    /// Returns true if messages may have times. A search of the records is cheaper than parsing
    /// each message of a log without times.
    pub(crate) fn may_have_times(&self) -> bool {
        if let Some(noticed) = self.noticed {
            return noticed.times;
        }
        self.records.iter().any(|record| contains_time_key(record.bytes))
    }
}

/// The times that were looked up last. Messages may share their place or their record, and both can
/// be long: each is searched once for all of them.
#[derive(Debug, Default)]
pub(crate) struct LastTime {
    place: Option<(usize, Span)>,
    time: Option<f64>,
    record: Option<usize>,
    record_time: Option<f64>,
}

impl LastTime {
    /// Returns the time of a message of a transcript in seconds since 1970: its own, else that of
    /// the record that holds it alone.
    pub(crate) fn time_of(
        &mut self,
        transcript: &Transcript<'_>,
        message: &Message,
    ) -> Option<f64> {
        let place = Some((message.record, message.span));
        if self.place != place {
            self.time = self.search_message(transcript, message);
            self.place = place;
        }
        self.time
    }

    fn search_message(&mut self, transcript: &Transcript<'_>, message: &Message) -> Option<f64> {
        let record = transcript.records[message.record].bytes;
        time_in(message.span.slice(record))
            .or_else(|| if transcript.message_per_record { time_in(record) } else { None })
            .or_else(|| self.search_sources(transcript, message))
    }

    /// Returns the first time in the journal objects of a message, else in their records.
    fn search_sources(&mut self, transcript: &Transcript<'_>, message: &Message) -> Option<f64> {
        let sources = transcript.sources_of(message);
        let in_objects = sources
            .iter()
            .find_map(|(record, span)| time_in(span.slice(transcript.records[*record].bytes)));
        in_objects.or_else(|| {
            let mut records = sources.iter().map(|(record, _)| *record);
            records.find_map(|record| self.search_record(transcript, record))
        })
    }

    fn search_record(&mut self, transcript: &Transcript<'_>, record: usize) -> Option<f64> {
        if self.record != Some(record) {
            self.record_time = time_in(transcript.records[record].bytes);
            self.record = Some(record);
        }
        self.record_time
    }
}

/// Returns true if any object in `json` may have a time key.
pub(crate) fn contains_time_key(json: &[u8]) -> bool {
    KEY_STARTS.iter().any(|start| {
        memchr::memmem::find_iter(json, start).any(|at| starts_with_time_key(&json[at + 1..]))
    })
}

/// Returns true if `rest` begins with a time key and its closing quote.
fn starts_with_time_key(rest: &[u8]) -> bool {
    TIME_KEYS.iter().any(|key| {
        rest.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'"'))
    })
}

/// Returns the time in the fields of an object, in seconds since 1970.
fn time_in(object: &[u8]) -> Option<f64> {
    let mut found: Option<(usize, f64)> = None;
    let mut scanner = Scanner::new(object);
    scanner
        .read_object(|s, key| {
            let rank = TIME_KEYS.iter().position(|name| name.as_bytes() == key);
            s.peek_kind()?;
            let span = s.skip_value()?;
            if let Some(rank) = rank
                && found.is_none_or(|(best, _)| rank < best)
                && let Some(at) = parse_seconds(span.slice(object))
            {
                found = Some((rank, at));
            }
            Ok(())
        })
        .ok()?;
    found.map(|(_, at)| at)
}

/// Returns the time of a JSON value in seconds since 1970.
fn parse_seconds(value: &[u8]) -> Option<f64> {
    if value.first() != Some(&b'"') {
        return parse_numeric_time(std::str::from_utf8(value).ok()?);
    }
    let text = decode_literal(value);
    parse_numeric_time(&text).or_else(|| parse_iso8601(&text))
}

/// Returns an ISO 8601 time in seconds since 1970. Without an offset it is UTC.
fn parse_iso8601(text: &str) -> Option<f64> {
    // Python writes a blank between date and time.
    let text = text.replacen(' ', "T", 1);
    let at = OffsetDateTime::parse(&text, &Iso8601::PARSING).ok().or_else(|| {
        let local = PrimitiveDateTime::parse(&text, &Iso8601::PARSING).ok()?;
        Some(local.assume_utc())
    })?;
    #[expect(clippy::cast_precision_loss)]
    let seconds = at.unix_timestamp() as f64 + f64::from(at.nanosecond()) / 1e9;
    Some(seconds)
}

/// Returns a number of seconds, milliseconds or smaller units since 1970 in seconds.
fn parse_numeric_time(text: &str) -> Option<f64> {
    let mut number: f64 =
        text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)?;
    while number > MAX_SECONDS {
        number /= 1000.0;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_logs_write_them() {
        for (object, want) in [
            (r#"{"role": "user", "timestamp": "2026-01-01T00:00:00Z"}"#, Some(1_767_225_600.0)),
            (r#"{"created_at": "2026-01-01 01:00:00.500000+01:00"}"#, Some(1_767_225_600.5)),
            (r#"{"timestamp": "2026-01-01T00:00:00.25"}"#, Some(1_767_225_600.25)),
            (r#"{"created": 1767225600}"#, Some(1_767_225_600.0)),
            (r#"{"time": 1767225600500}"#, Some(1_767_225_600.5)),
            (r#"{"time": 1767225600500250}"#, Some(1_767_225_600.500_25)),
            (
                r#"{"timestamp": null, "created_at": "", "created": 1767225600}"#,
                Some(1_767_225_600.0),
            ),
            (r#"{"timestamp": "yesterday"}"#, None),
            (r#"{"content": "timestamp"}"#, None),
        ] {
            assert_eq!(time_in(object.as_bytes()), want, "{object}");
            let record = Record { bytes: object.as_bytes(), line: 1 };
            let transcript = Transcript { records: vec![record], ..Transcript::default() };
            assert!(want.is_none() || transcript.may_have_times(), "{object}");
        }
        for key in TIME_KEYS {
            let key = format!("\"{key}");
            assert!(KEY_STARTS.iter().any(|start| key.as_bytes().starts_with(start)), "{key}");
        }
    }
}
