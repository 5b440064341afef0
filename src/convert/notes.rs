//! Notes on what a conversion left out or changed.
//!
//! Notes of one kind are merged, so that the report of a long transcript stays short.

use crate::reading::transcript::prelude::*;
use serde::Serialize;

/// All notes of one kind in one transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ConversionNote {
    /// The value concerned: a path in the record, or a description.
    pub what: String,
    /// The reason.
    pub why: Cow<'static, str>,
    /// The index of the first message concerned. Null if the value is outside the messages.
    pub message: Option<usize>,
    /// The line of the first record concerned.
    pub line: u64,
    /// The number of notes.
    pub times: u64,
    /// The bytes of texts in what was left out: words that somebody said, or a tool.
    #[serde(skip_serializing_if = "is_nothing")]
    pub text_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_nothing(bytes: &u64) -> bool {
    *bytes == 0
}

/// The place of a note in the transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotePlace {
    /// The index of the message, if the value is in a message.
    pub(super) message: Option<usize>,
    /// The line of the record. 0 stands for the line of the message's record.
    pub(super) line: u64,
}

/// A message by its index, or the transcript as a whole.
impl From<Option<usize>> for NotePlace {
    fn from(message: Option<usize>) -> Self {
        Self { message, line: 0 }
    }
}

/// The notes of one transcript, in the order in which each kind occurred first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ConversionNotes {
    notes: Vec<ConversionNote>,
    /// The index of each kind, by its value and its reason.
    kinds: HashMap<String, HashMap<Cow<'static, str>, usize>>,
}

impl ConversionNotes {
    /// Adds a note, or counts it if its kind is known.
    pub(crate) fn add_note(
        &mut self,
        what: impl Into<String> + AsRef<str>,
        why: impl Into<Cow<'static, str>>,
        place: impl Into<NotePlace>,
    ) {
        self.add_text_note(what, why, place, 0);
    }

    /// Adds a note on something that holds texts of so many bytes.
    pub(super) fn add_text_note(
        &mut self,
        what: impl Into<String> + AsRef<str>,
        why: impl Into<Cow<'static, str>>,
        place: impl Into<NotePlace>,
        text_bytes: u64,
    ) {
        let (why, NotePlace { message, line }) = (why.into(), place.into());
        let known = self.kinds.get(what.as_ref());
        if let Some(kind) = known.and_then(|reasons| reasons.get(&why)) {
            let note = &mut self.notes[*kind];
            note.times += 1;
            note.text_bytes += text_bytes;
            return;
        }
        self.push_kind(ConversionNote {
            what: what.into(),
            why,
            message,
            line,
            times: 1,
            text_bytes,
        });
    }

    /// Returns true if there is a note of this kind.
    pub(super) fn has_note(&self, what: &str, why: &str) -> bool {
        let reasons = self.kinds.get(what);
        reasons.is_some_and(|reasons| reasons.contains_key(why))
    }

    fn push_kind(&mut self, note: ConversionNote) {
        let reasons = self.kinds.entry(note.what.clone()).or_default();
        reasons.entry(note.why.clone()).or_insert(self.notes.len());
        self.notes.push(note);
    }

    /// Adds a new kind with its number of notes.
    pub(crate) fn add_kind(&mut self, what: &str, why: &'static str, line: u64, times: u64) {
        self.push_kind(ConversionNote {
            what: what.to_owned(),
            why: why.into(),
            message: None,
            line,
            times,
            text_bytes: 0,
        });
    }

    /// Returns all notes with their lines.
    pub(crate) fn into_notes(mut self, transcript: &Transcript<'_>) -> Vec<ConversionNote> {
        for note in self.notes.iter_mut().filter(|note| note.line == 0) {
            let record = note.message.map_or(0, |index| transcript.messages[index].record);
            note.line = transcript.records.get(record).map_or(0, |record| record.line);
        }
        self.notes
    }
}

/// The report of one conversion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ConversionOutcome {
    /// The name of the target.
    pub to: &'static str,
    /// The number of messages written.
    pub messages: usize,
    /// Values of the log that the result doesn't contain.
    pub left_out: Vec<ConversionNote>,
    /// Values that differ from the log: renumbered ids, moved or added results, joined turns.
    pub changed: Vec<ConversionNote>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_one_kind_are_counted() {
        let mut notes = ConversionNotes::default();
        for (what, why) in [("a", "x"), ("b", "x"), ("a", "x"), ("a", "y"), ("b", "x")] {
            notes.add_note(what, why, None);
        }
        notes.add_kind("c", "x", 3, 7);
        let notes = notes.into_notes(&Transcript::default());
        let counted: Vec<(&str, &str, u64)> =
            notes.iter().map(|note| (note.what.as_str(), note.why.as_ref(), note.times)).collect();
        assert_eq!(counted, [("a", "x", 2), ("b", "x", 2), ("a", "y", 1), ("c", "x", 7)]);
    }
}
