//! Measures how many of the identifiers that a session needs later survive a compaction.
//!
//! A logged session is compacted at a point in its middle, the cut. The messages after the cut show
//! which earlier identifiers the assistant needed, so no model has to judge.
//!
//! A needed reference is an identifier that
//!
//! - the assistant writes after the cut,
//! - nobody else wrote again between the cut and that point,
//! - occurs in the compacted messages, and
//! - occurs neither in the system prompt nor in the messages next to the cut.
//!
//! Only the compacted text can carry such a reference past the cut.
//!
//! Further figures look at the summary alone: does it join what a call needs, keep the requests,
//! and list only files that were read or written? See `docs/reference/summaries.md`.

mod cut;
mod facts;
mod file_claims;
mod identifiers;
mod metrics;
mod needs;
mod paired_calls;
mod passage;
mod questions;
mod ratio;
mod scores;
mod summary_needs;
mod word_search;

pub(crate) use cut::{CompactedText, SEEN_TAIL, SessionCut, session_cuts};
pub(crate) use metrics::{
    BetterShare, METRICS, MetricScope, MetricValue, RetentionMetric, bootstrap_interval,
};
pub(crate) use needs::FutureNeeds;
pub(crate) use passage::Passage;
pub(crate) use questions::{Mark, Question, QuestionFile};
pub(crate) use scores::RetentionScores;
pub(crate) use word_search::{SpelledMention, find_mentions, spell_mention};
