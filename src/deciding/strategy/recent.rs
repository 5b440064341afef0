//! Cuts by how far back the newest messages go: by tokens pi's, Cline's and that of OpenCode 2, by
//! answers Claude Code's.
//! See `docs/reference/presets.md`.

use crate::deciding::strategy::tail::{last_question, splits_exchange};
use crate::deciding::tokens::Ledger;
use crate::reading::transcript::{Role, Transcript};

/// Returns the first message that stays of those before `end`: the first place to cut at or behind
/// the message with which the newest reach `keep` tokens. If all of them have fewer, returns the
/// first.
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
    (reached..end).find(is_place).or_else(|| (head..end).rev().find(is_place)).unwrap_or(head)
}

/// Returns the message with which the newest of those before `end` reach `keep` tokens, or the
/// first of the last turn if that is before it. A session of one turn is cut inside it.
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

/// Returns the first message of the turn in which the longest tail of at most `keep` tokens begins.
/// Where all fit, the last turn stays; of a single turn nothing does.
pub(crate) fn first_whole(
    transcript: &Transcript<'_>,
    ledger: &Ledger<'_>,
    keep: u64,
    end: usize,
) -> usize {
    let head = transcript.system_prefix_len();
    let splits = splits_exchange(transcript);
    let (mut sum, mut start) = (0, end);
    for index in (head..end).rev() {
        sum += ledger.messages[index] as u64;
        if splits[index] {
            continue;
        }
        // The newest entry stays whatever it counts.
        if start < end && sum > keep {
            break;
        }
        start = index;
    }
    let begins = |index: &usize| {
        let message = &transcript.messages[*index];
        message.role == Role::User && !message.earlier_summary && !splits[*index]
    };
    let turns = || (head + 1..end).rev().filter(begins);
    let around = turns().find(|turn| *turn <= start);
    around.or_else(|| turns().next()).unwrap_or(end)
}

/// Returns the first of the last `answers` answers before `end`.
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
