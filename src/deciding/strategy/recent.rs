//! Cuts by how far back the newest messages go: by tokens pi's, Cline's and that of OpenCode 2, by
//! answers Claude Code's, by its share of the text Gemini CLI's. See `docs/reference/presets.md`.

use crate::deciding::strategy::prelude::*;
use crate::deciding::strategy::tail::{last_question, splits_exchange};
use crate::deciding::tokens::rendered::{length, listed};
use crate::reading::json::{json_units, literal_units};

/// The messages before `end`, and their tokens.
pub(crate) struct NewestMessages<'n, 'a> {
    pub(crate) transcript: &'n Transcript<'a>,
    pub(crate) ledger: &'n Ledger<'n>,
    pub(crate) end: usize,
}

impl NewestMessages<'_, '_> {
    /// Returns the first message that stays of those before `end`: the first place to cut at or behind
    /// the message with which the newest reach `keep` tokens. If all of them have fewer, returns the
    /// first.
    pub(crate) fn first_recent(&self, keep: u64) -> usize {
        let head = self.transcript.system_prefix_len();
        let is_place = |index: &usize| {
            let message = &self.transcript.messages[*index];
            matches!(message.role, Role::User | Role::Assistant) && !message.joined
        };
        let Some(reached) = self.message_reaching(keep) else {
            return head;
        };
        (reached..self.end)
            .find(is_place)
            .or_else(|| (head..self.end).rev().find(is_place))
            .unwrap_or(head)
    }

    /// Returns the message with which the newest of those before `end` reach `keep` tokens, or the
    /// first of the last turn if that is before it. A session of one turn is cut inside it.
    pub(crate) fn first_back(&self, keep: u64) -> usize {
        let head = self.transcript.system_prefix_len();
        self.message_reaching(keep)
            .map_or(head, |reached| reached.min(last_question(self.transcript)))
    }

    /// Returns the first message of the turn in which the longest tail of at most `keep` tokens begins.
    /// Where all fit, the last turn stays; of a single turn nothing does.
    pub(crate) fn first_whole(&self, keep: u64) -> usize {
        let head = self.transcript.system_prefix_len();
        let splits = splits_exchange(self.transcript);
        let (mut sum, mut start) = (0, self.end);
        for index in (head..self.end).rev() {
            sum += self.ledger.messages[index] as u64;
            if splits[index] {
                continue;
            }
            // The newest entry stays whatever it counts.
            if start < self.end && sum > keep {
                break;
            }
            start = index;
        }
        let begins = |index: &usize| {
            let message = &self.transcript.messages[*index];
            message.role == Role::User && !message.earlier_summary && !splits[*index]
        };
        let turns = || (head + 1..self.end).rev().filter(begins);
        let around = turns().find(|turn| *turn <= start);
        around.or_else(|| turns().next()).unwrap_or(self.end)
    }

    /// Returns the first of the last `answers` answers before `end`.
    pub(crate) fn first_of_answers(&self, answers: usize) -> usize {
        let head = self.transcript.system_prefix_len();
        let is_answer = |index: &usize| {
            let message = &self.transcript.messages[*index];
            message.role == Role::Assistant && !message.joined && !message.earlier_summary
        };
        let mut found = (head..self.end).rev().filter(is_answer);
        found.nth(answers.saturating_sub(1)).unwrap_or(head)
    }

    /// Returns the message with which the newest of those before `end` reach `keep` tokens.
    fn message_reaching(&self, keep: u64) -> Option<usize> {
        let mut sum = 0;
        (self.transcript.system_prefix_len()..self.end).rev().find(|&index| {
            sum += self.ledger.messages[index] as u64;
            sum >= keep
        })
    }
}

const USER: &str = r#"{"role":"user","parts":[]}"#;
const MODEL: &str = r#"{"role":"model","parts":[]}"#;
const TEXT: &str = r#"{"text":}"#;
const CALL: &str = r#"{"functionCall":{"name":,"args":}}"#;
const RESULT: &str = r#"{"functionResponse":{"name":,"id":,"response":{"output":}}}"#;

/// Returns the first message that stays of those before `end`, so that the turns in the last
/// `share` of the characters do. Returns `end` if none stays.
pub(crate) fn first_in_share(view: TranscriptView<'_, '_>, share: f64, end: usize) -> usize {
    let transcript = view.transcript;
    let head = transcript.system_prefix_len();
    let sizes: Vec<u64> = (head..end).map(|index| content_units(view, index)).collect();
    let target = to_float(sizes.iter().sum()) * (1.0 - share);
    let (mut before, mut last_turn) = (0, head);
    for (index, size) in (head..end).zip(&sizes) {
        if speaks(transcript, index) {
            if to_float(before) >= target {
                return index;
            }
            last_turn = index;
        }
        before += size;
    }
    let ends_with_answer = end > head && {
        let last = &transcript.messages[end - 1];
        last.role == Role::Assistant && last.calls.is_empty()
    };
    if ends_with_answer { end } else { last_turn }
}

#[expect(clippy::cast_precision_loss, reason = "as in JavaScript")]
fn to_float(number: u64) -> f64 {
    number as f64
}

/// Returns true if the user begins to speak with message `index`.
pub(crate) fn speaks(transcript: &Transcript<'_>, index: usize) -> bool {
    transcript.messages[index].role == Role::User && !transcript.belongs_to_answer(index)
}

/// Returns the length of message `index` as a content, in UTF-16 code units.
fn content_units(view: TranscriptView<'_, '_>, index: usize) -> u64 {
    let message = view.message(index);
    let bytes = |span| view.transcript.bytes(index, span);
    if message.role.is_result() {
        let id = message.answers.map_or(2, |span| literal_units(bytes(span)));
        let tool = view.transcript.tool_name_of(index);
        let name = tool.map_or(2, |name| literal_units(&encode_literal(&name)));
        let output = literal_units(&encode_literal(&view.joined_text(index, "")));
        return length(USER) + length(RESULT) + id + name + output;
    }
    let texts = view.content_pieces(index).into_iter().map(|piece| match piece {
        ContentPiece::Literal(b"\"\"") | ContentPiece::Text("") => None,
        ContentPiece::Literal(literal) => Some(length(TEXT) + literal_units(literal)),
        ContentPiece::Text(text) => Some(length(TEXT) + literal_units(&encode_literal(text))),
        ContentPiece::Image => None,
        ContentPiece::Call(json) | ContentPiece::Other(json) => Some(json_units(json)),
    });
    let calls = message.calls.iter().enumerate().map(|(number, call)| {
        let name = call.name.map_or(2, |span| literal_units(bytes(span)));
        Some(length(CALL) + name + json_units(&view.call_arguments(index, number)))
    });
    let parts: Vec<u64> = texts.chain(calls).flatten().collect();
    let frame = if message.role == Role::Assistant { MODEL } else { USER };
    length(frame) + listed(&parts)
}
