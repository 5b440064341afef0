//! LangChain messages in their three spellings: `dumpd` (`kwargs`), `messages_to_dict` (`data`) and
//! `model_dump` (flat).
//!
//! An AI message stores a call up to three times: in `tool_calls`, as a block of its content, and
//! in `additional_kwargs`. The call counts once, and edits change all copies.

use crate::reading::format::prelude::*;
use crate::reading::format::usage::parse_usage_metadata;
use std::collections::VecDeque;

/// A type of message: its name, and its class without `Message` or `MessageChunk`.
struct MessageType {
    name: &'static str,
    class: &'static str,
    role: Role,
}

const TYPES: [MessageType; 7] = [
    message_type("human", "Human", Role::User),
    message_type("ai", "AI", Role::Assistant),
    message_type("system", "System", Role::System),
    message_type("tool", "Tool", Role::Tool),
    message_type("function", "Function", Role::Function),
    message_type("chat", "Chat", Role::User),
    message_type(REMOVE, "Remove", Role::System),
];
/// The type of a marker that removes a message.
const REMOVE: &str = "remove";
/// The id by which a marker removes all messages before it.
const REMOVE_ALL: &str = "__remove_all__";

const fn message_type(name: &'static str, class: &'static str, role: Role) -> MessageType {
    MessageType { name, class, role }
}

impl MessageType {
    /// Returns the type with this name or class.
    fn from_name(name: &str) -> Option<&'static Self> {
        TYPES.iter().find(|known| name == known.name || known.is_class(name))
    }

    fn of_message(message: JsonNode<'_>) -> Option<&'static Self> {
        let name =
            if message.has_key("lc") { class_name(message)? } else { message.get_text("type")? };
        Self::from_name(&name)
    }

    fn is_class(&self, name: &str) -> bool {
        name.strip_prefix(self.class).is_some_and(|rest| matches!(rest, "Message" | "MessageChunk"))
    }
}

