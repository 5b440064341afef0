//! What a transcript that was told from a journal knows of it: where each
//! message comes from, and how the journal takes a compaction in.
//!
//! The messages of a journal lie in many of its records, in pieces. They are
//! told anew as one document, the first record of the transcript; the records
//! of the journal that they come from stand behind it.

use crate::json::Span;
use crate::transcript::{Message, Transcript};

/// How a log takes a compaction in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writes {
    /// Messages are rewritten where they stand.
    #[default]
    InPlace,
    /// What stands there stays; a record of the summary is appended.
    Appended {
        /// Whether the summary is the model's answer to the user who asked for it: two messages.
        asked: bool,
        /// Whether a result can be marked as cleared.
        clears: bool,
    },
    /// It has no record of a compaction.
    Nowhere,
}

/// Where an element of the document comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The element.
    pub element: Span,
    /// What it was told from, in order: records of the transcript, and the objects in them.
    pub places: Vec<(usize, Span)>,
}

/// What a journal notes beside the conversation: things of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beside {
    /// What it is.
    pub what: String,
    /// The line of the first.
    pub line: u64,
    /// How many there are.
    pub times: u64,
}

impl<'a> Transcript<'a> {
    /// What message `index` was told from; nothing where it is logged as it is read.
    #[must_use]
    pub fn source(&self, index: usize) -> &[(usize, Span)] {
        self.source_of(&self.messages[index])
    }

    /// What a message was told from, which need not be in the list.
    pub(super) fn source_of(&self, message: &Message) -> &[(usize, Span)] {
        // A summary of a replay lies in a record of its own.
        let at = self
            .sources
            .binary_search_by_key(&message.span.start, |source| source.element.start)
            .ok()
            .filter(|_| message.record == 0);
        at.map_or(&[], |at| &self.sources[at].places)
    }

    /// The bytes of the objects that message `index` was told from.
    pub fn source_bytes(&self, index: usize) -> impl Iterator<Item = &'a [u8]> {
        self.source(index)
            .iter()
            .map(|(record, span)| span.of(self.records[*record].bytes))
    }
    /// The records that message `index` was told from.
    pub fn source_records(&self, index: usize) -> impl Iterator<Item = &'a [u8]> {
        self.source(index)
            .iter()
            .map(|(record, _)| self.records[*record].bytes)
    }
}
