//! OpenAI chat messages: `{"messages": […], "tools": […], …}`, a bare list of messages, or one
//! message a record. Most logs and most fine-tuning data are of this format; `function_call` and
//! `function` are its legacy spelling of calls.

use crate::reading::format::chat_row::{ChatEvidence, ChatReads, ChatRow};
use crate::reading::format::openai_records::{MessageListPath, read_openai_records};
use crate::reading::format::prelude::*;

pub(super) const OPENAI_CHAT: ChatRow = ChatRow {
    name: "openai",
    help: "OpenAI chat messages: {\"messages\": [...]} or a list of messages per record, or one message per line",
    told: ChatEvidence::Own(recognize),
    reads: ChatReads::Own(|records, shape| read_openai_records(records, shape, TOP)),
    is_chat: true,
    ..ChatRow::PLAIN
};

/// The list at the top of a record.
const TOP: MessageListPath = MessageListPath { list: &["messages"], thread: None, trial: None };

/// Keys of a message that hold its text or its calls.
const SAID: &[If] = &[has(MESSAGE_KEYS)];
const MESSAGE_KEYS: &str = "content|tool_calls|function_call|reasoning|reasoning_content|thinking\
    |refusal|audio";

fn recognize(record: JsonNode<'_>) -> Option<Recognition> {
    if record.is_kind(JsonKind::Array) {
        // Only the first element decides, so that an error in a later one is reported.
        let is_message = record.items().next().is_none_or(|first| first.has_key("role"));
        return is_message.then(|| recognize_list(record, "a list of objects with a role"));
    }
    if let Some(list) = record.get("messages") {
        // Messages with `parts` are of another dialect, whose text would be overlooked here.
        let has_parts = list.items().any(|message| message.has_key("parts"));
        return (!has_parts).then(|| recognize_list(list, "a key messages"));
    }
    let role = record.get_text("role")?;
    Role::from_name(role.as_bytes())?;
    // Messages of other formats have a role as well, and their text under another key.
    hold(SAID, record).then(|| {
        // A system message a line is of the AI SDK as well, whose parts must tell it also when
        // few messages are left.
        let why = "one message with a role, and content or calls";
        match has_own_keys(record) && !record.has_text("role", "system") {
            true => Recognition::by_message(Shape::Message, why),
            false => Recognition::by_fit(Shape::Message, why),
        }
    })
}

/// Recognizes a conversation by its list of messages.
fn recognize_list(list: JsonNode<'_>, why: &'static str) -> Recognition {
    if list.items().any(has_own_keys) {
        let why = "messages with calls, results or roles that only OpenAI has";
        return Recognition::by_message(Shape::Conversation, why);
    }
    Recognition::by_fit(Shape::Conversation, why)
}

/// Returns true if a message holds something that messages of user and assistant in other dialects
/// don't have: calls as OpenAI spells them, or a role that only OpenAI has.
fn has_own_keys(message: JsonNode<'_>) -> bool {
    const OWN: &[If] = &[If::Any(&[
        has("tool_calls|tool_call_id|function_call"),
        is("role", "system|developer|tool|function"),
    ])];
    hold(OWN, message)
}
