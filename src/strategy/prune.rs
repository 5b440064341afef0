//! Stage prune: old tool results become a placeholder; calls, arguments and the
//! number of messages stay (spec: opencode, A.1, "Prune").

use crate::plan::Pruning;
use crate::policy::Prune;
use crate::tokens::Counter;
use crate::transcript::Role;
use crate::transcript::view::View;

/// The placeholder of OpenCode, and of others: known whatever the policy's is.
const PLACEHOLDER: &str = "[Old tool result content cleared]";

/// What a scan from the newest message to the oldest found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scan {
    /// The results that would go, in the order of the messages.
    pub prunable: Vec<Pruning>,
    /// Tokens of these.
    pub tokens: u64,
    /// Tokens of all results that were counted.
    pub counted: u64,
    /// Where the scan ended before the first message, and why.
    pub stop: Option<(usize, &'static str)>,
}

/// Looks at the results of a transcript, newest first.
#[must_use]
pub fn scan(view: View<'_, '_>, counter: &dyn Counter, policy: &Prune) -> Scan {
    let transcript = view.transcript;
    let mut scan = Scan::default();
    let mut turns = 0;
    for index in (0..transcript.messages.len()).rev() {
        let message = view.message(index);
        turns += u64::from(message.role == Role::User);
        if turns < policy.skip_turns {
            continue;
        }
        if !policy.every_result && (message.earlier_summary || transcript.is_answer(index)) {
            scan.stop = Some((index, "an earlier summary"));
            break;
        }
        let completed = policy.every_result || !message.incomplete;
        if !message.role.is_result() || message.content_span.is_none() || !completed {
            continue;
        }
        let tool = transcript.tool_of(index);
        if tool.as_ref().is_some_and(|tool| policy.protect_tools.iter().any(|name| name == tool)) {
            continue;
        }
        let text = view.text(index, "\n");
        let cleared = text == policy.placeholder || text == PLACEHOLDER;
        if cleared && !policy.every_result {
            if policy.rescan {
                continue;
            }
            scan.stop = Some((index, "pruned before"));
            break;
        }
        let tokens = counter.text(&text) as u64;
        // Added first, compared then: the result that crosses the line goes.
        scan.counted += tokens;
        if scan.counted <= policy.protect {
            continue;
        }
        scan.tokens += tokens;
        if text != policy.placeholder {
            let call_id = transcript.answered_id(message).unwrap_or_default().into_owned();
            scan.prunable.push(Pruning { message: index, call_id, tool: tool.map(Into::into), tokens, placeholder: policy.placeholder.clone() });
        }
    }
    scan.prunable.reverse();
    scan
}
