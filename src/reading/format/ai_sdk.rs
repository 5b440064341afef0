//! Model messages of Vercel's AI SDK: `{"role", "content": [{"type": "tool-call"} | {"type":
//! "tool-result"} | …]}` in a list, below `messages`, or one message a record.
//!
//! A tool message may hold several results. Each is read as a separate message, but the results of
//! one logged message are never separated.

use crate::reading::format::prelude::*;

/// Messages as the AI SDK passes them to a model.
pub(super) struct AiSdkFormat;

const ROLES: [(&str, Role); 4] = [
    ("system", Role::System),
    ("user", Role::User),
    ("assistant", Role::Assistant),
    ("tool", Role::Tool),
];
/// Types of parts that no other dialect has.
const OWN_PARTS: [&str; 4] = [
    "tool-call",
    "tool-result",
    "tool-approval-request",
    "tool-approval-response",
];

impl Format for AiSdkFormat {
    fn name(&self) -> &'static str {
        "ai-sdk"
    }

    fn help_line(&self) -> &'static str {
        "ModelMessages of Vercel's AI SDK: {\"messages\": [...]}, a list, or one message per line; recognized by its tool-call and tool-result parts"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let (shape, is_own) = if record.is_kind(JsonKind::Array) {
            (Shape::Conversation, record.items().any(has_own_part))
        } else if record.has_key("messages") {
            let mut messages = record.items_of("messages");
            (Shape::Conversation, messages.any(has_own_part))
        } else {
            (Shape::Message, has_own_part(record))
        };
        is_own.then(|| {
            Recognition::by_message(
                shape,
                "parts tool-call, tool-result or reasoning, or providerOptions",
            )
        })
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>> {
        read_as_trees(records, shape, None, |transcript, record| {
            if shape == Shape::Message {
                return read_messages(record, &mut transcript.messages);
            }
            let root = record.node;
            let list = if root.is_kind(JsonKind::Array) {
                root
            } else {
                root.get("messages")
                    .ok_or_else(|| no_messages_error(root.bytes(), "messages"))?
            };
            push_system_prompt(transcript, record.record, root.get("system"));
            transcript.tools = root.get_kind("tools", JsonKind::Array).map(JsonNode::span);
            for_each_element(
                transcript,
                list,
                record.record,
                "messages",
                |transcript, element| read_messages(element, &mut transcript.messages),
            )
        })
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        let mark: &[u8] = match place.needs_mark(transcript) {
            true => b", \"providerOptions\": {}",
            false => b"",
        };
        fill_json(
            r#"{$"role": "$", "content": $$}"#,
            &[
                &render_thread_entry(transcript, place),
                role.name().as_bytes(),
                &encode_literal(text),
                mark,
            ],
        )
    }

    /// Renders the `output` of a result.
    fn render_result(&self, text: &str) -> Vec<u8> {
        fill_json(r#"{"type": "text", "value": $}"#, &[&encode_literal(text)])
    }
}

fn has_own_part(message: JsonNode<'_>) -> bool {
    let mut parts = message.items_of("content");
    let is_own = |part: JsonNode<'_>| {
        OWN_PARTS.iter().any(|name| part.has_text("type", name))
            || (part.has_text("type", "reasoning") && part.has_key("text"))
    };
    message.has_key("role") && (message.has_key("providerOptions") || parts.any(is_own))
}

/// Appends the messages that one logged message holds: each result of a tool message is a message.
fn read_messages(element: LocatedNode<'_>, messages: &mut Vec<Message>) -> Result<()> {
    let role = element.read_role("role", &ROLES)?;
    let has_results = |part: JsonNode<'_>| part.has_text("type", "tool-result");
    if role == Role::Tool && element.node.items_of("content").any(has_results) {
        read_results(element, messages);
        return Ok(());
    }
    let mut calls = Vec::new();
    let (content, content_span) =
        element.read_content("content", |part| match part.get_text("type").as_deref() {
            Some("tool-call") if role == Role::Assistant => {
                calls.push(read_call(part));
                BlockKind::Call(calls.len() - 1)
            }
            kind => part_kind(part, kind),
        })?;
    messages.push(Message {
        content,
        content_span,
        calls,
        ..element.new_message(role)
    });
    Ok(())
}

/// Reads a call, whose arguments are `input`, or `args` before version 5.
fn read_call(part: JsonNode<'_>) -> ToolCall {
    new_call(
        part.span(),
        part.literal_at("toolCallId"),
        part.literal_at("toolName"),
        part.get("input").or_else(|| part.get("args")),
    )
}

/// Returns the kind of a part that is neither a call nor a result of a tool message.
fn part_kind(part: JsonNode<'_>, kind: Option<&str>) -> BlockKind {
    match kind {
        Some("text") => text_kind(part),
        Some("image") => BlockKind::Image,
        Some("file" | "media") if has_image_type(part) => BlockKind::Image,
        _ => BlockKind::Other,
    }
}

fn has_image_type(part: JsonNode<'_>) -> bool {
    ["mediaType", "mimeType"].iter().any(|key| {
        let kind = part.get_text(key);
        kind.is_some_and(|kind| kind.starts_with("image/"))
    })
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
    let failed = part.get("output").is_some_and(|output| {
        ["error-text", "error-json", "execution-denied"]
            .iter()
            .any(|kind| output.has_text("type", kind))
    });
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
        && value
            .items()
            .all(|part| part.is_kind(JsonKind::Object) && part.has_key("type"));
    if !are_parts {
        return other_content(value);
    }
    let blocks = value.items().map(|part| MessageBlock {
        span: part.span(),
        kind: part_kind(part, part.get_text("type").as_deref()),
    });
    Content::Blocks(blocks.collect())
}

fn other_content(value: JsonNode<'_>) -> Content {
    Content::Blocks(vec![MessageBlock {
        span: value.span(),
        kind: BlockKind::Other,
    }])
}
