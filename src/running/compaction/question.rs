//! The question that a plan's hole asks a summarizer: the same for `compact`,
//! for the cost that `plan` predicts, and for batch files.

use crate::deciding::plan::Hole;
use crate::reading::transcript::view::ViewedTurn;
use crate::running::compaction::planned::Planned;
use crate::running::compaction::prelude::*;
use crate::summary::{KEPT_TEXT_BYTES, LONG_TEXT_END_BYTES, SummaryRequest, conversation};

/// The answer to a question, and the secrets that were masked in it.
pub(crate) struct Questioned<A> {
    pub answer: A,
    /// Secrets that were masked; none where the policy masks nothing.
    pub masked: Option<u64>,
}

impl Planned<'_, '_> {
    /// Calls `ask` with the question of `summary`, the plan's hole.
    pub(crate) fn question<A>(
        &self,
        summary: &Summary,
        ask: impl FnOnce(&SummaryRequest<'_>) -> A,
    ) -> Questioned<A> {
        let overlay = self.summarized_overlay();
        let view = TranscriptView::new(&self.conversation.transcript, &overlay);
        let policy = &self.settings.policy;
        let redact = policy.redact;
        let mut hole = MaskedHole { hole: Cow::Borrowed(&summary.hole), masked: 0 };
        if redact.is_on() {
            hole = MaskedHole::new(view, &summary.hole, redact);
        }
        let MaskedHole { hole, mut masked } = hole;
        let mut turns = turns_in_hole(view, &hole, redact.is_on());
        if redact.is_on() {
            let counts = turns.iter_mut().map(|turn| mask_turn(turn, redact));
            masked += counts.sum::<u64>();
        }
        let mask_text = redact.masker();
        let request = SummaryRequest {
            thread_id: &self.conversation.thread_id,
            turns: &turns,
            kept: &kept_turns(view, summary),
            template: policy.summarizer.template,
            budget: hole.budget,
            count: &|text| self.count_text(text),
            prompt: &|| {
                let (summarizer, archive) = (&policy.summarizer, &policy.archive);
                conversation::summary_prompt(view, &hole, summarizer, archive, mask_text)
            },
        };
        Questioned { answer: ask(&request), masked: redact.is_on().then_some(masked) }
    }
}

/// Returns the messages to summarise. Of a long result only both ends are read, unless secrets are
/// to be masked: half a secret is not recognised.
fn turns_in_hole<'v>(
    view: TranscriptView<'v, '_>,
    hole: &'v Hole,
    redact: bool,
) -> Vec<ViewedTurn<'v>> {
    let mut turns: Vec<ViewedTurn<'v>> = Vec::with_capacity(hole.window.len());
    for &index in &hole.window {
        let is_brief = !redact && view.message(index).role.is_result();
        turns.push(if is_brief {
            view.brief_viewed_turn(index, LONG_TEXT_END_BYTES)
        } else {
            view.viewed_turn(index)
        });
    }
    if let (Some(first), Some(text)) = (turns.first_mut(), &hole.first_text) {
        first.text = Cow::Borrowed(text);
    }
    turns
}

/// Returns the messages after the cutoff, then the system prompt, as many as a summarizer looks at.
fn kept_turns<'v>(view: TranscriptView<'v, '_>, summary: &Summary) -> Vec<ViewedTurn<'v>> {
    let system =
        (0..view.transcript.system_prefix_len()).chain(summary.kept_before.iter().copied());
    let kept = (summary.first_kept..view.transcript.messages.len()).chain(system);
    let mut turns = Vec::new();
    let mut bytes_left = KEPT_TEXT_BYTES;
    for index in kept {
        if bytes_left == 0 {
            break;
        }
        let turn = view.brief_viewed_turn(index, LONG_TEXT_END_BYTES);
        let arguments: usize = turn.calls.iter().map(|call| call.arguments.len()).sum();
        bytes_left =
            bytes_left.saturating_sub(turn.text.len().min(2 * LONG_TEXT_END_BYTES) + arguments);
        turns.push(turn);
    }
    turns
}

/// A hole without secrets in the part of its first message that is read.
struct MaskedHole<'h> {
    hole: Cow<'h, Hole>,
    masked: u64,
}

impl<'h> MaskedHole<'h> {
    /// Masks the first text of a hole. The part of the message that is not read is looked at too:
    /// half a secret is not recognised.
    fn new(view: TranscriptView<'_, '_>, hole: &'h Hole, redaction: Redaction) -> Self {
        let (Some(&first), Some(end)) = (hole.window.first(), &hole.first_text) else {
            return Self { hole: Cow::Borrowed(hole), masked: 0 };
        };
        let text = view.joined_text(first, "");
        let cut = text.strip_suffix(end.as_str()).map_or(0, str::len);
        let is_suffix = text.len() == cut + end.len();
        let (first_text, masked) = if is_suffix {
            redaction.mask_from(&text, cut)
        } else {
            let (masked, count) = redaction.mask(end);
            (masked.into_owned(), count)
        };
        let hole = Hole { first_text: Some(first_text), ..hole.clone() };
        Self { hole: Cow::Owned(hole), masked }
    }
}

/// Masks the text and the arguments of a message. Returns the number of secrets.
fn mask_turn(turn: &mut ViewedTurn<'_>, redaction: Redaction) -> u64 {
    let (text, mut count) = redaction.mask(&turn.text);
    let text = text.into_owned();
    turn.text = Cow::Owned(text);
    for call in &mut turn.calls {
        let arguments = String::from_utf8_lossy(&call.arguments).into_owned();
        let (masked, in_call) = redaction.mask(&arguments);
        if in_call > 0 {
            call.arguments = Cow::Owned(masked.into_owned().into_bytes());
            count += in_call;
        }
    }
    count
}
