//! Triggers and keeps: when to act, and how much recent context stays
//! (spec: deepagents, sections 3 and 4; opencode, A.1).

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
    /// What the model has room for, by OpenCode's overflow test. Only triggers know it.
    Overflow,
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens(number) => write!(f, "tokens={number}"),
            Self::Messages(number) => write!(f, "messages={number}"),
            Self::Fraction(number) => write!(f, "fraction={number}"),
            Self::Overflow => write!(f, "overflow"),
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
pub enum Keep {
    /// The last so much.
    Last(Amount),
    /// Whole turns, newest first, while they fit (OpenCode's tail).
    Turns {
        /// At most so many; none = as many as fit.
        most: Option<u64>,
        /// Their budget in tokens; none = a quarter of what is usable, within bounds.
        tokens: Option<u64>,
    },
}

/// What a model has room for, in tokens; none where that is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Room {
    /// The most input it takes.
    pub limit: Option<u64>,
    /// What is left of its limits after a reserve for its answer.
    pub usable: Option<u64>,
    /// From so many tokens on it overflows.
    pub overflow: Option<u64>,
}

/// The budget of a tail, where none is given: a share of what is usable, within bounds (spec: opencode, A.1).
const TAIL_SHARE: u64 = 4;
const TAIL_MIN: u64 = 2000;
const TAIL_MAX: u64 = 15_000;

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
            Amount::Overflow if self.value == NEVER => self.amount.fmt(f),
            Amount::Fraction(_) | Amount::Overflow => {
                write!(f, "{} ({} tokens)", self.amount, self.value)
            }
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
    /// The newest turns.
    Turns {
        /// At most so many.
        most: usize,
        /// Within so many tokens of OpenCode's estimate.
        tokens: u64,
    },
}

impl fmt::Display for KeepCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Messages(number) => write!(f, "messages={number}"),
            Self::Tokens(number) => write!(f, "tokens={number}"),
            Self::Turns {
                most: usize::MAX,
                tokens,
            } => write!(f, "turns=all,tokens={tokens}"),
            Self::Turns { most, tokens } => write!(f, "turns={most},tokens={tokens}"),
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

/// A threshold that nothing reaches: the model's limits are not known.
const NEVER: u64 = u64::MAX;

/// `int(limit * fraction)`, at least 1: an f64 product, cut off (so 29 % of 100 is 28).
fn share(limit: u64, fraction: f64) -> u64 {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    let tokens = (limit as f64 * fraction) as u64;
    tokens.max(1)
}

impl Clause<Amount> {
    /// The clause in absolute numbers; none where it needs a limit that is not known.
    #[must_use]
    pub fn resolve(&self, room: Room) -> Option<Clause<Threshold>> {
        let part = |&amount: &Amount| {
            let value = match amount {
                Amount::Tokens(value) | Amount::Messages(value) => value,
                Amount::Fraction(fraction) => share(room.limit?, fraction),
                // No limits, no overflow (as OpenCode).
                Amount::Overflow => room.overflow.unwrap_or(NEVER),
            };
            Some(Threshold { amount, value })
        };
        self.0.iter().map(part).collect::<Option<_>>().map(Clause)
    }
}

impl Trigger {
    /// All clauses in absolute numbers; none where one needs a limit that is not known.
    #[must_use]
    pub fn resolve(&self, room: Room) -> Option<Vec<Clause<Threshold>>> {
        self.clauses
            .iter()
            .map(|clause| clause.resolve(room))
            .collect()
    }
}

