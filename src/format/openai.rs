//! OpenAI chat messages: `{"messages": […], "tools": […], …}`, the bare array
//! of messages, or one message a record. The most common shape of logs and
//! fine-tuning data (`function_call` and `function` are its legacy).

use crate::error::RecordError;
use crate::format::openai_messages::OpenAiMessageReader;
use crate::format::tree::JsonNode;
use crate::format::usage;
use crate::format::{
    Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace, ThreadId, message_thread,
};
use crate::json::{JsonKind, Scanner};
use crate::json::{decode_literal, write_literal};
use crate::transcript::{Message, Noticed, Record, Role, Transcript, Usage};
use std::cell::Cell;

/// The OpenAI chat dialect.
pub(super) struct OpenAiFormat;

type Result<T> = std::result::Result<T, RecordError>;

impl Format for OpenAiFormat {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn help_line(&self) -> &'static str {
        "OpenAI chat messages: {\"messages\": [...]} or a list of messages per record, or one message per line"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let hit = |shape, why| {
            Some(Recognition {
                shape,
                certainty: Certainty::Fits,
                why,
            })
        };
        if record.is(JsonKind::Array) {
            // The first element tells: what is wrong with a later one is to be told, not hidden.
            let is_message = record.items().next().is_none_or(|first| first.has("role"));
            return if is_message {
                hit(Shape::Conversation, "a list of objects with a role")
            } else {
                None
            };
        }
        if let Some(list) = record.get("messages") {
            // What speaks in parts is another dialect, whose text would not be seen.
            if list.items().any(|message| message.has("parts")) {
                return None;
            }
            return hit(Shape::Conversation, "a key messages");
        }
        let role = record.get("role").and_then(JsonNode::text);
        if role.is_some_and(|role| Role::from_name(role.as_bytes()).is_some()) {
            hit(Shape::Message, "one message with a role")
        } else {
            None
        }
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
        SummaryInsertion::message(message(transcript, place, Role::User, text))
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        message(transcript, place, role, text)
    }
}

/// A user message with this text, for those who speak the dialect below other keys, too.
pub(super) fn message(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    role: Role,
    text: &str,
) -> Vec<u8> {
    let mut out = b"{".to_vec();
    if let Some((key, value)) = place.thread(transcript) {
        write_literal(key, &mut out);
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
        out.extend_from_slice(b", ");
    }
    out.extend_from_slice(format!("\"role\": \"{}\", \"content\": ", role.name()).as_bytes());
    write_literal(text, &mut out);
    out.push(b'}');
    out
}

/// Reads a conversation from its one record, or from one record a message.
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
        match shape {
            Shape::Message => {
                let reader = OpenAiMessageReader {
                    bytes,
                    record: index,
                    list: path.list[0],
                    times: &times,
                };
                reader.message(&mut scanner, None, &mut transcript.messages)?;
            }
            Shape::Conversation | Shape::Journal => {
                read_conversation(&mut transcript, &mut scanner, bytes, path, &times)?
            }
        }
        scanner.expect_end()?;
        units |= scanner.has_unicode_escapes();
        if let Some(key) = scanner.duplicate_key() {
            transcript.warnings.push(format!(
                "key {key:?} stands twice in one object; the last one counts"
            ));
        }
    }
    transcript.noticed = Some(Noticed {
        units,
        times: times.get(),
    });
    transcript.keep_first_summary();
    if shape == Shape::Message
        && let Some(first) = transcript.records.first()
        && let Some((_, span)) = message_thread(first.bytes)
    {
        transcript.thread_id = Some(match span.slice(first.bytes) {
            literal @ [b'"', ..] => decode_literal(literal).into_owned(),
            number => String::from_utf8_lossy(number).into_owned(),
        });
    }
    Ok(transcript)
}

/// Reads a conversation from its one record: the list below `path`, or the record itself if that is a list.
fn read_conversation(
    transcript: &mut Transcript<'_>,
    scanner: &mut Scanner<'_>,
    bytes: &[u8],
    path: MessageListPath,
    times: &Cell<bool>,
) -> Result<()> {
    if scanner.peek_kind()? == JsonKind::Array {
        transcript.messages = OpenAiMessageReader {
            bytes,
            record: 0,
            list: "messages",
            times,
        }
        .messages(scanner)?;
        return Ok(());
    }
    let kind = scanner.peek_kind()?;
    if kind != JsonKind::Object {
        return Err(RecordError::at(
            scanner.position(),
            format!(
                "the record is {}, it must be an object or a list of messages",
                kind.noun()
            ),
        ));
    }
    let mut found = OpenAiFields {
        thread: ThreadId::of(path.thread),
        ..OpenAiFields::default()
    };
    read_object(transcript, scanner, (bytes, times), path.list, &mut found)?;
    transcript.thread_id = found.thread.take();
    transcript.model = transcript.model.take().filter(|model| !model.is_empty());
    transcript.messages = found.messages.ok_or_else(|| {
        RecordError::new(format!(
            "record without {}; {}",
            path.list.join("."),
            crate::format::describe_record(bytes)
        ))
    })?;
    usage::of_last_answer(&mut transcript.messages, found.usage);
    Ok(())
}

/// Where a dialect keeps its messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageListPath {
    /// The keys that lead to the list.
    pub(super) list: &'static [&'static str],
    /// A key of its own that names the conversation.
    pub(super) thread: Option<&'static str>,
}

