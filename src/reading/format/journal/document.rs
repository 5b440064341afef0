//! The document of a thread: a list of elements in the dialect of a model API, with the places in
//! the journal from which each was built.

use crate::reading::format::tree::EventPlace;
use crate::reading::transcript::journal::PromptNote;
use crate::reading::transcript::prelude::*;

/// The part of an element of a document in the conversation, beyond what its dialect can express.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ElementMark {
    #[default]
    Message,
    /// The summary of an earlier compaction.
    Summary,
    /// A message that the agent puts before the conversation. It is never summarized.
    Pinned,
    /// A part of the message before it: the journal has one record for both.
    Joined,
}

#[derive(Debug, Clone)]
pub(super) struct DocumentElement {
    pub(super) span: Span,
    /// The objects that it was built from.
    pub(super) places: Vec<EventPlace>,
    pub(super) mark: ElementMark,
    /// The length of the message as the agent sends it, if the document does not say.
    pub(super) sent_units: Option<u64>,
}

/// The elements of a document and their JSON, which becomes the whole document when it is closed.
#[derive(Default)]
pub(super) struct ElementList {
    pub(super) json: Vec<u8>,
    pub(super) elements: Vec<DocumentElement>,
    /// Notes for summarizers. They name their elements by index, until their places are known.
    pub(super) notes: Vec<PromptNote>,
    /// The index of the first element that is newer than the summary, if the journal says.
    pub(super) first_newer: Option<usize>,
    /// The index of the first element behind one that could not be read.
    pub(super) behind_unread: Option<usize>,
}

impl ElementList {
    pub(super) fn push(&mut self, mark: ElementMark, places: Vec<EventPlace>, json: &[u8]) {
        if !self.elements.is_empty() {
            self.json.extend_from_slice(b", ");
        }
        let start = self.json.len();
        self.json.extend_from_slice(json);
        let end = self.json.len();
        self.elements.push(DocumentElement {
            span: Span { start, end },
            places,
            mark,
            sent_units: None,
        });
    }

    /// Puts `before` and the closing brackets around the elements.
    pub(super) fn close(&mut self, before: &[u8]) {
        self.json.splice(0..0, before.iter().copied());
        self.json.extend_from_slice(b"]}");
        for element in &mut self.elements {
            element.span = element.span.shifted(before.len());
        }
    }

    /// Adds to a transcript of the document the notes for summarizers, and which messages are newer
    /// than the summary.
    pub(super) fn apply_notes(&self, transcript: &mut Transcript<'_>) {
        let start = |element: usize| {
            let element = self.elements.get(element);
            element.map_or(usize::MAX, |element| element.span.start)
        };
        transcript.prompt_notes = self
            .notes
            .iter()
            .map(|note| PromptNote { element: start(note.element), ..note.clone() })
            .collect();
        let first_newer = self.first_newer.or_else(|| self.first_behind_summary());
        transcript.newer_than_summary = first_newer.map(|first| {
            let start = start(first);
            let listed = &transcript.messages[transcript.outside..];
            transcript.outside + listed.partition_point(|message| message.span.start < start)
        });
    }

    /// Returns the first element that was written after the last summary: kept messages come after
    /// it, too, but their usage is that of the longer list.
    fn first_behind_summary(&self) -> Option<usize> {
        let record = |element: &DocumentElement| element.places.first().map(|place| place.record);
        let is_summary = |element: &DocumentElement| element.mark == ElementMark::Summary;
        let summary = self.elements.iter().rposition(is_summary)?;
        let written = record(&self.elements[summary])?;
        let is_newer = |element: &DocumentElement| record(element) > Some(written);
        let behind = self.elements[summary..].iter().position(is_newer);
        Some(behind.map_or(self.elements.len(), |behind| summary + behind))
    }

    /// Marks the messages of a transcript as their elements are marked.
    pub(super) fn apply_marks(&self, transcript: &mut Transcript<'_>) {
        let marks: HashMap<usize, ElementMark> =
            self.elements.iter().map(|element| (element.span.start, element.mark)).collect();
        let behind = self.behind_unread.and_then(|first| self.elements.get(first));
        let behind = behind.map_or(usize::MAX, |element| element.span.start);
        let outside = transcript.outside;
        for (index, message) in transcript.messages.iter_mut().enumerate() {
            message.behind_unread |= index >= outside && message.span.start >= behind;
            let mark = marks.get(&message.span.start).copied().unwrap_or_default();
            message.earlier_summary = mark == ElementMark::Summary;
            message.joined |= mark == ElementMark::Joined;
            if mark == ElementMark::Pinned {
                message.logged_role = Some(std::mem::replace(&mut message.role, Role::Developer));
            }
        }
    }
}
