//! Stage truncate: long string arguments of old calls are shortened. The rules
//! are Deep Agents', see `docs/reference/deepagents.md`.

use crate::deciding::plan::Truncation;
use crate::deciding::policy::Truncate;
use crate::deciding::strategy::pin::is_pinned;
use crate::deciding::strategy::prelude::*;
use crate::reading::json::{count_utf8_points, wtf8_to_str};

/// The code points that a shortened argument keeps of its text.
const KEPT_CHARS: usize = 20;

/// Returns the first message that is too recent to be truncated. If the newest message alone
/// exceeds a keep in tokens, no message is old, as in the reference.
pub(crate) fn first_recent(
    view: TranscriptView<'_, '_>,
    ledger: &Ledger<'_>,
    keep: KeepCount,
) -> usize {
    let (head, count) = (view.transcript.system_prefix_len(), view.transcript.messages.len());
    match keep {
        KeepCount::Messages(keep) => head.max(count.saturating_sub(keep)),
        // The settings refuse the others as a keep of this stage.
        KeepCount::Turns { .. }
        | KeepCount::Events(_)
        | KeepCount::Recent(_)
        | KeepCount::Characters(_)
        | KeepCount::Back(_)
        | KeepCount::Whole(_)
        | KeepCount::Answers(_) => head,
        KeepCount::Tokens(target) => {
            let mut sum = 0;
            for index in (head..count).rev() {
                sum += ledger.messages[index] as u64;
                if sum > target {
                    // The reference returns the index behind this message. If that is the end of
                    // the list, it takes the list as one that needs no truncation.
                    return if index + 1 == count { head } else { index + 1 };
                }
            }
            head
        }
    }
}

/// Finds the arguments to shorten in the messages before `first_recent`.
pub(crate) fn find_truncations(
    view: TranscriptView<'_, '_>,
    policy: &Truncate,
    pin: &Pin,
    first_recent: usize,
) -> Vec<Truncation> {
    (view.transcript.system_prefix_len()..first_recent)
        .flat_map(|index| find_truncations_in(view, policy, pin, index))
        .collect()
}

/// Finds the arguments to shorten in message `index`, as if it were old.
pub(crate) fn find_truncations_in(
    view: TranscriptView<'_, '_>,
    policy: &Truncate,
    pin: &Pin,
    index: usize,
) -> Vec<Truncation> {
    let mut truncations = Vec::new();
    let message = view.message(index);
    if message.role != Role::Assistant || is_pinned(view.transcript, index, pin) {
        return truncations;
    }
    for (number, call) in message.calls.iter().enumerate() {
        if !call.valid || call.legacy {
            continue;
        }
        let tool = call
            .name
            .map(|name| decode_literal(view.transcript.bytes(index, name)))
            .unwrap_or_default();
        if !policy.tools.iter().any(|name| *name == tool) {
            continue;
        }
        // Arguments have at most as many code points as bytes, so the length in bytes decides for
        // most calls.
        let may_exceed = call.arguments.is_some_and(|span| {
            span.slice(view.transcript.record_of(index)).len() > policy.max_length
        });
        if !may_exceed {
            continue;
        }
        let json = view.call_arguments(index, number);
        let entries = parse_python_object(&json).unwrap_or_default();
        for (place, entry) in entries.into_iter().enumerate() {
            let PythonValue::String(wtf8) = &entry.value else {
                continue;
            };
            let chars = count_utf8_points(wtf8);
            let kept: String = wtf8_to_str(wtf8).chars().take(KEPT_CHARS).collect();
            let value = kept + &policy.text;
            // An argument that an earlier run shortened to the same value stays.
            if chars > policy.max_length && value.as_bytes() != wtf8.as_ref() {
                truncations.push(Truncation {
                    message: index,
                    call: number,
                    tool: tool.clone().into_owned(),
                    argument: wtf8_to_str(&entry.key).into_owned(),
                    place,
                    value,
                    chars,
                });
            }
        }
    }
    truncations
}
