//! Triggers and keeps: when to act, and how much recent context stays
//! (spec: deepagents, sections 3 and 4).

use std::fmt;

/// A quantity that a user names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// Tokens of the policy's counter.
    Tokens(u64),
    /// Messages, a leading system message not counted.
    Messages(u64),
    /// Of the model's input limit, above 0 and at most 1.
    Fraction(f64),
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens(number) => write!(f, "tokens={number}"),
            Self::Messages(number) => write!(f, "messages={number}"),
            Self::Fraction(number) => write!(f, "fraction={number}"),
        }
    }
}

/// Conditions that must all hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause<T>(pub Vec<T>);

impl<T: fmt::Display> fmt::Display for Clause<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.iter().enumerate() {
            write!(f, "{}{part}", if index > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

/// When to act: any clause. No clause: never.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trigger {
    /// Alternatives.
    pub clauses: Vec<Clause<Amount>>,
}

/// How much recent context stays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Keep(pub Amount);

/// A condition in absolute numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// What the user wrote.
    pub amount: Amount,
    /// The number to reach: messages for `messages`, else tokens.
    pub value: u64,
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.amount {
            Amount::Fraction(_) => write!(f, "{} ({} tokens)", self.amount, self.value),
            Amount::Tokens(_) | Amount::Messages(_) => self.amount.fmt(f),
        }
    }
}

/// What stays, in absolute numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepCount {
    /// The last so many messages.
    Messages(usize),
    /// The longest tail of at most so many tokens.
    Tokens(u64),
}

impl fmt::Display for KeepCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Messages(number) => write!(f, "messages={number}"),
            Self::Tokens(number) => write!(f, "tokens={number}"),
        }
    }
}

/// A fraction in `[summarize]` of an input limit that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingLimit {
    /// `trigger` or `keep`.
    pub option: &'static str,
}

impl fmt::Display for MissingLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "[summarize] {0} is a fraction, but the model's input limit is not known; give --max-input-tokens, a known --model, or {0} in tokens or messages",
            self.option
        )
    }
}

impl std::error::Error for MissingLimit {}

/// `int(limit * fraction)`, at least 1: an f64 product, cut off (so 29 % of 100 is 28).
fn share(limit: u64, fraction: f64) -> u64 {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let tokens = (limit as f64 * fraction) as u64;
    tokens.max(1)
}

impl Clause<Amount> {
    /// The clause in absolute numbers; none where it needs a limit that is not known.
    #[must_use]
    pub fn resolve(&self, limit: Option<u64>) -> Option<Clause<Threshold>> {
        let part = |&amount: &Amount| {
            let value = match amount {
                Amount::Tokens(value) | Amount::Messages(value) => value,
                Amount::Fraction(fraction) => share(limit?, fraction),
            };
            Some(Threshold { amount, value })
        };
        self.0.iter().map(part).collect::<Option<_>>().map(Clause)
    }
}

impl Trigger {
    /// All clauses in absolute numbers; none where one needs a limit that is not known.
    #[must_use]
    pub fn resolve(&self, limit: Option<u64>) -> Option<Vec<Clause<Threshold>>> {
        self.clauses.iter().map(|clause| clause.resolve(limit)).collect()
    }
}

impl Keep {
    /// In absolute numbers; none where it needs a limit that is not known.
    #[must_use]
    pub fn resolve(self, limit: Option<u64>) -> Option<KeepCount> {
        Some(match self.0 {
            Amount::Tokens(tokens) => KeepCount::Tokens(tokens.max(1)),
            Amount::Messages(messages) => KeepCount::Messages(usize::try_from(messages).unwrap_or(usize::MAX)),
            Amount::Fraction(fraction) => KeepCount::Tokens(share(limit?, fraction)),
        })
    }
}

/// What triggers are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Triggered {
    /// Tokens of the next model call.
    pub tokens: u64,
    /// Messages, a leading system message not counted.
    pub messages: u64,
    /// Tokens that the provider reported for the last answer, if they count.
    pub reported: Option<u64>,
}

impl Triggered {
    /// The first clause that holds. All comparisons are `>=`.
    #[must_use]
    pub fn first<'c>(&self, clauses: &'c [Clause<Threshold>]) -> Option<&'c Clause<Threshold>> {
        clauses.iter().find(|clause| clause.0.iter().all(|part| self.reaches(*part)))
    }

    /// Whether one condition holds.
    #[must_use]
    pub fn reaches(&self, part: Threshold) -> bool {
        match part.amount {
            Amount::Messages(_) => self.messages >= part.value,
            Amount::Tokens(_) | Amount::Fraction(_) => self.tokens >= part.value || self.reported.is_some_and(|tokens| tokens >= part.value),
        }
    }

    /// How far one condition is from holding: `3100 of 4000 tokens, 900 short`.
    #[must_use]
    pub fn distance(&self, part: Threshold) -> String {
        let (now, noun) = match part.amount {
            Amount::Messages(_) => (self.messages, "messages"),
            Amount::Tokens(_) | Amount::Fraction(_) => (self.tokens.max(self.reported.unwrap_or(0)), "tokens"),
        };
        let short = part.value.saturating_sub(now);
        let short = if short > 0 { format!(", {short} short") } else { String::new() };
        format!("{now} of {} {noun}{short}", part.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_is_cut_off_and_at_least_one() {
        assert_eq!((share(100, 0.29), share(1, 0.1), share(272_000, 0.85)), (28, 1, 231_200));
    }

    #[test]
    fn keys_of_a_clause_are_and_clauses_are_or() {
        let both = Clause(vec![Amount::Tokens(50), Amount::Messages(10)]);
        let trigger = Trigger { clauses: vec![both, Clause(vec![Amount::Messages(20)])] };
        let clauses = trigger.resolve(None).unwrap();
        let fires = |tokens, messages| Triggered { tokens, messages, reported: None }.first(&clauses).is_some();
        assert!(fires(50, 10) && fires(0, 20));
        assert!(!fires(49, 10) && !fires(1000, 9));
    }
}
