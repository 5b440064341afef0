//! Exports whose records each hold whole conversations: one, a list of them, or a list under a key.

use crate::error::RecordError;
use crate::format::journal::{JournalReader, JournalThread};
use crate::format::message_builder::note_other_keys;
use crate::format::tree::JsonNode;
use crate::json::JsonKind;

/// Builds the thread of a conversation in record `at`.
pub(super) type ConversationBuilder =
    fn(conversation: JsonNode<'_>, at: usize) -> Result<JournalThread, RecordError>;

/// The place of the conversations in a record.
#[derive(Debug, Clone, Copy)]
enum ConversationPlace {
    /// The record is one, or a list of them.
    Elements,
    /// The record has a list of them under this key, or is one.
    Below(&'static str),
}

/// A reader of such an export. Each conversation is a thread; one that can't be read is reported,
/// and the others stay.
pub(super) struct ExportReader {
    place: ConversationPlace,
    build: ConversationBuilder,
    threads: Vec<JournalThread>,
}

impl ExportReader {
    fn boxed(place: ConversationPlace, build: ConversationBuilder) -> Box<dyn JournalReader> {
        Box::new(Self {
            place,
            build,
            threads: Vec::new(),
        })
    }

    /// A reader of records that are a conversation or a list of conversations.
    pub(super) fn of_elements(build: ConversationBuilder) -> Box<dyn JournalReader> {
        Self::boxed(ConversationPlace::Elements, build)
    }

    /// A reader of records that hold a list of conversations under a key.
    pub(super) fn of_lists(
        key: &'static str,
        build: ConversationBuilder,
    ) -> Box<dyn JournalReader> {
        Self::boxed(ConversationPlace::Below(key), build)
    }
}

/// Returns the error of a conversation in which nothing is said.
pub(super) fn no_text_error(conversation: JsonNode<'_>) -> RecordError {
    let start = conversation.span().start;
    RecordError::at(start, "no message of the conversation holds text")
}

impl JournalReader for ExportReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let is_list = record.is_kind(JsonKind::Array);
        let (conversations, key) = match self.place {
            ConversationPlace::Elements if is_list => (record.items().collect(), None),
            ConversationPlace::Below(key) if record.has_key(key) => {
                let list = record.get(key).unwrap_or(record);
                let list = list.must_be(JsonKind::Array, key)?;
                (list.items().collect(), Some(key))
            }
            _ => (vec![record], None),
        };
        let (mut built, mut errors) = (Vec::new(), Vec::new());
        for conversation in conversations {
            match build_thread(self.build, conversation, at) {
                Ok(thread) => built.push(thread),
                Err(error) => errors.push(error),
            }
        }
        let Some(first) = built.first_mut() else {
            let none = || record.wrong_kind("the record", "a list of conversations");
            return Err(errors.into_iter().next().unwrap_or_else(none));
        };
        first
            .unread
            .extend(errors.into_iter().map(|error| (at, error)));
        if let Some(key) = key {
            note_other_keys(first, at, record, &[key]);
        }
        self.threads.append(&mut built);
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.threads
    }
}

/// Builds a thread that has at least one message.
fn build_thread(
    build: ConversationBuilder,
    conversation: JsonNode<'_>,
    at: usize,
) -> Result<JournalThread, RecordError> {
    let thread = build(conversation, at)?;
    if thread.len() > 0 {
        return Ok(thread);
    }
    let first = thread.unread.into_iter().next();
    Err(first.map_or_else(|| no_text_error(conversation), |(_, error)| error))
}

/// Returns the messages of the thread that is built from a conversation.
#[cfg(test)]
pub(super) fn rendered_thread(build: ConversationBuilder, conversation: &str) -> Vec<String> {
    let tree = crate::format::tree::JsonTree::new(conversation.as_bytes()).unwrap();
    let thread = build_thread(build, tree.root(), 0).unwrap();
    assert_eq!(thread.unread, []);
    thread.rendered_elements()
}