/// The list at the top of the record.
const TOP: MessageListPath = MessageListPath {
    list: &["messages"],
    thread: None,
};

/// Reads a conversation of OpenAI messages that stands below other keys.
pub(super) fn read_below(
    records: Vec<Record<'_>>,
    path: MessageListPath,
) -> Result<Transcript<'_>> {
    read_records(records, Shape::Conversation, path)
}

#[derive(Default)]
struct OpenAiFields {
    messages: Option<Vec<Message>>,
    thread: ThreadId,
    usage: Option<Usage>,
}

fn read_object(
    transcript: &mut Transcript<'_>,
    scanner: &mut Scanner<'_>,
    (bytes, times): (&[u8], &Cell<bool>),
    path: &[&'static str],
    found: &mut OpenAiFields,
) -> Result<()> {
    let must_be = |s: &Scanner<'_>, kind: JsonKind, wanted: JsonKind| match kind == wanted {
        true => Ok(()),
        false => Err(RecordError::at(
            s.position(),
            format!(
                "{} is {}, it must be {}",
                path[0],
                kind.noun(),
                wanted.noun()
            ),
        )),
    };
    scanner.read_object(|s, key| {
        let kind = s.peek_kind()?;
        match (key, path) {
            (key, [list]) if key == list.as_bytes() => {
                must_be(s, kind, JsonKind::Array)?;
                found.messages = Some(
                    OpenAiMessageReader {
                        bytes,
                        record: 0,
                        list,
                        times,
                    }
                    .messages(s)?,
                );
            }
            (key, [outer, inner @ ..]) if key == outer.as_bytes() => {
                must_be(s, kind, JsonKind::Object)?;
                read_object(transcript, s, (bytes, times), inner, found)?;
            }
            (b"usage", _) if kind == JsonKind::Object => {
                found.usage = usage::read(s.skip_value()?.slice(bytes))
            }
            (b"tools", _) if kind == JsonKind::Array => transcript.tools = Some(s.skip_value()?),
            (b"model", _) if kind == JsonKind::String => {
                transcript.model = Some(decode_literal(s.read_string()?.slice(bytes)).into_owned())
            }
            _ => {
                let span = s.skip_value()?;
                found.thread.see(bytes, key, span, kind);
            }
        }
        Ok(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tree::JsonTree;

    fn read(record: &str) -> Result<Transcript<'_>> {
        OpenAiFormat.read_transcript(
            vec![Record {
                bytes: record.as_bytes(),
                line: 1,
            }],
            Shape::Conversation,
        )
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
            assert_eq!(read(record).unwrap_err().reason, want);
        }
    }

    #[test]
    fn the_thread_id_is_the_first_named_key_that_is_not_empty() {
        let id = |record| read(record).unwrap().thread_id;
        assert_eq!(
            id(r#"{"id": "b", "thread_id": "a", "messages": []}"#).as_deref(),
            Some("a")
        );
        assert_eq!(
            id(r#"{"thread_id": "", "id": 17, "messages": []}"#).as_deref(),
            Some("17")
        );
        assert_eq!(id(r#"{"messages": []}"#), None);
    }

    #[test]
    fn what_reading_noticed_is_what_a_search_would_find() {
        let with = |message: &str, beside: &str| {
            format!(r#"{{"messages": [{{"role": "user", "content": "q"}}, {message}]{beside}}}"#)
        };
        let plain = r#"{"role": "assistant", "content": "a \\u \n"}"#;
        for (record, units, times) in [
            (with(plain, ""), false, false),
            (with(plain, r#", "note": "\ud800""#), true, false),
            (with(plain, r#", "n\u006fte": [1]"#), true, false),
            (
                with(
                    r#"{"role": "assistant", "content": [{"type": "text", "text": "\ud800"}], "time": 1}"#,
                    "",
                ),
                true,
                true,
            ),
            (
                with(
                    r#"{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{\"k\": \"\\ud800\"}"}}]}"#,
                    "",
                ),
                false,
                false,
            ),
            (
                with(
                    r#"{"role": "assistant", "tool_calls": [{"id": "\ud800", "function": {"name": "f", "arguments": {"k": 1}}}], "created_at": "x"}"#,
                    "",
                ),
                true,
                true,
            ),
        ] {
            let transcript = read(&record).unwrap();
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
        let messages = read(record).unwrap().messages;
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
                read(&record).unwrap().messages[0].incomplete,
                want,
                "{keys}"
            );
        }
    }

    #[test]
    fn recognises_its_three_shapes_and_nothing_else() {
        let shape = |record: &str| {
            OpenAiFormat
                .recognize_record(JsonTree::new(record.as_bytes()).unwrap().root())
                .map(|hit| hit.shape)
        };
        assert_eq!(shape(r#"{"messages": 1}"#), Some(Shape::Conversation));
        assert_eq!(shape(r#"[{"role": "user"}]"#), Some(Shape::Conversation));
        assert_eq!(
            shape(r#"{"role": "user", "content": "x"}"#),
            Some(Shape::Message)
        );
        assert_eq!(
            shape(r#"{"messages": [{"role": "user", "parts": []}]}"#),
            None
        );
        assert_eq!(shape(r#"{"x": 1}"#), None);
        assert_eq!(shape(r#"[{"messages": []}]"#), None);
    }
}
