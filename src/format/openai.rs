//! OpenAI chat messages: `{"messages": […], "tools": […], …}`, a bare list of messages, or one
//! message a record. Most logs and most fine-tuning data are of this format; `function_call` and
//! `function` are its legacy spelling of calls.

use crate::error::RecordError;
use crate::format::insertion::{SummaryInsertion, SummaryPlace};
use crate::format::interface::Format;
use crate::format::openai_messages::OpenAiMessageReader;
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::summary_splices::render_thread_entry;
use crate::format::thread_id::{ThreadId, message_thread_id};
use crate::format::tree::JsonNode;
use crate::format::tree_reading::{duplicate_key_warning, no_messages_error};
use crate::format::usage;
use crate::json::{JsonKind, Scanner, Span, decode_literal, write_literal};
use crate::transcript::{Message, Noticed, Record, Role, Transcript, Usage};
use std::cell::Cell;

type Result<T> = std::result::Result<T, RecordError>;

/// The OpenAI chat dialect.
pub(super) struct OpenAiFormat;

/// The place of the list of messages in a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageListPath {
    /// The keys that lead to the list.
    pub(super) list: &'static [&'static str],
    /// A key that names the conversation, beside those that all formats share.
    pub(super) thread: Option<&'static str>,
}

/// The list at the top of a record.
const TOP: MessageListPath = MessageListPath {
    list: &["messages"],
    thread: None,
};

impl Format for OpenAiFormat {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn help_line(&self) -> &'static str {
        "OpenAI chat messages: {\"messages\": [...]} or a list of messages per record, or one message per line"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        if record.is_kind(JsonKind::Array) {
            // Only the first element decides, so that an error in a later one is reported.
            let is_message = record
                .items()
                .next()
                .is_none_or(|first| first.has_key("role"));
            return is_message
                .then(|| plain_recognition(Shape::Conversation, "a list of objects with a role"));
        }
        if let Some(list) = record.get("messages") {
            // Messages with `parts` are of another dialect, whose text would be overlooked here.
            let has_parts = list.items().any(|message| message.has_key("parts"));
            return (!has_parts).then(|| plain_recognition(Shape::Conversation, "a key messages"));
        }
        let role = record.get("role").and_then(JsonNode::as_text);
        role.is_some_and(|role| Role::from_name(role.as_bytes()).is_some())
            .then(|| plain_recognition(Shape::Message, "one message with a role"))
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>> {
        read_records(records, shape, TOP)
    }

    fn is_chat(&self) -> bool {
        true
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        SummaryInsertion::from_message(self.render_message(transcript, place, Role::User, text))
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        render_chat_message(transcript, place, role, text)
    }
}

fn plain_recognition(shape: Shape, why: &'static str) -> Recognition {
    Recognition {
        shape,
        certainty: Certainty::Fits,
        why,
    }
}

/// Renders a chat message with this text.
pub(super) fn render_chat_message(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    role: Role,
    text: &str,
) -> Vec<u8> {
    let mut out = b"{".to_vec();
    out.extend_from_slice(&render_thread_entry(transcript, place));
    out.extend_from_slice(format!("\"role\": \"{}\", \"content\": ", role.name()).as_bytes());
    write_literal(text, &mut out);
    out.push(b'}');
    out
}

/// Reads a conversation whose list of messages stands at `path`.
pub(super) fn read_conversations(
    records: Vec<Record<'_>>,
    path: MessageListPath,
) -> Result<Transcript<'_>> {
    read_records(records, Shape::Conversation, path)
}

