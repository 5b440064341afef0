//! OpenCode's tail: the newest turns that fit a budget, the first that does not
//! fit in part (spec: opencode, A.1, "Tail kept verbatim"). A turn is a user
//! message and all that follows it.

use crate::tokens::{rendered, utf16};
use crate::transcript::view::TranscriptView;
use crate::transcript::{Role, Transcript};
use std::ops::Range;

/// The first message of the tail of `..end`; `end` where there is none. `most` turns at most, `budget` tokens at most.
#[must_use]
pub fn first_kept(view: TranscriptView<'_, '_>, end: usize, most: usize, budget: u64) -> usize {
    let transcript = view.transcript;
    let parts = parted(transcript);
    let is_conversation = |index: usize| {
        !view.message(index).role.is_system() && !view.message(index).earlier_summary
    };
    let Some(first) = (0..end).find(|&index| is_conversation(index)) else {
        return end;
    };
    let starts: Vec<usize> = (first..end)
        .filter(|&index| asks(transcript, index) && !parts[index])
        .collect();
    let (mut start, mut left, mut next) = (end, budget, end);
    for &turn in starts.iter().rev().take(most) {
        let sizes = Sizes::of(view, turn..next);
        let size = sizes.tokens(turn);
        if size <= left {
            (start, left, next) = (turn, left - size, turn);
            continue;
        }
        // A result that answers nothing before it would be the first message: no place to begin.
        let begins = |index: &usize| {
            !parts[*index] && is_conversation(*index) && !view.message(*index).role.is_result()
        };
        start = (turn + 1..next)
            .filter(begins)
            .find(|&index| left > 0 && sizes.tokens(index) <= left)
            .unwrap_or(start);
        break;
    }
    // A tail of everything leaves nothing to summarise: then all of it is.
    if start == first { end } else { start }
}

/// The last message of a user that another one stands before: where a replay begins. The number of messages where there is none.
#[must_use]
pub fn last_asked(transcript: &Transcript<'_>) -> usize {
    let count = transcript.messages.len();
    let parts = parted(transcript);
    let mut asked = (0..count).rev().filter(|&index| {
        asks(transcript, index) && !transcript.messages[index].earlier_summary && !parts[index]
    });
    match (asked.next(), asked.next()) {
        (Some(last), Some(_)) => last,
        _ => count,
    }
}

/// Whether a person speaks in message `index`, and not a compaction.
fn asks(transcript: &Transcript<'_>, index: usize) -> bool {
    transcript.messages[index].role == Role::User && !transcript.is_question(index)
}

/// By message: whether a cut before it parts a call from its results, or one answer of the model.
#[must_use]
pub fn parted(transcript: &Transcript<'_>) -> Vec<bool> {
    let count = transcript.messages.len();
    let mut last_answer: Vec<usize> = (0..count).collect();
    for index in (0..count).filter(|&index| transcript.messages[index].role.is_result()) {
        if let Some(caller) = transcript.caller_of(index) {
            last_answer[caller] = last_answer[caller].max(index);
        }
    }
    let mut open = 0;
    let parts = last_answer.iter().enumerate().map(|(index, &last)| {
        let parted = index > 0 && (open >= index || transcript.messages[index].joined);
        open = open.max(last);
        parted
    });
    parts.collect()
}

/// Estimates of the ends of a turn.
struct Sizes {
    turn: Range<usize>,
    /// Code units and messages from each message of the turn to its end.
    suffixes: Vec<(u64, u64)>,
}

impl Sizes {
    fn of(view: TranscriptView<'_, '_>, turn: Range<usize>) -> Self {
        let mut suffixes = vec![(0, 0); turn.len()];
        let (mut units, mut messages) = (0, 0);
        for index in turn.clone().rev() {
            // System messages stay in any case.
            if !view.message(index).role.is_system() {
                units += rendered::units(view, index);
                messages += 1;
            }
            suffixes[index - turn.start] = (units, messages);
        }
        Self { turn, suffixes }
    }

    /// Tokens from message `index` to the end of the turn, as one JSON list: brackets, and commas between.
    fn tokens(&self, index: usize) -> u64 {
        let (units, messages) = self.suffixes[index - self.turn.start];
        utf16::tokens(units + 1 + messages.max(1)) as u64
    }
}
