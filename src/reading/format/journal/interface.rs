//! The interface of journal formats.

use crate::base::error::RecordError;
use crate::reading::format::insertion::SummaryPlace;
use crate::reading::format::journal::compactions::{CompactionFinder, NoCompactions};
use crate::reading::format::journal::thread::JournalThread;
use crate::reading::format::recognition::Recognition;
use crate::reading::format::tree::JsonNode;
use crate::reading::transcript::Transcript;
use crate::reading::transcript::journal::WriteMode;
use crate::reading::transcript::splice::Splice;
use std::collections::BTreeSet;

/// A journal format: recognizes events, rebuilds threads from them, and appends compactions.
///
/// A log that is only read is a row ([`LogRow`](crate::reading::format::row::prelude::LogRow)), which implements this
/// trait. To add one that is written back, implement this trait and [`JournalReader`] in a file of
/// the folder, and add `JournalFormat(...)` to the table [`FORMATS`](crate::reading::format::FORMATS);
/// `codex.rs` is an example.
pub(crate) trait Journal: Sync {
    /// The name for `--format` and reports.
    fn name(&self) -> &'static str;

    /// One line for `epitome formats`: the files, and how they are recognized.
    fn help_line(&self) -> &'static str;

    /// Returns how a compaction is written into the journal.
    fn write_mode(&self) -> WriteMode;

    /// Returns the evidence that a record is of this format, or `None` if it is not.
    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition>;

    /// Returns a reader for one journal.
    fn new_reader(&self) -> Box<dyn JournalReader>;

    /// Returns the places in a record that hold something which is not read, if the format knows
    /// them.
    #[allow(
        dead_code,
        reason = "cases of logs show them; reports list what each reader notes"
    )]
    fn unread_places(&self, _: JsonNode<'_>) -> Option<BTreeSet<String>> {
        None
    }

    /// Returns true if each record is a row of a data set, whose other keys are its columns.
    fn reads_rows(&self) -> bool {
        false
    }

    /// The types of records that are known, whether they are sent or not. A record of any other type
    /// that holds words is named in a warning. Empty if the types are not known.
    fn known_types(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns a search for the compactions that the agent made itself. By default there are none.
    fn new_compaction_finder(&self) -> Box<dyn CompactionFinder> {
        Box::new(NoCompactions)
    }

    /// Returns the splices that append a summary with this text, each with its record. Only called
    /// if [`write_mode`](Self::write_mode) is [`WriteMode::Appended`].
    fn append_summary(
        &self,
        _: &Transcript<'_>,
        _: &SummaryPlace<'_>,
        _: &str,
    ) -> Vec<(usize, Splice)> {
        Vec::new()
    }

    /// Returns the splices that mark the result in message `index` as cleared, each with its
    /// record. Only called if the [`write_mode`](Self::write_mode) says that results can be
    /// cleared.
    fn mark_cleared(&self, _: &Transcript<'_>, _: usize) -> Vec<(usize, Splice)> {
        Vec::new()
    }
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

    /// Reads the first elements of record `at`, up to a byte of it. Only called for journals of which
    /// a compaction is a part of a record, and each time with a later byte.
    ///
    /// # Errors
    ///
    /// Returns an error if the record does not have the expected structure.
    fn observe_beginning(
        &mut self,
        _: usize,
        _: JsonNode<'_>,
        _: usize,
    ) -> Result<(), RecordError> {
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
    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread>;
}