/// Reads a conversation, either from its one record or from records of one message each.
fn read_records(
    records: Vec<Record<'_>>,
    shape: Shape,
    path: MessageListPath,
) -> Result<Transcript<'_>> {
    let mut transcript = Transcript {
        records,
        message_per_record: shape == Shape::Message,
        ..Transcript::default()
    };
    let (mut units, times) = (false, Cell::new(false));
    for index in 0..transcript.records.len() {
        let bytes = transcript.records[index].bytes;
        let mut scanner = Scanner::new(bytes);
        let mut reader = OpenAiMessageReader {
            bytes,
            record: index,
            list: path.list[0],
            times: &times,
        };
        if shape == Shape::Message {
            reader.read_message(&mut scanner, None, &mut transcript.messages)?;
        } else {
            reader.record = 0;
            read_conversation(&mut transcript, &mut scanner, reader, path)?;
        }
        scanner.expect_end()?;
        units |= scanner.has_unicode_escapes();
        if let Some(key) = scanner.duplicate_key() {
            transcript.warnings.push(duplicate_key_warning(&key));
        }
    }
    transcript.noticed = Some(Noticed {
        units,
        times: times.get(),
    });
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
fn read_conversation(
    transcript: &mut Transcript<'_>,
    scanner: &mut Scanner<'_>,
    reader: OpenAiMessageReader<'_>,
    path: MessageListPath,
) -> Result<()> {
    let kind = scanner.peek_kind()?;
    if kind == JsonKind::Array {
        let reader = OpenAiMessageReader {
            list: "messages",
            ..reader
        };
        transcript.messages = reader.read_messages(scanner)?;
        return Ok(());
    }
    if kind != JsonKind::Object {
        return Err(RecordError::at(
            scanner.position(),
            format!(
                "the record is {}, it must be an object or a list of messages",
                kind.noun()
            ),
        ));
    }
    let mut envelope = OpenAiEnvelope {
        reader,
        messages: None,
        thread: ThreadId::with_format_key(path.thread),
        model: None,
        tools: None,
        usage: None,
    };
    envelope.read_object(scanner, path.list)?;
    transcript.thread_id = envelope.thread.into_id();
    transcript.model = envelope.model.filter(|model| !model.is_empty());
    transcript.tools = envelope.tools;
    transcript.messages = envelope
        .messages
        .ok_or_else(|| no_messages_error(reader.bytes, &path.list.join(".")))?;
    usage::assign_to_last_answer(&mut transcript.messages, envelope.usage);
    Ok(())
}

/// The list of messages of a record and the keys around it.
struct OpenAiEnvelope<'r> {
    reader: OpenAiMessageReader<'r>,
    messages: Option<Vec<Message>>,
    thread: ThreadId,
    model: Option<String>,
    tools: Option<Span>,
    usage: Option<Usage>,
}

