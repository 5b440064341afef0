//! What conversions left out and changed, over all transcripts: one row for
//! each kind, so that the talk at the end of a run stays short.

use crate::convert::notes::{ConversionNote, ConversionOutcome};
use serde::Serialize;
use std::ops::AddAssign;

/// Kinds that are told; the report has them all.
const NAMED: usize = 20;
/// Kinds that are told apart: keys come from the log, and there may be any number of them.
const KNOWN: usize = 500;

/// Sums over transcripts that left in another format.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ConvertedTotals {
    /// The format.
    pub to: &'static str,
    /// Transcripts written.
    pub transcripts: u64,
    /// Messages in them.
    pub messages: u64,
    /// Values of the log that are in no result.
    pub left_out: u64,
    /// What reads otherwise than logged.
    pub changed: u64,
}

impl ConvertedTotals {
    pub(super) fn of(converted: &ConversionOutcome) -> Self {
        let sum = |notes: &[ConversionNote]| notes.iter().map(|note| note.times).sum();
        Self {
            to: converted.to,
            transcripts: 1,
            messages: converted.messages as u64,
            left_out: sum(&converted.left_out),
            changed: sum(&converted.changed),
        }
    }
}

impl AddAssign<&Self> for ConvertedTotals {
    fn add_assign(&mut self, other: &Self) {
        self.to = other.to;
        self.transcripts += other.transcripts;
        self.messages += other.messages;
        self.left_out += other.left_out;
        self.changed += other.changed;
    }
}

/// Something of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteKind {
    /// What it is.
    pub what: String,
    /// Why.
    pub why: String,
    /// How often.
    pub times: u64,
    /// Where it came up first: file, line and message.
    pub first: String,
}

/// All of one sort, the most frequent kinds first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteKinds {
    kinds: Vec<NoteKind>,
    others: u64,
}

impl NoteKinds {
    fn add(&mut self, kind: NoteKind) {
        let known = self
            .kinds
            .iter()
            .position(|known| known.what == kind.what && known.why == kind.why);
        match known {
            Some(at) => self.kinds[at].times += kind.times,
            None if self.kinds.len() < KNOWN => self.kinds.push(kind),
            None => self.others += kind.times,
        }
    }

    /// The kinds that are told: the most frequent ones, of equals the first.
    #[must_use]
    pub fn named(&self) -> Vec<&NoteKind> {
        let mut kinds: Vec<&NoteKind> = self.kinds.iter().collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.times));
        kinds.truncate(NAMED);
        kinds
    }

    /// How often something came up that is of none of these.
    #[must_use]
    pub fn unnamed(&self) -> u64 {
        let all: u64 = self.kinds.iter().map(|kind| kind.times).sum();
        let named: u64 = self.named().iter().map(|kind| kind.times).sum();
        all - named + self.others
    }
}

/// What conversions left out and changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversions {
    /// What is in no result.
    pub left_out: NoteKinds,
    /// What reads otherwise than logged.
    pub changed: NoteKinds,
}

impl Conversions {
    pub(super) fn add(&mut self, file: &str, converted: &ConversionOutcome) {
        for (notes, kinds) in [
            (&converted.left_out, &mut self.left_out),
            (&converted.changed, &mut self.changed),
        ] {
            for ConversionNote {
                what,
                why,
                message,
                line,
                times,
            } in notes
            {
                let message = message.map_or(String::new(), |index| format!(", message {index}"));
                let first = format!("{file}:{line}{message}");
                kinds.add(NoteKind {
                    what: what.clone(),
                    why: why.to_string(),
                    times: *times,
                    first,
                });
            }
        }
    }

    pub(super) fn merge(&mut self, part: Self) {
        for (mine, other) in [
            (&mut self.left_out, part.left_out),
            (&mut self.changed, part.changed),
        ] {
            mine.others += other.others;
            other.kinds.into_iter().for_each(|kind| mine.add(kind));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_kinds_are_named_and_all_are_counted() {
        let mut kinds = NoteKinds::default();
        for number in 0..KNOWN + 5 {
            let times = if number == 30 { 9 } else { 1 };
            kinds.add(NoteKind {
                what: number.to_string(),
                why: String::new(),
                times,
                first: String::new(),
            });
        }
        let named = kinds.named();
        assert_eq!(
            (named.len(), named[0].what.as_str(), named[1].what.as_str()),
            (NAMED, "30", "0")
        );
        assert_eq!(
            kinds.unnamed() + named.iter().map(|kind| kind.times).sum::<u64>(),
            KNOWN as u64 + 5 + 8
        );
    }
}
