//! A plan: the decision about one conversation, as plain serializable data.
//!
//! The planner makes a [`Plan`], [`apply`](crate::apply::apply) applies it, and
//! reports describe it. A dry run prints the same plan that a compaction applies.
//! A plan holds everything except the text of a summary, for which it leaves a
//! [`Hole`].

use crate::transcript::Transcript;
use crate::transcript::overlay::Overlay;
use crate::transcript::rewrite_arguments::rewrite_call_arguments;
use crate::transcript::summary_frame::SummaryFrame;
use serde::{Deserialize, Serialize};

/// A stage of the planner. The variants stand in the order in which the stages run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Moves large tool results into files.
    Evict,
    /// Shortens long string arguments of old calls.
    Truncate,
    /// Replaces old tool results by a placeholder.
    Prune,
    /// Replaces the messages before the cutoff by a summary.
    Summarize,
    /// Shrinks a conversation that still exceeds its limit, by edits of the other stages.
    Overflow,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 5] = [
        Self::Evict,
        Self::Truncate,
        Self::Prune,
        Self::Summarize,
        Self::Overflow,
    ];

    /// Returns the stage's name in plans, reports and options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Evict => "evict",
            Self::Truncate => "truncate",
            Self::Prune => "prune",
            Self::Summarize => "summarize",
            Self::Overflow => "overflow",
        }
    }
}

/// The decision of one stage, with the rule and the numbers behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The stage.
    pub stage: Stage,
    /// True if the stage changes anything.
    pub applies: bool,
    /// The rule and the numbers that decided, in words.
    pub why: String,
    /// Tokens of the model call before the stage.
    pub tokens_before: usize,
    /// Tokens of the model call after the stage, without the text of a summary.
    pub tokens_after: usize,
}

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
    #[must_use]
    pub fn stage(&self) -> Stage {
        match self {
            Self::Evict(_) => Stage::Evict,
            Self::Truncate(_) => Stage::Truncate,
            Self::Prune(_) => Stage::Prune,
            Self::Summarize(_) => Stage::Summarize,
        }
    }

    /// Returns the message that the edit changes, or None for a summary.
    #[must_use]
    pub fn message(&self) -> Option<usize> {
        match self {
            Self::Evict(eviction) => Some(eviction.message),
            Self::Truncate(truncation) => Some(truncation.message),
            Self::Prune(pruning) => Some(pruning.message),
            Self::Summarize(_) => None,
        }
    }

    /// Returns the summary if the edit is one.
    #[must_use]
    pub fn summary(&self) -> Option<&Summary> {
        match self {
            Self::Summarize(summary) => Some(summary),
            Self::Evict(_) | Self::Truncate(_) | Self::Prune(_) => None,
        }
    }
}

/// The eviction of a tool result into a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eviction {
    /// The index of the tool message.
    pub message: usize,
    /// The id of the call that it answers.
    pub call_id: String,
    /// The name of the tool, if it is known.
    pub tool: Option<String>,
    /// The file name, relative to the directory of evicted results.
    pub file: String,
    /// The text that takes the place of the result.
    pub notice: String,
    /// The length of the result, in code points.
    pub chars: usize,
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
    /// The system messages before the cutoff, which stay. Does not include a leading system
    /// message.
    pub kept_system: Vec<usize>,
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

/// The decision about one conversation before one model call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Plan {
    /// The number of messages as logged.
    pub messages_before: usize,
    /// The number of messages once the plan is applied.
    pub messages_after: usize,
    /// Tokens of a model call with the conversation as logged.
    pub tokens_before: usize,
    /// Tokens of a model call after eviction, truncation and pruning, which the trigger compared.
    pub total_tokens: usize,
    /// Tokens of a model call once the plan is applied, without the text of a summary.
    pub tokens_after: usize,
    /// The edits, in the order of their stages.
    pub edits: Vec<Edit>,
    /// The decision of each stage. Stage overflow is present only if the conversation exceeded its
    /// limit.
    pub reasons: Vec<Reason>,
}

/// The effect of a plan on one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// The message is unchanged.
    Kept,
    /// Its result was moved into a file.
    Evicted,
    /// Arguments of its calls were shortened.
    Truncated,
    /// Its result was replaced by a placeholder.
    Pruned,
    /// It was replaced by the summary.
    Summarized,
}

impl Fate {
    /// Returns the fate's name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Evicted => "evicted",
            Self::Truncated => "truncated",
            Self::Pruned => "pruned",
            Self::Summarized => "summarized",
        }
    }
}