impl OpenAiEnvelope<'_> {
    /// Reads an object whose keys `path` lead to the list of messages.
    fn read_object(&mut self, scanner: &mut Scanner<'_>, path: &[&'static str]) -> Result<()> {
        let bytes = self.reader.bytes;
        scanner.read_object(|s, key| {
            let kind = s.peek_kind()?;
            match (key, path) {
                (key, [list]) if key == list.as_bytes() => {
                    check_kind(s, list, kind, JsonKind::Array)?;
                    let reader = OpenAiMessageReader {
                        list,
                        ..self.reader
                    };
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
    let reason = format!("{key} is {}, it must be {}", kind.noun(), expected.noun());
    Err(RecordError::at(scanner.position(), reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tree::JsonTree;

    fn read_record(record: &str) -> Result<Transcript<'_>> {
        OpenAiFormat.read_transcript(
            vec![Record {
                bytes: record.as_bytes(),
                line: 1,
            }],
            Shape::Conversation,
        )
    }

    fn thread_id_in(record: &str) -> Option<String> {
        read_record(record).unwrap().thread_id
    }

    fn shape_of(record: &str) -> Option<Shape> {
        let tree = JsonTree::new(record.as_bytes()).unwrap();
        let recognition = OpenAiFormat.recognize_record(tree.root());
        recognition.map(|recognition| recognition.shape)
    }

    /// A conversation with this answer, and further keys beside the list.
    fn conversation_with(message: &str, beside: &str) -> String {
        format!(r#"{{"messages": [{{"role": "user", "content": "q"}}, {message}]{beside}}}"#)
    }

    #[test]
    fn errors_name_the_field_and_what_was_found() {
        for (record, want) in [
            (
                r#"{"messages": "x"}"#,
                "messages is a string, it must be an array",
            ),
            (
                r#"{"a": 1, "b": 2}"#,
                "record without messages; its keys: a, b",
            ),
            (
                r#"{"messages": [1]}"#,
                "messages[0] is a number, it must be an object",
            ),
            (
                r#"{"messages": [{"content": "x"}]}"#,
                "messages[0].role is missing",
            ),
            (
                r#"{"messages": [{"role": "critic"}]}"#,
                "messages[0].role is \"critic\", it must be one of system, developer, user, assistant, tool, function",
            ),
            (
                r#"{"messages": [{"role": "user", "content": 5}]}"#,
                "messages[0].content is a number, it must be a string, a list or null",
            ),
        ] {
            assert_eq!(read_record(record).unwrap_err().reason, want);
        }
    }

    #[test]
    fn the_thread_id_is_the_first_named_key_that_is_not_empty() {
        assert_eq!(
            thread_id_in(r#"{"id": "b", "thread_id": "a", "messages": []}"#).as_deref(),
            Some("a")
        );
        assert_eq!(
            thread_id_in(r#"{"thread_id": "", "id": 17, "messages": []}"#).as_deref(),
            Some("17")
        );
        assert_eq!(thread_id_in(r#"{"messages": []}"#), None);
    }

    #[test]
    fn noticed_flags_agree_with_a_search_of_the_record() {
        let plain = r#"{"role": "assistant", "content": "a \\u \n"}"#;
        for (record, units, times) in [
            (conversation_with(plain, ""), false, false),
            (
                conversation_with(plain, r#", "note": "\ud800""#),
                true,
                false,
            ),
            (
                conversation_with(plain, r#", "n\u006fte": [1]"#),
                true,
                false,
            ),
            (
                conversation_with(
                    r#"{"role": "assistant", "content": [{"type": "text", "text": "\ud800"}], "time": 1}"#,
                    "",
                ),
                true,
                true,
            ),
            (
                conversation_with(
                    r#"{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{\"k\": \"\\ud800\"}"}}]}"#,
                    "",
                ),
                false,
                false,
            ),
            (
                conversation_with(
                    r#"{"role": "assistant", "tool_calls": [{"id": "\ud800", "function": {"name": "f", "arguments": {"k": 1}}}], "created_at": "x"}"#,
                    "",
                ),
                true,
                true,
            ),
        ] {
            let transcript = read_record(&record).unwrap();
            assert_eq!(
                transcript.noticed,
                Some(Noticed { units, times }),
                "{record}"
            );
            let searched = Transcript {
                noticed: None,
                ..transcript.clone()
            };
            assert_eq!(
                transcript.has_lone_surrogate(),
                searched.has_lone_surrogate(),
                "{record}"
            );
        }
    }

    #[test]
    fn the_usage_of_a_record_is_that_of_its_last_answer() {
        let record = r#"{"usage": {"total_tokens": 9}, "messages": [{"role": "assistant"}, {"role": "assistant"}, {"role": "user"}]}"#;
        let messages = read_record(record).unwrap().messages;
        assert_eq!(
            messages
                .iter()
                .map(|message| message.usage.as_ref().map(|usage| usage.total_tokens))
                .collect::<Vec<_>>(),
            [None, Some(9), None]
        );
    }

    #[test]
    fn a_result_that_failed_or_has_not_ended_is_incomplete() {
        for (keys, want) in [
            (r#""status": "error""#, true),
            (r#""status": "running""#, true),
            (r#""status": "success""#, false),
            (r#""is_error": true"#, true),
            (r#""is_error": false"#, false),
            (r#""status": "error", "status": null"#, false),
            (r#""x": 1"#, false),
        ] {
            let record = format!(r#"{{"messages": [{{"role": "tool", "content": "x", {keys}}}]}}"#);
            assert_eq!(
                read_record(&record).unwrap().messages[0].incomplete,
                want,
                "{keys}"
            );
        }
    }

    #[test]
    fn recognises_its_three_shapes_and_nothing_else() {
        assert_eq!(shape_of(r#"{"messages": 1}"#), Some(Shape::Conversation));
        assert_eq!(shape_of(r#"[{"role": "user"}]"#), Some(Shape::Conversation));
        assert_eq!(
            shape_of(r#"{"role": "user", "content": "x"}"#),
            Some(Shape::Message)
        );
        assert_eq!(
            shape_of(r#"{"messages": [{"role": "user", "parts": []}]}"#),
            None
        );
        assert_eq!(shape_of(r#"{"x": 1}"#), None);
        assert_eq!(shape_of(r#"[{"messages": []}]"#), None);
    }
}
