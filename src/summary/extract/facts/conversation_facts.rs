//! The facts of a conversation that a summary is written from.

use super::error_log::ErrorLog;
use super::final_state::FinalState;
use super::references::References;
use super::tool_uses::ToolUses;
use super::touched_files::TouchedFiles;
use std::borrow::Cow;

/// The facts of a conversation.
#[derive(Debug)]
pub(crate) struct ConversationFacts<'r> {
    /// The user's first request.
    pub(crate) goal: Option<Cow<'r, str>>,
    /// The user's later requests, oldest first.
    pub(crate) requests: Vec<Cow<'r, str>>,
    /// Prose of earlier summaries.
    pub(crate) earlier_prose: Vec<Cow<'r, str>>,
    /// The tools, in the order of their first calls.
    pub(crate) tools: ToolUses<'r>,
    pub(crate) errors: ErrorLog<'r>,
    pub(crate) files: TouchedFiles<'r>,
    pub(crate) references: References<'r>,
    pub(crate) state: FinalState<'r>,
    /// Number of messages.
    pub(crate) message_count: usize,
}

impl ConversationFacts<'_> {
    /// Returns the facts of a conversation of which nothing was read yet.
    pub(crate) fn new(message_count: usize) -> Self {
        Self {
            goal: None,
            requests: Vec::new(),
            earlier_prose: Vec::new(),
            tools: ToolUses::default(),
            errors: ErrorLog::default(),
            files: TouchedFiles::default(),
            references: References::new(message_count),
            state: FinalState::default(),
            message_count,
        }
    }

    /// Returns true if the summary has nothing to report but the number of messages.
    pub(crate) fn is_silent(&self) -> bool {
        self.goal.is_none()
            && self.requests.is_empty()
            && self.earlier_prose.is_empty()
            && self.tools.is_empty()
            && self.state.is_empty()
            && self.references.is_empty()
    }
}
