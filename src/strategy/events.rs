//! Messages as events and as units: OpenHands counts each call of an answer as an event, Cline all
//! results of an answer as one message. See `docs/reference/presets.md`.

use crate::strategy::tail::splits_exchange;
use crate::transcript::{Role, Transcript};

/// Returns the number of events before each message, and behind the last their sum. With `system`
/// the leading system message is an event.
#[must_use]
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
#[must_use]
pub(crate) fn first_behind(transcript: &Transcript<'_>, keep: usize, system: bool) -> usize {
    let head = transcript.system_prefix_len();
    let before = events_before(transcript, system);
    let wanted = before.partition_point(|events| *events < keep).max(head);
    next_boundary(transcript, wanted)
}

/// Returns the first message of the last `keep` events before `end`, moved behind an exchange that
/// it would part.
#[must_use]
pub(crate) fn first_of_last(transcript: &Transcript<'_>, end: usize, keep: usize) -> usize {
    let before = events_before(transcript, true);
    let wanted = before[end].saturating_sub(keep);
    next_boundary(
        transcript,
        before.partition_point(|events| *events < wanted),
    )
    .min(end)
}

/// Returns the first message from `wanted` on before which a cut parts no exchange.
fn next_boundary(transcript: &Transcript<'_>, wanted: usize) -> usize {
    let splits = splits_exchange(transcript);
    (wanted..splits.len())
        .find(|&index| !splits[index])
        .unwrap_or(splits.len())
}

/// A message as Cline sends it: an answer, or what the user says or the tools answer.
#[derive(Debug, Clone, Copy)]
struct SentUnit {
    first: usize,
    is_answer: bool,
}

/// Returns the first message that stays if half of what follows the messages before `start` goes,
/// or three quarters of it. What goes ends with an answer.
#[must_use]
pub(crate) fn first_of_half(
    transcript: &Transcript<'_>,
    start: usize,
    end: usize,
    quarter: bool,
) -> usize {
    let units = sent_units(transcript, start, end);
    let removed = if quarter {
        units.len() * 3 / 4 / 2 * 2
    } else {
        units.len() / 4 * 2
    };
    let Some(last) = removed.checked_sub(1) else {
        return start;
    };
    let behind = if units[last].is_answer { removed } else { last };
    units.get(behind).map_or(end, |unit| unit.first)
}

/// Returns the units of a range of messages. Earlier summaries and system messages are none.
fn sent_units(transcript: &Transcript<'_>, start: usize, end: usize) -> Vec<SentUnit> {
    let mut units: Vec<SentUnit> = Vec::new();
    let mut is_run_of_results = false;
    for index in start..end {
        let message = &transcript.messages[index];
        if message.earlier_summary || message.role.is_system() {
            continue;
        }
        let is_result = message.role.is_result();
        let continues = message.joined || (is_result && is_run_of_results);
        is_run_of_results = is_result;
        if continues && !units.is_empty() {
            continue;
        }
        units.push(SentUnit {
            first: index,
            is_answer: message.role == Role::Assistant,
        });
    }
    units
}
