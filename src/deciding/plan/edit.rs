//! The stages of the planner, and the edits of a plan: evictions, truncations, prunings and the
//! summary.

use crate::base::names::names;
use crate::reading::transcript::Transcript;
use crate::reading::transcript::dropped_blocks::DroppedBlocks;
use crate::reading::transcript::dropped_blocks::TextCut;
use crate::reading::transcript::overlay::Overlay;
use crate::reading::transcript::rewrite_arguments::{clear_call_arguments, rewrite_call_arguments};
use crate::reading::transcript::summary_frame::SummaryFrame;
use serde::{Deserialize, Serialize};

/// A change to the conversation. Message indices count the messages of the transcript from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "lowercase")]
pub enum Edit {
    /// Moves a tool result into a file.
    Evict(Eviction),
    /// Shortens a string argument of a call.
    Truncate(Truncation),
    /// Replaces a tool result by a placeholder.
    Prune(Pruning),
    /// Replaces the messages before the cutoff by a summary.
    Summarize(Summary),
}

impl Edit {
    /// Returns the stage whose edit this is. Stage overflow makes edits of the other stages.
    pub fn stage(&self) -> Stage {
        match self {
            Self::Evict(_) => Stage::Evict,
            Self::Truncate(_) => Stage::Truncate,
            Self::Prune(pruning) => pruning.cause.stage(),
            Self::Summarize(_) => Stage::Summarize,
        }
    }

    /// Returns the message that the edit changes, or None for a summary.
    pub fn message(&self) -> Option<usize> {
        match self {
            Self::Evict(eviction) => Some(eviction.message),
            Self::Truncate(truncation) => Some(truncation.message),
            Self::Prune(pruning) => Some(pruning.message),
            Self::Summarize(_) => None,
        }
    }

    /// Returns all messages that the edit changes, but for those that a summary replaces.
    pub fn messages(&self) -> impl Iterator<Item = usize> {
        let (beside, dropped) = match self {
            Self::Prune(pruning) => (pruning.inputs.as_ref().map(|inputs| inputs.message), &[][..]),
            Self::Summarize(summary) => {
                (summary.cut.as_ref().map(|cut| cut.message), summary.dropped.as_slice())
            }
            Self::Evict(_) | Self::Truncate(_) => (None, &[][..]),
        };
        self.message()
            .into_iter()
            .chain(beside)
            .chain(dropped.iter().map(|dropped| dropped.message))
    }

    /// Returns the summary if the edit is one.
    pub fn summary(&self) -> Option<&Summary> {
        match self {
            Self::Summarize(summary) => Some(summary),
            Self::Evict(_) | Self::Truncate(_) | Self::Prune(_) => None,
        }
    }
}

/// The eviction of a tool result, or of a user message, into a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eviction {
    /// The index of the message.
    pub message: usize,
    /// The id of the call that it answers; empty for a user message.
    pub call_id: String,
    /// The name of the tool, if it is known.
    pub tool: Option<String>,
    /// The file name, relative to the directory of evicted results or of histories.
    pub file: String,
    /// The text that takes the place of the result.
    pub notice: String,
    /// The length of the result, in code points.
    pub chars: usize,
    /// True if the message is a user's, not a tool's. Its file is in the directory of histories.
    #[serde(default, skip_serializing_if = "is_false")]
    pub human: bool,
}

/// Returns true if a flag is not set: such flags are left out of JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The truncation of a string argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// The index of the assistant message.
    pub message: usize,
    /// The index of the call within the message.
    pub call: usize,
    /// The name of the tool.
    pub tool: String,
    /// The name of the argument.
    pub argument: String,
    /// The index of the argument within the call. It identifies the argument where names are equal
    /// once decoded.
    pub place: usize,
    /// The shortened value.
    pub value: String,
    /// The length of the original value, in code points.
    pub chars: usize,
}

/// The replacement of a tool result by a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pruning {
    /// The index of the tool message.
    pub message: usize,
    /// The id of the call that it answers.
    pub call_id: String,
    /// The name of the tool, if it is known.
    pub tool: Option<String>,
    /// Tokens of the result's text.
    pub tokens: u64,
    /// The text that takes the place of the result.
    pub placeholder: String,
    /// Why the result is replaced.
    #[serde(default, skip_serializing_if = "PruneCause::is_old")]
    pub cause: PruneCause,
    /// The calls whose arguments go with the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<ClearedInputs>,
}

/// The reasons why a result is replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PruneCause {
    /// It is old.
    #[default]
    Old,
    /// It repeats further down.
    Repeated,
    /// It is long: it is shortened.
    Shortened,
}

impl PruneCause {
    /// Returns true if the result is old.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
    fn is_old(&self) -> bool {
        *self == Self::Old
    }

