//! The history of a journal around the compactions that its agent made itself: the conversation as
//! it was before each of them, and as it went on.

use crate::conversation::conversation::Conversation;
use crate::conversation::guard::catch_panic_while_reading;
use crate::conversation::journal_threads::{JournalRecords, thread_conversation};
use crate::conversation::unit_record::{item_bytes, item_record};
use crate::error::RecordError;
use crate::format::journal::{
    CompactionSpan, JournalPosition, RebuiltJournal, find_compactions, rebuild_journal,
    records_before,
};
use crate::input::InputUnit;
use crate::settings::Settings;
use crate::transcript::Record;

/// A journal, rebuilt as it was before each of its compactions, and at its end.
pub(crate) struct JournalHistory<'u> {
    journal: JournalRecords,
    records: Vec<Record<'u>>,
    spans: Vec<CompactionSpan>,
    /// The journal before each compaction, then all of it.
    stages: Vec<RebuiltJournal>,
}

/// A compaction that an agent made itself.
pub(crate) struct AgentCompaction<'h> {
    /// The line of its first record.
    pub line: u64,
    /// The conversation before it.
    pub before: Conversation<'h>,
    /// The conversation behind it, up to the next compaction: summary, kept and new messages.
    pub after: Conversation<'h>,
    /// The first position of its record: indices of items and bytes in them.
    pub start: JournalPosition,
    /// The position behind its record.
    pub end: JournalPosition,
}

impl<'u> JournalHistory<'u> {
    /// Rebuilds a journal of a unit. Returns `None` if its agent made no compaction in it.
    pub(super) fn rebuild(unit: &'u InputUnit, journal: JournalRecords) -> Option<Self> {
        let format = journal.format.as_journal()?;
        let items = journal.items.iter();
        let bytes: Vec<&[u8]> = items.map(|&item| item_bytes(unit, item)).collect();
        let spans = find_compactions(format.new_compaction_finder(), &bytes);
        if spans.is_empty() {
            return None;
        }
        let mut stages: Vec<RebuiltJournal> = Vec::new();
        for span in &spans {
            let before = records_before(&bytes, span.start);
            let before: Vec<&[u8]> = before.iter().map(AsRef::as_ref).collect();
            stages.push(rebuild_journal(format, &before));
        }
        stages.push(rebuild_journal(format, &bytes));
        let items = journal.items.iter();
        let records = items.map(|&item| item_record(unit, item)).collect();
        Some(Self {
            journal,
            records,
            spans,
            stages,
        })
    }

    /// Returns the compactions of the journal, each as read, or its line and why it can't be read.
    #[must_use]
    pub(crate) fn compactions(
        &self,
        settings: &Settings,
    ) -> Vec<Result<AgentCompaction<'_>, (u64, RecordError)>> {
        let stages = self.stages.windows(2);
        let compactions = self.spans.iter().zip(stages).map(|(span, stages)| {
            let line = self.line_of(*span);
            self.compaction(*span, [&stages[0], &stages[1]], settings)
                .map_err(|error| (line, error))
        });
        compactions.collect()
    }

    fn compaction<'h>(
        &'h self,
        span: CompactionSpan,
        [before, after]: [&'h RebuiltJournal; 2],
        settings: &Settings,
    ) -> Result<AgentCompaction<'h>, RecordError> {
        let start = self.item_position(span.start);
        let end = self.item_position(span.end);
        let after = self
            .conversations(after, settings)?
            .into_iter()
            .find(|conversation| {
                (0..conversation.transcript.messages.len()).any(|index| {
                    let at = message_position(conversation, index);
                    at.is_some_and(|at| start <= at && at < end)
                })
            })
            .ok_or_else(|| {
                RecordError::new("the conversation did not go on from this compaction".to_owned())
            })?;
        let mut earlier = self.conversations(before, settings)?;
        let same = earlier
            .iter()
            .position(|conversation| conversation.thread_id == after.thread_id)
            .or_else(|| earlier.len().checked_sub(1))
            .ok_or_else(|| {
                RecordError::new("nothing that was compacted is in the file".to_owned())
            })?;
        Ok(AgentCompaction {
            line: self.line_of(span),
            before: earlier.swap_remove(same),
            after,
            start,
            end,
        })
    }

    fn conversations<'h>(
        &'h self,
        stage: &'h RebuiltJournal,
        settings: &Settings,
    ) -> Result<Vec<Conversation<'h>>, RecordError> {
        let JournalRecords { format, items } = &self.journal;
        let mut conversations = Vec::new();
        for thread in &stage.threads {
            let conversation = catch_panic_while_reading(|| {
                thread_conversation(thread, &self.records, items, *format, settings)
                    .map(|(conversation, _)| conversation)
            });
            conversations.push(conversation?);
        }
        Ok(conversations)
    }

    /// Returns the line on which a compaction begins.
    fn line_of(&self, span: CompactionSpan) -> u64 {
        line_of_byte(self.records[span.start.record], span.start.byte)
    }

    /// Returns a position whose record is the index of an item of the unit.
    fn item_position(&self, position: JournalPosition) -> JournalPosition {
        let items = &self.journal.items;
        let behind = items.last().map_or(0, |last| last + 1);
        JournalPosition {
            record: items.get(position.record).copied().unwrap_or(behind),
            ..position
        }
    }
}

/// Returns the last position from which message `index` was built: the index of an item of the
/// unit, and a byte in it. Returns `None` for a message that is in no record.
#[must_use]
pub(crate) fn message_position(
    conversation: &Conversation<'_>,
    index: usize,
) -> Option<JournalPosition> {
    let sources = conversation.transcript.message_sources(index).iter();
    sources
        .map(|(record, span)| JournalPosition {
            record: conversation.items[*record],
            byte: span.start,
        })
        .max()
}

/// Returns the line of the first record from which message `index` was built.
#[must_use]
pub(crate) fn message_line(conversation: &Conversation<'_>, index: usize) -> Option<u64> {
    let sources = conversation.transcript.message_sources(index);
    let (record, span) = sources.first()?;
    Some(line_of_byte(
        conversation.transcript.records[*record],
        span.start,
    ))
}

/// Returns the line of a byte of a record. A record may have several lines.
fn line_of_byte(record: Record<'_>, byte: usize) -> u64 {
    let before = &record.bytes[..byte.min(record.bytes.len())];
    record.line + memchr::memchr_iter(b'\n', before).count() as u64
}
