//! The document of a thread: a list of elements in the dialect of a model API, with the places in
//! the journal from which each was built.

use crate::json::Span;
use crate::transcript::{Role, Transcript};
use std::collections::HashMap;

/// The part of an element of a document in the conversation, beyond what its dialect can express.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::format) enum ElementMark {
    /// A message.
    #[default]
    Message,
    /// The summary of an earlier compaction.
    Summary,
    /// A message that the agent puts before the conversation. It is never summarized.
    Pinned,
    /// A part of the message before it: the journal has one record for both.
    Joined,
}

/// The place of an object in a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) struct EventPlace {
    /// Index of the record.
    pub(in crate::format) record: usize,
    /// The span of the object in the record.
    pub(in crate::format) span: Span,
}

impl EventPlace {
    pub(in crate::format) fn new(record: usize, span: Span) -> Self {
        Self { record, span }
    }

    /// Returns the bytes of the object. `records` are all records of the journal.
    pub(in crate::format) fn bytes<'r>(self, records: &[&'r [u8]]) -> &'r [u8] {
        self.span.slice(records[self.record])
    }
}

/// An element of the list.
#[derive(Debug, Clone)]
pub(super) struct DocumentElement {
    pub(super) span: Span,
    /// The objects that it was built from.
    pub(super) places: Vec<EventPlace>,
    pub(super) mark: ElementMark,
}

/// The elements of a document and their JSON, which becomes the whole document when it is closed.
#[derive(Default)]
pub(super) struct ElementList {
    pub(super) json: Vec<u8>,
    pub(super) elements: Vec<DocumentElement>,
}

impl ElementList {
    pub(super) fn push(&mut self, mark: ElementMark, places: Vec<EventPlace>, json: &[&[u8]]) {
        if !self.elements.is_empty() {
            self.json.extend_from_slice(b", ");
        }
        let start = self.json.len();
        for part in json {
            self.json.extend_from_slice(part);
        }
        let end = self.json.len();
        self.elements.push(DocumentElement {
            span: Span { start, end },
            places,
            mark,
        });
    }

    /// Puts `before` and the closing brackets around the elements.
    pub(super) fn close(&mut self, before: &[u8]) {
        self.json.splice(0..0, before.iter().copied());
        self.json.extend_from_slice(b"]}");
        for element in &mut self.elements {
            element.span = Span {
                start: element.span.start + before.len(),
                end: element.span.end + before.len(),
            };
        }
    }

    /// Marks the messages of a transcript as their elements are marked.
    pub(super) fn apply_marks(&self, transcript: &mut Transcript<'_>) {
        let marks: HashMap<usize, ElementMark> = self
            .elements
            .iter()
            .map(|element| (element.span.start, element.mark))
            .collect();
        for message in &mut transcript.messages {
            let mark = marks.get(&message.span.start).copied().unwrap_or_default();
            message.earlier_summary = mark == ElementMark::Summary;
            message.joined |= mark == ElementMark::Joined;
            if mark == ElementMark::Pinned {
                message.logged_role = Some(std::mem::replace(&mut message.role, Role::Developer));
            }
        }
    }
}
