//! Readers of records that hold whole conversations (one, a list of them, or a list under a key), or
//! messages that need no context: one a record, a list, or a list under `messages`.

use crate::reading::format::dialects::OPENAI;
use crate::reading::format::prelude::*;
use crate::reading::format::row::conversation::{ConversationRow, InnerConversations};
use crate::reading::format::row::evidence::message_list;
use crate::reading::format::row::step::MessageRow;

/// Builds the thread of a conversation.
pub(crate) type ConversationBuilder = fn(conversation: JsonNode<'_>) -> Result<JournalThread>;

#[derive(Clone, Copy)]
pub(super) enum ThreadBuilder {
    Row(&'static ConversationRow),
    Own(ConversationBuilder),
}

/// A reader of such an export. Each conversation is a thread; one that can't be read is reported,
/// and the others stay.
pub(super) struct ConversationReader {
    /// The key of the list of conversations, where a record has it. Other records are a
    /// conversation, or, where they never have such a key, a list of conversations.
    below: Option<&'static str>,
    build: ThreadBuilder,
    threads: Vec<JournalThread>,
}

impl ConversationReader {
    pub(super) fn boxed(
        below: Option<&'static str>,
        build: ThreadBuilder,
    ) -> Box<dyn JournalReader> {
        Box::new(Self { below, build, threads: Vec::new() })
    }
}

impl JournalReader for ConversationReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        let is_list = record.is_kind(JsonKind::Array);
        let key = self.below.filter(|key| record.has_key(key));
        let conversations = match key {
            Some(key) => record.need_kind(key, JsonKind::Array)?.items().collect(),
            None if is_list && self.below.is_none() => record.items().collect(),
            None => vec![record],
        };
        let (mut built, mut errors) = (Vec::new(), Vec::new());
        let builders = conversations.into_iter().flat_map(|conversation| {
            let mut all = vec![(self.build, conversation)];
            if let ThreadBuilder::Row(ConversationRow { inner: Some(inner), .. }) = self.build {
                push_inner(*inner, conversation, &mut all);
            }
            all
        });
        for (build, conversation) in builders {
            match build_thread(build, conversation, record) {
                Ok(thread) => built.push(thread),
                Err(error) => errors.push(error),
            }
        }
        let Some(first) = built.first_mut() else {
            let none = || record.wrong_kind("the record", "a list of conversations");
            return Err(errors.into_iter().next().unwrap_or_else(none));
        };
        first.unread.extend(errors.into_iter().map(|error| (record.record_index(), error)));
        if let Some(key) = key {
            note_other_keys(first, record, &[key]);
        }
        self.threads.append(&mut built);
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.threads
    }
}

/// Adds the conversations in a conversation, each before those in it.
fn push_inner<'t>(
    inner: InnerConversations,
    conversation: JsonNode<'t>,
    all: &mut Vec<(ThreadBuilder, JsonNode<'t>)>,
) {
    for within in conversation.items_of(inner.key) {
        all.push((ThreadBuilder::Row(inner.row), within));
        push_inner(inner, within, all);
    }
}

/// Builds a thread that has at least one message.
fn build_thread(
    build: ThreadBuilder,
    conversation: JsonNode<'_>,
    record: JsonNode<'_>,
) -> Result<JournalThread> {
    let thread = match build {
        ThreadBuilder::Row(row) => row.build(conversation, record)?,
        ThreadBuilder::Own(build) => build(conversation)?,
    };
    with_text(thread, conversation)
}

/// Returns a thread, or the error that nothing is said in it.
fn with_text(thread: JournalThread, conversation: JsonNode<'_>) -> Result<JournalThread> {
    if thread.len() > 0 {
        return Ok(thread);
    }
    let first = thread.unread.into_iter().next();
    Err(first.map_or_else(
        || {
            let reason = "no message of the conversation holds text";
            RecordError::at(conversation.span().start, reason)
        },
        |(_, error)| error,
    ))
}

/// Keys of a row that may name its conversation.
const ROW_IDS: At = at("thread_id|session_id|conversation_id|custom_id|key|instance_id|id|uuid");

pub(super) struct RecordReader {
    /// The name of the format and its evidence, if the records are rows of a data set.
    rows: Option<(&'static str, &'static [Evidence])>,
    build: ConversationBuilder,
    threads: Vec<JournalThread>,
}

impl RecordReader {
    pub(super) fn boxed(
        rows: Option<(&'static str, &'static [Evidence])>,
        build: ConversationBuilder,
    ) -> Box<dyn JournalReader> {
        Box::new(Self { rows, build, threads: Vec::new() })
    }
}

impl JournalReader for RecordReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        if let Some((name, evidence)) = self.rows
            && recognize_by(evidence, record).is_none()
        {
            return Err(RecordError::new(format!("not a record of {name}")));
        }
        let mut thread = (self.build)(record)?;
        if self.rows.is_some() {
            ROW_IDS.first_into(&mut thread.id, record);
            self.threads.push(thread);
        } else {
            self.threads.extend(thread.into_only_thread());
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.threads
    }
}

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
    fn observe_list(&mut self, record: JsonNode<'_>, list: JsonNode<'_>) -> Result<()> {
        let mut thread = JournalThread::new_excerpt(OPENAI);
        for message in list.items() {
            if let Err(error) = self.row.push(&mut thread, message) {
                thread.unread.push((message.record_index(), error));
            }
        }
        let mut thread = with_text(thread, record)?;
        thread.id = record.non_empty_text("id").or_else(|| CHAT.text(record));
        thread.model = record.non_empty_text("model").or(thread.model.take());
        note_other_keys(&mut thread, record, &["messages", "model", "llm_context"]);
        self.threads.push(thread);
        Ok(())
    }
}

impl JournalReader for MessageListReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        if let Some(list) = message_list(record) {
            return self.observe_list(record, list);
        }
        let chat = CHAT.text(record);
        let new = self.threads.len();
        let index = *self.by_chat.entry(chat.clone()).or_insert(new);
        if index == new {
            let mut thread = JournalThread::new_excerpt(OPENAI);
            thread.id = chat;
            self.threads.push(thread);
        }
        self.row.push(&mut self.threads[index], record)
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        let threads = self.threads.into_iter();
        threads.filter(|thread| thread.len() > 0).collect()
    }
}
