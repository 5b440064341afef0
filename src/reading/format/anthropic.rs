//! Anthropic Messages: `{"system", "messages": […], "tools"}`, requests of its batches (`params`),
//! a bare list of messages, or one message a record.
//!
//! Tool results are blocks of user messages. Each is read as a separate message, so that pairing,
//! eviction and cutoffs see it, but the blocks of one logged message are never separated.

use crate::reading::format::hidden_messages::HiddenMessages;
use crate::reading::format::prelude::*;
use crate::reading::format::summary_splices::place_in_user_message;

/// The Anthropic Messages dialect.
pub(super) struct AnthropicFormat;

const ROLES: [(&str, Role); 3] = [
    ("user", Role::User),
    ("assistant", Role::Assistant),
    ("system", Role::System),
];
/// Types of blocks that no other dialect has.
const OWN_BLOCKS: [&str; 8] = [
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "web_search_tool_result",
    "code_execution_tool_result",
    "mcp_tool_use",
];

impl Format for AnthropicFormat {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn help_line(&self) -> &'static str {
        "Anthropic Messages: {\"system\": ..., \"messages\": [...]}, batch requests, or one message per line; recognized by its blocks"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let Some(params) = batch_request(record) else {
            return recognize_request(record);
        };
        let (shape, why) = match self.recognize_record(params) {
            Some(recognition) => (recognition.shape, recognition.why),
            None => (Shape::Conversation, "messages below params or modelInput"),
        };
        Some(Recognition::by_envelope(shape, why))
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>> {
        read_as_trees(records, shape, Some("custom_id"), |transcript, record| {
            transcript.alternates = true;
            if shape == Shape::Message {
                return read_messages(record, &mut transcript.messages);
            }
            let root = record.node;
            let request = batch_request(root).unwrap_or(root);
            let list = if root.is_kind(JsonKind::Array) {
                root
            } else {
                request
                    .get("messages")
                    .ok_or_else(|| no_messages_error(root.bytes(), "messages"))?
            };
            let prompt = request.get("system");
            push_system_prompt(transcript, record.record, prompt);
            transcript.tools = request
                .get_kind("tools", JsonKind::Array)
                .map(JsonNode::span);
            transcript.model = request.non_empty_text("model");
            let hidden = HiddenMessages::in_list(list);
            hidden.note_left_out(transcript, record.record);
            for_each_element(
                transcript,
                list,
                record.record,
                "messages",
                |transcript, element| match hidden.contains(element.node) {
                    true => Ok(()),
                    false => read_messages(element, &mut transcript.messages),
                },
            )
        })
    }

    fn user_content_key(&self) -> Option<&'static str> {
        Some("content")
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        let wrap = match needs_mark(transcript, place) {
            true => marked_block,
            false => text_block,
        };
        place_in_user_message(transcript, place, "content", text, wrap).unwrap_or_else(|| {
            let message = self.render_message(transcript, place, Role::User, text);
            SummaryInsertion::from_message(message)
        })
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        let start = format!("\"role\": \"{}\", \"content\": ", role.name());
        let literal = encode_literal(text);
        let content = match needs_mark(transcript, place) {
            true => join_blocks(&[marked_block(&literal)]),
            false => literal,
        };
        fill_json(
            "{$$$}",
            &[
                &render_thread_entry(transcript, place),
                start.as_bytes(),
                &content,
            ],
        )
    }
}

/// Returns true if neither what is around the messages nor what stays of them tells the format.
fn needs_mark(transcript: &Transcript<'_>, place: &SummaryPlace<'_>) -> bool {
    let has_schema = |tools: Span| {
        let tools = tools.slice(transcript.records[0].bytes);
        memchr::memmem::find(tools, b"input_schema").is_some()
    };
    transcript.outside == 0
        && !transcript.tools.is_some_and(has_schema)
        && place.needs_mark(transcript)
}

/// Renders a text as the block of an answer, with a key that only Anthropic has.
fn marked_block(literal: &[u8]) -> Vec<u8> {
    [
        b"{\"type\": \"text\", \"text\": ".as_slice(),
        literal,
        b", \"citations\": null}",
    ]
    .concat()
}