impl Plan {
    /// Returns true if the plan changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the fate of each message. A message that was shortened and then summarized counts as
    /// summarized.
    #[must_use]
    pub fn fates(&self) -> Vec<Fate> {
        let mut fates = vec![Fate::Kept; self.messages_before];
        for edit in &self.edits {
            match edit {
                Edit::Evict(eviction) => fates[eviction.message] = Fate::Evicted,
                Edit::Truncate(truncation) => fates[truncation.message] = Fate::Truncated,
                Edit::Prune(pruning) => fates[pruning.message] = Fate::Pruned,
                Edit::Summarize(summary) => summary
                    .messages
                    .iter()
                    .for_each(|&index| fates[index] = Fate::Summarized),
            }
        }
        fates
    }

    /// Returns true if `stage` changes anything.
    #[must_use]
    pub fn applies(&self, stage: Stage) -> bool {
        self.reasons
            .iter()
            .any(|reason| reason.stage == stage && reason.applies)
    }

    /// Returns the evictions, in order.
    pub fn evictions(&self) -> impl Iterator<Item = &Eviction> {
        self.edits.iter().filter_map(|edit| match edit {
            Edit::Evict(eviction) => Some(eviction),
            _ => None,
        })
    }

    /// Returns the truncations, in order.
    pub fn truncations(&self) -> impl Iterator<Item = &Truncation> {
        truncations(&self.edits)
    }

    /// Returns the prunings, in order.
    pub fn prunings(&self) -> impl Iterator<Item = &Pruning> {
        self.edits.iter().filter_map(|edit| match edit {
            Edit::Prune(pruning) => Some(pruning),
            _ => None,
        })
    }

    /// Returns the edits of the stages before `stage`.
    #[must_use]
    pub fn edits_before(&self, stage: Stage) -> Vec<Edit> {
        self.edits
            .iter()
            .filter(|edit| edit.stage() < stage)
            .cloned()
            .collect()
    }

    /// Returns the summary, if the plan has one.
    #[must_use]
    pub fn summary(&self) -> Option<&Summary> {
        self.edits.iter().find_map(Edit::summary)
    }
}

/// Returns the texts that edits put in the place of the originals.
#[must_use]
pub(crate) fn overlay_edits(transcript: &Transcript<'_>, edits: &[Edit]) -> Overlay {
    let mut overlay = Overlay::default();
    for edit in edits {
        match edit {
            Edit::Evict(eviction) => {
                overlay
                    .results
                    .insert(eviction.message, eviction.notice.clone());
            }
            Edit::Prune(pruning) => {
                overlay
                    .results
                    .insert(pruning.message, pruning.placeholder.clone());
                overlay.cleared.insert(pruning.message);
            }
            Edit::Truncate(_) | Edit::Summarize(_) => {}
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
    overlay
}

fn truncations(edits: &[Edit]) -> impl Iterator<Item = &Truncation> {
    edits.iter().filter_map(|edit| match edit {
        Edit::Truncate(truncation) => Some(truncation),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_survives_json() {
        let plan = Plan {
            messages_before: 9,
            messages_after: 4,
            tokens_before: 900,
            total_tokens: 800,
            tokens_after: 100,
            edits: vec![
                Edit::Evict(Eviction {
                    message: 7,
                    call_id: "c\"1".to_owned(),
                    tool: Some("read".to_owned()),
                    file: "c_1".to_owned(),
                    notice: "saved".to_owned(),
                    chars: 90_000,
                }),
                Edit::Truncate(Truncation {
                    message: 6,
                    call: 1,
                    tool: "write_file".to_owned(),
                    argument: "content".to_owned(),
                    place: 2,
                    value: "a...".to_owned(),
                    chars: 3000,
                }),
                Edit::Prune(Pruning {
                    message: 5,
                    call_id: String::new(),
                    tool: None,
                    tokens: 70,
                    placeholder: "[cleared]".to_owned(),
                }),
                Edit::Summarize(Summary {
                    cutoff: 4,
                    first_kept: 5,
                    messages: vec![1, 3, 4],
                    kept_system: vec![2],
                    path: "/h/t.md".to_owned(),
                    frame: SummaryFrame::OpenCode,
                    hole: Hole {
                        budget: 256,
                        window: vec![3, 4],
                        first_text: Some("rest".to_owned()),
                    },
                }),
            ],
            reasons: vec![Reason {
                stage: Stage::Overflow,
                applies: false,
                why: "can't fit".to_owned(),
                tokens_before: 800,
                tokens_after: 800,
            }],
        };
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
    }
}
