//! What a model was asked for a summary, and what that took.

use crate::report::table::group_digits;
use serde::Serialize;
use std::ops::AddAssign;

/// What one summary took.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SummaryUsage {
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
pub struct SummaryUsageTotals {
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

impl AddAssign<&SummaryUsage> for SummaryUsageTotals {
    fn add_assign(&mut self, one: &SummaryUsage) {
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

impl AddAssign<&Self> for SummaryUsageTotals {
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

impl SummaryUsageTotals {
    /// One line for people.
    #[must_use]
    pub fn line(&self) -> String {
        let number = |value: u64| group_digits(i64::try_from(value).unwrap_or(i64::MAX));
        let cost = self
            .cost
            .map(|dollars| format!(", about ${dollars:.4}"))
            .unwrap_or_default();
        format!(
            "{} summaries asked for: {} calls, {} retries, {} cached; {} tokens in, {} out{cost}",
            number(self.summaries),
            number(self.calls),
            number(self.retries),
            number(self.cache_hits),
            number(self.input_tokens),
            number(self.output_tokens),
        )
    }
}

impl RedactionCounts {
    /// One line for people.
    #[must_use]
    pub fn line(self) -> String {
        format!(
            "secrets masked: {} in requests, {} in summaries, {} in archives",
            self.request, self.summary, self.archive
        )
    }
}

/// Secrets that were masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RedactionCounts {
    /// In what was sent to a summarizer.
    pub request: u64,
    /// In summaries.
    pub summary: u64,
    /// In archives for people.
    pub archive: u64,
}

impl AddAssign for RedactionCounts {
    fn add_assign(&mut self, other: Self) {
        self.request += other.request;
        self.summary += other.summary;
        self.archive += other.archive;
    }
}

/// What a summary is expected to take, before anything is asked.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ExpectedUsage {
    /// The question's content hash.
    pub id: String,
    /// Whether the answer is there from before: then the rest costs nothing.
    pub cache_hit: bool,
    /// Tokens of the question, by the policy's counter.
    pub input_tokens: u64,
    /// Tokens of the answer at most: the summary's budget.
    pub output_tokens: u64,
}

/// What all summaries are expected to take.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct ExpectedUsageTotals {
    /// Summaries that a model is to write.
    pub summaries: u64,
    /// Calls: one for each question that differs and has no answer yet.
    pub calls: u64,
    /// Tokens of the questions.
    pub input_tokens: u64,
    /// Tokens of the answers at most.
    pub output_tokens: u64,
    /// US dollars at most; null where no price is known.
    pub cost: Option<f64>,
}

impl ExpectedUsageTotals {
    /// One line for people.
    #[must_use]
    pub fn line(&self, model: &str, max_calls: Option<u64>, max_cost: Option<f64>) -> String {
        let number = |value: u64| group_digits(i64::try_from(value).unwrap_or(i64::MAX));
        let known = match self.summaries - self.calls {
            0 => String::new(),
            known => format!(", {} of them answered before or asked twice", number(known)),
        };
        let cost = self.cost.map_or_else(
            || ", price not known (--price)".to_owned(),
            |dollars| format!(", at most about ${dollars:.4}"),
        );
        let calls = max_calls
            .filter(|most| self.calls > *most)
            .map(|most| format!("; more than --max-calls {most} allows"));
        let money = max_cost
            .filter(|most| self.cost.is_some_and(|cost| cost > *most))
            .map(|most| format!("; more than --max-cost {most} allows"));
        format!(
            "{} summaries by {model}{known}: {} calls, about {} tokens in and at most {} out{cost}{}{}",
            number(self.summaries),
            number(self.calls),
            number(self.input_tokens),
            number(self.output_tokens),
            calls.unwrap_or_default(),
            money.unwrap_or_default(),
        )
    }
}