/// Recognizes a request, a list of messages or a message by what its messages hold.
fn recognize_request(record: JsonNode<'_>) -> Option<Recognition> {
    let list = if record.is_kind(JsonKind::Array) {
        Some(record)
    } else {
        record.get("messages")
    };
    let Some(list) = list else {
        return (could_be_message(record) && has_own_block(record)).then(|| {
            Recognition::by_message(
                Shape::Message,
                "a message with a block that only Anthropic has",
            )
        });
    };
    if !list.items().all(could_be_message) || list.items().next().is_none() {
        return None;
    }
    let has_prompt = record
        .get("system")
        .is_some_and(|prompt| matches!(prompt.kind(), JsonKind::String | JsonKind::Array));
    let why = if list.items().any(has_own_block) {
        "blocks that only Anthropic has (tool_use, tool_result, thinking, image.source, citations)"
    } else if record
        .items_of("tools")
        .any(|tool| tool.has_key("input_schema"))
    {
        "tools with an input_schema"
    } else if has_prompt {
        "a system prompt beside messages of user and assistant"
    } else {
        return None;
    };
    Some(Recognition::by_message(Shape::Conversation, why))
}

/// Returns the request that a record of a batch wraps.
fn batch_request(record: JsonNode<'_>) -> Option<JsonNode<'_>> {
    ["params", "modelInput"].into_iter().find_map(|key| {
        record
            .get(key)
            .filter(|request| request.has_key("messages"))
    })
}

/// Returns true if an object could be a message of this dialect.
fn could_be_message(node: JsonNode<'_>) -> bool {
    let role = node.get_text("role");
    role.is_some_and(|role| ROLES.iter().any(|(known, _)| *known == role))
        && !node.has_key("tool_calls")
        && !node.has_key("tool_call_id")
}

/// Returns true if a message holds a block that other dialects don't have.
fn has_own_block(message: JsonNode<'_>) -> bool {
    message.items_of("content").any(|block| {
        OWN_BLOCKS.iter().any(|name| block.has_text("type", name))
            || (block.has_text("type", "image") && block.has_key("source"))
            || (block.has_text("type", "text") && block.has_key("citations"))
    })
}

/// Returns the kind of a block in a result.
fn block_kind(block: JsonNode<'_>) -> BlockKind {
    let kind = block.get_text("type");
    kind_of_type(block, kind.as_deref())
}

/// Returns the kind of a block that is neither a call nor a result, by its type.
fn kind_of_type(block: JsonNode<'_>, kind: Option<&str>) -> BlockKind {
    match kind {
        Some("text") => text_kind(block),
        Some("image") => BlockKind::Image,
        // Pages of base64 are priced like an image, not by their length.
        Some("document")
            if block
                .get("source")
                .is_some_and(|source| source.has_text("type", "base64")) =>
        {
            BlockKind::Image
        }
        _ => BlockKind::Other,
    }
}

/// Appends the messages that one logged message holds.
fn read_messages(element: LocatedNode<'_>, messages: &mut Vec<Message>) -> Result<()> {
    let role = element.read_role("role", &ROLES)?;
    let mut calls = Vec::new();
    let (content, content_span) =
        element.read_content("content", |block| match block.get_text("type").as_deref() {
            Some("tool_use") if role == Role::Assistant => {
                calls.push(new_call(
                    block.span(),
                    block.literal_at("id"),
                    block.literal_at("name"),
                    block.get("input"),
                ));
                BlockKind::Call(calls.len() - 1)
            }
            kind => kind_of_type(block, kind),
        })?;
    let blocks = match content {
        Content::Blocks(blocks) if role == Role::User => blocks,
        content => {
            let message = Message {
                content,
                content_span,
                calls,
                ..element.new_message(role)
            };
            if role == Role::User {
                messages.extend(split_off_summary(element.node.record_bytes(), message));
            } else {
                messages.push(message);
            }
            return Ok(());
        }
    };
    let (mut results, mut words) = (Vec::new(), Vec::new());
    for (block, node) in blocks.into_iter().zip(element.node.items_of("content")) {
        if node.has_text("type", "tool_result") {
            results.push(read_result(element, node)?);
        } else {
            words.push(block);
        }
    }
    messages.extend(join_results_and_words(element, results, words));
    Ok(())
}

fn read_result(element: LocatedNode<'_>, result: JsonNode<'_>) -> Result<Message> {
    let path = element.field_path("content");
    let located = LocatedNode {
        node: result,
        path: Some(&path),
        ..element
    };
    let (content, content_span) = located.read_content("content", block_kind)?;
    Ok(Message {
        content,
        content_span,
        answers: result.literal_at("tool_use_id"),
        incomplete: is_incomplete(result),
        ..element.new_message(Role::Tool)
    })
}
