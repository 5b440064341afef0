//! Logs that are only read, as rows: constant data that one interpreter reads.
//!
//! - `at` and `condition`: places in a record, and what must be there;
//! - `log`: the row itself;
//! - `conversation` and `message`: records that hold conversations, and their messages;
//! - `lines` and `line_tree`: records that are messages of one conversation;
//! - `blocks`: blocks of Anthropic.

mod at;
mod blocks;
mod condition;
mod conversation;
mod conversation_reader;
mod line_tree;
mod lines;
mod log;
mod message;
mod message_reader;
pub(super) mod message_tree;

pub(super) use at::{At, NOWHERE, at, fill};
pub(super) use blocks::{
    Block, BlockJson, call_block, join_blocks, render_block, render_blocks, result_block,
    text_block,
};
pub(super) use condition::{
    FILLED, If, LIST, OBJECT, TEXT, TEXT_OR_LIST, all, has, hold, is, kind, none, some, starts,
    truth,
};
pub(super) use conversation::{ConversationRow, Id, Messages, Model, branch, listed};
pub(super) use lines::{Becomes, Line, LineLinks, LinesRow, ListRow};
pub(super) use log::{Evidence, LogRow, Reads, conversation, event, fits, list, own_message};
pub(super) use message::{
    Case, MessageRow, MessageWriter, SpeakerRow, Step, Who, by, call, each, image, inside, message,
    otherwise, part, result, text, thought, usage, value, when,
};

/// Returns the elements of the threads that a log is rebuilt to.
#[cfg(test)]
pub(super) fn rendered_threads(log: &LogRow, records: &[&str]) -> Vec<Vec<String>> {
    use crate::format::journal::JournalThread;
    let records: Vec<&[u8]> = records.iter().map(|record| record.as_bytes()).collect();
    let mut reader = crate::format::journal::Journal::new_reader(log);
    for (at, record) in records.iter().enumerate() {
        let tree = crate::format::tree::JsonTree::new(record).unwrap();
        reader.observe_record(at, tree.root()).unwrap();
    }
    let threads = reader.into_threads(&records);
    assert!(threads.iter().all(|thread| thread.unread.is_empty()));
    threads
        .iter()
        .map(JournalThread::rendered_elements)
        .collect()
}

/// Returns the elements of the first thread of a record.
#[cfg(test)]
pub(super) fn rendered(log: &LogRow, record: &str) -> Vec<String> {
    rendered_threads(log, &[record]).remove(0)
}
