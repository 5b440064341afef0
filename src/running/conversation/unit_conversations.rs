//! The conversations of a unit one after another, and the errors that they end with.

use crate::running::conversation::conversation::Conversation;
use crate::running::conversation::guard::{Panicked, catch_panic};
use crate::running::conversation::unit_record::{RecordFailure, UnitRecord};
use std::fmt::Display;
use std::vec::IntoIter;

/// The conversations of a unit in input order. Collects errors, each of which costs one record.
pub(crate) struct UnitConversations<'f, 'u> {
    file: &'f str,
    records: IntoIter<UnitRecord<'u>>,
    failures: Vec<RecordFailure>,
}

impl<'f, 'u> UnitConversations<'f, 'u> {
    /// Begins with the first record of a unit of `file`.
    pub(crate) fn new(file: &'f str, records: Vec<UnitRecord<'u>>) -> Self {
        Self { file, records: records.into_iter(), failures: Vec::new() }
    }

    /// Returns the next conversation. Collects the errors of records before it that can't be read.
    pub(crate) fn next_conversation(&mut self) -> Option<Box<Conversation<'u>>> {
        for record in self.records.by_ref() {
            match record.into_conversation() {
                Ok(conversation) => return Some(conversation),
                Err(failure) => self.failures.push(failure),
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

    /// Returns the errors, as `file:line: error`, in input order.
    pub(crate) fn into_errors(self) -> Vec<String> {
        let failures = self.failures.iter();
        failures.map(|failure| failure.describe(self.file)).collect()
    }

    /// Returns the failures in input order.
    pub(crate) fn into_failures(self) -> Vec<RecordFailure> {
        self.failures
    }
}
