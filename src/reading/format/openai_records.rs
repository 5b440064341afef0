//! Records with a list of OpenAI chat messages, at the top or below other keys, and records of one
//! message each.

use crate::reading::format::openai_messages::OpenAiMessageReader;
use crate::reading::format::prelude::*;
use crate::reading::format::thread_id::{ThreadId, message_thread_id};
use crate::reading::format::tree_reading::duplicate_key_warning;
use crate::reading::format::usage;
use crate::reading::transcript::Noticed;
use std::cell::{Cell, RefCell};

/// The place of the list of messages in a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageListPath {
    /// The keys that lead to the list.
    pub(super) list: &'static [&'static str],
    /// A key that names the conversation, beside those that all formats share.
    pub(super) thread: Option<&'static str>,
    /// A key that tells the runs of one task apart, if `thread` names the task.
    pub(super) trial: Option<&'static str>,
}

/// Reads a conversation, either from its one record or from records of one message each.
pub(super) fn read_openai_records(
    records: Vec<Record<'_>>,
    shape: Shape,
    path: MessageListPath,
) -> Result<Transcript<'_>> {
    let mut transcript = Transcript {
        records,
        message_per_record: shape == Shape::Message,
        ..Transcript::default()
    };
    let (mut units, mut foreign, times) = (false, false, Cell::new(false));
    let unread = RefCell::default();
    for index in 0..transcript.records.len() {
        let bytes = transcript.records[index].bytes;
        let mut scanner = Scanner::new(bytes);
        let mut reader = OpenAiMessageReader {
            record: index,
            list: path.list[0],
            times: &times,
            unread: &unread,
        };
        if shape == Shape::Message {
            reader.read_message(&mut scanner, None, &mut transcript.messages)?;
        } else {
            reader.record = 0;
            foreign |= read_conversation(&mut transcript, &mut scanner, reader, path)?;
        }
        scanner.expect_end()?;
        units |= scanner.has_unicode_escapes();
        if let Some(key) = scanner.duplicate_key() {
            transcript.warnings.push(duplicate_key_warning(&key));
        }
    }
    transcript.unread = unread.into_inner();
    fail_if_none_is_read(&transcript)?;
    transcript.noticed = Some(Noticed { units, times: times.get(), foreign });
    transcript.keep_first_summary();
    if shape == Shape::Message
        && let Some(first) = transcript.records.first()
        && let Some(id) = message_thread_id(first.bytes)
    {
        transcript.thread_id = Some(id);
    }
    Ok(transcript)
}

/// Reads a conversation from its record: the list at `path`, or the record itself if it is a list.
/// Returns true if a key beside the list holds a prompt that is not read here.
fn read_conversation(
    transcript: &mut Transcript<'_>,
    scanner: &mut Scanner<'_>,
    reader: OpenAiMessageReader<'_>,
    path: MessageListPath,
) -> Result<bool> {
    let kind = scanner.peek_kind()?;
    if kind == JsonKind::Array {
        let reader = OpenAiMessageReader { list: "messages", ..reader };
        transcript.messages = reader.read_messages(scanner)?;
        return Ok(false);
    }
    if kind != JsonKind::Object {
        let expected = "an object or a list of messages";
        return Err(kind.wrong(scanner.position(), "the record", expected));
    }
    let mut envelope = OpenAiEnvelope {
        reader,
        messages: None,
        thread: ThreadId::with_format_keys(path.thread, path.trial),
        model: None,
        tools: None,
        usage: None,
        has_prompt: false,
    };
    envelope.read_object(scanner, path.list)?;
    transcript.thread_id = envelope.thread.into_id();
    transcript.model = envelope.model.filter(|model| !model.is_empty());
    transcript.tools = envelope.tools;
    transcript.messages = envelope
        .messages
        .ok_or_else(|| no_messages_error(scanner.bytes(), &path.list.join(".")))?;
    usage::assign_to_last_answer(&mut transcript.messages, envelope.usage);
    Ok(envelope.has_prompt)
}

/// The list of messages of a record and the keys around it.
struct OpenAiEnvelope<'r> {
    reader: OpenAiMessageReader<'r>,
    messages: Option<Vec<Message>>,
    thread: ThreadId,
    model: Option<String>,
    tools: Option<Span>,
    usage: Option<Usage>,
    /// True if there is a system prompt outside the list, as Anthropic spells it.
    has_prompt: bool,
}

impl OpenAiEnvelope<'_> {
    /// Reads an object whose keys `path` lead to the list of messages.
    fn read_object(&mut self, scanner: &mut Scanner<'_>, path: &[&'static str]) -> Result<()> {
        let bytes = scanner.bytes();
        scanner.read_object(|s, key| {
            let kind = s.peek_kind()?;
            match (key, path) {
                (key, [list]) if key == list.as_bytes() => {
                    check_kind(s, list, kind, JsonKind::Array)?;
                    let reader = OpenAiMessageReader { list, ..self.reader };
                    self.messages = Some(reader.read_messages(s)?);
                }
                (key, [outer, inner @ ..]) if key == outer.as_bytes() => {
                    check_kind(s, outer, kind, JsonKind::Object)?;
                    self.read_object(s, inner)?;
                }
                (b"usage", _) if kind == JsonKind::Object => {
                    self.usage = usage::parse_usage(s.skip_value()?.slice(bytes));
                }
                (b"tools", _) if kind == JsonKind::Array => self.tools = Some(s.skip_value()?),
                (b"model", _) if kind == JsonKind::String => {
                    self.model = Some(decode_literal(s.read_string()?.slice(bytes)).into_owned());
                }
                _ => {
                    self.has_prompt |= key == b"system";
                    let span = s.skip_value()?;
                    self.thread.observe_key(bytes, key, span, kind);
                }
            }
            Ok(())
        })?;
        Ok(())
    }
}

/// Returns an error at the scanner's position if the value of `key` is not of the expected kind.
fn check_kind(scanner: &Scanner<'_>, key: &str, kind: JsonKind, expected: JsonKind) -> Result<()> {
    if kind == expected {
        return Ok(());
    }
    Err(kind.wrong(scanner.position(), key, expected.noun()))
}
