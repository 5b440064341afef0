//! The facts of a conversation that a summary is written from.

use super::earlier_facts::EarlierFacts;
use super::error_log::ErrorLog;
use super::exchanges::Exchanges;
use super::final_state::FinalState;
use super::frame_rules::FrameRules;
use super::question_answers::UserAnswer;
use super::read_files::ReadFiles;
use super::records::ResultRecord;
use super::references::References;
use super::request_log::RequestLog;
use super::touched_files::TouchedFiles;
use super::user_messages::{UserMessageKind, classify_user_message};
use super::work_in_hand::WorkInHand;
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;
use hashbrown::HashMap;

/// The facts of a conversation.
#[derive(Debug)]
pub(crate) struct ConversationFacts<'r> {
    pub(crate) requests: RequestLog<'r>,
    /// What the user answered to questions of tools, oldest first.
    pub(crate) user_answers: Vec<UserAnswer>,
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
    /// What the messages that stay say of the work in hand.
    pub(crate) work_in_hand: WorkInHand,
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
            work_in_hand: WorkInHand::default(),
            turns,
        }
    }

    /// Returns the share of earlier summaries in all that the user and the assistant said, in hundredths.
    pub(crate) fn share_of_earlier(&self) -> usize {
        let Some(summary) = self.earlier.message else {
            return 0;
        };
        let later = self.turns.iter().skip(summary + 1);
        let is_said = |turn: &&ViewedTurn<'_>| {
            turn.role == Role::Assistant
                || (turn.role == Role::User
                    && classify_user_message(&turn.text) == UserMessageKind::Request)
        };
        let since: usize = later.filter(is_said).map(|turn| turn.text.len()).sum();
        let earlier = self.earlier.prose_length();
        earlier * 100 / (earlier + since).max(1)
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
