//! Bedrock Converse: `{"system": [{"text"}], "messages": [{"role", "content": [{"text"} |
//! {"toolUse"} | {"toolResult"}]}], "toolConfig"}`. Blocks have no `type`.

use crate::reading::format::chat_row::{
    ChatEvidence, ChatList, ChatReads, ChatRow, MessageForm, SummaryJoins,
};
use crate::reading::format::prelude::*;

/// Conversations of the Converse API.
#[rustfmt::skip]
pub(super) const BEDROCK: ChatRow = ChatRow {
    name: "bedrock",
    help: "Bedrock Converse: {\"system\": [{\"text\": ...}], \"messages\": [...]} with toolUse and toolResult blocks",
    told: ChatEvidence::Rows(&[
        chat("blocks toolUse or toolResult", &[If::Some(at("messages"), TOOLS)]),
        chat("content blocks with text and no type", &[
            If::Some(at("messages"), &[If::Some(at("content"), IS_TEXT)]),
            If::Every(at("messages"), &[If::Every(at("content"), &[If::Own(is_member)])]),
        ]),
    ]),
    reads: ChatReads::List(&ChatList {
        tools: (at("toolConfig.tools"), LIST),
        model: at("modelId"),
        read: read_messages,
        ..ChatList::PLAIN
    }),
    joins: SummaryJoins::Blocks("content"),
    message: MessageForm::Pattern(Role::name, r#"{$"role": "$", "content": [{"text": $}]}"#),
    text_block: r#"{"text": $}"#,
    result: r#"[{"text": $}]"#,
    ..ChatRow::PLAIN
};

const ROLES: RoleNames = RoleNames("user|assistant");

const TOOLS: &[If] = &[If::Some(at("content"), &[has("toolUse|toolResult")])];
const IS_TEXT: &[If] = &[kind("text", TEXT), none("type")];

/// Returns true for a block as the interface has them, also those that it will have: text, or an
/// object under the only key, which names its kind.
fn is_member(block: JsonNode<'_>) -> bool {
    let mut entries = block.entries();
    let has_object = entries.next().is_some_and(|(_, value)| value.is_kind(JsonKind::Object));
    hold(IS_TEXT, block) || (has_object && entries.next().is_none())
}

fn block_kind(block: JsonNode<'_>) -> BlockKind {
    // The blocks of other interfaces have a type.
    if block.has_key("type") {
        return BlockKind::Other;
    }
    let guarded = || block.get_path(&["guardContent", "text"])?.literal_at("text");
    if let Some(text) = block.literal_at("text").or_else(guarded).or_else(|| cited_text(block)) {
        return BlockKind::Text(text);
    }
    // Pages and films are priced like an image, not by the length of their base64.
    let has_source = |(_, value): (_, JsonNode<'_>)| value.has_key("source");
    if block.has_key("image") || block.entries().any(has_source) {
        BlockKind::Image
    } else {
        BlockKind::Other
    }
}

/// Returns the text of an answer with citations, if it is one piece.
fn cited_text(block: JsonNode<'_>) -> Option<Span> {
    let mut pieces = block.get("citationsContent")?.items_of("content");
    let text = pieces.next()?.literal_at("text")?;
    pieces.next().is_none().then_some(text)
}

/// Appends the messages that one logged message holds: a user's results are separate messages.
fn read_messages(element: LocatedNode<'_>, messages: &mut Vec<Message>) -> Result<()> {
    let role = element.read_role("role", ROLES)?;
    let call_in = |block: JsonNode<'_>| {
        let call = block.get("toolUse")?;
        let keys = ["toolUseId", "name"];
        Some(vec![call_of(block.span(), call, keys, at("input"))])
    };
    let message = element.read_message(role, call_in, block_kind)?;
    if role != Role::User {
        messages.push(message);
        return Ok(());
    }
    element.push_user_turn(message, messages, |block| {
        let result = block.get("toolResult")?;
        Some(element.read_result("toolResult", result, "toolUseId", block_kind))
    })
}
