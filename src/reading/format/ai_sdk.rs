//! Model messages of Vercel's AI SDK: `{"role", "content": [{"type": "tool-call"} | {"type":
//! "tool-result"} | …]}` in a list, below `messages`, or one message a record.
//!
//! A tool message may hold several results. Each is read as a separate message, but the results of
//! one logged message are never separated.

use crate::reading::format::chat_row::{ChatEvidence, ChatList, ChatReads, ChatRow, SummaryMark};
use crate::reading::format::prelude::*;

/// Messages as the AI SDK passes them to a model.
pub(super) const AI_SDK: ChatRow = ChatRow {
    name: "ai-sdk",
    help: "ModelMessages of Vercel's AI SDK: {\"messages\": [...]}, a list, or one message per line; recognized by its tool-call and tool-result parts",
    told: ChatEvidence::Rows(&[
        chat(WHY, &[If::Some(at("messages|"), OWN)]),
        said(WHY, &[If::Of(at(""), OWN), none("messages")]),
    ]),
    reads: ChatReads::List(&ChatList {
        is_wide: true,
        alternates: false,
        read: read_messages,
        ..ChatList::PLAIN
    }),
    mark: SummaryMark::Entry("\"providerOptions\": {}, "),
    // The `output` of a result.
    result: r#"{"type": "text", "value": $}"#,
    ..ChatRow::PLAIN
};

const ROLES: RoleNames = RoleNames("system|user|assistant|tool");
const WHY: &str = "parts tool-call, tool-result or reasoning, or providerOptions";
/// What no message of another dialect has.
const OWN: &[If] =
    &[has("role"), If::Any(&[has("providerOptions"), If::Some(at("content"), OWN_PART)])];
/// Each mark is enough: a part with a changed key has the other.
const OWN_PART: &[If] = &[If::Any(&[
    is("type", OWN_TYPES),
    If::Of(at(""), &[has("toolCallId"), has("toolName")]),
    If::Of(at(""), &[is("type", "reasoning"), has("text")]),
])];
const OWN_TYPES: &str = "tool-call|tool-result|tool-approval-request|tool-approval-response";
/// Outputs of calls that failed.
const FAILED: &[If] = &[is("output.type", "error-text|error-json|execution-denied")];

/// Appends the messages that one logged message holds: each result of a tool message is a message.
fn read_messages(element: LocatedNode<'_>, messages: &mut Vec<Message>) -> Result<()> {
    let role = element.read_role("role", ROLES)?;
    let has_results = |part: JsonNode<'_>| part.has_text("type", "tool-result");
    if role == Role::Tool && element.node.items_of("content").any(has_results) {
        read_results(element, messages);
        return Ok(());
    }
    // The arguments are `input`, or `args` before version 5.
    let call_in = |part: JsonNode<'_>| {
        let keys = ["toolCallId", "toolName"];
        let is_call = part.has_text("type", "tool-call");
        is_call.then(|| vec![call_of(part.span(), part, keys, at("input|args"))])
    };
    messages.push(element.read_message(role, call_in, part_kind)?);
    Ok(())
}

/// Returns the kind of a part that is neither a call nor a result of a tool message.
fn part_kind(part: JsonNode<'_>) -> BlockKind {
    match part.get_text("type").as_deref() {
        Some("text") => text_kind(part),
        Some("image") => BlockKind::Image,
        Some("file" | "media") if hold(&[starts("mediaType|mimeType", "image/")], part) => {
            BlockKind::Image
        }
        _ => BlockKind::Other,
    }
}

/// Appends the results of a tool message. Its other parts belong to the result before them.
fn read_results(element: LocatedNode<'_>, messages: &mut Vec<Message>) {
    let first = messages.len();
    for part in element.node.items_of("content") {
        if part.has_text("type", "tool-result") {
            messages.push(read_result(element, part));
        }
    }
    for message in messages.iter_mut().skip(first + 1) {
        message.joined = true;
    }
}

fn read_result(element: LocatedNode<'_>, part: JsonNode<'_>) -> Message {
    let (content, content_span) = read_output(part);
    let failed = hold(FAILED, part);
    Message {
        content,
        content_span,
        answers: part.literal_at("toolCallId"),
        name: part.literal_at("toolName"),
        incomplete: failed || part.has_true("isError"),
        ..element.new_message(Role::Tool)
    }
}

/// Reads the output of a result: `output` with its `type` and `value`, or a bare `result` before
/// version 5. Only an output that is all text can be replaced.
fn read_output(part: JsonNode<'_>) -> (Content, Option<Span>) {
    let Some(output) = part.get("output") else {
        let content = match part.get("result") {
            Some(result) => content_of_value(result),
            None => Content::Absent,
        };
        return (content, None);
    };
    match output.get("value") {
        Some(value) => {
            let content = content_of_value(value);
            let span = matches!(content, Content::Text(_)).then(|| output.span());
            (content, span)
        }
        None => (other_content(output), None),
    }
}

/// Returns the content of a value: a text, the parts of a list, or one block that is no text.
fn content_of_value(value: JsonNode<'_>) -> Content {
    if let Some(text) = value.as_literal() {
        return Content::Text(text);
    }
    let are_parts = value.items().next().is_some()
        && value.items().all(|part| part.is_kind(JsonKind::Object) && part.has_key("type"));
    if !are_parts {
        return other_content(value);
    }
    let blocks =
        value.items().map(|part| MessageBlock { span: part.span(), kind: part_kind(part) });
    Content::Blocks(blocks.collect())
}

fn other_content(value: JsonNode<'_>) -> Content {
    Content::Blocks(vec![MessageBlock { span: value.span(), kind: BlockKind::Other }])
}
