//! One counter beside another: how far an estimate is off, on the logs at hand.

use crate::report::table::group_digits;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Counts of the same transcripts by two counters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The counter that is asked for.
    pub counter: &'static str,
    /// The other.
    pub against: &'static str,
    /// Transcripts that both counted.
    pub transcripts: u64,
    /// Their tokens by the counter that is asked for.
    pub tokens: usize,
    /// Their tokens by the other.
    pub compared: usize,
    /// The least and the greatest error of a transcript: 0.1 is 10 % more than the other counts. Null where the other counts nothing.
    pub errors: Option<(f64, f64)>,
}

impl Comparison {
    /// Of one transcript: what each counter, by its name, says of it.
    #[must_use]
    pub fn new(
        (counter, tokens): (&'static str, usize),
        (against, compared): (&'static str, usize),
    ) -> Self {
        let error = error(tokens, compared);
        Self {
            counter,
            against,
            transcripts: 1,
            tokens,
            compared,
            errors: error.map(|error| (error, error)),
        }
    }

    /// `12,345 by o200k_base (+3.1 %)`.
    #[must_use]
    pub fn cell(&self) -> String {
        format!(
            "{} by {} ({})",
            count(self.compared),
            self.against,
            percent(error(self.tokens, self.compared))
        )
    }

    fn line(&self) -> String {
        let (least, greatest) = self.errors.unzip();
        format!(
            "{} against {} on {} transcripts: {} to {} tokens, {}; per transcript from {} to {}\n",
            self.counter,
            self.against,
            self.transcripts,
            count(self.tokens),
            count(self.compared),
            percent(error(self.tokens, self.compared)),
            percent(least),
            percent(greatest),
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

/// Comparisons of many transcripts. What different counters say is not added: a sum of theirs has no name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparisons {
    pairs: BTreeMap<[&'static str; 2], Comparison>,
    /// Transcripts without a comparison: no exact counter is known for their model, or it counted them already.
    pub not_compared: u64,
}

impl Comparisons {
    /// Adds one transcript.
    pub fn add(&mut self, one: Option<&Comparison>) {
        let Some(one) = one else {
            self.not_compared += 1;
            return;
        };
        self.pairs
            .entry([one.counter, one.against])
            .and_modify(|sum| *sum += one)
            .or_insert_with(|| one.clone());
    }

    /// One for each two counters that met.
    #[must_use]
    pub fn all(&self) -> Vec<&Comparison> {
        self.pairs.values().collect()
    }

    /// What to say of all.
    #[must_use]
    pub fn render(&self) -> String {
        if self.pairs.is_empty() {
            return "no transcript was compared: no exact counter is known for their models, or it counted them already; name one, for example --compare=o200k_base\n"
                .to_owned();
        }
        let others = if self.not_compared > 0 {
            format!("{} were not compared\n", self.not_compared)
        } else {
            String::new()
        };
        self.pairs
            .values()
            .map(Comparison::line)
            .collect::<String>()
            + &others
    }
}

impl AddAssign<&Self> for Comparisons {
    fn add_assign(&mut self, other: &Self) {
        other.pairs.values().for_each(|sum| self.add(Some(sum)));
        self.not_compared += other.not_compared;
    }
}

fn count(tokens: usize) -> String {
    group_digits(i64::try_from(tokens).unwrap_or(i64::MAX))
}

#[expect(clippy::cast_precision_loss, reason = "a share of token counts")]
fn error(tokens: usize, compared: usize) -> Option<f64> {
    (compared > 0).then(|| tokens as f64 / compared as f64 - 1.0)
}

fn percent(error: Option<f64>) -> String {
    error.map_or_else(
        || "nothing to compare".to_owned(),
        |error| format!("{:+.1} %", error * 100.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_shares_of_the_other_count() {
        let mut all = Comparisons::default();
        for (ours, theirs) in [(110, 100), (90, 100), (0, 0)] {
            all.add(Some(&Comparison::new(
                ("approx", ours),
                ("o200k_base", theirs),
            )));
        }
        assert_eq!(
            all.render(),
            "approx against o200k_base on 3 transcripts: 200 to 200 tokens, +0.0 %; per transcript from -10.0 % to +10.0 %\n"
        );
        assert!(Comparisons::default().render().starts_with("no transcript"));
    }

    #[test]
    fn different_counters_are_not_added() {
        let (mut all, mut part) = (Comparisons::default(), Comparisons::default());
        all.add(Some(&Comparison::new(("approx", 11), ("o200k_base", 10))));
        part.add(Some(&Comparison::new(("approx", 9), ("cl100k_base", 10))));
        part.add(None);
        all += &part;
        let text = all.render();
        let starts = [
            "approx against cl100k_base on 1 transcripts: 9 to 10",
            "approx against o200k_base on 1 transcripts: 11 to 10",
            "1 were not compared",
        ];
        assert!(
            text.lines().count() == 3
                && text
                    .lines()
                    .zip(starts)
                    .all(|(line, start)| line.starts_with(start)),
            "{text}"
        );
    }
}