/// Returns the last name of the path in a `dumpd` message, if it is a class of messages.
fn class_name(message: JsonNode<'_>) -> Option<Cow<'_, str>> {
    let name = message.items_of("id").next_back()?.as_text()?;
    TYPES.iter().any(|known| known.is_class(&name)).then_some(name)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LangChainSpelling {
    /// `{"lc", "id", "kwargs": {…}}`
    Dumpd,
    /// `{"type", "data": {…}}`
    Dict,
    /// `{"type", "content", …}`
    Flat,
}

impl LangChainSpelling {
    pub(super) fn of_message(message: JsonNode<'_>) -> Option<Self> {
        if message.has_key("lc") {
            return (class_name(message).is_some() && message.has_key("kwargs"))
                .then_some(Self::Dumpd);
        }
        let name = message.get_text("type")?;
        if MessageType::from_name(&name).is_none() || message.has_key("role") {
            return None;
        }
        if message.get("data").is_some_and(|data| data.has_key("content")) {
            return Some(Self::Dict);
        }
        (message.has_key("content") || (name == REMOVE && message.has_key("id")))
            .then_some(Self::Flat)
    }
}

/// Returns the object that holds the fields of a message.
pub(super) fn message_fields(message: JsonNode<'_>) -> JsonNode<'_> {
    let fields = match LangChainSpelling::of_message(message) {
        Some(LangChainSpelling::Dumpd) => message.get("kwargs"),
        Some(LangChainSpelling::Dict) => message.get("data"),
        Some(LangChainSpelling::Flat) | None => None,
    };
    fields.unwrap_or(message)
}

/// Returns the numbers (from 1) of messages that later markers remove, and of the markers.
pub(super) fn removed_numbers(list: JsonNode<'_>) -> HashSet<usize> {
    let mut removed = HashSet::new();
    let markers = list.items().enumerate().filter(|(_, node)| {
        MessageType::of_message(*node).is_some_and(|known| known.name == REMOVE)
    });
    for (at, marker) in markers {
        removed.insert(at + 1);
        let Some(target) = message_id(marker) else {
            continue;
        };
        for (before, message) in list.items().take(at).enumerate() {
            if target == REMOVE_ALL || message_id(message).as_ref() == Some(&target) {
                removed.insert(before + 1);
            }
        }
    }
    removed
}

fn message_id(message: JsonNode<'_>) -> Option<Cow<'_, str>> {
    message_fields(message).get("id")?.as_text()
}

/// What LangChain's middleware marks a summary by.
const MARKED: &[If] = &[is("additional_kwargs.lc_source", "summarization")];

pub(super) fn read_message(element: LocatedNode<'_>) -> Result<Message> {
    let known = MessageType::of_message(element.node).ok_or_else(|| unknown_type(element))?;
    let fields = message_fields(element.node);
    let bytes = fields.record_bytes();
    let role = match known.name {
        "chat" if fields.has_text("role", "assistant") || fields.has_text("role", "ai") => {
            Role::Assistant
        }
        _ => known.role,
    };
    let mut calls = StoredCalls::new(fields, role);
    let inner = LocatedNode { node: fields, ..element };
    let (content, content_span) =
        inner.read_content("content", |block| match block.get_text("type").as_deref() {
            Some("text") => text_kind(block),
            Some("image" | "image_url") => BlockKind::Image,
            Some("tool_use" | "tool_call") if role == Role::Assistant => {
                let arguments = at("input|args");
                let call = call_of(block.span(), block, ["id", "name"], arguments);
                BlockKind::Call(calls.add_copy(call))
            }
            _ => BlockKind::Other,
        })?;
    let is_marked = hold(MARKED, fields);
    let usage = fields.get_kind("usage_metadata", JsonKind::Object);
    Ok(Message {
        earlier_summary: role == Role::User && (is_marked || is_summary(bytes, &content)),
        content,
        content_span,
        name: fields.get("name").and_then(non_empty_literal),
        calls: calls.calls,
        answers: fields.literal_at("tool_call_id").filter(|_| role == Role::Tool),
        usage: usage.and_then(|usage| parse_usage_metadata(usage.bytes())).map(Box::new),
        provider: fields
            .get_path(&["response_metadata", "model_provider"])
            .and_then(non_empty_literal),
        incomplete: role.is_result() && is_incomplete(fields),
        ..element.new_message(role)
    })
}

fn unknown_type(element: LocatedNode<'_>) -> RecordError {
    let known = TYPES.map(|known| known.name);
    let node = element.node.get("type").unwrap_or(element.node);
    RecordError::at(
        node.span().start,
        format!("{} names no type of message ({})", element.field_path("type"), known.join(", ")),
    )
}

fn non_empty_literal(node: JsonNode<'_>) -> Option<Span> {
    let bytes = node.record_bytes();
    node.as_literal().filter(|literal| !is_empty_literal(literal.slice(bytes)))
}

/// The calls of an AI message, collected from all places that store them.
struct StoredCalls<'t> {
    bytes: &'t [u8],
    calls: Vec<ToolCall>,
    /// For each call: true if the place that is being read has already stored it.
    stored: Vec<bool>,
    /// The calls that it has not stored, by their ids, where there are many.
    unstored: Option<HashMap<Option<Cow<'t, str>>, VecDeque<usize>>>,
}

/// The number of calls that are looked at one after the other.
const FEW_CALLS: usize = 16;

impl<'t> StoredCalls<'t> {
    /// Reads the calls of a message without those in its content, whose copies are added next.
    fn new(fields: JsonNode<'t>, role: Role) -> Self {
        let mut stored = Self {
            bytes: fields.record_bytes(),
            calls: Vec::new(),
            stored: Vec::new(),
            unstored: None,
        };
        if role == Role::Assistant {
            stored.read_fields(fields);
        }
        stored.start_place();
        stored
    }

    fn read_fields(&mut self, fields: JsonNode<'t>) {
        self.calls.extend(fields.items_of("tool_calls").map(read_flat_call));
        self.calls.extend(
            fields
                .items_of("invalid_tool_calls")
                .map(|node| ToolCall { valid: false, ..read_flat_call(node) }),
        );
        let kwargs = fields.get("additional_kwargs");
        self.start_place();
        for node in kwargs.into_iter().flat_map(|kwargs| kwargs.items_of("tool_calls")) {
            self.add_copy(new_call(
                node.span(),
                node.literal_at("id"),
                node.get_path(&["function", "name"]).and_then(JsonNode::as_literal),
                node.get_path(&["function", "arguments"]),
            ));
        }
        self.start_place();
        for node in fields.items_of("tool_call_chunks") {
            self.add_copy(read_flat_call(node));
        }
        let function_call =
            kwargs.and_then(|kwargs| kwargs.get_kind("function_call", JsonKind::Object));
        if self.calls.is_empty()
            && let Some(call) = function_call
        {
            self.calls.push(ToolCall {
                legacy: true,
                id: None,
                ..call_of(call.span(), call, ["id", "name"], at("arguments"))
            });
        }
    }

    /// Begins to read a further place that stores calls.
    fn start_place(&mut self) {
        self.stored = vec![false; self.calls.len()];
        self.unstored = None;
    }

    /// Adds a stored call to the first call with its id that this place has not stored yet, or as a
    /// new call. Returns its index.
    fn add_copy(&mut self, copy: ToolCall) -> usize {
        match self.first_unstored(&copy) {
            Some(at) => {
                self.stored[at] = true;
                self.calls[at].copies.extend(copy.arguments);
                at
            }
            None => {
                self.calls.push(copy);
                self.stored.push(true);
                self.calls.len() - 1
            }
        }
    }

    /// Returns the first call with the id of `copy` that this place has not stored yet.
    fn first_unstored(&mut self, copy: &ToolCall) -> Option<usize> {
        let id = self.decoded_id(copy);
        if self.calls.len() <= FEW_CALLS {
            return (0..self.calls.len())
                .find(|&at| !self.stored[at] && self.decoded_id(&self.calls[at]) == id);
        }
        if self.unstored.is_none() {
            let mut unstored: HashMap<_, VecDeque<usize>> = HashMap::new();
            for at in (0..self.calls.len()).filter(|&at| !self.stored[at]) {
                let id = self.decoded_id(&self.calls[at]);
                unstored.entry(id).or_default().push_back(at);
            }
            self.unstored = Some(unstored);
        }
        self.unstored.as_mut()?.get_mut(&id)?.pop_front()
    }

    fn decoded_id(&self, call: &ToolCall) -> Option<Cow<'t, str>> {
        call.id.map(|id| decode_literal(id.slice(self.bytes)))
    }
}

/// Reads a call that is spelled `{"id", "name", "args"}`.
fn read_flat_call(node: JsonNode<'_>) -> ToolCall {
    call_of(node.span(), node, ["id", "name"], at("args"))
}
