//! The id of the conversation that a record belongs to.

use crate::reading::transcript::prelude::*;

/// Keys that name the conversation of a record; the first with a value wins.
const THREAD_KEYS: [&str; 5] = ["thread_id", "session_id", "conversation_id", "id", "instance_id"];
/// Keys that name the conversation of a single message, whose `id` is that of the message.
const MESSAGE_THREAD_KEYS: [&str; 7] =
    ["thread_id", "session_id", "sessionId", "conversation_id", "chat_id", "trace_id", "run_id"];

/// Returns the key, and the span of its value, that assigns a message to a conversation.
pub(crate) fn message_thread(record: &[u8]) -> Option<(&'static str, Span)> {
    let mut best: Option<(usize, Span)> = None;
    let mut scanner = Scanner::new(record);
    scanner
        .read_object(|s, key| {
            let kind = s.peek_kind()?;
            let span = s.skip_value()?;
            if let Some(rank) = MESSAGE_THREAD_KEYS.iter().position(|name| name.as_bytes() == key) {
                let has_id = identifier_text(record, span, kind).is_some();
                if has_id && best.is_none_or(|(best, _)| rank <= best) {
                    best = Some((rank, span));
                }
            }
            Ok(())
        })
        .ok()?;
    best.map(|(rank, span)| (MESSAGE_THREAD_KEYS[rank], span))
}

/// Returns a key that is equal for all messages of a conversation: the name of the thread key and
/// its decoded value.
pub(crate) fn thread_key(record: &[u8]) -> Option<Vec<u8>> {
    let (key, value) = message_thread(record)?;
    let value = match value.slice(record) {
        literal @ [b'"', ..] => [b"text:", decode_literal_wtf8(literal).as_ref()].concat(),
        number => number.to_vec(),
    };
    Some([key.as_bytes(), b"\0", &value].concat())
}

/// Returns the id of the conversation that a single message names.
pub(super) fn message_thread_id(record: &[u8]) -> Option<String> {
    let (_, span) = message_thread(record)?;
    Some(match span.slice(record) {
        literal @ [b'"', ..] => decode_literal(literal).into_owned(),
        number => String::from_utf8_lossy(number).into_owned(),
    })
}

/// Returns the text of an identifier: a non-empty string, or a number as spelled.
fn identifier_text(record: &[u8], span: Span, kind: JsonKind) -> Option<Cow<'_, str>> {
    match kind {
        JsonKind::String if !is_empty_literal(span.slice(record)) => {
            Some(decode_literal(span.slice(record)))
        }
        JsonKind::Number => Some(String::from_utf8_lossy(span.slice(record))),
        _ => None,
    }
}

/// A search for the thread id among the keys of a record, fed key by key.
#[derive(Default)]
pub(super) struct ThreadId {
    /// A key that only the format has; it wins over all others.
    format_key: Option<&'static str>,
    /// A key that tells the runs apart of what the format's key names.
    trial_key: Option<&'static str>,
    trial: Option<String>,
    /// The rank of the best key so far (0 is best), and its value.
    best: Option<(usize, String)>,
}

impl ThreadId {
    /// Starts a search that prefers a key of the format, if it has one, and adds the number of the
    /// trial to its value, if the format repeats it for each.
    pub(super) fn with_format_keys(
        format_key: Option<&'static str>,
        trial_key: Option<&'static str>,
    ) -> Self {
        Self { format_key, trial_key, ..Self::default() }
    }

    /// Considers one key and its value.
    pub(super) fn observe_key(&mut self, record: &[u8], key: &[u8], span: Span, kind: JsonKind) {
        if self.trial_key.is_some_and(|name| name.as_bytes() == key) {
            self.trial = identifier_text(record, span, kind).map(Cow::into_owned);
            return;
        }
        let Some(rank) =
            self.format_key.iter().chain(&THREAD_KEYS).position(|name| name.as_bytes() == key)
        else {
            return;
        };
        if self.best.as_ref().is_none_or(|(best, _)| rank <= *best)
            && let Some(id) = identifier_text(record, span, kind)
        {
            self.best = Some((rank, id.into_owned()));
        }
    }

    /// Returns the id that was found.
    pub(super) fn into_id(self) -> Option<String> {
        let (rank, id) = self.best?;
        let is_named_by_format = self.format_key.is_some() && rank == 0;
        Some(match self.trial.filter(|_| is_named_by_format) {
            Some(trial) => format!("{id}-trial-{trial}"),
            None => id,
        })
    }
}
