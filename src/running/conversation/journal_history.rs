//! The history of a journal around the compactions that its agent made itself: the conversation as
//! it was before each of them, and as it went on.

use crate::reading::format::journal::{
    CompactionSpan, Journal, JournalPosition, JournalStates, find_compactions,
};
use crate::reporting::report::numbers::count_nouns;
use crate::running::conversation::guard::catch_panic_while_reading;
use crate::running::conversation::journal_threads::{JournalRecords, thread_conversation};
use crate::running::conversation::prelude::*;
use crate::running::conversation::{conversation::Conversation, unit_record::item_record};

/// The length of the conversations before all compactions together, as a multiple of the length of
/// the journal. An agent may keep everything each time.
const MAX_REPEATS: usize = 16;
/// The length in bytes that they may have in any case.
const FREE_BYTES: usize = 16 << 20;

/// A journal with compactions that its agent made.
pub(crate) struct JournalHistory<'u> {
    journal: JournalRecords,
    reader: &'static dyn Journal,
    records: Vec<Record<'u>>,
    spans: Vec<CompactionSpan>,
    line_ends: LineEnds,
}

/// The line ends within items of a unit, for those of several lines.
struct LineEnds(HashMap<usize, Vec<usize>>);

impl LineEnds {
    fn new(records: &[Record<'_>], items: &[usize]) -> Self {
        let ends = records.iter().zip(items).map(|(record, &item)| {
            let ends: Vec<usize> = memchr::memchr_iter(b'\n', record.bytes).collect();
            (item, ends)
        });
        Self(ends.filter(|(_, ends)| !ends.is_empty()).collect())
    }

    /// Returns the line of a byte of an item that begins on line `first`.
    fn line_of(&self, first: u64, at: JournalPosition) -> u64 {
        let ends = self.0.get(&at.record);
        first + ends.map_or(0, |ends| ends.partition_point(|end| *end < at.byte)) as u64
    }
}

/// A compaction that an agent made itself.
pub(crate) struct AgentCompaction<'h> {
    line_ends: &'h LineEnds,
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
        (!spans.is_empty()).then(|| Self {
            line_ends: LineEnds::new(&records, &journal.items),
            journal,
            reader,
            records,
            spans,
        })
    }

    /// Passes each compaction of the journal to `visit`, as read, or its line and why it can't be
    /// read. The journal is rebuilt as it was before each of them, as long as that costs what its
    /// length allows.
    pub(crate) fn visit_compactions(
        &self,
        settings: &Settings,
        mut visit: impl FnMut(Result<AgentCompaction<'_>, (u64, RecordError)>),
    ) {
        let bytes: Vec<&[u8]> = self.records.iter().map(|record| record.bytes).collect();
        let mut states = JournalStates::new(self.reader, &bytes);
        let start = |number: usize| self.spans.get(number).map(|span| span.start);
        let first = states.read_on(start(0));
        let length = |threads: &[JournalThread]| threads.iter().map(JournalThread::json_len).sum();
        let mut rebuilt: usize = length(&first);
        states.keep(first);
        let journal: usize = bytes.iter().map(|record| record.len()).sum();
        let most = journal.saturating_mul(MAX_REPEATS).max(FREE_BYTES);
        for (number, span) in self.spans.iter().enumerate() {
            if rebuilt > most {
                let left = self.spans.len() - number;
                return visit(Err((self.line_of(*span), too_much_repeated(left))));
            }
            let grown = states.read_on(start(number + 1));
            rebuilt += length(&grown);
            let compaction = self.compaction(*span, &states, &grown, settings);
            visit(compaction.map_err(|error| (self.line_of(*span), error)));
            states.keep(grown);
        }
    }

    fn compaction<'h>(
        &'h self,
        span: CompactionSpan,
        states: &'h JournalStates<'_>,
        grown: &'h [JournalThread],
        settings: &Settings,
    ) -> Result<AgentCompaction<'h>, RecordError> {
        let after = grown
            .iter()
            .find(|thread| thread.holds_between(span.start, span.end))
            .ok_or_else(|| {
                RecordError::new("the conversation did not go on from this compaction".to_owned())
            })?;
        let before = states.thread_before(after.id()).ok_or_else(|| {
            RecordError::new("nothing that was compacted is in the file".to_owned())
        })?;
        Ok(AgentCompaction {
            line_ends: &self.line_ends,
            line: self.line_of(span),
            before: self.conversation(before, settings)?,
            after: self.conversation(after, settings)?,
            start: self.item_position(span.start),
            end: self.item_position(span.end),
        })
    }

    fn conversation<'h>(
        &'h self,
        thread: &'h JournalThread,
        settings: &Settings,
    ) -> Result<Conversation<'h>, RecordError> {
        let JournalRecords { format, items } = &self.journal;
        catch_panic_while_reading(|| {
            thread_conversation(thread, &self.records, items, *format, settings)
                .map(|(conversation, _)| conversation)
        })
    }

    /// Returns the line on which a compaction begins.
    fn line_of(&self, span: CompactionSpan) -> u64 {
        let first = self.records[span.start.record].line;
        self.line_ends.line_of(first, self.item_position(span.start))
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

/// Returns the reason why the last `left` compactions are not measured.
fn too_much_repeated(left: usize) -> RecordError {
    RecordError::new(format!(
        "{} from here on, because the conversations before those so far are more than {MAX_REPEATS} times as long as the log",
        count_nouns(left, "compaction")
    ))
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

impl AgentCompaction<'_> {
    /// Returns the line of the first record from which message `index` of one of the conversations was
    /// built.
    pub(crate) fn message_line(
        &self,
        conversation: &Conversation<'_>,
        index: usize,
    ) -> Option<u64> {
        let (record, span) = conversation.transcript.message_sources(index).first()?;
        let first = conversation.transcript.records[*record].line;
        let at = JournalPosition { record: conversation.items[*record], byte: span.start };
        Some(self.line_ends.line_of(first, at))
    }
}
