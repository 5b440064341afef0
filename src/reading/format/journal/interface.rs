//! The interface of journals.

use crate::base::error::RecordError;
use crate::reading::format::journal::compactions::CompactionFinder;
use crate::reading::format::journal::thread::JournalThread;
use crate::reading::format::recognition::Recognition;
use crate::reading::format::tree::JsonNode;

/// A log whose conversations are rebuilt from all its records. Each is a row
/// ([`LogRow`](crate::reading::format::row::prelude::LogRow)): `codex.rs` is an example of one that
/// is written back.
pub(crate) trait Journal: Sync {
    /// Returns the evidence that a record is of this journal, or `None` if it is not.
    fn recognize_event(&self, record: JsonNode<'_>) -> Option<Recognition>;

    /// Returns a reader for one journal.
    fn new_reader(&self) -> Box<dyn JournalReader>;

    /// Returns true if each record is a row of a data set, whose other keys are its columns.
    fn reads_rows(&self) -> bool;

    /// The types of records that are known, separated by `|`. Empty if they are not known.
    fn known_types(&self) -> &'static str;

    /// Returns a search for the compactions that the agent made itself.
    fn new_compaction_finder(&self) -> Box<dyn CompactionFinder>;
}

/// A reader of one journal, fed record by record.
pub(crate) trait JournalReader {
    /// Reads the next record. Fails if the record does not have the expected
    /// structure. The record is then left out.
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<(), RecordError>;

    /// Reads the first elements of a record, up to a byte of it. Only called for journals of
    /// which a compaction is a part of a record, and each time with a later byte. Fails if the
    /// record does not have the expected structure.
    fn observe_beginning(&mut self, _: JsonNode<'_>, _: usize) -> Result<(), RecordError> {
        Ok(())
    }

    /// Returns the threads of the records that were read so far, but for their warnings. Behind
    /// [`forget`](Self::forget) only those that later records added to. Journals in which agents
    /// note compactions implement it, such that a state costs as much as is live in it.
    fn threads_so_far(&mut self, _: &[&[u8]]) -> Vec<JournalThread> {
        Vec::new()
    }

    /// Sets aside what no thread holds, and threads to which nothing was added since the last call.
    fn forget(&mut self) {}

    /// Returns the threads after all records were read.
    fn into_threads(mut self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        self.threads_so_far(records)
    }
}