    /// Returns the stage that replaces results for this reason.
    pub fn stage(self) -> Stage {
        match self {
            Self::Old => Stage::Prune,
            Self::Repeated => Stage::Dedup,
            Self::Shortened => Stage::Cut,
        }
    }
}

/// The calls whose arguments are replaced by `{}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClearedInputs {
    /// The index of the assistant message.
    pub message: usize,
    /// The indices of the calls within the message.
    pub calls: Vec<usize>,
}

/// A summary that replaces the messages before the cutoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The index of the first kept message, not counting a leading system message.
    pub cutoff: usize,
    /// The index of the first kept message, or the number of messages if none is kept.
    pub first_kept: usize,
    /// The summarized messages, in order.
    pub messages: Vec<usize>,
    /// The messages before the cutoff that stay: system messages, and those that the policy keeps.
    /// Does not include a leading system message.
    #[serde(rename = "kept_system")]
    pub kept_before: Vec<usize>,
    /// The kept user message that is cut in its middle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<TextCut>,
    /// The reasoning that kept messages lose, because it is bound to what is summarized.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<DroppedBlocks>,
    /// The path of the history archive, as the summary names it to the model.
    pub path: String,
    /// The messages that present the summary.
    pub frame: SummaryFrame,
    /// The missing text, which a summarizer writes.
    pub hole: Hole,
}

/// The text of a summary, which a plan does not hold. A summarizer fills it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hole {
    /// The longest text allowed, in tokens.
    pub budget: usize,
    /// The messages that the summarizer reads, in order.
    pub window: Vec<usize>,
    /// The rest of the first of these messages, if trimming cut it.
    pub first_text: Option<String>,
}

/// Returns the truncations among edits, in order.
pub(super) fn truncations(edits: &[Edit]) -> impl Iterator<Item = &Truncation> {
    edits.iter().filter_map(|edit| match edit {
        Edit::Truncate(truncation) => Some(truncation),
        _ => None,
    })
}

/// Returns the texts that edits put in the place of the originals.
pub(crate) fn overlay_edits(transcript: &Transcript<'_>, edits: &[Edit]) -> Overlay {
    let mut overlay = Overlay::default();
    for edit in edits {
        match edit {
            Edit::Evict(eviction) => {
                overlay.results.insert(eviction.message, eviction.notice.clone());
                // Of two edits of one result the later is seen.
                overlay.cleared.remove(&eviction.message);
            }
            Edit::Prune(pruning) => {
                overlay.results.insert(pruning.message, pruning.placeholder.clone());
                overlay.cleared.insert(pruning.message);
            }
            Edit::Summarize(summary) => {
                if let Some(cut) = &summary.cut {
                    overlay.results.insert(cut.message, cut.text.clone());
                }
                for dropped in &summary.dropped {
                    overlay.dropped.insert(dropped.message, dropped.clone());
                }
            }
            Edit::Truncate(_) => {}
        }
    }
    // The truncations of one call are consecutive: its arguments are rewritten once.
    let mut truncations = truncations(edits).peekable();
    while let Some(first) = truncations.next() {
        let call = (first.message, first.call);
        let mut values = vec![(first.place, first.value.as_str())];
        while let Some(next) = truncations.next_if(|next| (next.message, next.call) == call) {
            values.push((next.place, &next.value));
        }
        if let Some(new) = rewrite_call_arguments(transcript, first.message, first.call, &values) {
            overlay.arguments.insert(call, new);
        }
    }
    for inputs in edits.iter().filter_map(|edit| match edit {
        Edit::Prune(pruning) => pruning.inputs.as_ref(),
        Edit::Evict(_) | Edit::Truncate(_) | Edit::Summarize(_) => None,
    }) {
        for &call in &inputs.calls {
            if let Some(new) = clear_call_arguments(transcript, inputs.message, call) {
                overlay.arguments.insert((inputs.message, call), new);
            }
        }
    }
    overlay
}

/// A stage of the planner. The variants are in the order in which the stages run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Moves large tool results into files.
    Evict,
    /// Shortens long string arguments of old calls.
    Truncate,
    /// Replaces old tool results by a placeholder.
    Prune,
    /// Replaces results that repeat further down by a reference.
    Dedup,
    /// Shortens long results in their structure.
    Cut,
    /// Replaces the messages before the cutoff by a summary.
    Summarize,
    /// Shrinks a conversation that still exceeds its limit, by edits of the other stages.
    Overflow,
}

names!(pub Stage::name: Evict "evict", Truncate "truncate", Prune "prune", Dedup "dedup", Cut "cut",
    Summarize "summarize", Overflow "overflow");

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 7] = [
        Self::Evict,
        Self::Truncate,
        Self::Prune,
        Self::Dedup,
        Self::Cut,
        Self::Summarize,
        Self::Overflow,
    ];
}
