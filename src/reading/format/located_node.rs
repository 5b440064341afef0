//! An object that is read as a message, with its path for errors; and the messages that one logged turn
//! of the user holds: an earlier summary that was merged into it, tool results, and the user's words.

use crate::base::foreign_text::quote_value;
use crate::reading::format::message_parts::is_incomplete;
use crate::reading::format::tree::JsonNode;
use crate::reading::format::usage::parse_usage;
use crate::reading::transcript::prelude::*;
use crate::reading::transcript::summary_frame::{find_summary_joint, is_framed_summary};

type Result<T> = std::result::Result<T, RecordError>;

/// The names of roles, separated by `|`. One that is not the role's own is spelled `NAME=ROLE`.
#[derive(Clone, Copy)]
pub(super) struct RoleNames(pub(super) &'static str);

impl RoleNames {
    fn entries(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.split('|').map(|entry| entry.split_once('=').unwrap_or((entry, entry)))
    }

    pub(super) fn role_of(self, name: &str) -> Option<Role> {
        let (_, role) = self.entries().find(|(known, _)| *known == name)?;
        Role::from_name(role.as_bytes())
    }
}

/// A node with the path that errors name it by.
#[derive(Clone, Copy)]
pub(super) struct LocatedNode<'t> {
    pub(super) node: JsonNode<'t>,
    /// The path of the node in its record, such as `messages[3]`; `None` for the record itself.
    pub(super) path: Option<&'t str>,
}

impl<'t> LocatedNode<'t> {
    /// Returns a message of this role without content, with the usage or state that the node
    /// reports.
    pub(super) fn new_message(self, role: Role) -> Message {
        let usage = self
            .node
            .get("usage")
            .filter(|usage| role == Role::Assistant && usage.is_kind(JsonKind::Object));
        Message {
            usage: usage.and_then(|usage| parse_usage(usage.bytes())).map(Box::new),
            incomplete: role.is_result() && is_incomplete(self.node),
            ..Message::new(self.node.record_index(), self.node.span(), role)
        }
    }

    /// Returns the path of a field, for errors.
    pub(super) fn field_path(self, name: &str) -> String {
        match self.path {
            None => name.to_owned(),
            Some(path) => format!("{path}.{name}"),
        }
    }

    /// Returns the role that a key names. Fails if the key is missing, is not a string or is not
    /// among the names.
    pub(super) fn read_role(self, key: &str, roles: RoleNames) -> Result<Role> {
        let path = self.field_path(key);
        let value = self.node.need_at(key, &path)?;
        let name = value.as_text().ok_or_else(|| value.wrong_kind(&path, "a string"))?;
        roles.role_of(&name).ok_or_else(|| {
            let known: Vec<&str> = roles.entries().map(|(known, _)| known).collect();
            let reason = unknown_role_reason(&path, &name, &known);
            RecordError::of_message(value.span().start, reason)
        })
    }

