//! When a message was logged, where the log says so: a time beside its text,
//! under one of the usual keys, as ISO 8601 or as seconds, or thousandths of these.

use crate::json::{Scanner, decode_literal};
use crate::transcript::document::Transcript;
use crate::transcript::message::Message;
use time::OffsetDateTime;
use time::format_description::well_known::Iso8601;

/// Keys that hold the time of a message, the first that has one wins.
const TIME_KEYS: [&str; 5] = ["timestamp", "created_at", "createdAt", "created", "time"];
/// How these keys begin in JSON: two searches find them all.
const BEGINNINGS: [&[u8]; 2] = [b"\"time", b"\"created"];
/// Greater numbers count milliseconds, or thousandths of these: as seconds they would be a time after the year 5000.
const MOST_SECONDS: f64 = 1e11;

/// Whether a key of a message holds its time.
#[must_use]
pub fn is_time_key(key: &[u8]) -> bool {
    TIME_KEYS.iter().any(|name| name.as_bytes() == key)
}

impl Transcript<'_> {
    /// Whether messages may have times. They are looked for in the log's bytes, so that a log without pays nothing.
    #[must_use]
    pub fn may_have_times(&self) -> bool {
        if let Some(noticed) = self.noticed {
            return noticed.times;
        }
        let ends = |rest: &[u8]| {
            TIME_KEYS.iter().any(|key| {
                rest.strip_prefix(key.as_bytes())
                    .is_some_and(|rest| rest.first() == Some(&b'"'))
            })
        };
        let named = |bytes: &[u8]| {
            BEGINNINGS.iter().any(|start| {
                memchr::memmem::find_iter(bytes, start).any(|at| ends(&bytes[at + 1..]))
            })
        };
        self.records.iter().any(|record| named(record.bytes))
    }

    /// The time of a message of these records in seconds since 1970: its own, else that of the record that holds it alone.
    #[must_use]
    pub fn time_of(&self, message: &Message) -> Option<f64> {
        let record = self.records[message.record].bytes;
        let own = time_in(message.span.slice(record)).or_else(|| {
            if self.message_per_record {
                time_in(record)
            } else {
                None
            }
        });
        let source = self
            .sources_of(message)
            .iter()
            .map(|(record, span)| (self.records[*record].bytes, *span));
        own.or_else(|| {
            source
                .clone()
                .map(|(record, span)| span.slice(record))
                .chain(source.map(|(record, _)| record))
                .find_map(time_in)
        })
    }
}

/// The time that an object names.
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
                && let Some(at) = seconds(span.slice(object))
            {
                found = Some((rank, at));
            }
            Ok(())
        })
        .ok()?;
    found.map(|(_, at)| at)
}

fn seconds(value: &[u8]) -> Option<f64> {
    let text = decode_literal(if value.first() == Some(&b'"') {
        value
    } else {
        return number(std::str::from_utf8(value).ok()?);
    });
    number(&text).or_else(|| {
        // Python writes a blank between date and time.
        let at = OffsetDateTime::parse(&text.replacen(' ', "T", 1), &Iso8601::PARSING).ok();
        let at = at.or_else(|| {
            Some(
                time::PrimitiveDateTime::parse(&text.replacen(' ', "T", 1), &Iso8601::PARSING)
                    .ok()?
                    .assume_utc(),
            )
        })?;
        #[expect(clippy::cast_precision_loss)]
        let seconds = at.unix_timestamp() as f64 + f64::from(at.nanosecond()) / 1e9;
        Some(seconds)
    })
}

fn number(text: &str) -> Option<f64> {
    let mut number: f64 = text
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite() && *number > 0.0)?;
    while number > MOST_SECONDS {
        number /= 1000.0;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::document::Record;

    #[test]
    fn a_time_is_read_as_logs_write_it() {
        for (object, want) in [
            (
                r#"{"role": "user", "timestamp": "2026-01-01T00:00:00Z"}"#,
                Some(1_767_225_600.0),
            ),
            (
                r#"{"created_at": "2026-01-01 01:00:00.500000+01:00"}"#,
                Some(1_767_225_600.5),
            ),
            (
                r#"{"timestamp": "2026-01-01T00:00:00.25"}"#,
                Some(1_767_225_600.25),
            ),
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
            let record = Record {
                bytes: object.as_bytes(),
                line: 1,
            };
            let transcript = Transcript {
                records: vec![record],
                ..Transcript::default()
            };
            assert!(want.is_none() || transcript.may_have_times(), "{object}");
        }
        for key in TIME_KEYS {
            assert!(
                BEGINNINGS
                    .iter()
                    .any(|start| format!("\"{key}").as_bytes().starts_with(start)),
                "{key}"
            );
        }
    }
}
