//! Parts of messages that several formats spell alike: system prompts, text blocks, calls and the
//! state of results.

use crate::reading::format::row::at::At;
use crate::reading::format::tree::JsonNode;
use crate::reading::json::python_parser::parse_python_object;
use crate::reading::transcript::prelude::*;

/// Returns true if a result reports that its call failed or has not ended.
pub(super) fn is_incomplete(result: JsonNode<'_>) -> bool {
    result.has_true("is_error")
        || ["error", "pending", "running"].iter().any(|status| result.has_text("status", status))
}

/// Appends the system prompt that a record holds under its own key: a string, or blocks with a
/// `text`. Notes that the messages so far are outside the list of messages.
pub(super) fn push_system_prompt(transcript: &mut Transcript<'_>, prompt: Option<JsonNode<'_>>) {
    let kinds = [JsonKind::String, JsonKind::Array];
    transcript.messages.extend(prompt.filter(|it| kinds.contains(&it.kind())).map(|prompt| {
        Message {
            content: match prompt.as_literal() {
                Some(text) => Content::Text(text),
                None => Content::Blocks(prompt.items().map(read_text_block).collect()),
            },
            ..Message::new(prompt.record_index(), prompt.span(), Role::System)
        }
    }));
    transcript.outside = transcript.messages.len();
}

/// Reads a block as text if it is a string or has a `text`.
pub(super) fn read_text_block(block: JsonNode<'_>) -> MessageBlock {
    let text = block.as_literal().or_else(|| block.literal_at("text"));
    MessageBlock { span: block.span(), kind: text.map_or(BlockKind::Other, BlockKind::Text) }
}

/// Returns the kind of a text block: the literal of its `text`, empty if that is no string. Without
/// the key, another one may hold the text.
pub(super) fn text_kind(block: JsonNode<'_>) -> BlockKind {
    match block.has_key("text") {
        true => BlockKind::Text(block.literal_at("text").unwrap_or_default()),
        false => BlockKind::Other,
    }
}

/// Returns the call that a node holds under these keys.
pub(super) fn call_of(
    span: Span,
    node: JsonNode<'_>,
    [id, name]: [&str; 2],
    arguments: At,
) -> ToolCall {
    let arguments = arguments.nodes(node).next();
    new_call(span, node.literal_at(id), node.literal_at(name), arguments)
}

/// Returns a call. It is valid if its arguments are an object, or a string that holds an object.
pub(super) fn new_call(
    span: Span,
    id: Option<Span>,
    name: Option<Span>,
    arguments: Option<JsonNode<'_>>,
) -> ToolCall {
    let valid = arguments.is_some_and(|value| match value.kind() {
        JsonKind::Object => true,
        JsonKind::String => parse_python_object(&decode_literal_wtf8(value.bytes())).is_some(),
        _ => false,
    });
    ToolCall {
        span,
        id,
        name,
        arguments: arguments.map(JsonNode::span),
        valid,
        ..ToolCall::default()
    }
}
