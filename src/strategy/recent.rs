//! Cuts by how far back the newest messages go: pi's and Cline's by tokens, Claude Code's by answers.
//! See `docs/reference/presets.md`.

use crate::strategy::tail::last_question;
use crate::tokens::Ledger;
use crate::transcript::{Role, Transcript};

/// Returns the first message that stays of those before `end`: the first place to cut at or behind
/// the message with which the newest reach `keep` tokens. If all of them have fewer, returns the
/// first.
#[must_use]
pub(crate) fn first_recent(
    transcript: &Transcript<'_>,
    ledger: &Ledger<'_>,
    keep: u64,
    end: usize,
) -> usize {
    let head = transcript.system_prefix_len();
    let is_place = |index: &usize| {
        let message = &transcript.messages[*index];
        matches!(message.role, Role::User | Role::Assistant) && !message.joined
    };
    let Some(reached) = message_reaching(transcript, ledger, keep, end) else {
        return head;
    };
    (reached..end)
        .find(is_place)
        .or_else(|| (head..end).rev().find(is_place))
        .unwrap_or(head)
}

/// Returns the message with which the newest of those before `end` reach `keep` tokens, or the
/// first of the last turn if that is before it. A session of one turn is cut inside it.
#[must_use]
pub(crate) fn first_back(
    transcript: &Transcript<'_>,
    ledger: &Ledger<'_>,
    keep: u64,
    end: usize,
) -> usize {
    let head = transcript.system_prefix_len();
    message_reaching(transcript, ledger, keep, end)
        .map_or(head, |reached| reached.min(last_question(transcript)))
}

/// Returns the first of the last `answers` answers before `end`.
#[must_use]
pub(crate) fn first_of_answers(transcript: &Transcript<'_>, answers: usize, end: usize) -> usize {
    let head = transcript.system_prefix_len();
    let is_answer = |index: &usize| {
        let message = &transcript.messages[*index];
        message.role == Role::Assistant && !message.joined && !message.earlier_summary
    };
    let mut found = (head..end).rev().filter(is_answer);
    found.nth(answers.saturating_sub(1)).unwrap_or(head)
}

/// Returns the message with which the newest of those before `end` reach `keep` tokens.
fn message_reaching(
    transcript: &Transcript<'_>,
    ledger: &Ledger<'_>,
    keep: u64,
    end: usize,
) -> Option<usize> {
    let mut sum = 0;
    (transcript.system_prefix_len()..end).rev().find(|&index| {
        sum += ledger.messages[index] as u64;
        sum >= keep
    })
}
