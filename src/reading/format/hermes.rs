//! Calls as tags in the text (Hermes, Qwen): `<tool_call>{…}</tool_call>` in turns of the model,
//! `<tool_response>` in turns of the tool or the user; in `conversations` as in ShareGPT, or in
//! `messages` with `role` and `content`.
//!
//! For the model the tags are text, so they count as text and nothing inside them is cut. They only
//! decide which turns belong together.

use crate::reading::format::chat_row::{ChatEvidence, ChatReads, ChatRow, SummaryMark};
use crate::reading::format::prelude::*;
use crate::reading::format::sharegpt_calls::calls_in_string;
use crate::reading::format::sharegpt_turns::{ShareGptTurn, TURNS, find_turns, read_turns};
use crate::reading::format::tagged_calls::{CALL_TAGS, call_ranges};

/// Conversations with calls in tags.
pub(super) const HERMES: ChatRow = ChatRow {
    name: "hermes",
    help: "Hermes and Qwen tags: <tool_call> and <tool_response> in the text of conversations or messages",
    told: ChatEvidence::Own(recognize),
    reads: ChatReads::Own(|records, _| read_turns(records, &LISTS, read_turn)),
    mark: SummaryMark::Entry("\"format\": \"hermes\", "),
    ..TURNS
};

/// The keys under which a record may hold its list of turns.
const LISTS: [&str; 3] = ["conversations", "conversation", "messages"];

const TEXT_KEYS: [&str; 2] = ["value", "content"];
const RESPONSE: &str = "<tool_response>";
/// The common beginning of the tags' names.
const TAG_PREFIX: &str = "tool_";

fn recognize(record: JsonNode<'_>) -> Option<Recognition> {
    let (list, _) = find_turns(record, &LISTS)?;
    if !list.items().all(is_text_turn) {
        return None;
    }
    // A summary comes first, after the system prompt.
    let mut first = list.items().take(2);
    if first.any(|turn| turn.has_text("format", HERMES.name)) {
        let why = "a summary that is marked as of this format";
        return Some(Recognition::by_envelope(Shape::Conversation, why));
    }
    if !may_have_tags(list) {
        // A conversation without calls, among others that have them.
        let is_list = record.has_key("conversations");
        let why = "turns of text without tags";
        return is_list.then(|| Recognition::by_fit(Shape::Conversation, why));
    }
    let has_calls = list
        .items()
        .any(|turn| contains_text(turn, CALL_TAGS[0]) && contains_text(turn, CALL_TAGS[1]));
    let mut turns = list.items();
    (has_calls && turns.any(|turn| contains_text(turn, RESPONSE))).then(|| {
        Recognition::by_envelope(
            Shape::Conversation,
            "turns with <tool_call> and <tool_response> in their text",
        )
    })
}

// Turns with tags have no content that a stage could replace, because the tags would be lost
// with it.
fn read_turn(bytes: &[u8], turn: ShareGptTurn<'_>, messages: &mut Vec<Message>) {
    let literal = turn.value.as_literal().map(|literal| literal.slice(bytes));
    let text = literal.map(decode_literal).unwrap_or_default();
    let is_response = match turn.role {
        Role::Tool => true,
        Role::User => text.trim_start().starts_with(RESPONSE),
        _ => false,
    };
    match turn.role {
        _ if is_response => {
            messages.push(Message { content_span: None, ..turn.to_message(Role::Function) })
        }
        Role::User => messages.extend(split_off_summary(bytes, turn.to_message(Role::User))),
        Role::Assistant => messages.push(Message {
            calls: read_calls(bytes, &turn, &text),
            ..turn.to_message(Role::Assistant)
        }),
        role => messages.push(turn.to_message(role)),
    }
}

/// Returns false if the JSON of a value cannot contain tags. Writers of JSON may escape `<` and
/// `/`, but not letters, so most texts need not be decoded.
fn may_have_tags(value: JsonNode<'_>) -> bool {
    memchr::memmem::find(value.bytes(), TAG_PREFIX.as_bytes()).is_some()
}

/// Returns true if a turn holds a text and no calls in fields of their own. With such calls, tags
/// in the text are only words.
fn is_text_turn(turn: JsonNode<'_>) -> bool {
    !turn.has_key("tool_calls") && TEXT_KEYS.iter().any(|key| turn.literal_at(key).is_some())
}

fn contains_text(turn: JsonNode<'_>, tag: &str) -> bool {
    TEXT_KEYS
        .iter()
        .filter_map(|key| turn.get(key))
        .filter(|text| may_have_tags(*text))
        .any(|text| text.as_text().is_some_and(|text| text.contains(tag)))
}

/// Reads the calls in the tags of a turn; a tag that cannot be parsed is an opaque call.
fn read_calls(bytes: &[u8], turn: &ShareGptTurn<'_>, text: &str) -> Vec<ToolCall> {
    let Some(literal) = turn.value.as_literal() else {
        return Vec::new();
    };
    let mut calls = Vec::new();
    for tagged in call_ranges(text.as_bytes()) {
        let in_tag = calls_in_string(bytes, literal, Some(tagged));
        if in_tag.is_empty() {
            calls.push(ToolCall { span: turn.value.span(), ..ToolCall::default() });
        }
        calls.extend(in_tag);
    }
    for call in &mut calls {
        call.legacy = true;
    }
    calls
}
