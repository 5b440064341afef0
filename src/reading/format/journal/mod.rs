//! Journals: files to which agents append while they work, one event a line.
//!
//! The live conversation is rebuilt from all events, as the agent itself would see it. The result
//! is one or more threads. Each is written down as a document in the dialect of a model API, and
//! the reader of that dialect reads it.
//!
//! Nothing in a journal is rewritten. If the agent has a record of a compaction, that record is
//! appended, so that the agent itself resumes from the planned context.

mod compactions;
mod document;
pub(super) mod interface;
mod rebuild;
mod thread;

pub(crate) use compactions::{CompactionFinder, CompactionSpan, JournalPosition, find_compactions};
pub(super) use compactions::{
    CompactionRecords, append_elements, append_lines, hex_id, uuid_like_id,
};
pub(super) use document::ElementMark;
pub(crate) use interface::{Journal, JournalReader};
pub(crate) use rebuild::{JournalStates, RebuiltJournal, rebuild_journal};
pub(crate) use thread::{DocumentDialect, JournalThread, ThreadTranscript};
