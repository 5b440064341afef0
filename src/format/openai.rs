//! OpenAI chat messages: `{"messages": […], "tools": […], …}`, the bare array
//! of messages, or one message a record. The most common shape of logs and
//! fine-tuning data (`function_call` and `function` are its legacy).

use crate::error::RecordError;
use crate::format::tree::Node;
use crate::format::usage;
use crate::format::{Certainty, Entry, Format, Hit, Place, Shape, ThreadId, message_thread};
use crate::transcript::arguments;
use crate::transcript::frame;
use crate::transcript::json::{Kind, Scanner, Span};
use crate::transcript::measure;
use crate::transcript::time;
use crate::transcript::{Block, BlockKind, Call, Content, Message, Noticed, Record, Role, Transcript, Usage, text};
use std::cell::Cell;

/// The OpenAI chat dialect.
pub(super) struct OpenAi;

type Result<T> = std::result::Result<T, RecordError>;

impl Format for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn about(&self) -> &'static str {
        "OpenAI chat messages: {\"messages\": [...]} or a list of messages per record, or one message per line"
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
        let hit = |shape, why| Some(Hit { shape, certainty: Certainty::Fits, why });
        if record.is(Kind::Array) {
            // The first element tells: what is wrong with a later one is to be told, not hidden.
            let is_message = record.items().next().is_none_or(|first| first.has("role"));
            return if is_message { hit(Shape::Conversation, "a list of objects with a role") } else { None };
        }
        if let Some(list) = record.get("messages") {
            // What speaks in parts is another dialect, whose text would not be seen.
            if list.items().any(|message| message.has("parts")) {
                return None;
            }
            return hit(Shape::Conversation, "a key messages");
        }
        let role = record.get("role").and_then(Node::text);
        if role.is_some_and(|role| Role::named(role.as_bytes()).is_some()) { hit(Shape::Message, "one message with a role") } else { None }
    }

    fn read<'a>(&self, records: Vec<Record<'a>>, shape: Shape) -> Result<Transcript<'a>> {
        read_records(records, shape, TOP)
    }

    fn is_chat(&self) -> bool {
        true
    }

    fn place_summary(&self, transcript: &Transcript<'_>, place: &Place<'_>, text: &str) -> Entry {
        Entry::message(message(transcript, place, Role::User, text))
    }

    fn message(&self, transcript: &Transcript<'_>, place: &Place<'_>, role: Role, text: &str) -> Vec<u8> {
        message(transcript, place, role, text)
    }
}

/// A user message with this text, for those who speak the dialect below other keys, too.
pub(super) fn message(transcript: &Transcript<'_>, place: &Place<'_>, role: Role, text: &str) -> Vec<u8> {
    let mut out = b"{".to_vec();
    if let Some((key, value)) = place.thread(transcript) {
        text::write_literal(key, &mut out);
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
        out.extend_from_slice(b", ");
    }
    out.extend_from_slice(format!("\"role\": \"{}\", \"content\": ", role.name()).as_bytes());
    text::write_literal(text, &mut out);
    out.push(b'}');
    out
}

