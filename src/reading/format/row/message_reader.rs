//! Messages that need no context to be read: one a record, a list, or a list under `messages`.

use crate::reading::format::dialects::OPENAI;
use crate::reading::format::prelude::*;
use crate::reading::format::row::conversation_reader::no_text_error;
use crate::reading::format::row::evidence::message_list;
use crate::reading::format::row::step::MessageRow;

/// Keys that name the chat of a message or of a list.
const CHAT: At = at("chatId|chat_id|threadId|thread_id|conversationId");

/// A reader of such messages. The messages of records belong to the chats that they name.
pub(super) struct MessageListReader {
    row: &'static MessageRow,
    threads: Vec<JournalThread>,
    /// The chats whose messages are records, by their ids.
    by_chat: HashMap<Option<String>, usize>,
}

impl MessageListReader {
    pub(super) fn new(row: &'static MessageRow) -> Self {
        Self { row, threads: Vec::new(), by_chat: HashMap::new() }
    }

    /// Reads a list as a thread of its own.
    fn observe_list(&mut self, at: usize, record: JsonNode<'_>, list: JsonNode<'_>) -> Result<()> {
        let mut thread = JournalThread::new_excerpt(OPENAI);
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
        thread.id = record.non_empty_text("id").or_else(|| CHAT.text(record));
        thread.model = record.non_empty_text("model").or(thread.model.take());
        note_other_keys(&mut thread, at, record, &["messages", "model", "llm_context"]);
        self.threads.push(thread);
        Ok(())
    }
}

impl JournalReader for MessageListReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<()> {
        if let Some(list) = message_list(record) {
            return self.observe_list(at, record, list);
        }
        let chat = CHAT.text(record);
        let new = self.threads.len();
        let index = *self.by_chat.entry(chat.clone()).or_insert(new);
        if index == new {
            let mut thread = JournalThread::new_excerpt(OPENAI);
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
