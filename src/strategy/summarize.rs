//! Stage summarize: where the cut falls (spec: deepagents, section 4). Indices
//! here are those of the record's own list; a leading system message is never
//! part of what is counted or cut.

use crate::policy::KeepCount;
use crate::strategy::tail;
use crate::tokens::Ledger;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Role, Transcript};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The first message to keep; where it is the first of all, nothing is summarised. With `replay` the last user
/// message stays, and all behind it.
#[must_use]
pub fn first_kept(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    keep: KeepCount,
    replay: bool,
) -> usize {
    let (head, count) = (
        view.transcript.system_prefix_len(),
        view.transcript.messages.len(),
    );
    let end = if replay {
        tail::last_asked(view.transcript)
    } else {
        count
    };
    let wanted = match keep {
        // Turns are chosen whole.
        KeepCount::Turns { most, tokens } => return tail::first_kept(view, end, most, tokens),
        KeepCount::Messages(keep) => head.max(count.saturating_sub(keep)),
        KeepCount::Tokens(target) => longest_tail(view, ledger, target),
    };
    if wanted <= head {
        return head;
    }
    whole_exchanges(view.transcript, safe(view.transcript, wanted.min(end)))
}

/// Where the longest tail of at most `target` tokens begins.
fn longest_tail(view: TranscriptView<'_, '_>, ledger: &Ledger<'_>, target: u64) -> usize {
    let (head, count) = (
        view.transcript.system_prefix_len(),
        view.transcript.messages.len(),
    );
    // Only this first test looks at reported usage, as the reference.
    if ledger.list_tokens(view, head..count) as u64 <= target {
        return head;
    }
    let mut sum = 0;
    for index in (head..count).rev() {
        sum += ledger.messages[index] as u64;
        if sum > target {
            // Even if the last message alone does not fit it stays, unless it is the only one.
            let last = if count - head > 1 { count - 1 } else { head };
            return (index + 1).min(last);
        }
    }
    head
}

/// The reference's safe cutoff: a cut inside a run of tool results moves back
/// to the call that any of them answers, else past the run.
fn safe(transcript: &Transcript<'_>, wanted: usize) -> usize {
    let messages = &transcript.messages;
    let run = messages[wanted..]
        .iter()
        .take_while(|message| message.role == Role::Tool);
    let run: Vec<_> = run.collect();
    if run.is_empty() {
        return wanted;
    }
    let ids: BTreeSet<Cow<'_, str>> = run
        .iter()
        .filter_map(|message| transcript.answered_id(message))
        .filter(|id| !id.is_empty())
        .collect();
    let answered = |&index: &usize| {
        let id_of = |span| crate::json::decode_literal(transcript.bytes(index, span));
        messages[index]
            .calls
            .iter()
            .any(|call| call.valid && call.id.is_some_and(|span| ids.contains(&id_of(span))))
    };
    let by_adjacency = || {
        (wanted..wanted + run.len())
            .filter(|&index| messages[index].answers.is_none())
            .find_map(|index| transcript.caller_of(index))
    };
    (transcript.system_prefix_len()..wanted)
        .rev()
        .find(answered)
        .or_else(by_adjacency)
        .unwrap_or(wanted + run.len())
}

/// No kept result without its call, no part of an answer without the rest:
/// while a kept message answers one before the cut, or is joined to it, the
/// cut moves back to that one. The reference checks only the run of results at
/// the cut, and is content with one match (`mixed-orphan`).
fn whole_exchanges(transcript: &Transcript<'_>, wanted: usize) -> usize {
    let head = transcript.system_prefix_len();
    let mut first_kept = wanted;
    let mut index = transcript.messages.len();
    // Backwards: what the cut moves over is looked at too, and nothing twice.
    while index > first_kept {
        index -= 1;
        if transcript.messages[index].joined && index == first_kept {
            first_kept = index.saturating_sub(1).max(head);
        }
        if transcript.messages[index].role.is_result()
            && let Some(caller) = transcript.caller_of(index)
        {
            first_kept = first_kept.min(caller.max(head));
        }
    }
    // Nor an earlier summary without the question before it.
    let is_answer = transcript
        .messages
        .get(first_kept)
        .is_some_and(|message| message.earlier_summary && message.role == Role::Assistant);
    let question = || (head..first_kept).rfind(|&index| transcript.messages[index].earlier_summary);
    if is_answer {
        question().unwrap_or(first_kept)
    } else {
        first_kept
    }
}
