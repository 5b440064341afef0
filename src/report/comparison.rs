//! One counter beside another: how far an estimate is off, on the logs at hand.

use crate::report::table::grouped;
use serde::Serialize;
use std::ops::AddAssign;

/// Counts of the same transcripts by two counters.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// The other counter; of several transcripts the first one's.
    pub counter: &'static str,
    /// Transcripts that it counted.
    pub transcripts: u64,
    /// Transcripts without a comparison: no exact counter is known for their model, or it counted them already.
    pub not_compared: u64,
    /// Their tokens by the counter that is asked for.
    pub tokens: usize,
    /// Their tokens by the other.
    pub compared: usize,
    /// The least and the greatest error of a transcript: 0.1 is 10 % more than the other counts. Null if none was compared.
    pub errors: Option<(f64, f64)>,
}

impl Comparison {
    /// Of one transcript.
    #[must_use]
    pub fn new(counter: &'static str, tokens: usize, compared: usize) -> Self {
        let error = error(tokens, compared);
        Self { counter, transcripts: 1, not_compared: 0, tokens, compared, errors: error.map(|error| (error, error)) }
    }

    /// `12,345 by o200k_base (+3.1 %)`.
    #[must_use]
    pub fn cell(&self) -> String {
        format!("{} by {} ({})", count(self.compared), self.counter, percent(error(self.tokens, self.compared)))
    }

    /// What to say of all, by the counter of that name.
    #[must_use]
    pub fn render(&self, name: &str) -> String {
        let Some((least, greatest)) = self.errors else {
            return "no transcript was compared: name a counter to compare with, for example --compare=o200k_base\n".to_owned();
        };
        let others = if self.not_compared > 0 { format!("; {} were not compared", self.not_compared) } else { String::new() };
        format!(
            "{name} against {} on {} transcripts: {} to {} tokens, {}; per transcript from {} to {}{others}\n",
            self.counter,
            self.transcripts,
            count(self.tokens),
            count(self.compared),
            percent(error(self.tokens, self.compared)),
            percent(Some(least)),
            percent(Some(greatest)),
        )
    }
}

impl AddAssign<&Self> for Comparison {
    fn add_assign(&mut self, other: &Self) {
        if self.transcripts == 0 {
            self.counter = other.counter;
        }
        self.transcripts += other.transcripts;
        self.not_compared += other.not_compared;
        self.tokens += other.tokens;
        self.compared += other.compared;
        self.errors = match (self.errors, other.errors) {
            (Some((least, greatest)), Some((other_least, other_greatest))) => Some((least.min(other_least), greatest.max(other_greatest))),
            (ours, theirs) => ours.or(theirs),
        };
    }
}

fn count(tokens: usize) -> String {
    grouped(i64::try_from(tokens).unwrap_or(i64::MAX))
}

#[expect(clippy::cast_precision_loss, reason = "a share of token counts")]
fn error(tokens: usize, compared: usize) -> Option<f64> {
    (compared > 0).then(|| tokens as f64 / compared as f64 - 1.0)
}

fn percent(error: Option<f64>) -> String {
    error.map_or_else(|| "nothing to compare".to_owned(), |error| format!("{:+.1} %", error * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_shares_of_the_other_count() {
        let mut all = Comparison::default();
        for (ours, theirs) in [(110, 100), (90, 100), (0, 0)] {
            all += &Comparison::new("o200k_base", ours, theirs);
        }
        assert_eq!(all.render("approx"), "approx against o200k_base on 3 transcripts: 200 to 200 tokens, +0.0 %; per transcript from -10.0 % to +10.0 %\n");
        assert!(Comparison::default().render("approx").starts_with("no transcript"));
    }
}
