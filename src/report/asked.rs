//! What a model was asked for a summary, and what that took.

use serde::Serialize;
use std::ops::AddAssign;

/// What one summary took.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Asked {
    /// The question's content hash: the name of its cached answer, and its `custom_id` in batch files.
    pub id: String,
    /// The model as the server knows it.
    pub model: String,
    /// Whether the answer was there from before.
    pub cache_hit: bool,
    /// Calls made: 0 for a cached answer, 2 where the first was too long for the model.
    pub calls: u64,
    /// Requests repeated because a call was not answered.
    pub retries: u64,
    /// Tokens of the questions, as the server reported them.
    pub input_tokens: u64,
    /// Tokens of the answers, as the server reported them.
    pub output_tokens: u64,
    /// US dollars, where prices are known.
    pub cost: Option<f64>,
    /// What the user should know of it.
    #[serde(skip)]
    pub warning: Option<String>,
}

/// What all summaries took.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AskedTotals {
    /// Summaries that a model was to write.
    pub summaries: u64,
    /// Answers that were there from before.
    pub cache_hits: u64,
    /// Calls made.
    pub calls: u64,
    /// Requests repeated.
    pub retries: u64,
    /// Tokens of the questions, as the server reported them.
    pub input_tokens: u64,
    /// Tokens of the answers, as the server reported them.
    pub output_tokens: u64,
    /// US dollars; null where no price is known.
    pub cost: Option<f64>,
}

impl AddAssign<&Asked> for AskedTotals {
    fn add_assign(&mut self, one: &Asked) {
        *self += &Self {
            summaries: 1,
            cache_hits: u64::from(one.cache_hit),
            calls: one.calls,
            retries: one.retries,
            input_tokens: one.input_tokens,
            output_tokens: one.output_tokens,
            cost: one.cost,
        };
    }
}

impl AddAssign<&Self> for AskedTotals {
    fn add_assign(&mut self, other: &Self) {
        self.summaries += other.summaries;
        self.cache_hits += other.cache_hits;
        self.calls += other.calls;
        self.retries += other.retries;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cost = match (self.cost, other.cost) {
            (Some(mine), Some(theirs)) => Some(mine + theirs),
            (mine, theirs) => mine.or(theirs),
        };
    }
}

/// Secrets that were masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Redacted {
    /// In what was sent to a summarizer.
    pub request: u64,
    /// In summaries.
    pub summary: u64,
    /// In archives for people.
    pub archive: u64,
}

impl AddAssign for Redacted {
    fn add_assign(&mut self, other: Self) {
        self.request += other.request;
        self.summary += other.summary;
        self.archive += other.archive;
    }
}
