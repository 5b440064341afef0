//! The messages of OpenAI's chat dialect, and their calls.

use crate::error::RecordError;
use crate::format::plain::MessagePrefixes;
use crate::format::usage;
use crate::json::python_value::parse_python_object;
use crate::json::repr_length::literal_repr_length;
use crate::json::{JsonKind, Scanner, Span};
use crate::json::{decode_literal_wtf8, is_empty_literal, wtf8_to_str};
use crate::transcript::message_time::is_time_key;
use crate::transcript::summary_frame::is_framed_summary;
use crate::transcript::{BlockKind, Content, ContentBlock, Message, Role, ToolCall};
use std::cell::Cell;

type Result<T> = std::result::Result<T, RecordError>;

/// Reads messages of one record.
#[derive(Clone, Copy)]
pub(super) struct OpenAiMessageReader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) record: usize,
    /// The key of the list, for errors.
    pub(super) list: &'static str,
    /// Whether a message has a key for its time.
    pub(super) times: &'a Cell<bool>,
}

impl OpenAiMessageReader<'_> {
    pub(super) fn messages(self, scanner: &mut Scanner<'_>) -> Result<Vec<Message>> {
        // Growing would move them: there is room from the first for as many as there usually are in so many bytes.
        let mut messages = Vec::with_capacity((self.bytes.len() / 96).clamp(4, 4096));
        let mut plain = MessagePrefixes::default();
        scanner.read_array(|s| {
            if !plain.read(s, self.bytes, self.record, &mut messages) {
                let keys = self.message(s, Some(messages.len()), &mut messages)?;
                plain.learn(keys, messages.last());
            }
            Ok(())
        })?;
        Ok(messages)
    }

    /// Adds one message; its index in the list names it in errors (none where it is the whole record). Returns how many
    /// keys it has.
    pub(super) fn message(
        self,
        scanner: &mut Scanner<'_>,
        index: Option<usize>,
        messages: &mut Vec<Message>,
    ) -> Result<usize> {
        let field = |name: &str| {
            index.map_or_else(
                || name.to_owned(),
                |index| format!("{}[{index}].{name}", self.list),
            )
        };
        let kind = scanner.peek_kind()?;
        if kind != JsonKind::Object {
            let what = index.map_or_else(
                || "the record".to_owned(),
                |index| format!("{}[{index}]", self.list),
            );
            return Err(RecordError::at(
                scanner.position(),
                format!("{what} is {}, it must be an object", kind.noun()),
            ));
        }
        let mut role = None;
        // It is filled where it is to stay: it is large.
        let message = messages.push_mut(Message::new(self.record, Span::default(), Role::User));
        let mut legacy = None;
        // Its `status`, and its `is_error`.
        let (mut unfinished, mut failed) = (false, false);
        // LangChain's usage goes before the provider's own.
        let (mut usage, mut usage_metadata) = (None, None);
        let mut keys = 0;
        message.span = scanner.read_object(|s, key| {
            keys += 1;
            let kind = s.peek_kind()?;
            match (key, kind) {
                (b"role", JsonKind::String) => {
                    let at = s.position();
                    let name = s.read_text()?;
                    role = Some(Role::from_name(&name).ok_or_else(|| {
                        let (name, known) =
                            (wtf8_to_str(&name), Role::ALL.map(Role::name).join(", "));
                        RecordError::at(
                            at,
                            format!("{} is {name:?}, it must be one of {known}", field("role")),
                        )
                    })?);
                }
                (b"role", _) => {
                    return Err(RecordError::at(
                        s.position(),
                        format!("{} is {}, it must be a string", field("role"), kind.noun()),
                    ));
                }
                (b"content", _) => self.content(s, kind, message, &field)?,
                // A key that stands twice counts as it stands last, null included.
                (b"name", JsonKind::String) => {
                    message.name = Some(s.read_string()?)
                        .filter(|name| !is_empty_literal(name.slice(self.bytes)))
                }
                (b"tool_calls", JsonKind::Array) => message.calls = self.calls(s, &field)?,
                (b"function_call", JsonKind::Object) => legacy = Some(self.function(s, true)?),
                (b"tool_call_id", JsonKind::String) => message.answers = Some(s.read_string()?),
                (b"status", JsonKind::String) => {
                    unfinished =
                        matches!(s.read_text()?.as_ref(), b"error" | b"pending" | b"running")
                }
                (b"is_error", JsonKind::Bool) => {
                    failed = s.skip_value()?.slice(self.bytes) == b"true"
                }
                // SWE-agent: a list, though every result answers one call.
                (b"tool_call_ids", JsonKind::Array) => {
                    let first = self.first_string(s)?;
                    message.answers = message.answers.or(first);
                }
                (b"usage_metadata", JsonKind::Object) => {
                    usage_metadata = usage::metadata(s.skip_value()?.slice(self.bytes))
                }
                (b"usage", JsonKind::Object) => {
                    usage = usage::read(s.skip_value()?.slice(self.bytes))
                }
                (b"response_metadata", JsonKind::Object) => message.provider = self.provider(s)?,
                (other, _) => {
                    s.skip_value()?;
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
                        other if is_time_key(other) => self.times.set(true),
                        _ => {}
                    }
                }
            }
            Ok(())
        })?;
        message.role = role.ok_or_else(|| {
            RecordError::at(message.span.start, format!("{} is missing", field("role")))
        })?;
        if message.role == Role::Assistant {
            message.calls.extend(legacy);
        } else {
            message.calls.clear();
        }
        if message.role != Role::Tool {
            message.answers = None;
        }
        message.usage = usage_metadata
            .or(usage)
            .filter(|_| message.role == Role::Assistant)
            .map(Box::new);
        message.incomplete = message.role.is_result() && (unfinished || failed);
        message.earlier_summary = message.role == Role::User && self.is_summary(&message.content);
        Ok(keys)
    }

    #[inline]
    fn content(
        self,
        scanner: &mut Scanner<'_>,
        kind: JsonKind,
        message: &mut Message,
        field: &dyn Fn(&str) -> String,
    ) -> Result<()> {
        message.points = None;
        let (content, span) = match kind {
            JsonKind::String => {
                let span = scanner.read_string()?;
                message.points = Some(scanner.last_string_points());
                (Content::Text(span), span)
            }
            JsonKind::Null => (Content::Absent, scanner.skip_value()?),
            JsonKind::Array => {
                let mut blocks = Vec::new();
                let span = scanner.read_array(|s| {
                    let block =
                        self.block(s, || format!("{}[{}]", field("content"), blocks.len()))?;
                    blocks.push(block);
                    Ok(())
                })?;
                (
                    if blocks.is_empty() {
                        Content::Absent
                    } else {
                        Content::Blocks(blocks)
                    },
                    span,
                )
            }
            JsonKind::Object | JsonKind::Number | JsonKind::Bool => {
                let place = field("content");
                return Err(RecordError::at(
                    scanner.position(),
                    format!(
                        "{place} is {}, it must be a string, a list or null",
                        kind.noun()
                    ),
                ));
            }
        };
        (message.content, message.content_span) = (content, Some(span));
        Ok(())
    }

    /// A block of a content list: a bare string, or an object with a `type`.
    fn block(self, scanner: &mut Scanner<'_>, place: impl Fn() -> String) -> Result<ContentBlock> {
        match scanner.peek_kind()? {
            JsonKind::String => {
                let span = scanner.read_string()?;
                return Ok(ContentBlock {
                    span,
                    kind: BlockKind::Text(span),
                });
            }
            JsonKind::Object => {}
            kind => {
                return Err(RecordError::at(
                    scanner.position(),
                    format!(
                        "{} is {}, it must be an object or a string",
                        place(),
                        kind.noun()
                    ),
                ));
            }
        }
        let (mut kind, mut text) = (BlockKind::Other, None);
        let mut is_text = false;
        let span = scanner.read_object(|s, key| {
            match (key, s.peek_kind()?) {
                (b"type", JsonKind::String) => match s.read_text()?.as_ref() {
                    b"text" => is_text = true,
                    b"image" | b"image_url" => kind = BlockKind::Image,
                    _ => {}
                },
                (b"text", JsonKind::String) => text = Some(s.read_string()?),
                _ => drop(s.skip_value()?),
            }
            Ok(())
        })?;
        if is_text {
            // A text block without text counts nothing and shows nothing.
            kind = BlockKind::Text(text.unwrap_or_default());
        }
        Ok(ContentBlock { span, kind })
    }

    fn calls(
        self,
        scanner: &mut Scanner<'_>,
        field: &dyn Fn(&str) -> String,
    ) -> Result<Vec<ToolCall>> {
        let mut calls = Vec::new();
        scanner.read_array(|s| {
            let kind = s.peek_kind()?;
            if kind != JsonKind::Object {
                let place = field("tool_calls");
                return Err(RecordError::at(
                    s.position(),
                    format!(
                        "{place}[{}] is {}, it must be an object",
                        calls.len(),
                        kind.noun()
                    ),
                ));
            }
            let (mut id, mut call) = (None, None);
            let span = s.read_object(|s, key| {
                match (key, s.peek_kind()?) {
                    (b"id", JsonKind::String) => id = Some(s.read_string()?),
                    (b"function" | b"custom", JsonKind::Object) => {
                        call = Some(self.function(s, false)?)
                    }
                    _ => drop(s.skip_value()?),
                }
                Ok(())
            })?;
            calls.push(ToolCall {
                span,
                id,
                ..call.unwrap_or_default()
            });
            Ok(())
        })?;
        Ok(calls)
    }

    /// `{"name", "arguments"}`, or `{"name", "input"}` of a custom tool, whose input is free text.
    fn function(self, scanner: &mut Scanner<'_>, legacy: bool) -> Result<ToolCall> {
        let mut call = ToolCall {
            legacy,
            ..ToolCall::default()
        };
        call.span = scanner.read_object(|s, key| {
            match (key, s.peek_kind()?) {
                (b"name", JsonKind::String) => call.name = Some(s.read_string()?),
                (b"arguments", JsonKind::String) => {
                    let span = s.read_string()?;
                    call.arguments = Some(span);
                    call.repr_points = literal_repr_length(self.bytes, span);
                    call.valid = call.repr_points.is_some()
                        || parse_python_object(&decode_literal_wtf8(span.slice(self.bytes)))
                            .is_some();
                }
                (b"arguments", JsonKind::Object) => {
                    (call.arguments, call.valid) = (Some(s.skip_value()?), true)
                }
                (b"input", JsonKind::String) => call.arguments = Some(s.read_string()?),
                _ => drop(s.skip_value()?),
            }
            Ok(())
        })?;
        Ok(call)
    }

    fn first_string(self, scanner: &mut Scanner<'_>) -> Result<Option<Span>> {
        let mut first = None;
        scanner.read_array(|s| {
            let kind = s.peek_kind()?;
            let span = s.skip_value()?;
            if kind == JsonKind::String {
                first.get_or_insert(span);
            }
            Ok(())
        })?;
        Ok(first)
    }

    fn provider(self, scanner: &mut Scanner<'_>) -> Result<Option<Span>> {
        let mut provider = None;
        scanner.read_object(|s, key| {
            let kind = s.peek_kind()?;
            let span = s.skip_value()?;
            if key == b"model_provider"
                && kind == JsonKind::String
                && !is_empty_literal(span.slice(self.bytes))
            {
                provider = Some(span);
            }
            Ok(())
        })?;
        Ok(provider)
    }

    fn is_summary(self, content: &Content) -> bool {
        match content {
            Content::Text(span) => is_framed_summary(span.slice(self.bytes)),
            Content::Absent | Content::Blocks(_) => false,
        }
    }
}
