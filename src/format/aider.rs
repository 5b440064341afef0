//! Chats of Aider, as its history in Markdown is read: messages of the user and the model, and what
//! Aider itself said, which the model did not see.

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::export_reader::ExportReader;
use crate::format::journal::{EventPlace, Journal, JournalReader, JournalThread};
use crate::format::located_node::unknown_role_reason;
use crate::format::message_builder::MessageBuilder;
use crate::format::recognition::{Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;

/// Chat histories of Aider.
pub(super) struct AiderJournal;

/// The key of the time at which a chat started.
const START: &str = "aider_chat";

impl Journal for AiderJournal {
    fn name(&self) -> &'static str {
        "aider"
    }

    fn help_line(&self) -> &'static str {
        "Aider chat histories (.aider.chat.history.md): #### before lines of the user, > before Aider's own"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let is_chat = record.get_kind(START, JsonKind::String).is_some()
            && record.get_kind("messages", JsonKind::Array).is_some();
        is_chat.then(|| Recognition::by_envelope(Shape::Conversation, "a chat of Aider"))
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        ExportReader::of_elements(build_thread)
    }
}

fn build_thread(chat: JsonNode<'_>, at: usize) -> Result<JournalThread, RecordError> {
    let list = chat
        .get("messages")
        .ok_or_else(|| chat.missing_key("messages"))?
        .must_be(JsonKind::Array, "messages")?;
    let mut thread = JournalThread::new_excerpt(OPENAI, "messages", at);
    thread.id = chat.non_empty_text(START);
    for message in list.items() {
        if let Err(error) = push_message(&mut thread, message, at) {
            thread.unread.push((at, error));
        }
    }
    Ok(thread)
}

fn push_message(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    at: usize,
) -> Result<(), RecordError> {
    let role = message.get("role").and_then(JsonNode::as_text);
    let mut element = match role.as_deref().unwrap_or_default() {
        "user" => MessageBuilder::new("user"),
        "assistant" => MessageBuilder::new("assistant"),
        "aider" => {
            thread.note_left_out("notes of Aider itself".to_owned(), at);
            return Ok(());
        }
        other => {
            let reason = unknown_role_reason("role", other, &["user", "assistant", "aider"]);
            return Err(RecordError::at(message.span().start, reason));
        }
    };
    element.add_place(EventPlace::new(at, message.span()));
    let content = message
        .get("content")
        .ok_or_else(|| message.missing_key("content"))?
        .must_be(JsonKind::String, "content")?;
    element.push_text(content.bytes());
    element.push_onto(thread);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    #[test]
    fn what_aider_itself_says_is_left_out() {
        let chat = r#"{"aider_chat": "2026-03-02 09:00:00", "messages": [{"role": "user", "content": "Check it."}, {"role": "aider", "content": "Tokens: 2k sent."}, {"role": "assistant", "content": "It runs."}]}"#;
        assert!(recognizes(&AiderJournal, chat));
        let threads = tell_threads(&AiderJournal, chat);
        assert_eq!(threads[0].id.as_deref(), Some("2026-03-02 09:00:00"));
        assert_eq!(
            threads[0].messages,
            ["user: Check it.", "assistant: It runs."]
        );
    }
}
