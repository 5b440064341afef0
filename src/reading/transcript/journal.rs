//! The origins of messages that were rebuilt from a journal, how a journal records a compaction, and
//! what its agent shows its summarizer.
//!
//! The messages of a journal are in pieces, in many of its records. They are
//! rebuilt as one document, the first record of the transcript. The journal
//! records that they come from follow it.
//!
//! OpenCode shows its summarizer the messages as it stores them. They hold answers that failed and
//! files that are not sent, and tell a call that was interrupted otherwise than the model is told.

use crate::reading::json::Span;

/// The way in which a log records a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum WriteMode {
    /// Messages are rewritten in place.
    #[default]
    InPlace,
    /// Existing records stay, and a record of the summary is appended.
    Appended {
        /// True if the summary is the model's answer to a question of the user: two messages.
        asked: bool,
        /// True if a result can be marked as cleared.
        clears: bool,
        /// True if a compaction lists its whole new history, so that messages before the summary can
        /// stay.
        lists: bool,
    },
    /// The log has no record of a compaction.
    Nowhere,
}

impl WriteMode {
    /// A record of the summary is appended, and that is all.
    pub(crate) const APPENDED: Self = Self::Appended { asked: false, clears: false, lists: false };
}

/// The origin of an element of the rebuilt document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ElementSource {
    pub element: Span,
    /// The length of the message as the agent sends it, if the document does not say: UTF-16 code
    /// units of its JSON.
    pub sent_units: Option<u64>,
    /// The objects that it was built from, in order: indices of records in the transcript, and
    /// spans in these.
    pub places: Vec<(usize, Span)>,
}

/// Journal records of one kind that are not part of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OmittedRecords {
    /// The kind of the records.
    pub what: String,
    /// The line of the first.
    pub line: u64,
    /// The number of them.
    pub times: u64,
}

/// A labelled item of a prompt for a summary, such as `[User]: text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptItem {
    /// The beginning of the item, up to its text.
    pub label: &'static str,
    pub text: String,
    /// True for the result of a call, of which only the beginning is shown.
    pub is_result: bool,
}

impl PromptItem {
    /// Creates an item that is shown as a whole.
    pub(crate) fn new(label: &'static str, text: String) -> Self {
        Self { label, text, is_result: false }
    }
}

/// The items of one stored message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptNote {
    /// The start of the element in the rebuilt document that the note replaces, or that it stands
    /// before. `usize::MAX` for a note behind the last element.
    pub element: usize,
    /// True if the items replace those of the stored message that begins with the element.
    pub replaces: bool,
    /// The items. Without any the stored message is not shown.
    pub items: Vec<PromptItem>,
}
