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

/// A reader of the messages of one record.
#[derive(Clone, Copy)]
pub(crate) struct OpenAiMessageReader<'a> {
    pub(crate) bytes: &'a [u8],
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
    /// The number of keys.
    keys: usize,
}

impl OpenAiMessageReader<'_> {
    /// Reads a list of messages.
    pub(crate) fn read_messages(self, scanner: &mut Scanner<'_>) -> Result<Vec<Message>> {
        let estimate = self.bytes.len() / BYTES_PER_MESSAGE;
        let mut messages = Vec::with_capacity(estimate.clamp(4, 4096));
        let mut prefixes = MessagePrefixes::default();
        scanner.read_array(|s| {
            if !prefixes.read_alike(s, self.bytes, self.record, &mut messages) {
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
        message.usage = fields
            .usage_metadata
            .or(fields.usage)
            .filter(|_| message.role == Role::Assistant)
            .map(Box::new);
        message.incomplete = message.role.is_result() && (fields.unfinished || fields.failed);
        let text = match message.content {
            Content::Text(text) if message.role == Role::User => Some(text.slice(self.bytes)),
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
        let kind = s.peek_kind()?;
        match (key, kind) {
            (b"role", JsonKind::String) => match read_role(s, path)? {
                Ok(role) => fields.role = Some(role),
                Err(error) => (fields.role, fields.unknown_role) = (None, Some(error)),
            },
            (b"role", _) => {
                return Err(kind.wrong(s.position(), &path.field_path("role"), "a string"));
            }
            (b"content", _) => read_content(s, kind, message, path)?,
            (b"name", JsonKind::String) => {
                message.name =
                    Some(s.read_string()?).filter(|name| !is_empty_literal(name.slice(self.bytes)))
            }
            (b"tool_calls", JsonKind::Array) => message.calls = read_calls(self.bytes, s, path)?,
            (b"tool_calls", JsonKind::Object | JsonKind::String) => {
                message.calls = read_odd_calls(self.bytes, s, path)?;
            }
            (b"function_call", JsonKind::Object) => {
                fields.legacy_call = Some(read_function(self.bytes, s, true)?);
            }
            (b"tool_call_id", JsonKind::String) => message.answers = Some(s.read_string()?),
            (b"status", JsonKind::String) => {
                fields.unfinished =
                    matches!(s.read_text()?.as_ref(), b"error" | b"pending" | b"running")
            }
            (b"is_error", JsonKind::Bool) => {
                fields.failed = s.skip_value()?.slice(self.bytes) == b"true"
            }
            // SWE-agent spells the id as a list, though every result answers one call.
            (b"tool_call_ids", JsonKind::Array) => {
                let first = first_string(s)?;
                message.answers = message.answers.or(first);
            }
            (b"usage_metadata", JsonKind::Object) => {
                fields.usage_metadata =
                    usage::parse_usage_metadata(s.skip_value()?.slice(self.bytes))
            }
            (b"usage", JsonKind::Object) => {
                fields.usage = usage::parse_usage(s.skip_value()?.slice(self.bytes));
            }
            (b"response_metadata", JsonKind::Object) => message.provider = self.read_provider(s)?,
            (other, _) => {
                s.skip_value()?;
                self.reset_field(other, message, fields);
            }
        }
        Ok(())
    }

    /// Resets the field of a key whose value is of no use, and notes keys that hold a time.
    #[inline]
    fn reset_field(self, key: &[u8], message: &mut Message, fields: &mut PendingFields) {
        match key {
            b"name" => message.name = None,
            b"tool_calls" => message.calls.clear(),
            b"function_call" => fields.legacy_call = None,
            b"tool_call_id" => message.answers = None,
            b"usage_metadata" => fields.usage_metadata = None,
            b"usage" => fields.usage = None,
            b"status" => fields.unfinished = false,
            b"is_error" => fields.failed = false,
            b"response_metadata" => message.provider = None,
            other if is_time_key(other) => self.times.set(true),
            _ => {}
        }
    }

    /// Reads the provider in LangChain's `response_metadata`.
    fn read_provider(self, scanner: &mut Scanner<'_>) -> Result<Option<Span>> {
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
