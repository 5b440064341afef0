//! What a log holds for a summarizer beyond the messages that the model is sent.
//!
//! OpenCode shows its summarizer the messages as it stores them. They hold answers that failed and
//! files that are not sent, and tell a call that was interrupted otherwise than the model is told.

/// A labelled item of a prompt for a summary, such as `[User]: text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptItem {
    /// The beginning of the item, up to its text.
    pub label: &'static str,
    /// The text.
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