    /// Returns the content that a key holds (a string, or a list of blocks, each classified by
    /// `block_kind`) and the span of the value, if there is one. Fails if the value is anything
    /// else but null.
    pub(super) fn read_content(
        self,
        key: &str,
        mut block_kind: impl FnMut(JsonNode<'t>) -> BlockKind,
    ) -> Result<(Content, Option<Span>)> {
        let Some(value) = self.node.get(key) else {
            return Ok((Content::Absent, None));
        };
        let content = match value.kind() {
            JsonKind::String => Content::Text(value.span()),
            JsonKind::Null => Content::Absent,
            JsonKind::Array => {
                let mut blocks = Vec::new();
                for (number, block) in value.items().enumerate() {
                    let kind = match block.kind() {
                        JsonKind::String => BlockKind::Text(block.span()),
                        JsonKind::Object => block_kind(block),
                        _ => {
                            let path = format!("{}[{number}]", self.field_path(key));
                            return Err(block.wrong_kind(&path, "an object or a string"));
                        }
                    };
                    let span = block.span();
                    blocks.push(MessageBlock { span, kind });
                }
                content_of_blocks(blocks)
            }
            JsonKind::Object | JsonKind::Number | JsonKind::Bool => {
                return Err(value.wrong_kind(&self.field_path(key), "a string, a list or null"));
            }
        };
        Ok((content, Some(value.span())))
    }

    /// Returns a message of this role with its `content`. Blocks in which `calls_in` finds calls
    /// are calls if the assistant says them; of all others `block_kind` tells the kind. Fails if
    /// the content is neither a string nor a list of blocks.
    pub(super) fn read_message(
        self,
        role: Role,
        calls_in: impl Fn(JsonNode<'_>) -> Option<Vec<ToolCall>>,
        block_kind: impl Fn(JsonNode<'_>) -> BlockKind,
    ) -> Result<Message> {
        let mut calls = Vec::new();
        let mut kind_of = |block| {
            let found = (role == Role::Assistant).then(|| calls_in(block)).flatten();
            let Some(found) = found else {
                return block_kind(block);
            };
            calls.extend(found);
            BlockKind::Call(calls.len() - 1)
        };
        let (content, content_span) = self.read_content("content", &mut kind_of)?;
        Ok(Message { content, content_span, calls, ..self.new_message(role) })
    }

    /// Returns a node below `key` as the result of a call. Fails if the content is neither a string
    /// nor a list of blocks.
    pub(super) fn read_result(
        self,
        key: &str,
        node: JsonNode<'_>,
        id: &str,
        block_kind: impl Fn(JsonNode<'_>) -> BlockKind,
    ) -> Result<Message> {
        let path = self.field_path(key);
        let located = LocatedNode { node, path: Some(&path) };
        let (content, content_span) = located.read_content("content", block_kind)?;
        Ok(Message {
            content,
            content_span,
            answers: node.literal_at(id),
            incomplete: is_incomplete(node),
            ..self.new_message(Role::Tool)
        })
    }

    /// Appends a message of the user as several: the results that `result_in` finds in its blocks,
    /// and its words. Fails with the error of a result.
    pub(super) fn push_user_turn(
        self,
        message: Message,
        messages: &mut Vec<Message>,
        result_in: impl Fn(JsonNode<'_>) -> Option<Result<Message>>,
    ) -> Result<()> {
        let Content::Blocks(blocks) = message.content else {
            messages.extend(split_off_summary(self.node.record_bytes(), message));
            return Ok(());
        };
        let (mut results, mut words) = (Vec::new(), Vec::new());
        for (block, node) in blocks.into_iter().zip(self.node.items_of("content")) {
            match result_in(node) {
                Some(result) => results.push(result?),
                None => words.push(block),
            }
        }
        messages.extend(join_results_and_words(self, results, words));
        Ok(())
    }
}

/// Returns the content of a list of blocks; an empty list is no content.
pub(super) fn content_of_blocks(blocks: Vec<MessageBlock>) -> Content {
    if blocks.is_empty() { Content::Absent } else { Content::Blocks(blocks) }
}

/// Returns the text of the error that a role is not known.
pub(super) fn unknown_role_reason(path: &str, name: &str, known: &[&str]) -> String {
    let name = quote_value(name);
    format!("{path} is {name}, it must be one of {}", known.join(", "))
}

/// Returns true if a content consists of a summary only.
pub(super) fn is_summary(bytes: &[u8], content: &Content) -> bool {
    match content {
        Content::Text(span) => is_framed_summary(span.slice(bytes)),
        Content::Blocks(blocks) => match blocks.as_slice() {
            [block] => is_summary_block(bytes, block),
            _ => false,
        },
        Content::Absent => false,
    }
}

fn is_summary_block(bytes: &[u8], block: &MessageBlock) -> bool {
    matches!(block.kind, BlockKind::Text(span) if is_framed_summary(span.slice(bytes)))
}

/// Returns a user message, or two if an earlier summary was inserted before its text: the summary
/// becomes a separate message that shares the element.
pub(super) fn split_off_summary(bytes: &[u8], mut message: Message) -> Vec<Message> {
    let Some(content) = take_summary(bytes, &mut message.content) else {
        message.earlier_summary = is_summary(bytes, &message.content);
        return vec![message];
    };
    let joined = std::mem::replace(&mut message.joined, true);
    let summary = Message {
        content,
        joined,
        earlier_summary: true,
        ..Message::new(message.record, message.span, Role::User)
    };
    vec![summary, message]
}

/// Removes the summary that comes before the other text of a content, and returns it.
fn take_summary(bytes: &[u8], content: &mut Content) -> Option<Content> {
    match content {
        Content::Blocks(blocks) if blocks.len() > 1 => {
            is_summary_block(bytes, &blocks[0]).then(|| Content::Blocks(vec![blocks.remove(0)]))
        }
        Content::Text(span) => {
            let joint = find_summary_joint(span.slice(bytes))?;
            let (start, end) = (span.start, span.end);
            // The spans overlap by the bytes that stand for their quotes. Only the text between
            // the quotes is ever looked at.
            *span = Span { start: start + joint.end - 1, end };
            Some(Content::Text(Span { start, end: start + joint.start + 1 }))
        }
        Content::Blocks(_) | Content::Absent => None,
    }
}

/// Returns the messages of a turn that holds results and words. Results come first, as they follow
/// their calls, and no cut may separate the messages.
pub(super) fn join_results_and_words(
    element: LocatedNode<'_>,
    results: Vec<Message>,
    words: Vec<MessageBlock>,
) -> Vec<Message> {
    let mut messages = results;
    if messages.is_empty() || !words.is_empty() {
        let message =
            Message { content: content_of_blocks(words), ..element.new_message(Role::User) };
        messages.extend(split_off_summary(element.node.record_bytes(), message));
    }
    for message in messages.iter_mut().skip(1) {
        message.joined = true;
    }
    messages
}
