//! One conversation: its messages, and the records they came from.

use crate::reading::json::has_lone_surrogate;
use crate::reading::transcript::callers::Callers;
use crate::reading::transcript::journal::PromptNote;
use crate::reading::transcript::prelude::*;
use crate::reading::transcript::repeated::RepeatedStretch;
use std::sync::{Arc, OnceLock};

/// The bytes of one record and the line where it begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    /// The record without its line end.
    pub bytes: &'a [u8],
    /// Line in its file, from 1.
    pub line: u64,
}

/// Observations made while the records were read, so that they need not be searched again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Noticed {
    /// True if a string holds a `\uXXXX` escape.
    pub units: bool,
    /// True if a key of a message may hold its time.
    pub times: bool,
    /// True if the keys around the messages hold text that another format reads.
    pub foreign: bool,
}

/// An element of the list of messages that can't be read: it stays where it is, and nothing else of
/// the conversation is lost by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnreadMessage {
    pub span: Span,
    pub error: RecordError,
}

/// One conversation: its messages in order, and the records they came from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript<'a> {
    /// One record that holds all messages, or one record per message. For a journal: the document
    /// that was rebuilt from it, then the journal's records.
    pub records: Vec<Record<'a>>,
    /// True if each message is a record of its own.
    pub message_per_record: bool,
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// The elements of the list in the only record that can't be read, in order.
    pub unread: Vec<UnreadMessage>,
    /// Number of leading messages outside the list, such as a system prompt under its own key.
    pub outside: usize,
    /// True if the format's readers want user and assistant to alternate.
    pub alternates: bool,
    /// The log's id of the conversation; never empty.
    pub thread_id: Option<String>,
    /// The model that the log names.
    pub model: Option<String>,
    /// The model's input limit in tokens, if the log names it.
    pub input_limit: Option<u64>,
    /// The list of tool schemas, in the first record.
    pub tools: Option<Span>,
    /// The stretch that holds the messages, if it is in the first record several times.
    pub repeated: Option<RepeatedStretch>,
    /// Observations of the reader, if the format makes them.
    pub noticed: Option<Noticed>,
    /// Oddities to report, such as duplicate keys and lone surrogates.
    pub warnings: Vec<String>,
    /// The way in which the log records a compaction.
    pub write_mode: WriteMode,
    /// For a journal: the origins of the elements of the first record, in the order of their
    /// places. Shared, because each sample of a replay has a transcript of its own.
    pub sources: Arc<[ElementSource]>,
    /// For a journal: the name of the dialect of the rebuilt document.
    pub dialect: Option<&'static str>,
    /// For a journal: the records that are not part of the document.
    pub omitted: Vec<OmittedRecords>,
    /// Notes for summarizers, in the order of their elements.
    pub prompt_notes: Arc<[PromptNote]>,
    /// The index of the first message that is newer than the earlier summary, if the log says: the
    /// messages between them are older, and the summary kept them.
    pub newer_than_summary: Option<usize>,
    /// True if no message is the system prompt: in a replay, a system message that a summary kept
    /// may come to stand first.
    pub without_prompt: bool,
    /// The blocks that earlier calls of a replay dropped, as changes to their records.
    pub dropped: Vec<(usize, Splice)>,
    /// Index of the messages that make calls with an id, built on first use.
    pub callers: OnceLock<Callers>,
}

impl<'a> Transcript<'a> {
    /// Returns true if a record with messages holds the escape of a lone surrogate.
    pub(crate) fn has_lone_surrogate(&self) -> bool {
        // What was built from a journal has its messages in one document.
        let records = match self.sources.is_empty() {
            true => self.records.len(),
            false => 1,
        };
        self.noticed.is_none_or(|noticed| noticed.units)
            && self.records[..records].iter().any(|record| has_lone_surrogate(record.bytes))
    }

