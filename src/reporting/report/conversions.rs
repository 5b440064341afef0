//! Values that conversions left out or changed, over all transcripts.
//!
//! Notes are merged by kind, so that the table at the end of a run stays short.

use crate::convert::notes::{ConversionNote, ConversionOutcome};
use serde::Serialize;
use std::ops::AddAssign;

/// The number of kinds that a table lists. The report has all of them.
const MAX_LISTED: usize = 20;
/// The number of kinds that are counted separately. Keys come from the log, and their number is
/// unlimited.
const MAX_KINDS: usize = 500;

/// Sums over the transcripts that were converted to another format.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ConversionTotals {
    /// The target format.
    pub to: &'static str,
    /// Transcripts written.
    pub transcripts: u64,
    /// Messages written.
    pub messages: u64,
    /// Values of the log that no result contains.
    pub left_out: u64,
    /// Values that differ from the log.
    pub changed: u64,
}

impl ConversionTotals {
    /// Returns the totals of one transcript.
    pub(super) fn from_outcome(outcome: &ConversionOutcome) -> Self {
        Self {
            to: outcome.to,
            transcripts: 1,
            messages: outcome.messages as u64,
            left_out: sum_times(&outcome.left_out),
            changed: sum_times(&outcome.changed),
        }
    }
}

impl AddAssign<&Self> for ConversionTotals {
    fn add_assign(&mut self, other: &Self) {
        self.to = other.to;
        self.transcripts += other.transcripts;
        self.messages += other.messages;
        self.left_out += other.left_out;
        self.changed += other.changed;
    }
}

fn sum_times(notes: &[ConversionNote]) -> u64 {
    notes.iter().map(|note| note.times).sum()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoteKind {
    /// The value concerned.
    pub what: String,
    pub why: String,
    /// The number of notes.
    pub times: u64,
    /// The first place: file, line and message.
    pub first: String,
    pub text_bytes: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NoteKinds {
    kinds: Vec<NoteKind>,
    /// The number of notes beyond [`MAX_KINDS`] kinds.
    uncounted: u64,
}

impl NoteKinds {
    fn add_kind(&mut self, kind: NoteKind) {
        let known =
            self.kinds.iter().position(|known| known.what == kind.what && known.why == kind.why);
        match known {
            Some(at) => {
                self.kinds[at].times += kind.times;
                self.kinds[at].text_bytes += kind.text_bytes;
            }
            None if self.kinds.len() < MAX_KINDS => self.kinds.push(kind),
            None => self.uncounted += kind.times,
        }
    }

    fn add_notes(&mut self, file: &str, notes: &[ConversionNote]) {
        for note in notes {
            let message = note.message.map_or(String::new(), |index| format!(", message {index}"));
            self.add_kind(NoteKind {
                what: note.what.clone(),
                why: note.why.to_string(),
                times: note.times,
                first: format!("{file}:{}{message}", note.line),
                text_bytes: note.text_bytes,
            });
        }
    }

    /// Adds kinds that were merged separately.
    fn merge_kinds(&mut self, other: Self) {
        self.uncounted += other.uncounted;
        for kind in other.kinds {
            self.add_kind(kind);
        }
    }

    /// Returns the kinds that a table lists: those that hold texts, the longest first, then the most
    /// frequent.
    pub(crate) fn most_frequent(&self) -> Vec<&NoteKind> {
        let mut kinds: Vec<&NoteKind> = self.kinds.iter().collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse((kind.text_bytes, kind.times)));
        kinds.truncate(MAX_LISTED);
        kinds
    }

    /// Returns the number of notes of all other kinds.
    pub(crate) fn unlisted_times(&self) -> u64 {
        let all: u64 = self.kinds.iter().map(|kind| kind.times).sum();
        let listed: u64 = self.most_frequent().iter().map(|kind| kind.times).sum();
        all - listed + self.uncounted
    }
}

/// Values that conversions left out or changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Conversions {
    /// Values that no result contains.
    pub left_out: NoteKinds,
    /// Values that differ from the log.
    pub changed: NoteKinds,
}

impl Conversions {
    /// Adds the notes of one transcript.
    pub(super) fn add_outcome(&mut self, file: &str, outcome: &ConversionOutcome) {
        self.left_out.add_notes(file, &outcome.left_out);
        self.changed.add_notes(file, &outcome.changed);
    }

    /// Adds notes that were merged separately.
    pub(super) fn merge_part(&mut self, part: Self) {
        self.left_out.merge_kinds(part.left_out);
        self.changed.merge_kinds(part.changed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_kinds_are_listed_and_all_are_counted() {
        let mut kinds = NoteKinds::default();
        for number in 0..MAX_KINDS + 5 {
            let times = if number == 30 { 9 } else { 1 };
            kinds.add_kind(NoteKind {
                what: number.to_string(),
                why: String::new(),
                times,
                first: String::new(),
                text_bytes: 0,
            });
        }
        let listed = kinds.most_frequent();
        assert_eq!(
            (listed.len(), listed[0].what.as_str(), listed[1].what.as_str()),
            (MAX_LISTED, "30", "0")
        );
        assert_eq!(
            kinds.unlisted_times() + listed.iter().map(|kind| kind.times).sum::<u64>(),
            MAX_KINDS as u64 + 5 + 8
        );
    }
}
