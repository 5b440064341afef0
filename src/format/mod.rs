//! Transcript formats. Each is one file and one line in [`FORMATS`]; nothing
//! outside this folder knows any of them.

mod openai;

use crate::error::RecordError;
use crate::transcript::json::{Kind, Scanner, Span};
use crate::transcript::splice::Splice;
use crate::transcript::{Record, Transcript, text};
use std::borrow::Cow;

/// All formats, the most specific first: the first that knows a record reads its file.
pub static FORMATS: &[&dyn Format] = &[&openai::OpenAi];

/// Keys that name the conversation of a record, the first non-empty one wins.
const THREAD_KEYS: [&str; 4] = ["thread_id", "session_id", "conversation_id", "id"];
/// Keys that name the conversation of a single message; its `id` is its own.
const MESSAGE_THREAD_KEYS: [&str; 7] = ["thread_id", "session_id", "sessionId", "conversation_id", "chat_id", "trace_id", "run_id"];

/// How many keys of an unknown record are named, and how much of each.
const KEYS_NAMED: usize = 10;
const KEY_CHARS: usize = 40;

/// What one record of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A whole conversation.
    Conversation,
    /// One message; the conversation goes on in other records.
    Message,
}

/// One transcript format: reads records, and writes edits in its own shape.
pub trait Format: Sync {
    /// The name for `--format` and reports.
    fn name(&self) -> &'static str;

    /// One line for `epitome formats`: what it is and how it is recognised.
    fn about(&self) -> &'static str;

    /// Whether a record (valid JSON) is of this format, and what it is then.
    fn recognise(&self, record: &[u8]) -> Option<Shape>;

    /// Reads a conversation from its one record, or from one record a message.
    ///
    /// # Errors
    /// What is wrong with the record, naming the field.
    fn read<'a>(&self, records: Vec<Record<'a>>, shape: Shape) -> Result<Transcript<'a>, RecordError>;

    /// The JSON of a summary message. In a file of one message a record it
    /// carries the thread key and its value as logged.
    fn summary_message(&self, text: &str, thread: Option<(&str, &[u8])>) -> Vec<u8>;

    /// Whether its messages are OpenAI chat messages as they stand: then they can be samples of fine-tuning data.
    fn is_chat(&self) -> bool {
        false
    }

    /// The splices that put `text` in the place of a tool result's text.
    fn replace_result(&self, transcript: &Transcript<'_>, index: usize, text: &str) -> Vec<Splice>;
}

/// The format of that name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.iter().copied().find(|format| format.name() == name)
}

/// The format that knows one of the first records of a file, and their shape.
#[must_use]
pub fn detect<'r>(records: impl IntoIterator<Item = &'r [u8]>) -> Option<(&'static dyn Format, Shape)> {
    records.into_iter().find_map(|record| FORMATS.iter().find_map(|format| Some((*format, format.recognise(record)?))))
}

/// The keys of an object, for the message about a file of no known format.
#[must_use]
pub fn keys_of(record: &[u8]) -> Vec<String> {
    let mut keys = Vec::new();
    let mut scanner = Scanner::new(record);
    // What can't be read has shown its keys up to there.
    let _ = scanner.object(|s, key| {
        if keys.len() < KEYS_NAMED {
            keys.push(key.escape_debug().take(KEY_CHARS).collect());
        } else if keys.len() == KEYS_NAMED {
            keys.push("…".to_owned());
        }
        s.skip().map(drop)
    });
    keys
}

/// The key and value that group a message with its thread, if it has one.
#[must_use]
pub fn message_thread(record: &[u8]) -> Option<(&'static str, Span)> {
    let mut found: Option<(usize, Span)> = None;
    let mut scanner = Scanner::new(record);
    scanner
        .object(|s, key| {
            let kind = s.peek()?;
            let span = s.skip()?;
            if let Some(rank) = MESSAGE_THREAD_KEYS.iter().position(|name| *name == key) {
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
    let value = match value.of(record) {
        literal @ [b'"', ..] => [b"text:", text::decode_wtf8(literal).as_ref()].concat(),
        number => number.to_vec(),
    };
    Some([key.as_bytes(), b"\0", &value].concat())
}

/// The text of an identifier: a non-empty string, or a number as it is spelled.
fn identifier(record: &[u8], span: Span, kind: Kind) -> Option<Cow<'_, str>> {
    match kind {
        Kind::String if !text::is_empty(span.of(record)) => Some(text::decode(span.of(record))),
        Kind::Number => Some(String::from_utf8_lossy(span.of(record))),
        _ => None,
    }
}

/// Collects the thread id of a record while its keys go by.
#[derive(Default)]
struct ThreadId {
    best: Option<(usize, String)>,
}

impl ThreadId {
    /// Looks at one key and its value.
    fn see(&mut self, record: &[u8], key: &str, span: Span, kind: Kind) {
        let Some(rank) = THREAD_KEYS.iter().position(|name| *name == key) else { return };
        if self.best.as_ref().is_none_or(|(best, _)| rank <= *best)
            && let Some(id) = identifier(record, span, kind)
        {
            self.best = Some((rank, id.into_owned()));
        }
    }

    fn take(self) -> Option<String> {
        self.best.map(|(_, id)| id)
    }
}
