//! The facts of a conversation that a summary is written from.

use super::earlier_facts::EarlierFacts;
use super::error_log::ErrorLog;
use super::exchanges::Exchanges;
use super::final_state::FinalState;
use super::frame_rules::FrameRules;
use super::passages::KeptLines;
use super::read_files::ReadFiles;
use super::records::ResultRecord;
use super::references::References;
use super::request_log::RequestLog;
use super::touched_files::TouchedFiles;
use crate::transcript::view::ViewedTurn;
use hashbrown::HashMap;
use std::borrow::Cow;

/// The facts of a conversation.
#[derive(Debug)]
pub(crate) struct ConversationFacts<'r> {
    pub(crate) requests: RequestLog<'r>,
    /// What the user answered to questions of tools, oldest first.
    pub(crate) user_answers: Vec<Cow<'r, str>>,
    /// What a harness says around the user's words.
    pub(crate) frame: FrameRules<'r>,
    /// What earlier summaries hold besides requests, references and files.
    pub(crate) earlier: EarlierFacts<'r>,
    /// The calls with their results.
    pub(crate) exchanges: Exchanges<'r>,
    pub(crate) errors: ErrorLog<'r>,
    pub(crate) files: TouchedFiles<'r>,
    pub(crate) reads: ReadFiles<'r>,
    pub(crate) references: References<'r>,
    pub(crate) state: FinalState<'r>,
    /// The records in the results that stay, by their keys.
    pub(crate) kept_records: HashMap<String, ResultRecord>,
    /// The lines of the messages that stay.
    pub(crate) kept_lines: KeptLines,
    /// The messages, for the sentences of the assistant.
    pub(crate) turns: &'r [ViewedTurn<'r>],
}

impl<'r> ConversationFacts<'r> {
    /// Returns the facts of a conversation of which nothing was read yet.
    pub(crate) fn new(turns: &'r [ViewedTurn<'r>]) -> Self {
        Self {
            requests: RequestLog::default(),
            user_answers: Vec::new(),
            frame: FrameRules::default(),
            earlier: EarlierFacts::default(),
            exchanges: Exchanges::default(),
            errors: ErrorLog::default(),
            files: TouchedFiles::default(),
            reads: ReadFiles::default(),
            references: References::new(turns.len()),
            state: FinalState::default(),
            kept_records: HashMap::new(),
            kept_lines: KeptLines::default(),
            turns,
        }
    }

    /// Returns true if the summary has nothing to report but the number of messages.
    pub(crate) fn is_silent(&self) -> bool {
        self.requests.is_empty()
            && self.earlier.is_empty()
            && self.exchanges.all.is_empty()
            && self.state.is_empty()
            && self.references.is_empty()
    }
}
