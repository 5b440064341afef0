//! What a plan's hole asks a summarizer: the same for `compact`, for the cost
//! in `plan`, and for batch files.

use crate::archive::secrets::{mask_secrets, mask_secrets_from};
use crate::conversation::Conversation;
use crate::plan::{Hole, Plan, Summary, overlay_edits};
use crate::planner::PlanInput;
use crate::report::RedactionCounts;
use crate::settings::Settings;
use crate::summary::{
    KEPT_TEXT_BYTES, LONG_TEXT_END_BYTES, Summarizer, SummaryAnswer, SummaryRequest, conversation,
};
use crate::transcript::view::{TranscriptView, ViewedTurn};
use std::borrow::Cow;

/// Asks for the summary that a plan has a hole for, and waits for it.
pub fn answer(
    one: &Conversation<'_>,
    input: &PlanInput<'_, '_>,
    plan: &Plan,
    settings: &Settings,
    summarizer: Option<&dyn Summarizer>,
    redacted: &mut Option<RedactionCounts>,
) -> Option<SummaryAnswer> {
    let summarizer = plan.summary().and(summarizer)?;
    Some(with_request(
        one,
        input,
        plan,
        settings,
        redacted,
        |request| summarizer.begin(request).wait(),
    ))
}

/// Calls `ask` with what the plan's hole asks a summarizer.
pub fn with_request<R>(
    one: &Conversation<'_>,
    input: &PlanInput<'_, '_>,
    plan: &Plan,
    settings: &Settings,
    redacted: &mut Option<RedactionCounts>,
    ask: impl FnOnce(&SummaryRequest<'_>) -> R,
) -> R {
    let overlay = overlay_edits(&one.transcript, &plan.edits);
    let view = TranscriptView {
        transcript: &one.transcript,
        overlay: &overlay,
    };
    let none = Hole {
        budget: 1,
        window: Vec::new(),
        first_text: None,
    };
    let hole = plan.summary().map_or(&none, |summary| &summary.hole);
    let redact = settings.policy.redact;
    let (hole, in_part) = if redact {
        masked_in_part(view, hole)
    } else {
        (Cow::Borrowed(hole), 0)
    };
    let hole = hole.as_ref();
    // What is masked must be whole: half a secret is not known as one.
    let brief = |index: usize| !redact && view.message(index).role.is_result();
    let turn = |&index: &usize| {
        if brief(index) {
            view.brief_viewed_turn(index, LONG_TEXT_END_BYTES)
        } else {
            view.viewed_turn(index)
        }
    };
    let mut turns: Vec<ViewedTurn<'_>> = hole.window.iter().map(turn).collect();
    if let (Some(first), Some(text)) = (turns.first_mut(), &hole.first_text) {
        first.text = Cow::Borrowed(text);
    }
    if redact {
        redacted.get_or_insert_default().request +=
            in_part + turns.iter_mut().map(mask_turn).sum::<u64>();
    }
    let kept = plan
        .summary()
        .map(|summary| kept(view, summary))
        .unwrap_or_default();
    let policy = &settings.policy.summarizer;
    let prompt = || {
        conversation::prompt(
            view,
            hole,
            policy,
            if redact {
                masked
            } else {
                |text| text.to_owned()
            },
        )
    };
    let count = |text: &str| input.ledger.counter.count_text(text);
    ask(&SummaryRequest {
        thread_id: &one.thread_id,
        turns: &turns,
        kept: &kept,
        template: policy.template,
        budget: hole.budget,
        count: &count,
        prompt: &prompt,
    })
}

/// The messages after the cutoff, then the system prompt, as many as a summarizer looks at.
fn kept<'v>(view: TranscriptView<'v, '_>, planned: &Summary) -> Vec<ViewedTurn<'v>> {
    let mut left = KEPT_TEXT_BYTES;
    let system =
        (0..view.transcript.system_prefix_len()).chain(planned.kept_system.iter().copied());
    let stays = (planned.first_kept..view.transcript.messages.len()).chain(system);
    stays
        .map_while(|index| {
            if left == 0 {
                return None;
            }
            let turn = view.brief_viewed_turn(index, LONG_TEXT_END_BYTES);
            left = left.saturating_sub(
                turn.text.len().min(2 * LONG_TEXT_END_BYTES)
                    + turn
                        .calls
                        .iter()
                        .map(|call| call.arguments.len())
                        .sum::<usize>(),
            );
            Some(turn)
        })
        .collect()
}

/// A hole whose first message is there only in part has no part of a secret; how many it had.
fn masked_in_part<'h>(view: TranscriptView<'_, '_>, hole: &'h Hole) -> (Cow<'h, Hole>, u64) {
    let (Some(&first), Some(end)) = (hole.window.first(), &hole.first_text) else {
        return (Cow::Borrowed(hole), 0);
    };
    let whole = view.joined_text(first, "");
    let cut = whole.strip_suffix(end.as_str()).map_or(0, str::len);
    let (masked, count) = if whole.len() == cut + end.len() {
        mask_secrets_from(&whole, cut)
    } else {
        mask_secrets_from(end, 0)
    };
    (
        Cow::Owned(Hole {
            first_text: Some(masked),
            ..hole.clone()
        }),
        count,
    )
}

fn masked(text: &str) -> String {
    mask_secrets(text).0.into_owned()
}

/// Masks what a summarizer reads; how many secrets there were.
fn mask_turn(turn: &mut ViewedTurn<'_>) -> u64 {
    let (text, mut count) = mask_secrets(&turn.text);
    let masked = text.into_owned();
    turn.text = Cow::Owned(masked);
    for call in &mut turn.calls {
        let arguments = String::from_utf8_lossy(&call.arguments).into_owned();
        let (text, in_call) = mask_secrets(&arguments);
        if in_call > 0 {
            call.arguments = Cow::Owned(text.into_owned().into_bytes());
            count += in_call;
        }
    }
    count
}
