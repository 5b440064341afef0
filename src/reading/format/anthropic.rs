//! Anthropic Messages: `{"system", "messages": […], "tools"}`, requests of its batches (`params`),
//! a bare list of messages, or one message a record.
//!
//! Tool results are blocks of user messages. Each is read as a separate message, so that pairing,
//! eviction and cutoffs see it, but the blocks of one logged message are never separated.

use crate::reading::format::chat_row::{
    ChatEvidence, ChatList, ChatReads, ChatRow, SummaryJoins, SummaryMark,
};
use crate::reading::format::prelude::*;

/// The Anthropic Messages dialect.
pub(super) const ANTHROPIC_CHAT: ChatRow = ChatRow {
    name: "anthropic",
    help: "Anthropic Messages: {\"system\": ..., \"messages\": [...]}, batch requests, or one message per line; recognized by its blocks",
    told: ChatEvidence::Own(recognize),
    reads: ChatReads::List(&ChatList {
        thread: Some("custom_id"),
        request: |record| batch_request(record).unwrap_or(record),
        is_wide: true,
        model: at("model"),
        hides: true,
        read: read_messages,
        ..ChatList::PLAIN
    }),
    joins: SummaryJoins::Blocks("content"),
    // The block of an answer has a key that only Anthropic has.
    mark: SummaryMark::Block {
        pattern: r#"{"type": "text", "text": $, "citations": null}"#,
        is_told_around,
    },
    ..ChatRow::PLAIN
};

const ROLES: RoleNames = RoleNames("user|assistant|system");
/// Types of blocks that no other dialect has.
const OWN_BLOCK: &[If] = &[is("type", OWN_BLOCKS)];
const OWN_BLOCKS: &str = "tool_use|tool_result|thinking|redacted_thinking|server_tool_use\
    |web_search_tool_result|code_execution_tool_result|mcp_tool_use";

fn recognize(record: JsonNode<'_>) -> Option<Recognition> {
    let Some(params) = batch_request(record) else {
        return recognize_request(record);
    };
    let (shape, why) = match recognize(params) {
        Some(recognition) => (recognition.shape, recognition.why),
        None => (Shape::Conversation, "messages below params or modelInput"),
    };
    Some(Recognition::by_envelope(shape, why))
}

/// Returns true if what is around the messages of a record tells the format.
fn is_told_around(transcript: &Transcript<'_>) -> bool {
    JsonTree::new(transcript.records[0].bytes).is_ok_and(|tree| {
        let record = tree.root();
        batch_request(record).is_some() || evidence_around(record).is_some()
    })
}

/// Returns what of a request tells the format around its messages.
fn evidence_around(request: JsonNode<'_>) -> Option<&'static str> {
    let is_prompt =
        |prompt: JsonNode<'_>| matches!(prompt.kind(), JsonKind::String | JsonKind::Array);
    if request.items_of("tools").any(|tool| tool.has_key("input_schema")) {
        Some("tools with an input_schema")
    } else if request.get("system").is_some_and(is_prompt) {
        Some("a system prompt beside messages of user and assistant")
    } else {
        None
    }
}

/// Recognizes a request, a list of messages or a message by what its messages hold.
fn recognize_request(record: JsonNode<'_>) -> Option<Recognition> {
    let list = if record.is_kind(JsonKind::Array) { Some(record) } else { record.get("messages") };
    let Some(list) = list else {
        let is_own = has_own_block(record) || has_citations(record);
        return (could_be_message(record) && is_own).then(|| {
            Recognition::by_message(
                Shape::Message,
                "a message with a block that only Anthropic has",
            )
        });
    };
    if !list.items().all(could_be_message) || list.items().next().is_none() {
        return None;
    }
    // OpenAI's messages can have citations, too, and its prompt is one of them.
    let is_prompt = |message: JsonNode<'_>| message.has_text("role", "system");
    let is_cited = list.items().any(has_citations) && !list.items().any(is_prompt);
    let why = if is_cited || list.items().any(has_own_block) {
        "blocks that only Anthropic has (tool_use, tool_result, thinking, image.source, citations)"
    } else {
        evidence_around(record)?
    };
    Some(Recognition::by_message(Shape::Conversation, why))
}

/// Returns the request that a record of a batch wraps.
fn batch_request(record: JsonNode<'_>) -> Option<JsonNode<'_>> {
    let mut requests = at("params|modelInput").nodes(record);
    requests.find(|request| request.has_key("messages"))
}

/// Returns true if an object could be a message of this dialect.
fn could_be_message(node: JsonNode<'_>) -> bool {
    let role = node.get_text("role");
    role.is_some_and(|role| ROLES.role_of(&role).is_some())
        && !node.has_key("tool_calls")
        && !node.has_key("tool_call_id")
}

/// Returns true if a message holds a block that other dialects don't have.
fn has_own_block(message: JsonNode<'_>) -> bool {
    message.items_of("content").any(|block| {
        hold(OWN_BLOCK, block) || (block.has_text("type", "image") && block.has_key("source"))
    })
}

/// Returns true if a message holds a block of text with the key of citations.
fn has_citations(message: JsonNode<'_>) -> bool {
    let mut blocks = message.items_of("content");
    blocks.any(|block| block.has_text("type", "text") && block.has_key("citations"))
}

/// Returns the kind of a block that is neither a call nor a result.
fn block_kind(block: JsonNode<'_>) -> BlockKind {
    match block.get_text("type").as_deref() {
        Some("text") => text_kind(block),
        Some("image") => BlockKind::Image,
        // Pages of base64 are priced like an image, not by their length.
        Some("document") if hold(&[is("source.type", "base64")], block) => BlockKind::Image,
        _ => BlockKind::Other,
    }
}

/// Appends the messages that one logged message holds.
fn read_messages(element: LocatedNode<'_>, messages: &mut Vec<Message>) -> Result<()> {
    let role = element.read_role("role", ROLES)?;
    let call_in = |block: JsonNode<'_>| {
        let is_call = block.has_text("type", "tool_use");
        is_call.then(|| vec![call_of(block.span(), block, ["id", "name"], at("input"))])
    };
    let message = element.read_message(role, call_in, block_kind)?;
    if role != Role::User {
        messages.push(message);
        return Ok(());
    }
    element.push_user_turn(message, messages, |block| {
        let is_result = block.has_text("type", "tool_result");
        is_result.then(|| element.read_result("content", block, "tool_use_id", block_kind))
    })
}
