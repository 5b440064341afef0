//! Stage prune: old tool results become a placeholder; calls, arguments and the
//! number of messages stay (spec: opencode, A.1, "Prune").

use crate::plan::Pruning;
use crate::policy::Prune;
use crate::tokens::TokenCounter;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Role, Transcript};

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

/// What a scan finds at one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing that counts.
    Nothing,
    /// Why the scan ends here.
    End(&'static str),
    /// A result that counts.
    Result {
        /// Tokens of its text.
        tokens: u64,
        /// Whether it says what it would be replaced by.
        cleared: bool,
    },
}

/// Looks at the results of a transcript, newest first.
#[must_use]
pub fn scan(view: TranscriptView<'_, '_>, counter: &dyn TokenCounter, policy: &Prune) -> Scan {
    let mut scan = Scan::default();
    let mut turns = 0;
    for index in (0..view.transcript.messages.len()).rev() {
        turns += u64::from(view.message(index).role == Role::User);
        if turns < policy.skip_turns {
            continue;
        }
        match find(view, counter, policy, index) {
            Found::Nothing => {}
            Found::End(why) => {
                scan.stop = Some((index, why));
                break;
            }
            Found::Result { tokens, cleared } => {
                // Added first, compared then: the result that crosses the line goes.
                scan.counted += tokens;
                if scan.counted <= policy.protect {
                    continue;
                }
                scan.tokens += tokens;
                if !cleared {
                    scan.prunable
                        .push(pruning(view.transcript, policy, index, tokens));
                }
            }
        }
    }
    scan.prunable.reverse();
    scan
}

/// Looks at one message that is old enough.
#[must_use]
pub fn find(
    view: TranscriptView<'_, '_>,
    counter: &dyn TokenCounter,
    policy: &Prune,
    index: usize,
) -> Found {
    let (transcript, message) = (view.transcript, view.message(index));
    if !policy.every_result && (message.earlier_summary || transcript.is_answer(index)) {
        return Found::End("an earlier summary");
    }
    let completed = policy.every_result || !message.incomplete;
    if !message.role.is_result() || message.content_span.is_none() || !completed {
        return Found::Nothing;
    }
    if transcript
        .tool_name_of(index)
        .is_some_and(|tool| policy.protect_tools.iter().any(|name| *name == tool))
    {
        return Found::Nothing;
    }
    let text = view.joined_text(index, "\n");
    let is_placeholder = text == policy.placeholder;
    if (is_placeholder || text == PLACEHOLDER) && !policy.every_result {
        return if policy.rescan {
            Found::Nothing
        } else {
            Found::End("pruned before")
        };
    }
    Found::Result {
        tokens: counter.count_text(&text) as u64,
        cleared: is_placeholder,
    }
}

/// How a result of so many tokens is cleared.
#[must_use]
pub fn pruning(
    transcript: &Transcript<'_>,
    policy: &Prune,
    message: usize,
    tokens: u64,
) -> Pruning {
    let call_id = transcript
        .answered_id(&transcript.messages[message])
        .unwrap_or_default()
        .into_owned();
    Pruning {
        message,
        call_id,
        tool: transcript.tool_name_of(message).map(Into::into),
        tokens,
        placeholder: policy.placeholder.clone(),
    }
}