/// Reads a conversation from its one record, or from one record a message.
fn read_records(records: Vec<Record<'_>>, shape: Shape, path: Path) -> Result<Transcript<'_>> {
    let mut transcript = Transcript { records, message_per_record: shape == Shape::Message, ..Transcript::default() };
    let (mut units, times) = (false, Cell::new(false));
    for index in 0..transcript.records.len() {
        let bytes = transcript.records[index].bytes;
        let mut scanner = Scanner::new(bytes);
        match shape {
            Shape::Message => {
                let reader = Reader { bytes, record: index, list: path.list[0], times: &times };
                reader.message(&mut scanner, None, &mut transcript.messages)?;
            }
            Shape::Conversation | Shape::Journal => read_conversation(&mut transcript, &mut scanner, bytes, path, &times)?,
        }
        scanner.end()?;
        units |= scanner.has_units();
        if let Some(key) = scanner.duplicate_key() {
            transcript.warnings.push(format!("key {key:?} stands twice in one object; the last one counts"));
        }
    }
    transcript.noticed = Some(Noticed { units, times: times.get() });
    transcript.keep_first_summary();
    if shape == Shape::Message
        && let Some(first) = transcript.records.first()
        && let Some((_, span)) = message_thread(first.bytes)
    {
        transcript.thread_id = Some(match span.of(first.bytes) {
            literal @ [b'"', ..] => text::decode(literal).into_owned(),
            number => String::from_utf8_lossy(number).into_owned(),
        });
    }
    Ok(transcript)
}

/// Reads a conversation from its one record: the list below `path`, or the record itself if that is a list.
fn read_conversation(transcript: &mut Transcript<'_>, scanner: &mut Scanner<'_>, bytes: &[u8], path: Path, times: &Cell<bool>) -> Result<()> {
    if scanner.peek()? == Kind::Array {
        transcript.messages = Reader { bytes, record: 0, list: "messages", times }.messages(scanner)?;
        return Ok(());
    }
    let kind = scanner.peek()?;
    if kind != Kind::Object {
        return Err(RecordError::at(scanner.position(), format!("the record is {}, it must be an object or a list of messages", kind.noun())));
    }
    let mut found = Found { thread: ThreadId::of(path.thread), ..Found::default() };
    read_object(transcript, scanner, (bytes, times), path.list, &mut found)?;
    transcript.thread_id = found.thread.take();
    transcript.model = transcript.model.take().filter(|model| !model.is_empty());
    transcript.messages =
        found.messages.ok_or_else(|| RecordError::new(format!("record without {}; {}", path.list.join("."), crate::format::what_it_holds(bytes))))?;
    usage::of_last_answer(&mut transcript.messages, found.usage);
    Ok(())
}

/// Where a dialect keeps its messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path {
    /// The keys that lead to the list.
    pub(super) list: &'static [&'static str],
    /// A key of its own that names the conversation.
    pub(super) thread: Option<&'static str>,
}

/// The list at the top of the record.
const TOP: Path = Path { list: &["messages"], thread: None };

