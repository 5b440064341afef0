//! pi's cut: the first place to cut at or behind the message with which the newest messages reach a
//! number of tokens. See `docs/reference/presets.md`.

use crate::tokens::Ledger;
use crate::transcript::{Role, Transcript};

/// Returns the first message that stays of those before `end`. If all of them have fewer than
/// `keep` tokens, returns the first.
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
    let mut sum = 0;
    let reached = (head..end).rev().find(|&index| {
        sum += ledger.messages[index] as u64;
        sum >= keep
    });
    let Some(reached) = reached else {
        return head;
    };
    (reached..end)
        .find(is_place)
        .or_else(|| (head..end).rev().find(is_place))
        .unwrap_or(head)
}
