//! Messages as events: OpenHands counts each call of an answer as one. See
//! `docs/reference/presets.md`.

use crate::deciding::strategy::tail::splits_exchange;
use crate::reading::transcript::Transcript;

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
