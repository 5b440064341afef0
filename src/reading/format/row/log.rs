//! The row of a log: how it is told, and what its records become.

use crate::reading::format::prelude::*;
use crate::reading::format::row::conversation::ConversationRow;
use crate::reading::format::row::conversation_reader::{
    ConversationBuilder, ConversationReader, MessageListReader, RecordReader, ThreadBuilder,
};
use crate::reading::format::row::lines::{LineReader, LinesRow};
use crate::reading::format::row::step::MessageRow;

/// A log of another program. Nothing is written into it, unless it is a journal.
pub(crate) struct LogRow {
    /// The name for `--format` and reports.
    pub(crate) name: &'static str,
    /// One line for `epitome formats`: the files, and how they are recognized.
    pub(crate) help: &'static str,
    /// What tells a record of the log from all others. The first whose conditions hold counts.
    pub(crate) evidence: &'static [Evidence],
    pub(crate) reads: Reads,
}

/// The way from records to conversations.
pub(crate) enum Reads {
    /// A record is a conversation, or a list of conversations.
    Conversations(&'static ConversationRow),
    /// The same, where a conversation takes code of its own.
    Built(ConversationBuilder),
    /// Messages that need no context: one a record, a list, or a list under `messages`.
    Messages(&'static MessageRow),
    /// A record is a message or a note; all records together are one conversation.
    Lines(&'static LinesRow),
    /// Each record is a conversation, which is all that it holds, and takes code of its own.
    Records(ConversationBuilder),
    /// The same, where each record is a row of a data set, whose other keys are its columns.
    Rows(ConversationBuilder),
    /// What no other way can read.
    Own(fn() -> Box<dyn JournalReader>),
    /// A journal of an agent into which compactions are written.
    Written(&'static WrittenRow),
}

/// Returns the splices that append a summary with this text, each with its record.
type SummaryAppender = fn(&SummaryPlace<'_>, &str) -> Vec<(usize, Splice)>;

/// The row of a journal into which compactions are written.
pub(crate) struct WrittenRow {
    /// How they are written.
    pub(crate) mode: WriteMode,
    pub(crate) new_reader: fn() -> Box<dyn JournalReader>,
    /// The types of records that are known, whether they are sent or not, separated by `|`. A record
    /// of any other type that holds words is named in a warning. Empty if the types are not known.
    pub(crate) known_types: &'static str,
    /// A search for the compactions that the agent made itself.
    pub(crate) new_finder: fn() -> Box<dyn CompactionFinder>,
    pub(crate) append_summary: SummaryAppender,
    /// Returns the splices that mark the result in a message as cleared, if results can be cleared.
    pub(crate) mark_cleared: fn(&Transcript<'_>, usize) -> Vec<(usize, Splice)>,
}

impl WrittenRow {
    /// A journal with a reader, and what appends a summary to it.
    pub(crate) const fn new(
        new_reader: fn() -> Box<dyn JournalReader>,
        append_summary: SummaryAppender,
    ) -> Self {
        Self {
            mode: WriteMode::APPENDED,
            new_reader,
            known_types: "",
            new_finder: || Box::new(CompactionRecords(|_| false)),
            append_summary,
            mark_cleared: |_, _| Vec::new(),
        }
    }
}

impl LogRow {
    fn written(&self) -> Option<&'static WrittenRow> {
        match self.reads {
            Reads::Written(row) => Some(row),
            _ => None,
        }
    }
}

impl Journal for LogRow {
    fn recognize_event(&self, record: JsonNode<'_>) -> Option<Recognition> {
        self.recognize_record(record)
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        match self.reads {
            Reads::Conversations(row) => {
                ConversationReader::boxed(row.below, ThreadBuilder::Row(row))
            }
            Reads::Built(build) => ConversationReader::boxed(None, ThreadBuilder::Own(build)),
            Reads::Messages(row) => Box::new(MessageListReader::new(row)),
            Reads::Lines(row) => Box::new(LineReader::new(row)),
            Reads::Records(build) => RecordReader::boxed(None, build),
            Reads::Rows(build) => RecordReader::boxed(Some((self.name, self.evidence)), build),
            Reads::Own(new_reader) => new_reader(),
            Reads::Written(row) => (row.new_reader)(),
        }
    }

    fn reads_rows(&self) -> bool {
        matches!(self.reads, Reads::Rows(_))
    }

    fn known_types(&self) -> &'static str {
        self.written().map_or("", |row| row.known_types)
    }

    fn new_compaction_finder(&self) -> Box<dyn CompactionFinder> {
        let none = || -> Box<dyn CompactionFinder> { Box::new(CompactionRecords(|_| false)) };
        self.written().map_or_else(none, |row| (row.new_finder)())
    }
}

impl Format for LogRow {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help_line(&self) -> &'static str {
        self.help
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        recognize_by(self.evidence, record)
    }

    fn as_journal(&self) -> Option<&dyn Journal> {
        Some(self)
    }

    fn write_mode(&self) -> WriteMode {
        self.written().map_or(WriteMode::Nowhere, |row| row.mode)
    }

    /// Always fails. The transcript of a journal borrows from a document that lives as long as the
    /// journal: `rebuild_journal` creates it, `JournalThread::read_transcript` reads it.
    fn read_transcript<'a>(&self, _: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        let reason = format!("{} is a journal: it is rebuilt as a whole", self.name);
        Err(RecordError::new(reason))
    }

    fn place_summary(&self, place: &SummaryPlace<'_>, text: &str) -> SummaryInsertion {
        let append = |row: &WrittenRow| (row.append_summary)(place, text);
        SummaryInsertion::beside_list(self.written().map(append).unwrap_or_default())
    }

    fn place_messages(
        &self,
        place: &SummaryPlace<'_>,
        messages: &[(Role, String)],
        _: &[u8],
    ) -> SummaryInsertion {
        // The last message is the summary. The journal has its own record for the question.
        let summary = messages.last().map_or("", |(_, text)| text);
        self.place_summary(place, summary)
    }

    fn render_message(&self, _: &SummaryPlace<'_>, _: Role, text: &str) -> Vec<u8> {
        encode_literal(text)
    }

    fn clear_result(
        &self,
        transcript: &Transcript<'_>,
        index: usize,
        _: &str,
    ) -> Vec<(usize, Splice)> {
        let mark = |row: &WrittenRow| (row.mark_cleared)(transcript, index);
        self.written().map(mark).unwrap_or_default()
    }
}
