//! The usage of a model that writes summaries: measured, and expected before a run.

use crate::reporting::report::numbers::{count_nouns, group_count};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// The usage for one summary.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SummaryUsage {
    /// The content hash of the question. It names the cached answer, and is the `custom_id` in
    /// batch files.
    pub id: String,
    /// The name of the model at the server.
    pub model: String,
    /// True if the answer was cached.
    pub cache_hit: bool,
    /// The calls made: 0 for a cached answer, 2 if the first question was too long for the model.
    pub calls: u64,
    /// The requests repeated because a call was not answered.
    pub retries: u64,
    /// The tokens of the questions, as reported by the server.
    pub input_tokens: u64,
    /// The tokens of the answers, as reported by the server.
    pub output_tokens: u64,
    /// The cost in US dollars, if prices are known.
    pub cost: Option<f64>,
    /// A warning for the user.
    #[serde(skip)]
    pub warning: Option<String>,
}

/// The usage for all summaries.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SummaryUsageTotals {
    /// The summaries that a model had to write.
    pub summaries: u64,
    /// The cached answers.
    pub cache_hits: u64,
    /// The calls made.
    pub calls: u64,
    /// The requests repeated.
    pub retries: u64,
    /// The tokens of the questions, as reported by the server.
    pub input_tokens: u64,
    /// The tokens of the answers, as reported by the server.
    pub output_tokens: u64,
    /// The cost in US dollars. Null if no price is known.
    pub cost: Option<f64>,
}

impl AddAssign<&SummaryUsage> for SummaryUsageTotals {
    fn add_assign(&mut self, usage: &SummaryUsage) {
        *self += &Self {
            summaries: 1,
            cache_hits: u64::from(usage.cache_hit),
            calls: usage.calls,
            retries: usage.retries,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost: usage.cost,
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
    /// Returns the usage as a line for people.
    pub(crate) fn summary_line(&self) -> String {
        let cost = self.cost.map(|dollars| format!(", about ${dollars:.4}")).unwrap_or_default();
        format!(
            "{} asked for: {}, {}, {} cached; {} tokens in, {} out{cost}",
            count_nouns(self.summaries, "summary"),
            count_nouns(self.calls, "call"),
            count_nouns(self.retries, "retry"),
            group_count(self.cache_hits),
            group_count(self.input_tokens),
            group_count(self.output_tokens),
        )
    }
}

/// The usage expected for one summary, before the model is asked.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct ExpectedUsage {
    /// The content hash of the question.
    pub id: String,
    /// True if the answer is cached, so that no call is needed.
    pub cache_hit: bool,
    /// The tokens of the question, counted by the counter of the policy.
    pub input_tokens: u64,
    /// The maximum tokens of the answer: the budget of the summary.
    pub output_tokens: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub(crate) struct ExpectedUsageTotals {
    /// The summaries that a model has to write.
    pub summaries: u64,
    /// The calls: one for each distinct question without a cached answer.
    pub calls: u64,
    /// The tokens of the questions.
    pub input_tokens: u64,
    /// The maximum tokens of the answers.
    pub output_tokens: u64,
    /// The maximum cost in US dollars. Null if no price is known.
    pub cost: Option<f64>,
}

impl ExpectedUsageTotals {
    /// Returns the usage as a line for people, with a note if it exceeds a limit.
    pub(crate) fn summary_line(
        &self,
        model: &str,
        max_calls: Option<u64>,
        max_cost: Option<f64>,
    ) -> String {
        let known = match self.summaries - self.calls {
            0 => String::new(),
            known => format!(", {} of them answered before or asked twice", group_count(known)),
        };
        let cost = self.cost.map_or_else(
            || ", price not known (summarizer.price)".to_owned(),
            |dollars| format!(", at most about ${dollars:.4}"),
        );
        let over_calls = max_calls
            .filter(|max| self.calls > *max)
            .map(|max| format!("; more than summarizer.max_calls {max} allows"));
        let over_cost = max_cost
            .filter(|max| self.cost.is_some_and(|cost| cost > *max))
            .map(|max| format!("; more than summarizer.max_cost = {max} allows"));
        format!(
            "{} by {model}{known}: {}, about {} tokens in and at most {} out{cost}{}{}",
            count_nouns(self.summaries, "summary"),
            count_nouns(self.calls, "call"),
            group_count(self.input_tokens),
            group_count(self.output_tokens),
            over_calls.unwrap_or_default(),
            over_cost.unwrap_or_default(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::SummaryUsageTotals;

    #[test]
    fn one_summary_is_no_summaries() {
        let mut usage = SummaryUsageTotals { summaries: 1, calls: 1, ..Default::default() };
        assert_eq!(
            usage.summary_line(),
            "1 summary asked for: 1 call, 0 retries, 0 cached; 0 tokens in, 0 out"
        );
        (usage.summaries, usage.calls, usage.retries) = (2, 2, 1);
        assert!(
            usage.summary_line().starts_with("2 summaries asked for: 2 calls, 1 retry"),
            "{}",
            usage.summary_line()
        );
    }
}
