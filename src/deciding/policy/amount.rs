//! Triggers and keeps as a user writes them: when to act, and how much recent context stays.
//! `docs/reference/deepagents.md` and `docs/reference/opencode.md` have the rules.

use std::fmt;

/// A quantity that a user names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// Tokens by the policy's counter.
    Tokens(u64),
    /// Messages, not counting a leading system message.
    Messages(u64),
    /// A share of the model's input limit, above 0 and at most 1.
    Fraction(f64),
    /// Events, as OpenHands counts them: every message is one, a message of several calls as many.
    Events(u64),
    /// The tokens at which OpenCode's overflow test fires. Only triggers use it.
    Overflow,
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens(number) => write!(f, "tokens={number}"),
            Self::Messages(number) => write!(f, "messages={number}"),
            Self::Fraction(number) => write!(f, "fraction={number}"),
            Self::Events(number) => write!(f, "events={number}"),
            Self::Overflow => write!(f, "overflow"),
        }
    }
}

/// Conditions that must all hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Clause<T>(pub Vec<T>);

impl<T: fmt::Display> fmt::Display for Clause<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, condition) in self.0.iter().enumerate() {
            write!(f, "{}{condition}", if index > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

impl Amount {
    /// Returns true if both are of one kind, and this is at least `other`.
    fn reaches(self, other: Self) -> bool {
        match (self, other) {
            (Self::Tokens(mine), Self::Tokens(theirs))
            | (Self::Messages(mine), Self::Messages(theirs))
            | (Self::Events(mine), Self::Events(theirs)) => mine >= theirs,
            (Self::Fraction(mine), Self::Fraction(theirs)) => mine >= theirs,
            _ => false,
        }
    }
}

/// When to act: as soon as any clause holds. A trigger without clauses never fires.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trigger {
    /// The alternatives.
    pub clauses: Vec<Clause<Amount>>,
}

impl Trigger {
    /// Returns true if what stays is as much as every clause waits for: the trigger can hold while
    /// there is nothing to remove.
    pub fn is_reached_by(&self, kept: Amount) -> bool {
        let waits_for_less =
            |clause: &Clause<Amount>| clause.0.iter().any(|amount| kept.reaches(*amount));
        !self.clauses.is_empty() && self.clauses.iter().all(waits_for_less)
    }
}

/// The amount of recent context that stays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Keep {
    /// The most recent messages, up to this amount.
    Last(Amount),
    /// The most recent turns that fit a budget, as OpenCode keeps them.
    Turns {
        /// The most turns; none for as many as fit.
        most: Option<u64>,
        /// The budget in tokens; none for a quarter of the usable tokens, within bounds.
        tokens: Option<u64>,
    },
    /// The most recent messages from the first place to cut behind this many tokens, as pi keeps
    /// them.
    Recent(u64),
    /// The turns that begin in the last share of the characters, as Gemini CLI keeps them.
    Characters(f64),
    /// The most recent messages until this many tokens are reached, and never less than the last
    /// turn, as Cline keeps them.
    Back(u64),
    /// The turns in which the most recent messages of this many tokens lie, as OpenCode 2 keeps them.
    Whole(u64),
    /// This many of the last answers, and all that follows them, as Claude Code keeps them.
    Answers(u64),
}
