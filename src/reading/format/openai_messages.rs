//! The reader of OpenAI chat messages, key by key. `message_prefix` is a faster
//! reader for plain messages and leaves all others to this one.

use crate::reading::format::message_prefix::MessagePrefixes;
use crate::reading::format::openai_calls::{read_calls, read_function, read_odd_calls};
use crate::reading::format::openai_content::{MessagePath, read_content};
use crate::reading::format::prelude::*;
use crate::reading::format::usage;
use crate::reading::json::wtf8_to_str;
use crate::reading::transcript::message_time::is_time_key;
use std::cell::{Cell, RefCell};

/// A low estimate of the bytes of a message. A list is allocated for that many messages at first,
/// because growing it would move them.
const BYTES_PER_MESSAGE: usize = 96;

#[derive(Clone, Copy)]
pub(crate) struct OpenAiMessageReader<'a> {
    /// Index of the record.
    pub(crate) record: usize,
    /// The key of the list, for errors.
    pub(crate) list: &'static str,
    /// Set to true if a message has a key for its time.
    pub(crate) times: &'a Cell<bool>,
    /// Takes the messages that can't be read while all others can.
    pub(crate) unread: &'a RefCell<Vec<UnreadMessage>>,
}

/// Fields of a message that can only be applied when all keys are read.
#[derive(Default)]
struct PendingFields {
    role: Option<Role>,
    /// The error of a role that is not known.
    unknown_role: Option<RecordError>,
    /// The call of a `function_call`.
    legacy_call: Option<ToolCall>,
    /// True if `status` says that a result failed or has not ended.
    unfinished: bool,
    /// The value of `is_error`.
    failed: bool,
    usage: Option<Usage>,
    /// LangChain's usage, which has precedence over the provider's.
    usage_metadata: Option<Usage>,
    keys: usize,
}

