//! What names the conversation of a record.

use crate::json::{JsonKind, Scanner, Span};
use crate::json::{decode_literal, decode_literal_wtf8, is_empty_literal};
use std::borrow::Cow;

/// Keys that name the conversation of a record, the first non-empty one wins.
const THREAD_KEYS: [&str; 4] = ["thread_id", "session_id", "conversation_id", "id"];
/// Keys that name the conversation of a single message; its `id` is its own.
const MESSAGE_THREAD_KEYS: [&str; 7] = [
    "thread_id",
    "session_id",
    "sessionId",
    "conversation_id",
    "chat_id",
    "trace_id",
    "run_id",
];

/// The key and value that group a message with its thread, if it has one.
#[must_use]
pub fn message_thread(record: &[u8]) -> Option<(&'static str, Span)> {
    let mut found: Option<(usize, Span)> = None;
    let mut scanner = Scanner::new(record);
    scanner
        .read_object(|s, key| {
            let kind = s.peek_kind()?;
            let span = s.skip_value()?;
            if let Some(rank) = MESSAGE_THREAD_KEYS
                .iter()
                .position(|name| name.as_bytes() == key)
            {
                let named = identifier(record, span, kind).is_some();
                if named && found.is_none_or(|(best, _)| rank <= best) {
                    found = Some((rank, span));
                }
            }
            Ok(())
        })
        .ok()?;
    found.map(|(rank, span)| (MESSAGE_THREAD_KEYS[rank], span))
}

/// What two messages of one thread have in common: the name of their thread key, and its value however it is spelled.
#[must_use]
pub fn thread_key(record: &[u8]) -> Option<Vec<u8>> {
    let (key, value) = message_thread(record)?;
    let value = match value.slice(record) {
        literal @ [b'"', ..] => [b"text:", decode_literal_wtf8(literal).as_ref()].concat(),
        number => number.to_vec(),
    };
    Some([key.as_bytes(), b"\0", &value].concat())
}

/// The text of an identifier: a non-empty string, or a number as it is spelled.
fn identifier(record: &[u8], span: Span, kind: JsonKind) -> Option<Cow<'_, str>> {
    match kind {
        JsonKind::String if !is_empty_literal(span.slice(record)) => {
            Some(decode_literal(span.slice(record)))
        }
        JsonKind::Number => Some(String::from_utf8_lossy(span.slice(record))),
        _ => None,
    }
}

/// Collects the thread id of a record while its keys go by.
#[derive(Default)]
pub(super) struct ThreadId {
    /// A key of the format's own; it wins.
    own: Option<&'static str>,
    best: Option<(usize, String)>,
}

impl ThreadId {
    /// Looks for a key of a format, too.
    pub(super) fn of(own: Option<&'static str>) -> Self {
        Self { own, best: None }
    }

    /// Looks at one key and its value.
    pub(super) fn see(&mut self, record: &[u8], key: &[u8], span: Span, kind: JsonKind) {
        let Some(rank) = self
            .own
            .iter()
            .chain(&THREAD_KEYS)
            .position(|name| name.as_bytes() == key)
        else {
            return;
        };
        if self.best.as_ref().is_none_or(|(best, _)| rank <= *best)
            && let Some(id) = identifier(record, span, kind)
        {
            self.best = Some((rank, id.into_owned()));
        }
    }

    pub(super) fn take(self) -> Option<String> {
        self.best.map(|(_, id)| id)
    }
}
