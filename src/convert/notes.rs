//! What a conversion could not express, and what reads otherwise than logged:
//! one note for each kind, so that a report of a long transcript stays short.

use crate::transcript::Transcript;
use serde::Serialize;
use std::borrow::Cow;

/// Something of one kind, in one transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversionNote {
    /// What it is: a path in the record, or what it does.
    pub what: String,
    /// Why.
    pub why: Cow<'static, str>,
    /// The first message that it concerns, by its place in the transcript; none where it stands beside the messages.
    pub message: Option<usize>,
    /// The line of the record that it first stands in.
    pub line: u64,
    /// How often.
    pub times: u64,
}

/// Notes of one transcript, in the order in which each kind came up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConversionNotes(Vec<ConversionNote>);

impl ConversionNotes {
    /// Adds one; of a kind that is known it counts. A line of 0 means that of the message.
    pub fn add(
        &mut self,
        what: impl Into<String> + AsRef<str>,
        why: impl Into<Cow<'static, str>>,
        (line, message): (u64, Option<usize>),
    ) {
        let why = why.into();
        match self
            .0
            .iter_mut()
            .find(|note| note.what == what.as_ref() && note.why == why)
        {
            Some(note) => note.times += 1,
            None => self.0.push(ConversionNote {
                what: what.into(),
                why,
                message,
                line,
                times: 1,
            }),
        }
    }

    /// Adds so many of one kind at once.
    pub fn add_times(&mut self, what: &str, why: &'static str, line: u64, times: u64) {
        self.0.push(ConversionNote {
            what: what.to_owned(),
            why: why.into(),
            message: None,
            line,
            times,
        });
    }

    /// All of them, each with its line.
    #[must_use]
    pub fn placed(mut self, transcript: &Transcript<'_>) -> Vec<ConversionNote> {
        for note in self.0.iter_mut().filter(|note| note.line == 0) {
            let record = note
                .message
                .map_or(0, |index| transcript.messages[index].record);
            note.line = transcript
                .records
                .get(record)
                .map_or(0, |record| record.line);
        }
        self.0
    }
}

/// How one transcript was converted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConversionOutcome {
    /// The target.
    pub to: &'static str,
    /// Messages written.
    pub messages: usize,
    /// What stands in the log and not in the result.
    pub left_out: Vec<ConversionNote>,
    /// What reads otherwise than logged: renumbered ids, results moved or put in, turns joined.
    pub changed: Vec<ConversionNote>,
}
