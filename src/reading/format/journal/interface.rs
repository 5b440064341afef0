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
    /// Reads the next record, whose index is `at`.
    ///
    /// # Errors
    ///
    /// Returns an error if the record does not have the expected structure. The record is then left
    /// out.
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError>;

    /// Returns the threads of the records that were read so far, but for their warnings, or `None` if
    /// only [`into_threads`](Self::into_threads) tells them. What no thread holds may be forgotten; a
    /// reader that misses it later returns `None`, too, and the journal is read again.
    fn threads_so_far(&mut self, _: &[&[u8]]) -> Option<Vec<JournalThread>> {
        None
    }

    /// Returns the threads after all records were read.
    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread>;
}
