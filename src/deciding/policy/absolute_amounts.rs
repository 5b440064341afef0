//! Triggers and keeps in absolute numbers, once the limits of a transcript's
//! model are known or known to be unknown.

use super::amount::{Amount, Clause, Keep, Trigger};
use std::fmt;

/// The tokens that a model has room for. A number is none if it is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelRoom {
    /// The input limit.
    pub limit: Option<u64>,
    /// The tokens that its limits leave after a reserve for the answer.
    pub usable: Option<u64>,
    /// The tokens from which on it overflows.
    pub overflow: Option<u64>,
    /// The tokens above which a call is summarized whatever the triggers say.
    pub budget: Option<u64>,
}

/// A keep of turns without a budget gets this share of the usable tokens, within the bounds below.
const TAIL_SHARE: u64 = 4;
/// The least tokens of such a budget.
const TAIL_MIN: u64 = 2000;
/// The most tokens of such a budget.
const TAIL_MAX: u64 = 15_000;

/// The value of a threshold that nothing reaches, because the model's limits are not known.
pub(super) const NEVER: u64 = u64::MAX;

/// A condition in absolute numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The condition as the user wrote it.
    pub amount: Amount,
    /// The number to reach: messages for [`Amount::Messages`], else tokens.
    pub value: u64,
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.amount {
            Amount::Overflow if self.value == NEVER => self.amount.fmt(f),
            Amount::Fraction(_) | Amount::Overflow => {
                write!(f, "{} ({} tokens)", self.amount, self.value)
            }
            Amount::Tokens(_) | Amount::Messages(_) | Amount::Events(_) => self.amount.fmt(f),
        }
    }
}

/// The amount of recent context that stays, in absolute numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeepCount {
    /// This many of the last messages.
    Messages(usize),
    /// The longest tail that does not exceed this many tokens.
    Tokens(u64),
    /// The most recent turns.
    Turns {
        most: usize,
        /// The budget in tokens, as OpenCode estimates them.
        tokens: u64,
    },
    /// This many of the last events.
    Events(usize),
    /// The messages from the first place to cut behind this many tokens.
    Recent(u64),
    /// The turns that begin in the last share of the characters.
    Characters(f64),
    /// The messages until this many tokens are reached, and the last turn.
    Back(u64),
    /// The turns in which the last messages of this many tokens lie.
    Whole(u64),
    /// This many of the last answers, and what follows them.
    Answers(usize),
}

impl fmt::Display for KeepCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Messages(number) => write!(f, "messages={number}"),
            Self::Tokens(number) => write!(f, "tokens={number}"),
            Self::Turns { most: usize::MAX, tokens } => write!(f, "turns=all,tokens={tokens}"),
            Self::Turns { most, tokens } => write!(f, "turns={most},tokens={tokens}"),
            Self::Events(number) => write!(f, "events={number}"),
            Self::Recent(number) => write!(f, "recent={number}"),
            Self::Characters(share) => write!(f, "characters={share}"),
            Self::Back(number) => write!(f, "back={number}"),
            Self::Whole(number) => write!(f, "whole={number}"),
            Self::Answers(number) => write!(f, "answers={number}"),
        }
    }
}

impl KeepCount {
    /// Returns a keep of at most this share of the least that a trigger waits for. A number of
    /// messages is compared with messages only.
    pub(super) fn at_most(self, share: f64, trigger: &[Clause<Threshold>]) -> Self {
        let least = |is_messages: bool| {
            let conditions = trigger.iter().flat_map(|clause| &clause.0);
            let values = conditions
                .filter(|part| matches!(part.amount, Amount::Messages(_)) == is_messages)
                .filter(|part| !matches!(part.amount, Amount::Events(_)) && part.value != NEVER);
            let least = values.map(|part| part.value).min()?;
            Some(fraction_of(least, share))
        };
        match (self, least(false), least(true)) {
            (Self::Tokens(tokens), Some(most), _) => Self::Tokens(tokens.min(most)),
            (Self::Tokens(_), None, Some(most)) => Self::Messages(saturating_usize(most)),
            (Self::Messages(messages), None, Some(most)) => {
                Self::Messages(messages.min(saturating_usize(most)))
            }
            _ => self,
        }
    }
}

/// A fraction in `[summarize]` of an input limit that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "[summarize] {option} is a fraction, but the model's input limit is not known; give --max-input-tokens, a known --model, or {option} in tokens or messages"
)]
pub struct MissingLimit {
    /// The key that holds the fraction: `trigger` or `keep`.
    pub option: &'static str,
}

/// Returns this fraction of a limit, rounded down (29 % of 100 is 28), and at least 1.
fn fraction_of(limit: u64, fraction: f64) -> u64 {
    share_of(limit, fraction).max(1)
}

/// Returns this fraction of a limit, rounded down.
pub(super) fn share_of(limit: u64, fraction: f64) -> u64 {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let tokens = (limit as f64 * fraction) as u64;
    tokens
}