    /// Returns the bytes of the record that holds message `index`.
    pub(crate) fn record_of(&self, index: usize) -> &'a [u8] {
        self.records[self.messages[index].record].bytes
    }

    /// Returns the bytes of a span of message `index`.
    pub(crate) fn bytes(&self, index: usize, span: Span) -> &'a [u8] {
        span.slice(self.record_of(index))
    }

    /// Returns the number of leading messages that are the system prompt (0 or 1). Cutoffs don't
    /// count it.
    pub(crate) fn system_prefix_len(&self) -> usize {
        let mut leading = self.messages.iter().take(1);
        usize::from(!self.without_prompt && leading.any(|message| message.role.is_system()))
    }

    /// Returns true if message `index` is a part of an answer that the log holds as one, such as the
    /// pictures that a tool returned.
    pub(crate) fn belongs_to_answer(&self, index: usize) -> bool {
        let joined = self.messages[..=index].iter().rev();
        let parts = joined.take_while(|message| message.joined).count();
        parts > 0
            && index
                .checked_sub(parts)
                .is_some_and(|first| self.messages[first].role == Role::Assistant)
    }

    /// Returns the end of the last step of the agent: the index behind the last answer and its
    /// results. Messages from there on are not answered yet. Never less than the system prompt's.
    pub(crate) fn step_end(&self) -> usize {
        let is_of_step =
            |message: &Message| message.role == Role::Assistant || message.role.is_result();
        let Some(last) = self.messages.iter().rposition(is_of_step) else {
            return self.system_prefix_len();
        };
        let joined = self.messages[last + 1..].iter().take_while(|message| message.joined);
        last + 1 + joined.count()
    }

    /// Returns the origin of a message in the journal. None if the message is in the log as it is
    /// read.
    pub(crate) fn element_source(&self, message: &Message) -> Option<&ElementSource> {
        // A summary made during a replay is in a record of its own.
        let at = self
            .sources
            .binary_search_by_key(&message.span.start, |source| source.element.start)
            .ok()
            .filter(|_| message.record == 0)?;
        Some(&self.sources[at])
    }

    /// Returns the tool schemas as JSON. Some formats keep them in a string.
    pub(crate) fn tool_schemas(&self) -> Option<Cow<'a, [u8]>> {
        let schemas = self.tools?.slice(self.records.first()?.bytes);
        Some(if schemas.first() == Some(&b'"') {
            decode_literal_wtf8(schemas)
        } else {
            Cow::Borrowed(schemas)
        })
    }

    /// Returns the arguments of a call as logged, as JSON (WTF-8).
    pub(crate) fn logged_arguments(&self, index: usize, call: &ToolCall) -> Cow<'a, [u8]> {
        match call.arguments.map(|span| self.bytes(index, span)) {
            Some(literal) if call.inside || literal.first() == Some(&b'"') => {
                decode_literal_wtf8(literal)
            }
            Some(value) => Cow::Borrowed(value),
            None => Cow::Borrowed(b""),
        }
    }

    /// Returns the elements of the list in the transcript's only record, in order.
    pub(crate) fn list_elements(&self) -> Vec<Span> {
        let read = self.messages.iter().skip(self.outside).map(|message| message.span);
        let unread = self.unread.iter().map(|unread| unread.span);
        let mut spans: Vec<Span> = read.chain(unread).collect();
        spans.sort_unstable();
        spans.dedup();
        spans
    }

    /// Returns the start of the first list element between two messages that can't be read, if there
    /// is any.
    pub(crate) fn unread_between(&self, index: usize, next: usize) -> Option<usize> {
        let (start, end) = (self.messages[index].span.end, self.messages[next].span.start);
        let first = self.unread.partition_point(|unread| unread.span.start < start);
        self.unread.get(first).map(|unread| unread.span.start).filter(|at| *at < end)
    }

    /// Returns the index of the list element that holds message `index`. Several messages may
    /// share an element.
    pub(crate) fn element_index(&self, index: usize) -> usize {
        let before = self.messages[self.outside.min(index)..=index].windows(2);
        let start = self.messages[index].span.start;
        let unread = self.unread.partition_point(|unread| unread.span.start < start);
        before
            .filter(|pair| (pair[0].record, pair[0].span) != (pair[1].record, pair[1].span))
            .count()
            + unread
    }

    /// Returns the journal objects that message `index` was built from. Empty if the message is
    /// in the log as it is read.
    pub(crate) fn message_sources(&self, index: usize) -> &[(usize, Span)] {
        self.sources_of(&self.messages[index])
    }

    /// Returns the journal objects that a message was built from. The message need not be in the
    /// list.
    pub(super) fn sources_of(&self, message: &Message) -> &[(usize, Span)] {
        self.element_source(message).map_or(&[], |source| &source.places)
    }

    /// Iterates over the bytes of the journal objects that message `index` was built from.
    pub(crate) fn source_bytes(&self, index: usize) -> impl Iterator<Item = &'a [u8]> {
        self.message_sources(index)
            .iter()
            .map(|(record, span)| span.slice(self.records[*record].bytes))
    }

    /// Iterates over the journal records that hold these objects.
    pub(crate) fn source_records(&self, index: usize) -> impl Iterator<Item = &'a [u8]> {
        self.message_sources(index).iter().map(|(record, _)| self.records[*record].bytes)
    }
}
