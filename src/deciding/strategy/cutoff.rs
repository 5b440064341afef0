//! The cutoff of stage summarize: the first message that is kept. The rules are Deep Agents', see
//! `docs/reference/deepagents.md`. A leading system message is never counted nor summarized.

use crate::deciding::strategy::prelude::*;
use crate::deciding::strategy::recent::{self, NewestMessages};
use crate::deciding::strategy::tail;

/// What decides on the cutoff, beside the messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CutoffRule {
    /// The recent context that is kept.
    pub keep: KeepCount,
    /// The end of the messages that are decided on. Messages from there on stay in any case.
    pub end: usize,
    /// Keeps the last user message and all behind it.
    pub replay: bool,
}

/// Returns the first message that the keep rule keeps, moved so that no exchange is split. If it is
/// the first of the conversation, nothing is summarized.
pub(crate) fn first_kept(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    rule: &CutoffRule,
) -> usize {
    let transcript = view.transcript;
    let (head, count) = (transcript.system_prefix_len(), rule.end);
    let end = if rule.replay { tail::last_question(transcript).min(rule.end) } else { rule.end };
    let newest = NewestMessages { transcript, ledger, end: count };
    let wanted = match rule.keep {
        // Turns never split an exchange.
        KeepCount::Turns { most, tokens } => return tail::first_kept(view, end, most, tokens),
        // Nor do events: a cut moves behind an exchange.
        KeepCount::Events(keep) => return tail::first_of_last(transcript, end, keep).max(head),
        KeepCount::Characters(share) => recent::first_in_share(view, share, end),
        KeepCount::Recent(tokens) => newest.first_recent(tokens),
        KeepCount::Back(tokens) => newest.first_back(tokens),
        KeepCount::Whole(tokens) => return newest.first_whole(tokens),
        KeepCount::Answers(answers) => newest.first_of_answers(answers),
        KeepCount::Messages(keep) => head.max(count.saturating_sub(keep)),
        KeepCount::Tokens(target) => longest_tail(view, ledger, target, count),
    };
    if wanted <= head {
        return head;
    }
    include_callers(transcript, safe_cutoff(transcript, wanted.min(end)))
}

/// Returns the first message of the longest tail, of at most `target` tokens, of the first `count`
/// messages.
fn longest_tail(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    target: u64,
    count: usize,
) -> usize {
    let head = view.transcript.system_prefix_len();
    // As in the reference, only this first test considers reported usage.
    if ledger.list_tokens(view, head..count) as u64 <= target {
        return head;
    }
    let mut sum = 0;
    for index in (head..count).rev() {
        sum += ledger.messages[index] as u64;
        if sum > target {
            // The last message stays even if it exceeds the target, unless it is the only one.
            let last = if count - head > 1 { count - 1 } else { head };
            return (index + 1).min(last);
        }
    }
    head
}

/// Returns the reference's safe cutoff: a cutoff inside a run of tool results moves back to the
/// call that any of them answers, or behind the run if there is none.
fn safe_cutoff(transcript: &Transcript<'_>, wanted: usize) -> usize {
    let run = transcript.messages[wanted..]
        .iter()
        .take_while(|message| message.role == Role::Tool)
        .count();
    if run == 0 {
        return wanted;
    }
    let results = wanted..wanted + run;
    let ids: BTreeSet<Cow<'_, str>> = transcript.messages[results.clone()]
        .iter()
        .filter_map(|message| transcript.answered_id(message))
        .filter(|id| !id.is_empty())
        .collect();
    let caller_by_id = (transcript.system_prefix_len()..wanted)
        .rev()
        .find(|&index| calls_any(transcript, index, &ids));
    caller_by_id
        .or_else(|| {
            // A result without an id answers the call before it.
            results
                .clone()
                .filter(|&index| transcript.messages[index].answers.is_none())
                .find_map(|index| transcript.caller_of(index))
        })
        .unwrap_or(results.end)
}

/// Returns true if message `index` makes a call with one of these ids.
fn calls_any(transcript: &Transcript<'_>, index: usize, ids: &BTreeSet<Cow<'_, str>>) -> bool {
    transcript.messages[index].calls.iter().any(|call| {
        call.valid
            && call
                .id
                .is_some_and(|span| ids.contains(&decode_literal(transcript.bytes(index, span))))
    })
}

/// Moves a cutoff back until every kept result has its call, and every kept part of an answer the
/// parts before it. The reference checks only the run of results at the cutoff, and is content with
/// a single match.
fn include_callers(transcript: &Transcript<'_>, wanted: usize) -> usize {
    let head = transcript.system_prefix_len();
    let mut first_kept = wanted;
    let mut index = transcript.messages.len();
    // Going backwards also visits the messages that the cutoff moves over, and none twice.
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
    include_summary_question(transcript, first_kept)
}

/// Moves a cutoff between the two messages of an earlier summary before the first of them.
fn include_summary_question(transcript: &Transcript<'_>, first_kept: usize) -> usize {
    let splits_summary = transcript
        .messages
        .get(first_kept)
        .is_some_and(|message| message.earlier_summary && message.role == Role::Assistant);
    if !splits_summary {
        return first_kept;
    }
    (transcript.system_prefix_len()..first_kept)
        .rfind(|&index| transcript.messages[index].earlier_summary)
        .unwrap_or(first_kept)
}