/// Converts a count, which may exceed the address space, to an index.
fn saturating_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Amount {
    /// Returns the condition in absolute numbers, or none if it needs a limit that is not known.
    fn threshold(self, room: ModelRoom) -> Option<Threshold> {
        let value = match self {
            Self::Tokens(value) | Self::Messages(value) | Self::Events(value) => value,
            Self::Fraction(fraction) => fraction_of(room.limit?, fraction),
            // As in OpenCode, nothing overflows without limits.
            Self::Overflow => room.overflow.unwrap_or(NEVER),
        };
        Some(Threshold { amount: self, value })
    }
}

impl Clause<Amount> {
    /// Returns the clause in absolute numbers, or none if it needs a limit that is not known.
    pub fn thresholds(&self, room: ModelRoom) -> Option<Clause<Threshold>> {
        self.0.iter().map(|amount| amount.threshold(room)).collect::<Option<_>>().map(Clause)
    }
}

impl Trigger {
    /// Returns all clauses in absolute numbers, or none if one of them needs a limit that is not
    /// known.
    pub fn thresholds(&self, room: ModelRoom) -> Option<Vec<Clause<Threshold>>> {
        self.clauses.iter().map(|clause| clause.thresholds(room)).collect()
    }
}

impl Keep {
    /// Returns the keep in absolute numbers, or none if it needs a limit that is not known.
    pub fn count_in(self, room: ModelRoom) -> Option<KeepCount> {
        Some(match self {
            Self::Last(Amount::Tokens(tokens)) => KeepCount::Tokens(tokens.max(1)),
            Self::Last(Amount::Messages(messages)) => {
                KeepCount::Messages(saturating_usize(messages))
            }
            Self::Last(Amount::Fraction(fraction)) => {
                KeepCount::Tokens(fraction_of(room.limit?, fraction))
            }
            Self::Last(Amount::Events(events)) => KeepCount::Events(saturating_usize(events)),
            Self::Recent(tokens) => KeepCount::Recent(tokens),
            Self::Characters(share) => KeepCount::Characters(share),
            Self::Back(tokens) => KeepCount::Back(tokens),
            Self::Whole(tokens) => KeepCount::Whole(tokens),
            Self::Answers(answers) => KeepCount::Answers(saturating_usize(answers)),
            Self::Last(Amount::Overflow) => KeepCount::Tokens(room.usable?.max(1)),
            Self::Turns { most, tokens } => KeepCount::Turns {
                most: most.map_or(usize::MAX, saturating_usize),
                tokens: tokens.unwrap_or_else(|| {
                    (room.usable.unwrap_or(0) / TAIL_SHARE).clamp(TAIL_MIN, TAIL_MAX)
                }),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_is_rounded_down_and_at_least_1() {
        let tried = [(100, 0.29), (1, 0.1), (272_000, 0.85)];
        assert_eq!(tried.map(|(whole, share)| fraction_of(whole, share)), [28, 1, 231_200]);
    }

    #[test]
    fn a_keep_is_at_most_a_share_of_what_the_trigger_waits_for() {
        let clauses = |amounts: &[Amount]| {
            let trigger =
                Trigger { clauses: amounts.iter().map(|amount| Clause(vec![*amount])).collect() };
            trigger.thresholds(ModelRoom::default()).unwrap()
        };
        let tokens = clauses(&[Amount::Tokens(9000), Amount::Tokens(8000)]);
        let messages = clauses(&[Amount::Messages(10)]);
        let kept = |keep: KeepCount, trigger: &[Clause<Threshold>]| {
            keep.at_most(0.25, trigger).to_string()
        };
        assert_eq!(kept(KeepCount::Tokens(12_800), &tokens), "tokens=2000");
        assert_eq!(kept(KeepCount::Tokens(800), &tokens), "tokens=800");
        assert_eq!(kept(KeepCount::Messages(6), &tokens), "messages=6");
        assert_eq!(kept(KeepCount::Tokens(12_800), &messages), "messages=2");
        assert_eq!(kept(KeepCount::Messages(6), &messages), "messages=2");
        let both = [tokens, messages].concat();
        assert_eq!(kept(KeepCount::Tokens(12_800), &both), "tokens=2000");
        assert_eq!(kept(KeepCount::Recent(9), &both), "recent=9");
    }

    #[test]
    fn a_budget_of_turns_is_a_quarter_of_the_usable_tokens_within_bounds() {
        let tail = |usable, tokens| {
            let room = ModelRoom { usable, ..ModelRoom::default() };
            Keep::Turns { most: None, tokens }.count_in(room).unwrap()
        };
        let tokens = |usable| match tail(usable, None) {
            KeepCount::Turns { most: usize::MAX, tokens } => tokens,
            other => panic!("{other}"),
        };
        assert_eq!((tokens(None), tokens(Some(0))), (2000, 2000));
        let usable = [7_999, 8_000, 8_004, 8_007, 59_999, 60_000, 168_000].map(Some);
        let kept = [2000, 2000, 2001, 2001, 14_999, 15_000, 15_000];
        assert_eq!(usable.map(tokens), kept);
        assert_eq!(tail(Some(168_000), Some(7)), KeepCount::Turns { most: usize::MAX, tokens: 7 });
    }
}
