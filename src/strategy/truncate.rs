//! Stage truncate: long string arguments of old calls are cut (spec:
//! deepagents, section 6).

use crate::json::python_value::{PythonValue, parse_python_object};
use crate::json::{count_utf8_points, wtf8_to_str};
use crate::plan::Truncation;
use crate::policy::{KeepCount, Truncate};
use crate::tokens::Ledger;
use crate::transcript::Role;
use crate::transcript::view::TranscriptView;

/// Code points that are left of a cut argument.
const KEPT_CHARS: usize = 20;

/// The first message that is too recent to be touched. If the newest message
/// alone exceeds a keep in tokens, none is old (as the reference).
#[must_use]
pub fn first_recent(view: TranscriptView<'_, '_>, ledger: &Ledger<'_>, keep: KeepCount) -> usize {
    let (head, count) = (
        view.transcript.system_prefix_len(),
        view.transcript.messages.len(),
    );
    match keep {
        KeepCount::Messages(keep) => head.max(count.saturating_sub(keep)),
        // Turns are no keep of this stage: settings refuse them.
        KeepCount::Turns { .. } => head,
        KeepCount::Tokens(target) => {
            let mut sum = 0;
            for index in (head..count).rev() {
                sum += ledger.messages[index] as u64;
                if sum > target {
                    // The reference's index is one past this message; where this is the newest, that is
                    // the end of the list, and it then takes the list for one that needs no truncation.
                    return if index + 1 == count { head } else { index + 1 };
                }
            }
            head
        }
    }
}

/// The arguments to cut in messages before `first_recent`.
#[must_use]
pub fn truncations(
    view: TranscriptView<'_, '_>,
    policy: &Truncate,
    first_recent: usize,
) -> Vec<Truncation> {
    (view.transcript.system_prefix_len()..first_recent)
        .flat_map(|index| truncations_of(view, policy, index))
        .collect()
}

/// The arguments to cut in one message, if it is old.
#[must_use]
pub fn truncations_of(
    view: TranscriptView<'_, '_>,
    policy: &Truncate,
    index: usize,
) -> Vec<Truncation> {
    let mut cuts = Vec::new();
    let message = view.message(index);
    if message.role == Role::Assistant {
        for (number, call) in message
            .calls
            .iter()
            .enumerate()
            .filter(|(_, call)| call.valid && !call.legacy)
        {
            let tool = call
                .name
                .map(|name| crate::json::decode_literal(view.transcript.bytes(index, name)))
                .unwrap_or_default();
            if !policy.tools.iter().any(|name| *name == tool) {
                continue;
            }
            // No more code points than bytes: most calls are told by their length alone.
            if call.arguments.is_none_or(|span| {
                span.slice(view.transcript.record_of(index)).len() <= policy.max_length
            }) {
                continue;
            }
            let json = view.call_arguments(index, number);
            for (place, entry) in parse_python_object(&json)
                .unwrap_or_default()
                .into_iter()
                .enumerate()
            {
                let PythonValue::String(wtf8) = &entry.value else {
                    continue;
                };
                let chars = count_utf8_points(wtf8);
                let kept: String = wtf8_to_str(wtf8).chars().take(KEPT_CHARS).collect();
                let value = kept + &policy.text;
                // What an earlier run cut is not cut again to the same.
                if chars > policy.max_length && value.as_bytes() != wtf8.as_ref() {
                    cuts.push(Truncation {
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
    }
    cuts
}