impl Keep {
    /// In absolute numbers; none where it needs a limit that is not known.
    #[must_use]
    pub fn resolve(self, room: Room) -> Option<KeepCount> {
        Some(match self {
            Self::Last(Amount::Tokens(tokens)) => KeepCount::Tokens(tokens.max(1)),
            Self::Last(Amount::Messages(messages)) => {
                KeepCount::Messages(usize::try_from(messages).unwrap_or(usize::MAX))
            }
            Self::Last(Amount::Fraction(fraction)) => {
                KeepCount::Tokens(share(room.limit?, fraction))
            }
            Self::Last(Amount::Overflow) => KeepCount::Tokens(room.usable?.max(1)),
            Self::Turns { most, tokens } => KeepCount::Turns {
                most: most.map_or(usize::MAX, |most| {
                    usize::try_from(most).unwrap_or(usize::MAX)
                }),
                tokens: tokens.unwrap_or_else(|| {
                    (room.usable.unwrap_or(0) / TAIL_SHARE).clamp(TAIL_MIN, TAIL_MAX)
                }),
            },
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
    /// Tokens that the last model call used, as the log reports them; what an overflow is judged by where it is there.
    pub used: Option<u64>,
}

impl Triggered {
    /// The first clause that holds. All comparisons are `>=`.
    #[inline]
    #[must_use]
    pub fn first<'c>(&self, clauses: &'c [Clause<Threshold>]) -> Option<&'c Clause<Threshold>> {
        clauses
            .iter()
            .find(|clause| clause.0.iter().all(|part| self.reaches(*part)))
    }

    /// Whether one condition holds.
    #[inline]
    #[must_use]
    pub fn reaches(&self, part: Threshold) -> bool {
        match part.amount {
            Amount::Messages(_) => self.messages >= part.value,
            Amount::Tokens(_) | Amount::Fraction(_) => {
                self.tokens >= part.value
                    || self.reported.is_some_and(|tokens| tokens >= part.value)
            }
            Amount::Overflow => {
                part.value != NEVER && self.used.unwrap_or(self.tokens) >= part.value
            }
        }
    }

    /// How far one condition is from holding: `3100 of 4000 tokens, 900 short`.
    #[must_use]
    pub fn distance(&self, part: Threshold) -> String {
        let (now, noun) = match part.amount {
            Amount::Messages(_) => (self.messages, "messages"),
            Amount::Tokens(_) | Amount::Fraction(_) => (self.tokens.max(self.reported.unwrap_or(0)), "tokens"),
            Amount::Overflow if part.value == NEVER => return "no overflow without limits of the model: give --model or --max-input-tokens".to_owned(),
            Amount::Overflow => self.used.map_or((self.tokens, "tokens, estimated"), |used| (used, "tokens, as reported")),
        };
        let short = part.value.saturating_sub(now);
        let short = if short > 0 {
            format!(", {short} short")
        } else {
            String::new()
        };
        format!("{now} of {} {noun}{short}", part.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_is_cut_off_and_at_least_one() {
        assert_eq!(
            (share(100, 0.29), share(1, 0.1), share(272_000, 0.85)),
            (28, 1, 231_200)
        );
    }

    #[test]
    fn an_overflow_is_judged_by_reported_usage_and_never_without_limits() {
        let overflow = |at| {
            Clause(vec![Amount::Overflow])
                .resolve(Room {
                    overflow: at,
                    ..Room::default()
                })
                .unwrap()
                .0[0]
        };
        let state = |tokens, used| Triggered {
            tokens,
            messages: 1,
            reported: None,
            used,
        };
        assert!(
            state(100, None).reaches(overflow(Some(100)))
                && !state(99, None).reaches(overflow(Some(100)))
        );
        assert!(
            state(0, Some(100)).reaches(overflow(Some(100)))
                && !state(1000, Some(99)).reaches(overflow(Some(100)))
        );
        assert!(!state(u64::MAX, Some(u64::MAX)).reaches(overflow(None)));
        assert!(
            state(0, None).reaches(overflow(Some(0))),
            "nothing usable: always"
        );
    }

    #[test]
    fn a_tail_is_a_quarter_of_what_is_usable_within_bounds() {
        let tail = |usable, tokens| {
            Keep::Turns { most: None, tokens }
                .resolve(Room {
                    usable,
                    ..Room::default()
                })
                .unwrap()
        };
        let tokens = |usable| match tail(usable, None) {
            KeepCount::Turns {
                most: usize::MAX,
                tokens,
            } => tokens,
            other => panic!("{other}"),
        };
        let usable = [
            None,
            Some(0),
            Some(7_999),
            Some(8_000),
            Some(8_004),
            Some(8_007),
            Some(59_999),
            Some(60_000),
            Some(168_000),
        ];
        assert_eq!(
            usable.map(tokens),
            [2000, 2000, 2000, 2000, 2001, 2001, 14_999, 15_000, 15_000]
        );
        assert_eq!(
            tail(Some(168_000), Some(7)),
            KeepCount::Turns {
                most: usize::MAX,
                tokens: 7
            }
        );
    }

    #[test]
    fn keys_of_a_clause_are_and_clauses_are_or() {
        let both = Clause(vec![Amount::Tokens(50), Amount::Messages(10)]);
        let trigger = Trigger {
            clauses: vec![both, Clause(vec![Amount::Messages(20)])],
        };
        let clauses = trigger.resolve(Room::default()).unwrap();
        let fires = |tokens, messages| {
            Triggered {
                tokens,
                messages,
                reported: None,
                used: None,
            }
            .first(&clauses)
            .is_some()
        };
        assert!(fires(50, 10) && fires(0, 20));
        assert!(!fires(49, 10) && !fires(1000, 9));
    }
}
