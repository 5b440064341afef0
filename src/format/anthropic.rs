//! Anthropic Messages: `{"system", "messages": […], "tools"}`, requests of its
//! batches (`params`), the bare array, or one message a record.
//!
//! Tool results are blocks of user messages: each is read as a message of its
//! own, so that pairing, eviction and cuts see it. The blocks of one logged
//! message are never parted.

use crate::error::RecordError;
use crate::format::reading::{
    LocatedNode, before_content, call, each_element, is_incomplete, read_trees, results_and_words,
    system_prompt, thread_entry, user_messages, without,
};
use crate::format::tree::JsonNode;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::JsonKind;
use crate::json::encode_literal;
use crate::transcript::{BlockKind, Content, Message, Record, Role, Transcript};

type Result<T> = std::result::Result<T, RecordError>;

/// The Anthropic Messages dialect.
pub(super) struct AnthropicFormat;

const ROLES: [(&str, Role); 3] = [
    ("user", Role::User),
    ("assistant", Role::Assistant),
    ("system", Role::System),
];
/// Types of blocks that no other dialect has.
const BLOCKS: [&str; 8] = [
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
        "Anthropic Messages: {\"system\": ..., \"messages\": [...]}, batch requests, or one message per line; told by its blocks"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let hit = |shape, why| {
            Some(Recognition {
                shape,
                certainty: Certainty::Message,
                why,
            })
        };
        if let Some(params) = request_in(record) {
            return self
                .recognize_record(params)
                .map(|hit| Recognition {
                    certainty: Certainty::Envelope,
                    ..hit
                })
                .or(Some(Recognition {
                    shape: Shape::Conversation,
                    certainty: Certainty::Envelope,
                    why: "messages below params or modelInput",
                }));
        }
        let list = if record.is(JsonKind::Array) {
            Some(record)
        } else {
            record.get("messages")
        };
        let Some(list) = list else {
            return if is_message(record) && has_own_block(record) {
                hit(
                    Shape::Message,
                    "a message with a block that only Anthropic has",
                )
            } else {
                None
            };
        };
        if !list.items().all(is_message) || list.items().next().is_none() {
            return None;
        }
        if list.items().any(has_own_block) {
            return hit(
                Shape::Conversation,
                "blocks that only Anthropic has (tool_use, tool_result, thinking, image.source)",
            );
        }
        if record.list("tools").any(|tool| tool.has("input_schema")) {
            return hit(Shape::Conversation, "tools with an input_schema");
        }
        let system = record
            .get("system")
            .is_some_and(|system| matches!(system.kind(), JsonKind::String | JsonKind::Array));
        if system {
            hit(
                Shape::Conversation,
                "a system prompt beside messages of user and assistant",
            )
        } else {
            None
        }
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>> {
        let bytes: Vec<&'a [u8]> = records.iter().map(|record| record.bytes).collect();
        read_trees(records, shape, Some("custom_id"), |transcript, whole| {
            transcript.alternates = true;
            let (bytes, root) = (bytes[whole.record], whole.node);
            if shape == Shape::Message {
                return read_message(bytes, whole, &mut transcript.messages);
            }
            let request = request_in(root).unwrap_or(root);
            let list = if root.is(JsonKind::Array) {
                root
            } else {
                request
                    .get("messages")
                    .ok_or_else(|| without(root, "messages"))?
            };
            transcript.messages.extend(
                request
                    .get("system")
                    .and_then(|system| system_prompt(whole.record, system)),
            );
            transcript.outside = transcript.messages.len();
            transcript.tools = request
                .get("tools")
                .filter(|tools| tools.is(JsonKind::Array))
                .map(JsonNode::span);
            transcript.model = request
                .get("model")
                .and_then(JsonNode::text)
                .filter(|model| !model.is_empty())
                .map(std::borrow::Cow::into_owned);
            each_element(list, whole.record, "messages", |element| {
                read_message(bytes, element, &mut transcript.messages)
            })
        })
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        let wrap = |literal: &[u8]| {
            [b"{\"type\": \"text\", \"text\": ".as_slice(), literal, b"}"].concat()
        };
        let follows = place.user_that_follows(transcript);
        if let Some(splices) =
            follows.and_then(|message| before_content(transcript, message, "content", text, wrap))
        {
            return SummaryInsertion {
                splices,
                ..SummaryInsertion::default()
            };
        }
        SummaryInsertion::message(self.render_message(transcript, place, Role::User, text))
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        let start = format!("\"role\": \"{}\", \"content\": ", role.name());
        [
            b"{".as_slice(),
            &thread_entry(transcript, place),
            start.as_bytes(),
            &encode_literal(text),
            b"}",
        ]
        .concat()
    }
}

