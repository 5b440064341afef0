//! Conversations that are ready to be planned, and the reading of units as such.

mod conversation;
mod guard;
mod identification;
mod journal_history;
mod journal_threads;
mod overlooked_text;
mod prelude;
mod reading;
mod resolve;
mod system_tokens;
mod unit_record;
mod unread;

pub(crate) use conversation::{Conversation, UnplannableError};
pub(crate) use guard::{Panicked, catch_panic};
pub(crate) use journal_history::{AgentCompaction, JournalHistory, message_position};
pub(crate) use reading::{read_histories, read_unit};
pub(crate) use unit_record::{
    RecordFailure, UnitConversations, UnitFindings, UnitRecord, claim_content_names,
    source_location,
};
