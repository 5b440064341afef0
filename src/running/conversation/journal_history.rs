//! The history of a journal around the compactions that its agent made itself: the conversation as
//! it was before each of them, and as it went on.

use crate::base::error::RecordError;
use crate::files::input::InputUnit;
use crate::reading::format::journal::{
    CompactionSpan, Journal, JournalPosition, JournalStates, JournalThread, find_compactions,
};
use crate::reading::transcript::Record;
use crate::running::conversation::conversation::Conversation;
use crate::running::conversation::guard::catch_panic_while_reading;
use crate::running::conversation::journal_threads::{JournalRecords, thread_conversation};
use crate::running::conversation::unit_record::item_record;
use crate::settings::Settings;

/// A journal with compactions that its agent made.
pub(crate) struct JournalHistory<'u> {
    journal: JournalRecords,
    reader: &'static dyn Journal,
    records: Vec<Record<'u>>,
    spans: Vec<CompactionSpan>,
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
    /// Finds the compactions of a journal of a unit. Returns `None` if its agent made none in it.
    pub(super) fn find(unit: &'u InputUnit, journal: JournalRecords) -> Option<Self> {
        let reader = journal.format.as_journal()?;
        let items = journal.items.iter();
        let records: Vec<_> = items.map(|&item| item_record(unit, item)).collect();
        let bytes: Vec<&[u8]> = records.iter().map(|record| record.bytes).collect();
        let spans = find_compactions(reader.new_compaction_finder(), &bytes);
        (!spans.is_empty()).then_some(Self {
            journal,
            reader,
            records,
            spans,
        })
    }

    /// Passes each compaction of the journal to `visit`, as read, or its line and why it can't be
    /// read. The journal is rebuilt as it was before each of them, two states at a time.
    pub(crate) fn visit_compactions(
        &self,
        settings: &Settings,
        mut visit: impl FnMut(Result<AgentCompaction<'_>, (u64, RecordError)>),
    ) {
        let bytes: Vec<&[u8]> = self.records.iter().map(|record| record.bytes).collect();
        let mut states = JournalStates::new(self.reader, &bytes);
        let start = |number: usize| self.spans.get(number).map(|span| span.start);
        let mut before = states.threads_before(start(0));
        for (number, span) in self.spans.iter().enumerate() {
            let after = states.threads_before(start(number + 1));
            let compaction = self.compaction(*span, [&before, &after], settings);
            visit(compaction.map_err(|error| (self.line_of(*span), error)));
            before = after;
        }
    }

    fn compaction<'h>(
        &'h self,
        span: CompactionSpan,
        [before, after]: [&'h [JournalThread]; 2],
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
        threads: &'h [JournalThread],
        settings: &Settings,
    ) -> Result<Vec<Conversation<'h>>, RecordError> {
        let JournalRecords { format, items } = &self.journal;
        let mut conversations = Vec::new();
        for thread in threads {
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
