//! Compares the counts of two token counters, to show how far an estimate is off.

use crate::reporting::report::numbers::{count_nouns, group_count};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// The tokens of a transcript by one counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CounterTokens {
    pub counter: &'static str,
    pub tokens: usize,
}

/// The counts of the same transcripts by two counters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Comparison {
    /// The counter that was asked for.
    pub counter: &'static str,
    /// The counter that it is compared with.
    pub against: &'static str,
    /// The number of transcripts that both counted.
    pub transcripts: u64,
    /// Their tokens by `counter`.
    pub tokens: usize,
    /// Their tokens by `against`.
    pub compared: usize,
    /// The least and the greatest error of a transcript: 0.1 is 10 % more than `against` counts.
    /// Null if `against` counts no tokens.
    pub errors: Option<(f64, f64)>,
}

impl Comparison {
    /// Compares the counts of one transcript.
    pub(crate) fn new(counted: CounterTokens, against: CounterTokens) -> Self {
        let error = relative_error(counted.tokens, against.tokens);
        Self {
            counter: counted.counter,
            against: against.counter,
            transcripts: 1,
            tokens: counted.tokens,
            compared: against.tokens,
            errors: error.map(|error| (error, error)),
        }
    }

    /// Returns the text of a table cell: `12,345 by o200k_base (+3.1 %)`.
    pub(crate) fn table_cell(&self) -> String {
        format!(
            "{} by {} ({})",
            group_count(self.compared),
            self.against,
            format_error(relative_error(self.tokens, self.compared))
        )
    }

    /// Returns a line for people.
    fn summary_line(&self) -> String {
        let (least, greatest) = self.errors.unzip();
        format!(
            "{} against {} on {}: {} to {} tokens, {}; per transcript from {} to {}\n",
            self.counter,
            self.against,
            count_nouns(self.transcripts, "transcript"),
            group_count(self.tokens),
            group_count(self.compared),
            format_error(relative_error(self.tokens, self.compared)),
            format_error(least),
            format_error(greatest),
        )
    }
}

impl AddAssign<&Self> for Comparison {
    fn add_assign(&mut self, other: &Self) {
        self.transcripts += other.transcripts;
        self.tokens += other.tokens;
        self.compared += other.compared;
        self.errors = match (self.errors, other.errors) {
            (Some((least, greatest)), Some((other_least, other_greatest))) => {
                Some((least.min(other_least), greatest.max(other_greatest)))
            }
            (ours, theirs) => ours.or(theirs),
        };
    }
}

/// The comparisons of many transcripts.
///
/// Counts of different counters are not added, because their sum has no unit.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Comparisons {
    /// The sums by the names of both counters.
    pub pairs: BTreeMap<[&'static str; 2], Comparison>,
    /// The number of transcripts that were not compared: no exact counter is known for their
    /// model, or it counted them already.
    pub not_compared: u64,
}

impl Comparisons {
    /// Adds one transcript. `None` counts it as not compared.
    pub(crate) fn add_comparison(&mut self, comparison: Option<&Comparison>) {
        let Some(comparison) = comparison else {
            self.not_compared += 1;
            return;
        };
        self.pairs
            .entry([comparison.counter, comparison.against])
            .and_modify(|sum| *sum += comparison)
            .or_insert_with(|| comparison.clone());
    }

    /// Renders the comparisons as lines for people.
    pub(crate) fn render(&self) -> String {
        if self.pairs.is_empty() {
            return "no transcript was compared: no exact counter is known for their models, or it counted them already; name one, for example --compare=o200k_base\n"
                .to_owned();
        }
        let others = if self.not_compared > 0 {
            format!("not compared: {}\n", count_nouns(self.not_compared, "transcript"))
        } else {
            String::new()
        };
        self.pairs.values().map(Comparison::summary_line).collect::<String>() + &others
    }
}

/// Returns the error of `tokens` relative to `compared`. Returns `None` if `compared` is 0.
#[expect(clippy::cast_precision_loss, reason = "a share of token counts")]
fn relative_error(tokens: usize, compared: usize) -> Option<f64> {
    (compared > 0).then(|| tokens as f64 / compared as f64 - 1.0)
}

fn format_error(error: Option<f64>) -> String {
    error
        .map_or_else(|| "nothing to compare".to_owned(), |error| format!("{:+.1} %", error * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison_of(
        (counter, tokens): (&'static str, usize),
        (other, against): (&'static str, usize),
    ) -> Comparison {
        let against = CounterTokens { counter: other, tokens: against };
        Comparison::new(CounterTokens { counter, tokens }, against)
    }

    #[test]
    fn errors_are_relative_to_the_other_count() {
        let mut all = Comparisons::default();
        for (ours, theirs) in [(110, 100), (90, 100), (0, 0)] {
            all.add_comparison(Some(&comparison_of(("approx", ours), ("o200k_base", theirs))));
        }
        assert_eq!(
            all.render(),
            "approx against o200k_base on 3 transcripts: 200 to 200 tokens, +0.0 %; per transcript from -10.0 % to +10.0 %\n"
        );
        assert!(Comparisons::default().render().starts_with("no transcript"));
    }

    #[test]
    fn counts_of_different_counters_are_not_added() {
        let mut all = Comparisons::default();
        all.add_comparison(Some(&comparison_of(("approx", 11), ("o200k_base", 10))));
        all.add_comparison(Some(&comparison_of(("approx", 9), ("cl100k_base", 10))));
        all.add_comparison(None);
        let text = all.render();
        let starts = [
            "approx against cl100k_base on 1 transcript: 9 to 10",
            "approx against o200k_base on 1 transcript: 11 to 10",
            "not compared: 1 transcript",
        ];
        assert!(
            text.lines().count() == 3
                && text.lines().zip(starts).all(|(line, start)| line.starts_with(start)),
            "{text}"
        );
    }
}
