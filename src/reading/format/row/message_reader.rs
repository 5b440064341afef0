//! Messages that need no context to be read: one a record, a list, or a list under `messages`.

use crate::reading::format::dialects::OPENAI;
use crate::reading::format::prelude::*;
use crate::reading::format::row::conversation_reader::no_text_error;
use crate::reading::format::row::step::MessageRow;

/// Keys that name the chat of a message or of a list.
const CHAT_KEYS: [&str; 5] = [
    "chatId",
    "chat_id",
    "threadId",
    "thread_id",
    "conversationId",
];

/// Returns the list of messages that a record is, or holds: in a saved state of AutoGen below
/// `llm_context`.
pub(super) fn message_list(record: JsonNode<'_>) -> Option<JsonNode<'_>> {
    if record.is_kind(JsonKind::Array) {
        Some(record)
    } else {
        let saved = record.get("llm_context");
        let holder = saved.filter(|context| context.has_key("messages"));
        holder
            .unwrap_or(record)
            .get_kind("messages", JsonKind::Array)
    }
}

/// A reader of such messages. The messages of records belong to the chats that they name.
pub(super) struct MessageListReader {
    row: &'static MessageRow,
    threads: Vec<JournalThread>,
    /// The chats whose messages are records, by their ids.
    by_chat: HashMap<Option<String>, usize>,
}

impl MessageListReader {
    pub(super) fn new(row: &'static MessageRow) -> Self {
        Self {
            row,
            threads: Vec::new(),
            by_chat: HashMap::new(),
        }
    }

    /// Reads a list as a thread of its own.
    fn observe_list(&mut self, at: usize, record: JsonNode<'_>, list: JsonNode<'_>) -> Result<()> {
        let mut thread = JournalThread::new_excerpt(OPENAI, "messages", at);
        for message in list.items() {
            let place = EventPlace::new(at, message.span());
            if let Err(error) = self.row.push(&mut thread, message, place) {
                thread.unread.push((at, error));
            }
        }
        if thread.len() == 0 {
            let first = thread.unread.into_iter().next();
            return Err(first.map_or_else(|| no_text_error(record), |(_, error)| error));
        }
        let mut keys = ["id"].iter().chain(&CHAT_KEYS);
        thread.id = keys.find_map(|key| record.non_empty_text(key));
        thread.model = record.non_empty_text("model").or(thread.model.take());
        note_other_keys(
            &mut thread,
            at,
            record,
            &["messages", "model", "llm_context"],
        );
        self.threads.push(thread);
        Ok(())
    }
}

impl JournalReader for MessageListReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<()> {
        if let Some(list) = message_list(record) {
            return self.observe_list(at, record, list);
        }
        let chat = CHAT_KEYS.iter().find_map(|key| record.non_empty_text(key));
        let new = self.threads.len();
        let index = *self.by_chat.entry(chat.clone()).or_insert(new);
        if index == new {
            let mut thread = JournalThread::new_excerpt(OPENAI, "messages", at);
            thread.id = chat;
            self.threads.push(thread);
        }
        let place = EventPlace::new(at, record.span());
        self.row.push(&mut self.threads[index], record, place)
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        let threads = self.threads.into_iter();
        threads.filter(|thread| thread.len() > 0).collect()
    }
}