/// Reads a conversation of OpenAI messages that stands below other keys.
pub(super) fn read_below(records: Vec<Record<'_>>, path: Path) -> Result<Transcript<'_>> {
    read_records(records, Shape::Conversation, path)
}

#[derive(Default)]
struct Found {
    messages: Option<Vec<Message>>,
    thread: ThreadId,
    usage: Option<Usage>,
}

fn read_object(
    transcript: &mut Transcript<'_>,
    scanner: &mut Scanner<'_>,
    (bytes, times): (&[u8], &Cell<bool>),
    path: &[&'static str],
    found: &mut Found,
) -> Result<()> {
    let must_be = |s: &Scanner<'_>, kind: Kind, wanted: Kind| match kind == wanted {
        true => Ok(()),
        false => Err(RecordError::at(s.position(), format!("{} is {}, it must be {}", path[0], kind.noun(), wanted.noun()))),
    };
    scanner.object(|s, key| {
        let kind = s.peek()?;
        match (key, path) {
            (key, [list]) if key == list.as_bytes() => {
                must_be(s, kind, Kind::Array)?;
                found.messages = Some(Reader { bytes, record: 0, list, times }.messages(s)?);
            }
            (key, [outer, inner @ ..]) if key == outer.as_bytes() => {
                must_be(s, kind, Kind::Object)?;
                read_object(transcript, s, (bytes, times), inner, found)?;
            }
            (b"usage", _) if kind == Kind::Object => found.usage = usage::read(s.skip()?.of(bytes)),
            (b"tools", _) if kind == Kind::Array => transcript.tools = Some(s.skip()?),
            (b"model", _) if kind == Kind::String => transcript.model = Some(text::decode(s.string()?.of(bytes)).into_owned()),
            _ => {
                let span = s.skip()?;
                found.thread.see(bytes, key, span, kind);
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// Reads messages of one record.
#[derive(Clone, Copy)]
struct Reader<'a> {
    bytes: &'a [u8],
    record: usize,
    /// The key of the list, for errors.
    list: &'static str,
    /// Whether a message has a key for its time.
    times: &'a Cell<bool>,
}

impl Reader<'_> {
    fn messages(self, scanner: &mut Scanner<'_>) -> Result<Vec<Message>> {
        // Growing would move them: there is room from the first for as many as there usually are in so many bytes.
        let mut messages = Vec::with_capacity((self.bytes.len() / 96).clamp(4, 4096));
        scanner.array(|s| self.message(s, Some(messages.len()), &mut messages))?;
        Ok(messages)
    }

    /// Adds one message; its index in the list names it in errors (none where it is the whole record).
    fn message(self, scanner: &mut Scanner<'_>, index: Option<usize>, messages: &mut Vec<Message>) -> Result<()> {
        let field = |name: &str| index.map_or_else(|| name.to_owned(), |index| format!("{}[{index}].{name}", self.list));
        let kind = scanner.peek()?;
        if kind != Kind::Object {
            let what = index.map_or_else(|| "the record".to_owned(), |index| format!("{}[{index}]", self.list));
            return Err(RecordError::at(scanner.position(), format!("{what} is {}, it must be an object", kind.noun())));
        }
        let mut role = None;
        // It is filled where it is to stay: it is large.
        let message = messages.push_mut(Message::new(self.record, Span::default(), Role::User));
        let mut legacy = None;
        // Its `status`, and its `is_error`.
        let (mut unfinished, mut failed) = (false, false);
        // LangChain's usage goes before the provider's own.
        let (mut usage, mut usage_metadata) = (None, None);
        message.span = scanner.object(|s, key| {
            let kind = s.peek()?;
            match (key, kind) {
                (b"role", Kind::String) => {
                    let at = s.position();
                    let name = s.text()?;
                    role = Some(Role::named(&name).ok_or_else(|| {
                        let (name, known) = (text::wtf8_to_str(&name), Role::ALL.map(Role::name).join(", "));
                        RecordError::at(at, format!("{} is {name:?}, it must be one of {known}", field("role")))
                    })?);
                }
                (b"role", _) => return Err(RecordError::at(s.position(), format!("{} is {}, it must be a string", field("role"), kind.noun()))),
                (b"content", _) => self.content(s, kind, message, &field)?,
                // A key that stands twice counts as it stands last, null included.
                (b"name", Kind::String) => message.name = Some(s.string()?).filter(|name| !text::is_empty(name.of(self.bytes))),
                (b"tool_calls", Kind::Array) => message.calls = self.calls(s, &field)?,
                (b"function_call", Kind::Object) => legacy = Some(self.function(s, true)?),
                (b"tool_call_id", Kind::String) => message.answers = Some(s.string()?),
                (b"status", Kind::String) => unfinished = matches!(s.text()?.as_ref(), b"error" | b"pending" | b"running"),
                (b"is_error", Kind::Bool) => failed = s.skip()?.of(self.bytes) == b"true",
                // SWE-agent: a list, though every result answers one call.
                (b"tool_call_ids", Kind::Array) => {
                    let first = self.first_string(s)?;
                    message.answers = message.answers.or(first);
                }
                (b"usage_metadata", Kind::Object) => usage_metadata = usage::metadata(s.skip()?.of(self.bytes)),
                (b"usage", Kind::Object) => usage = usage::read(s.skip()?.of(self.bytes)),
                (b"response_metadata", Kind::Object) => message.provider = self.provider(s)?,
                (other, _) => {
                    s.skip()?;
                    match other {
                        b"name" => message.name = None,
                        b"tool_calls" => message.calls.clear(),
                        b"function_call" => legacy = None,
                        b"tool_call_id" => message.answers = None,
                        b"usage_metadata" => usage_metadata = None,
                        b"usage" => usage = None,
                        b"status" => unfinished = false,
                        b"is_error" => failed = false,
                        b"response_metadata" => message.provider = None,
                        other if time::is_time_key(other) => self.times.set(true),
                        _ => {}
                    }
                }
            }
            Ok(())
        })?;
        message.role = role.ok_or_else(|| RecordError::at(message.span.start, format!("{} is missing", field("role"))))?;
        if message.role == Role::Assistant {
            message.calls.extend(legacy);
        } else {
            message.calls.clear();
        }
        if message.role != Role::Tool {
            message.answers = None;
        }
        message.usage = usage_metadata.or(usage).filter(|_| message.role == Role::Assistant).map(Box::new);
        message.incomplete = message.role.is_result() && (unfinished || failed);
        message.earlier_summary = message.role == Role::User && self.is_summary(&message.content);
        Ok(())
    }

    #[inline]
    fn content(self, scanner: &mut Scanner<'_>, kind: Kind, message: &mut Message, field: &dyn Fn(&str) -> String) -> Result<()> {
        message.points = None;
        let (content, span) = match kind {
            Kind::String => {
                let span = scanner.string()?;
                message.points = Some(scanner.points());
                (Content::Text(span), span)
            }
            Kind::Null => (Content::Absent, scanner.skip()?),
            Kind::Array => {
                let mut blocks = Vec::new();
                let span = scanner.array(|s| {
                    let block = self.block(s, || format!("{}[{}]", field("content"), blocks.len()))?;
                    blocks.push(block);
                    Ok(())
                })?;
                (if blocks.is_empty() { Content::Absent } else { Content::Blocks(blocks) }, span)
            }
            Kind::Object | Kind::Number | Kind::Bool => {
                let place = field("content");
                return Err(RecordError::at(scanner.position(), format!("{place} is {}, it must be a string, a list or null", kind.noun())));
            }
        };
        (message.content, message.content_span) = (content, Some(span));
        Ok(())
    }

    /// A block of a content list: a bare string, or an object with a `type`.
    fn block(self, scanner: &mut Scanner<'_>, place: impl Fn() -> String) -> Result<Block> {
        match scanner.peek()? {
            Kind::String => {
                let span = scanner.string()?;
                return Ok(Block { span, kind: BlockKind::Text(span) });
            }
            Kind::Object => {}
            kind => return Err(RecordError::at(scanner.position(), format!("{} is {}, it must be an object or a string", place(), kind.noun()))),
        }
        let (mut kind, mut text) = (BlockKind::Other, None);
        let mut is_text = false;
        let span = scanner.object(|s, key| {
            match (key, s.peek()?) {
                (b"type", Kind::String) => match s.text()?.as_ref() {
                    b"text" => is_text = true,
                    b"image" | b"image_url" => kind = BlockKind::Image,
                    _ => {}
                },
                (b"text", Kind::String) => text = Some(s.string()?),
                _ => drop(s.skip()?),
            }
            Ok(())
        })?;
        if is_text {
            // A text block without text counts nothing and shows nothing.
            kind = BlockKind::Text(text.unwrap_or_default());
        }
        Ok(Block { span, kind })
    }

    fn calls(self, scanner: &mut Scanner<'_>, field: &dyn Fn(&str) -> String) -> Result<Vec<Call>> {
        let mut calls = Vec::new();
        scanner.array(|s| {
            let kind = s.peek()?;
            if kind != Kind::Object {
                let place = field("tool_calls");
                return Err(RecordError::at(s.position(), format!("{place}[{}] is {}, it must be an object", calls.len(), kind.noun())));
            }
            let (mut id, mut call) = (None, None);
            let span = s.object(|s, key| {
                match (key, s.peek()?) {
                    (b"id", Kind::String) => id = Some(s.string()?),
                    (b"function" | b"custom", Kind::Object) => call = Some(self.function(s, false)?),
                    _ => drop(s.skip()?),
                }
                Ok(())
            })?;
            calls.push(Call { span, id, ..call.unwrap_or_default() });
            Ok(())
        })?;
        Ok(calls)
    }

    /// `{"name", "arguments"}`, or `{"name", "input"}` of a custom tool, whose input is free text.
    fn function(self, scanner: &mut Scanner<'_>, legacy: bool) -> Result<Call> {
        let mut call = Call { legacy, ..Call::default() };
        call.span = scanner.object(|s, key| {
            match (key, s.peek()?) {
                (b"name", Kind::String) => call.name = Some(s.string()?),
                (b"arguments", Kind::String) => {
                    let span = s.string()?;
                    call.arguments = Some(span);
                    call.repr_points = measure::repr_points(self.bytes, span);
                    call.valid = call.repr_points.is_some() || arguments::parse_object(&text::decode_wtf8(span.of(self.bytes))).is_some();
                }
                (b"arguments", Kind::Object) => (call.arguments, call.valid) = (Some(s.skip()?), true),
                (b"input", Kind::String) => call.arguments = Some(s.string()?),
                _ => drop(s.skip()?),
            }
            Ok(())
        })?;
        Ok(call)
    }

    fn first_string(self, scanner: &mut Scanner<'_>) -> Result<Option<Span>> {
        let mut first = None;
        scanner.array(|s| {
            let kind = s.peek()?;
            let span = s.skip()?;
            if kind == Kind::String {
                first.get_or_insert(span);
            }
            Ok(())
        })?;
        Ok(first)
    }

    fn provider(self, scanner: &mut Scanner<'_>) -> Result<Option<Span>> {
        let mut provider = None;
        scanner.object(|s, key| {
            let kind = s.peek()?;
            let span = s.skip()?;
            if key == b"model_provider" && kind == Kind::String && !text::is_empty(span.of(self.bytes)) {
                provider = Some(span);
            }
            Ok(())
        })?;
        Ok(provider)
    }

    fn is_summary(self, content: &Content) -> bool {
        match content {
            Content::Text(span) => frame::is_summary(span.of(self.bytes)),
            Content::Absent | Content::Blocks(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tree::Tree;

    fn read(record: &str) -> Result<Transcript<'_>> {
        OpenAi.read(vec![Record { bytes: record.as_bytes(), line: 1 }], Shape::Conversation)
    }

    #[test]
    fn errors_name_the_field_and_what_was_found() {
        for (record, want) in [
            (r#"{"messages": "x"}"#, "messages is a string, it must be an array"),
            (r#"{"a": 1, "b": 2}"#, "record without messages; its keys: a, b"),
            (r#"{"messages": [1]}"#, "messages[0] is a number, it must be an object"),
            (r#"{"messages": [{"content": "x"}]}"#, "messages[0].role is missing"),
            (r#"{"messages": [{"role": "critic"}]}"#, "messages[0].role is \"critic\", it must be one of system, developer, user, assistant, tool, function"),
            (r#"{"messages": [{"role": "user", "content": 5}]}"#, "messages[0].content is a number, it must be a string, a list or null"),
        ] {
            assert_eq!(read(record).unwrap_err().reason, want);
        }
    }

    #[test]
    fn the_thread_id_is_the_first_named_key_that_is_not_empty() {
        let id = |record| read(record).unwrap().thread_id;
        assert_eq!(id(r#"{"id": "b", "thread_id": "a", "messages": []}"#).as_deref(), Some("a"));
        assert_eq!(id(r#"{"thread_id": "", "id": 17, "messages": []}"#).as_deref(), Some("17"));
        assert_eq!(id(r#"{"messages": []}"#), None);
    }

    #[test]
    fn the_usage_of_a_record_is_that_of_its_last_answer() {
        let record = r#"{"usage": {"total_tokens": 9}, "messages": [{"role": "assistant"}, {"role": "assistant"}, {"role": "user"}]}"#;
        let messages = read(record).unwrap().messages;
        assert_eq!(messages.iter().map(|message| message.usage.as_ref().map(|usage| usage.total_tokens)).collect::<Vec<_>>(), [None, Some(9), None]);
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
            assert_eq!(read(&record).unwrap().messages[0].incomplete, want, "{keys}");
        }
    }

    #[test]
    fn recognises_its_three_shapes_and_nothing_else() {
        let shape = |record: &str| OpenAi.recognise(Tree::new(record.as_bytes()).unwrap().root()).map(|hit| hit.shape);
        assert_eq!(shape(r#"{"messages": 1}"#), Some(Shape::Conversation));
        assert_eq!(shape(r#"[{"role": "user"}]"#), Some(Shape::Conversation));
        assert_eq!(shape(r#"{"role": "user", "content": "x"}"#), Some(Shape::Message));
        assert_eq!(shape(r#"{"messages": [{"role": "user", "parts": []}]}"#), None);
        assert_eq!(shape(r#"{"x": 1}"#), None);
        assert_eq!(shape(r#"[{"messages": []}]"#), None);
    }
}