/// The request that a batch wraps.
fn request_in(record: JsonNode<'_>) -> Option<JsonNode<'_>> {
    ["params", "modelInput"]
        .into_iter()
        .find_map(|key| record.get(key).filter(|request| request.has("messages")))
}

/// Whether an object could be a message of this dialect.
fn is_message(node: JsonNode<'_>) -> bool {
    let role = node.get("role").and_then(JsonNode::text);
    role.is_some_and(|role| ROLES.iter().any(|(known, _)| *known == role))
        && !node.has("tool_calls")
        && !node.has("tool_call_id")
}

/// Whether a message holds a block that other dialects don't have.
fn has_own_block(message: JsonNode<'_>) -> bool {
    message.list("content").any(|block| {
        BLOCKS.iter().any(|name| block.says("type", name))
            || (block.says("type", "image") && block.has("source"))
    })
}

/// The messages that one logged message holds.
fn read_message(bytes: &[u8], element: LocatedNode<'_>, messages: &mut Vec<Message>) -> Result<()> {
    let role = element.role("role", &ROLES)?;
    let mut calls = Vec::new();
    let (content, content_span) = element.content("content", |block| {
        match block.get("type").and_then(JsonNode::text).as_deref() {
            Some("text") => BlockKind::Text(block.literal_at("text").unwrap_or_default()),
            Some("image") => BlockKind::Image,
            // Pages of base64 are priced like an image, not by their length.
            Some("document")
                if block
                    .get("source")
                    .is_some_and(|source| source.says("type", "base64")) =>
            {
                BlockKind::Image
            }
            Some("tool_use") if role == Role::Assistant => {
                calls.push(call(
                    block.span(),
                    block.literal_at("id"),
                    block.literal_at("name"),
                    block.get("input"),
                ));
                BlockKind::Call(calls.len() - 1)
            }
            _ => BlockKind::Other,
        }
    })?;
    let message = Message {
        content_span,
        ..element.message(role)
    };
    let blocks = match content {
        Content::Blocks(blocks) if role == Role::User => blocks,
        content => {
            let message = Message {
                content,
                calls,
                ..message
            };
            messages.extend(if role == Role::User {
                user_messages(bytes, message)
            } else {
                vec![message]
            });
            return Ok(());
        }
    };
    let mut results = Vec::new();
    let mut words = Vec::new();
    for (block, node) in blocks.into_iter().zip(element.node.list("content")) {
        if node.says("type", "tool_result") {
            results.push(read_result(element, node)?)
        } else {
            words.push(block)
        }
    }
    messages.extend(results_and_words(bytes, element, results, words));
    Ok(())
}

fn read_result(element: LocatedNode<'_>, node: JsonNode<'_>) -> Result<Message> {
    let place = element.field("content");
    let result = LocatedNode {
        node,
        place: &place,
        ..element
    };
    let (content, content_span) = result.content("content", |block| {
        match block.get("type").and_then(JsonNode::text).as_deref() {
            Some("text") => BlockKind::Text(block.literal_at("text").unwrap_or_default()),
            Some("image") => BlockKind::Image,
            Some("document")
                if block
                    .get("source")
                    .is_some_and(|source| source.says("type", "base64")) =>
            {
                BlockKind::Image
            }
            _ => BlockKind::Other,
        }
    })?;
    Ok(Message {
        content,
        content_span,
        answers: node.literal_at("tool_use_id"),
        incomplete: is_incomplete(node),
        ..element.message(Role::Tool)
    })
}
