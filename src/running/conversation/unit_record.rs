//! The records of a unit, what reading them yields, and what is found in its conversations.

use crate::files::input::UNTERMINATED;
use crate::running::conversation::conversation::Conversation;
use crate::running::conversation::guard::{Panicked, catch_panic};
use crate::running::conversation::prelude::*;
use std::fmt::Display;
use std::vec::IntoIter;

/// An error that cost a record, or the conversation in it.
pub(crate) struct RecordFailure {
    /// The line of the record, or of the fault in it.
    pub line: u64,
    /// The column, where a single byte is to blame.
    pub column: Option<u64>,
    pub error: String,
}

impl RecordFailure {
    /// Returns the failure as `file:line:column: error`.
    pub(crate) fn describe(&self, file: &str) -> String {
        let place = source_location(file, self.line, self.column);
        format!("{place}: {}", self.error)
    }
}

/// A conversation that was read, or a record that can't be read.
pub(crate) enum UnitRecord<'u> {
    Conversation(Box<Conversation<'u>>),
    /// A record that can't be read.
    Unreadable(RecordFailure),
}

impl UnitRecord<'_> {
    /// Lets the planner edit a conversation whose result is not written into its own log: a stage
    /// that the log's journal can't record need not be skipped.
    pub(crate) fn allow_all_edits(&mut self) {
        if let Self::Conversation(conversation) = self {
            conversation.transcript.write_mode = WriteMode::InPlace;
        }
    }

    /// Claims the names of a conversation's archive files. Called in input order.
    pub(crate) fn claim_names(&mut self, registry: &mut NameRegistry) {
        if let Self::Conversation(conversation) = self {
            conversation.claim_names(registry);
        }
    }
}

/// Claims the names of the archive files of a unit by the content of its records.
pub(crate) fn claim_content_names(records: &mut [UnitRecord<'_>]) {
    let mut registry = NameRegistry::default();
    for record in records {
        if let UnitRecord::Conversation(conversation) = record {
            conversation.claim_content_names(&mut registry);
        }
    }
}

pub(super) fn item_bytes(unit: &InputUnit, index: usize) -> &[u8] {
    &unit.bytes[unit.items[index].span.clone()]
}

pub(super) fn item_record(unit: &InputUnit, index: usize) -> Record<'_> {
    Record { bytes: item_bytes(unit, index), line: unit.items[index].line }
}

/// Returns the places of the bytes of an item.
pub(super) fn item_places(unit: &InputUnit, index: usize) -> ItemPlaces<'_> {
    ItemPlaces::new(&unit.items[index], item_bytes(unit, index))
}

/// Places an error about an item. Of an unfinished last record it says what that may mean.
pub(super) fn unreadable_item<'u>(
    unit: &InputUnit,
    index: usize,
    places: &mut ItemPlaces<'_>,
    error: RecordError,
) -> UnitRecord<'u> {
    let item = &unit.items[index];
    let at_end = unit.is_last && item.span.end == unit.bytes.len();
    let is_cut = at_end && error.offset == Some(item.span.len());
    let hint = if is_cut { UNTERMINATED } else { "" };
    // An element's line alone does not identify it: other elements may be in the same line.
    let offset = error.offset.or((item.column > 0).then_some(0));
    let (line, column) = places.place(offset.unwrap_or(0));
    UnitRecord::Unreadable(RecordFailure {
        line,
        column: offset.map(|_| column),
        error: error.reason + hint,
    })
}

/// Returns `file:line`, or `file:line:column` where a single byte is to blame.
pub(crate) fn source_location(file: &str, line: u64, column: Option<u64>) -> String {
    match column {
        Some(column) => format!("{file}:{line}:{column}"),
        None => format!("{file}:{line}"),
    }
}

/// The conversations of a unit in input order. Collects errors, each of which costs one record.
pub(crate) struct UnitConversations<'u> {
    records: IntoIter<UnitRecord<'u>>,
    failures: Vec<RecordFailure>,
    read: u64,
}

/// What was found in the conversations of a unit.
pub(crate) struct UnitFindings<T> {
    /// The findings, in input order.
    pub found: Vec<T>,
    /// The errors of records and conversations, in input order.
    pub failures: Vec<RecordFailure>,
    pub conversations: u64,
}

impl<T> UnitFindings<T> {
    /// Runs `work` on each conversation, which returns none where there is nothing to say. An error
    /// or a panic costs only that conversation.
    pub(crate) fn collect<E: From<Panicked> + Display>(
        records: Vec<UnitRecord<'_>>,
        work: impl Fn(&Conversation<'_>) -> Result<Option<T>, E>,
    ) -> Self {
        let mut conversations = UnitConversations::new(records);
        let mut found = Vec::new();
        while let Some(conversation) = conversations.next_conversation() {
            let result = conversations.attempt(&conversation, || work(&conversation));
            found.extend(result.flatten());
        }
        conversations.finish(found)
    }
}

impl<'u> UnitConversations<'u> {
    /// Begins with the first record of a unit.
    pub(crate) fn new(records: Vec<UnitRecord<'u>>) -> Self {
        Self { records: records.into_iter(), failures: Vec::new(), read: 0 }
    }

    /// Returns the next conversation. Collects the errors of records before it that can't be read.
    pub(crate) fn next_conversation(&mut self) -> Option<Box<Conversation<'u>>> {
        for record in self.records.by_ref() {
            match record {
                UnitRecord::Conversation(conversation) => {
                    self.read += 1;
                    return Some(conversation);
                }
                UnitRecord::Unreadable(failure) => self.failures.push(failure),
            }
        }
        None
    }

    /// Runs `work` on a conversation. Returns None and collects the error if it fails or panics.
    pub(crate) fn attempt<T, E: From<Panicked> + Display>(
        &mut self,
        conversation: &Conversation<'_>,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Option<T> {
        catch_panic(work).map_err(|error| self.push_error(conversation, &error)).ok()
    }

    /// Collects an error of a conversation.
    pub(crate) fn push_error(&mut self, conversation: &Conversation<'_>, error: &dyn Display) {
        self.failures.push(RecordFailure {
            line: conversation.line(),
            column: None,
            error: error.to_string(),
        });
    }

    /// Ends with what was found.
    pub(crate) fn finish<T>(self, found: Vec<T>) -> UnitFindings<T> {
        UnitFindings { found, failures: self.failures, conversations: self.read }
    }
}