impl OpenAiMessageReader<'_> {
    pub(crate) fn read_messages(self, scanner: &mut Scanner<'_>) -> Result<Vec<Message>> {
        let estimate = scanner.bytes().len() / BYTES_PER_MESSAGE;
        let mut messages = Vec::with_capacity(estimate.clamp(4, 4096));
        let mut prefixes = MessagePrefixes::default();
        scanner.read_array(|s| {
            if !prefixes.read_alike(s, self.record, &mut messages) {
                let before = messages.len();
                let index = before + self.unread.borrow().len();
                let keys = self.read_message(s, Some(index), &mut messages)?;
                prefixes.learn_prefix(keys, messages.get(before));
            }
            Ok(())
        })?;
        Ok(messages)
    }

    /// Reads a message and appends it, or notes it as unread. `index` is its place in the list, or
    /// `None` if it is the whole record. Returns the number of its keys.
    pub(crate) fn read_message(
        self,
        scanner: &mut Scanner<'_>,
        index: Option<usize>,
        messages: &mut Vec<Message>,
    ) -> Result<usize> {
        let list = self.list;
        let path = MessagePath { list, index };
        let kind = scanner.peek_kind()?;
        if kind != JsonKind::Object {
            return Err(kind.wrong(scanner.position(), &path.message_path(), "an object"));
        }
        // The message is filled in its place in the vector: it is too large to be moved.
        let message = messages.push_mut(Message::new(self.record, Span::default(), Role::User));
        let mut fields = PendingFields::default();
        message.span = scanner.read_object(|s, key| {
            fields.keys += 1;
            self.read_field(s, key, path, message, &mut fields)
        })?;
        if let (None, Some(error)) = (fields.role, fields.unknown_role) {
            let span = message.span;
            messages.pop();
            self.unread.borrow_mut().push(UnreadMessage { span, error });
            return Ok(fields.keys);
        }
        message.role = fields.role.ok_or_else(|| {
            let reason = format!("{} is missing", path.field_path("role"));
            RecordError::at(message.span.start, reason)
        })?;
        if message.role == Role::Assistant {
            message.calls.extend(fields.legacy_call);
        } else {
            message.calls.clear();
        }
        if message.role != Role::Tool {
            message.answers = None;
        }
        let usage = fields.usage_metadata.or(fields.usage);
        message.usage = usage.filter(|_| message.role == Role::Assistant).map(Box::new);
        message.incomplete = message.role.is_result() && (fields.unfinished || fields.failed);
        let text = match message.content {
            Content::Text(text) if message.role == Role::User => Some(text.slice(scanner.bytes())),
            _ => None,
        };
        message.earlier_summary = text.is_some_and(is_framed_summary);
        Ok(fields.keys)
    }

    /// Reads the value of a key. If a key occurs twice the last value counts, null included.
    #[inline]
    fn read_field(
        self,
        s: &mut Scanner<'_>,
        key: &[u8],
        path: MessagePath,
        message: &mut Message,
        fields: &mut PendingFields,
    ) -> Result<()> {
        let (bytes, kind) = (s.bytes(), s.peek_kind()?);
        match key {
            b"role" if kind == JsonKind::String => match read_role(s, path)? {
                Ok(role) => fields.role = Some(role),
                Err(error) => (fields.role, fields.unknown_role) = (None, Some(error)),
            },
            b"role" => {
                return Err(kind.wrong(s.position(), &path.field_path("role"), "a string"));
            }
            b"content" => read_content(s, kind, message, path)?,
            b"name" => {
                let name = read_if(s, kind, JsonKind::String)?;
                message.name = name.filter(|name| !is_empty_literal(name.slice(bytes)));
            }
            b"tool_calls" => {
                message.calls = match kind {
                    JsonKind::Array => read_calls(s, path)?,
                    JsonKind::Object | JsonKind::String => read_odd_calls(s, path)?,
                    _ => s.skip_value().map(|_| Vec::new())?,
                }
            }
            b"function_call" if kind == JsonKind::Object => {
                fields.legacy_call = Some(read_function(s, true)?);
            }
            b"function_call" => fields.legacy_call = s.skip_value().map(|_| None)?,
            b"tool_call_id" => message.answers = read_if(s, kind, JsonKind::String)?,
            b"status" => {
                let status = read_if(s, kind, JsonKind::String)?;
                let status = status.map(|status| decode_literal_wtf8(status.slice(bytes)));
                fields.unfinished =
                    matches!(status.as_deref(), Some(b"error" | b"pending" | b"running"));
            }
            b"is_error" => {
                fields.failed = s.skip_value()?.slice(bytes) == b"true";
            }
            // SWE-agent spells the id as a list, though every result answers one call.
            b"tool_call_ids" if kind == JsonKind::Array => {
                let first = first_string(s)?;
                message.answers = message.answers.or(first);
            }
            b"usage_metadata" => {
                let usage = read_if(s, kind, JsonKind::Object)?;
                fields.usage_metadata =
                    usage.and_then(|usage| usage::parse_usage_metadata(usage.slice(bytes)));
            }
            b"usage" => {
                let usage = read_if(s, kind, JsonKind::Object)?;
                fields.usage = usage.and_then(|usage| usage::parse_usage(usage.slice(bytes)));
            }
            b"response_metadata" if kind == JsonKind::Object => {
                message.provider = self.read_provider(s)?;
            }
            b"response_metadata" => message.provider = s.skip_value().map(|_| None)?,
            other => {
                s.skip_value()?;
                if is_time_key(other) {
                    self.times.set(true);
                }
            }
        }
        Ok(())
    }

    /// Reads the provider in LangChain's `response_metadata`.
    fn read_provider(self, scanner: &mut Scanner<'_>) -> Result<Option<Span>> {
        let mut provider = None;
        scanner.read_object(|s, key| {
            let kind = s.peek_kind()?;
            let span = s.skip_value()?;
            if key == b"model_provider"
                && kind == JsonKind::String
                && !is_empty_literal(span.slice(s.bytes()))
            {
                provider = Some(span);
            }
            Ok(())
        })?;
        Ok(provider)
    }
}

/// Reads a value and returns its span if it is of the wanted kind.
#[inline]
fn read_if(s: &mut Scanner<'_>, kind: JsonKind, wanted: JsonKind) -> Result<Option<Span>> {
    s.skip_value().map(|span| Some(span).filter(|_| kind == wanted))
}

/// Reads a role, or the error that it is not known.
fn read_role(scanner: &mut Scanner<'_>, path: MessagePath) -> Result<Result<Role>> {
    let at = scanner.position();
    let name = scanner.read_text()?;
    Ok(Role::from_name(&name).ok_or_else(|| {
        let name = wtf8_to_str(&name);
        let reason =
            unknown_role_reason(&path.field_path("role"), &name, &Role::ALL.map(Role::name));
        RecordError::of_message(at, reason)
    }))
}

fn first_string(scanner: &mut Scanner<'_>) -> Result<Option<Span>> {
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
