//! Stage prune: old tool results become a placeholder. Calls, arguments and the number of messages
//! stay. The rules are OpenCode's, see `docs/reference/opencode.md`.

use crate::base::names::names;
use crate::deciding::strategy::pin::{is_of_tool, is_pinned};
use crate::deciding::strategy::prelude::*;

/// OpenCode's placeholder, also used by other agents. It is recognised under every policy.
pub(super) const PLACEHOLDER: &str = "[Old tool result content cleared]";

/// The result of a scan from the newest message to the oldest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PruneScan {
    /// The prunable results, in the order of the messages.
    pub prunable: Vec<Pruning>,
    /// Tokens of the prunable results, and of those that hold the placeholder already.
    pub tokens: u64,
    /// Tokens of all results that count.
    pub counted: u64,
    /// The message at which the scan ended, if it ended before the first message.
    pub stop: Option<PruneStop>,
}

/// The message at which a scan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PruneStop {
    /// The index of the message.
    pub message: usize,
    pub cause: PruneStopCause,
}

/// The cause that ends a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PruneStopCause {
    /// The message belongs to an earlier summary.
    EarlierSummary,
    /// The result was pruned before.
    PrunedBefore,
}

names!(pub(crate) PruneStopCause::describe: EarlierSummary "an earlier summary",
    PrunedBefore "pruned before");

/// The finding of a scan at one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PruneFinding {
    /// The message does not count.
    Nothing,
    /// The scan ends here.
    Stop(PruneStopCause),
    /// The message is a result that counts.
    Result {
        /// Tokens of its text.
        tokens: u64,
        /// True if it stays: its text is the placeholder already, or too short to be worth one.
        cleared: bool,
    },
}

/// Scans the results of the messages before `end`, newest first, and finds those that are prunable.
pub(crate) fn scan_results(
    view: TranscriptView<'_, '_>,
    counter: &dyn TokenCounter,
    policy: &Prune,
    pin: &Pin,
    end: usize,
) -> PruneScan {
    let mut scan = PruneScan::default();
    let mut turns = 0;
    for (newer, index) in scan_order(view.transcript, policy, end).into_iter().enumerate() {
        turns += u64::from(begins_turn(view.transcript, policy, index));
        // A message that is too new to be cleared begins a turn all the same.
        if turns < policy.skip_turns || (newer as u64) < policy.skip_messages {
            continue;
        }
        match inspect_result(view, counter, policy, pin, index) {
            PruneFinding::Nothing => {}
            PruneFinding::Stop(cause) => {
                scan.stop = Some(PruneStop { message: index, cause });
                break;
            }
            PruneFinding::Result { tokens, cleared } => {
                // The sum is compared after the addition: the result that crosses the line is
                // prunable.
                scan.counted += tokens;
                if scan.counted <= policy.protect {
                    continue;
                }
                scan.tokens += tokens;
                if !cleared {
                    scan.prunable.push(plan_pruning(view.transcript, policy, index, tokens));
                }
            }
        }
    }
    scan.prunable.sort_unstable_by_key(|pruning| pruning.message);
    scan
}

/// Returns true if a turn of the user begins with message `index`. Where the scan goes on across
/// earlier summaries, a message that presents one begins none, also behind messages that were kept
/// before it: it replaces messages that may have held no turn, and a second run would clear
/// what the first one kept.
pub(crate) fn begins_turn(transcript: &Transcript<'_>, policy: &Prune, index: usize) -> bool {
    let message = &transcript.messages[index];
    message.role == Role::User
        && !(policy.every_result && (message.earlier_summary || transcript.has_summary_form(index)))
        && !transcript.belongs_to_answer(index)
}

/// Returns the messages before `end`, newest first: in the order of the list, or in that in which
/// they are stored, where an earlier summary follows the messages that it kept.
fn scan_order(transcript: &Transcript<'_>, policy: &Prune, end: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..end).collect();
    if policy.stored_order
        && let Some(first_newer) = transcript.newer_than_summary
    {
        let older = &mut order[..first_newer.min(end)];
        older.sort_by_key(|&index| transcript.messages[index].earlier_summary);
    }
    order.reverse();
    order
}

/// Inspects one message that is old enough to be pruned.
pub(crate) fn inspect_result(
    view: TranscriptView<'_, '_>,
    counter: &dyn TokenCounter,
    policy: &Prune,
    pin: &Pin,
    index: usize,
) -> PruneFinding {
    let (transcript, message) = (view.transcript, view.message(index));
    let is_summary = message.earlier_summary && !transcript.is_summary_question(index);
    // A journal marks its summaries, elsewhere some are known by their form alone.
    let is_quoted = transcript.sources.is_empty() && transcript.is_summary_answer(index);
    if !policy.every_result && (is_summary || is_quoted) {
        return PruneFinding::Stop(PruneStopCause::EarlierSummary);
    }
    let is_complete = policy.every_result || !message.incomplete;
    let may_go = is_complete && !is_pinned(transcript, index, pin);
    if !message.role.is_result() || message.content_span.is_none() || !may_go {
        return PruneFinding::Nothing;
    }
    if is_of_tool(transcript, index, &policy.protect_tools) {
        return PruneFinding::Nothing;
    }
    let text = view.joined_text(index, "\n");
    let is_placeholder = text == policy.placeholder;
    if (is_placeholder || text == PLACEHOLDER) && !policy.every_result {
        return if policy.rescan {
            PruneFinding::Nothing
        } else {
            PruneFinding::Stop(PruneStopCause::PrunedBefore)
        };
    }
    let tokens = counter.count_result(view, index, &text) as u64;
    PruneFinding::Result { tokens, cleared: is_placeholder || tokens < policy.least }
}

/// Returns the pruning of a result with `tokens` tokens.
pub(crate) fn plan_pruning(
    transcript: &Transcript<'_>,
    policy: &Prune,
    message: usize,
    tokens: u64,
) -> Pruning {
    let call_id =
        transcript.answered_id(&transcript.messages[message]).unwrap_or_default().into_owned();
    Pruning {
        message,
        call_id,
        tool: transcript.tool_name_of(message).map(Into::into),
        tokens,
        placeholder: policy.placeholder.clone(),
        cause: PruneCause::Old,
        inputs: None,
    }
}
