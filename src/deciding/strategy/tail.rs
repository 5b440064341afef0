//! OpenCode's tail: the newest turns that fit a budget, and the end of the first turn that does
//! not. A turn is a user message and all messages up to the next. See `docs/reference/opencode.md`.
//! OpenHands' tail: the newest events. See `docs/reference/presets.md`.

use crate::deciding::strategy::prelude::*;
use crate::deciding::tokens::estimates::utf16_tokens;
use crate::deciding::tokens::rendered;

/// Returns the first message of the tail of the messages before `end`: at most `most` turns and
/// `budget` tokens. Returns `end` if no message is kept.
pub(crate) fn first_kept(
    view: TranscriptView<'_, '_>,
    end: usize,
    most: usize,
    budget: u64,
) -> usize {
    let transcript = view.transcript;
    let splits = splits_exchange(transcript);
    let Some(first) = (0..end).find(|&index| is_conversation(transcript, index)) else {
        return end;
    };
    let turns: Vec<usize> =
        (first..end).filter(|&index| is_question(transcript, index) && !splits[index]).collect();
    let (mut first_kept, mut left, mut turn_end) = (end, budget, end);
    for &turn in turns.iter().rev().take(most) {
        let sizes = TurnSizes::new(view, turn..turn_end);
        let tokens = sizes.tokens_from(turn);
        if tokens <= left {
            (first_kept, left, turn_end) = (turn, left - tokens, turn);
            continue;
        }
        // The first kept message must not be a result without its call.
        let mut begins = (turn + 1..turn_end).filter(|&index| {
            !splits[index]
                && is_conversation(transcript, index)
                && !transcript.messages[index].role.is_result()
        });
        if left > 0
            && let Some(begin) = begins.find(|&index| sizes.tokens_from(index) <= left)
        {
            first_kept = begin;
        }
        break;
    }
    // A tail that is the whole conversation leaves nothing to summarize, so then all of it is
    // summarized.
    if first_kept == first { end } else { first_kept }
}

/// Returns the last user message that has another one before it, where a replay of OpenCode begins.
/// Returns the number of messages if there is none.
pub(crate) fn last_question(transcript: &Transcript<'_>) -> usize {
    let count = transcript.messages.len();
    let splits = splits_exchange(transcript);
    let mut questions = (0..count).rev().filter(|&index| {
        is_question(transcript, index)
            && !transcript.messages[index].earlier_summary
            && !splits[index]
    });
    match (questions.next(), questions.next()) {
        (Some(last), Some(_)) => last,
        _ => count,
    }
}

/// Returns true if message `index` is neither a system message nor part of an earlier summary.
fn is_conversation(transcript: &Transcript<'_>, index: usize) -> bool {
    let message = &transcript.messages[index];
    !message.role.is_system() && !message.earlier_summary
}

/// Returns true if a user speaks in message `index`, and not the request for a summary.
fn is_question(transcript: &Transcript<'_>, index: usize) -> bool {
    transcript.messages[index].role == Role::User && !transcript.is_summary_question(index)
}

/// Returns for each message whether a cutoff before it would split an exchange, or the parts of an
/// answer.
pub(crate) fn splits_exchange(transcript: &Transcript<'_>) -> Vec<bool> {
    let count = transcript.messages.len();
    let mut last_result: Vec<usize> = (0..count).collect();
    for index in (0..count).filter(|&index| transcript.messages[index].role.is_result()) {
        if let Some(caller) = transcript.caller_of(index) {
            last_result[caller] = last_result[caller].max(index);
        }
    }
    let mut exchange_end = 0;
    let mut splits = Vec::with_capacity(count);
    for (index, &last) in last_result.iter().enumerate() {
        splits.push(index > 0 && (exchange_end >= index || transcript.messages[index].joined));
        exchange_end = exchange_end.max(last);
    }
    splits
}

/// Estimated sizes of the ends of a turn.
struct TurnSizes {
    turn: Range<usize>,
    /// The code units and messages from each message of the turn to its end.
    suffixes: Vec<(u64, u64)>,
}

impl TurnSizes {
    fn new(view: TranscriptView<'_, '_>, turn: Range<usize>) -> Self {
        let mut suffixes = vec![(0, 0); turn.len()];
        let (mut units, mut messages) = (0, 0);
        for index in turn.clone().rev() {
            let length = rendered::sent_length(view, index);
            units += length.units;
            messages += length.messages;
            suffixes[index - turn.start] = (units, messages);
        }
        Self { turn, suffixes }
    }

    /// Returns the tokens from message `index` to the end of the turn, rendered as a JSON list with
    /// brackets and commas.
    fn tokens_from(&self, index: usize) -> u64 {
        let (units, messages) = self.suffixes[index - self.turn.start];
        utf16_tokens(units + 1 + messages.max(1)) as u64
    }
}

/// Returns the number of events before each message, and behind the last their sum. With `system`
/// the leading system message is an event.
pub(crate) fn events_before(transcript: &Transcript<'_>, system: bool) -> Vec<usize> {
    let head = transcript.system_prefix_len();
    let mut sum = 0;
    let mut before = vec![0];
    for (index, message) in transcript.messages.iter().enumerate() {
        if system || index >= head {
            sum += message.calls.len().max(1);
        }
        before.push(sum);
    }
    before
}

/// Returns the first message behind the first `keep` events before which a cut parts no exchange.
pub(crate) fn first_behind(transcript: &Transcript<'_>, keep: usize, system: bool) -> usize {
    let head = transcript.system_prefix_len();
    let before = events_before(transcript, system);
    let wanted = before.partition_point(|events| *events < keep).max(head);
    next_boundary(transcript, wanted)
}

/// Returns the first message of the last `keep` events before `end`, moved behind an exchange that
/// it would part.
pub(crate) fn first_of_last(transcript: &Transcript<'_>, end: usize, keep: usize) -> usize {
    let before = events_before(transcript, true);
    let wanted = before[end].saturating_sub(keep);
    next_boundary(transcript, before.partition_point(|events| *events < wanted)).min(end)
}

/// Returns the first message from `wanted` on before which a cut parts no exchange.
fn next_boundary(transcript: &Transcript<'_>, wanted: usize) -> usize {
    let splits = splits_exchange(transcript);
    (wanted..splits.len()).find(|&index| !splits[index]).unwrap_or(splits.len())
}
