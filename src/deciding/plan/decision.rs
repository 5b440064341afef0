//! The whole decision about a conversation, with the reasons of its stages.

use super::edit::{Edit, Eviction, PruneCause, Pruning, Stage, Summary, Truncation, truncations};
use crate::base::names::names;
use serde::{Deserialize, Serialize};

/// The decision about one conversation before one model call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Plan {
    /// The number of messages as logged.
    pub messages_before: usize,
    /// The number of messages once the plan is applied.
    pub messages_after: usize,
    /// Tokens of a model call with the conversation as logged.
    pub tokens_before: usize,
    /// The tokens that the trigger compared, after eviction, truncation and pruning.
    pub total_tokens: usize,
    /// Tokens of a model call after eviction, truncation and pruning: with all that is sent,
    /// whatever the trigger counts.
    #[serde(skip)]
    pub call_tokens: usize,
    /// Tokens of a model call once the plan is applied, without the text of a summary.
    pub tokens_after: usize,
    /// The edits, in the order of their stages.
    pub edits: Vec<Edit>,
    /// The decision of each stage. Stage overflow is present only if the conversation exceeded its
    /// limit.
    pub reasons: Vec<Reason>,
}

impl Plan {
    /// Returns true if the plan changes nothing.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the fate of each message. A message that was shortened and then summarized counts as
    /// summarized.
    pub fn fates(&self) -> Vec<Fate> {
        let mut fates = vec![Fate::Kept; self.messages_before];
        for edit in &self.edits {
            match edit {
                Edit::Evict(eviction) => fates[eviction.message] = Fate::Evicted,
                Edit::Truncate(truncation) => fates[truncation.message] = Fate::Truncated,
                Edit::Prune(pruning) => {
                    fates[pruning.message] = match pruning.cause {
                        PruneCause::Old | PruneCause::Repeated => Fate::Pruned,
                        PruneCause::Shortened => Fate::Truncated,
                    };
                    if let Some(inputs) = &pruning.inputs {
                        fates[inputs.message] = Fate::Truncated;
                    }
                }
                Edit::Summarize(summary) => {
                    summary.messages.iter().for_each(|&index| fates[index] = Fate::Summarized);
                    if let Some(cut) = &summary.cut {
                        fates[cut.message] = Fate::Truncated;
                    }
                }
            }
        }
        fates
    }

    /// Lets go of all edits: nothing changes. The reasons of the stages stay.
    pub fn abandon(&mut self) {
        self.edits.clear();
        self.messages_after = self.messages_before;
        self.tokens_after = self.tokens_before;
    }

    /// Returns true if `stage` changes anything.
    pub fn applies(&self, stage: Stage) -> bool {
        self.reasons.iter().any(|reason| reason.stage == stage && reason.applies)
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

    /// Returns the number of results that a stage replaced.
    pub fn replaced_by(&self, stage: Stage) -> usize {
        self.prunings().filter(|pruning| pruning.cause.stage() == stage).count()
    }

    /// Returns the edits of the stages before `stage`.
    pub fn edits_before(&self, stage: Stage) -> Vec<Edit> {
        self.edits.iter().filter(|edit| edit.stage() < stage).cloned().collect()
    }

    /// Returns the summary, if the plan has one.
    pub fn summary(&self) -> Option<&Summary> {
        self.edits.iter().find_map(Edit::summary)
    }
}

/// The kinds of reasons why a stage changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipCause {
    /// The policy turns the stage off.
    Off,
    /// No trigger fires.
    BelowTrigger,
    /// The rules leave nothing to remove: all of it is recent, short or protected.
    NothingToRemove,
    /// The result would be hardly smaller, or larger.
    NotWorthIt,
    /// The log's format has no record for the change.
    NotRecordable,
    /// No change brings the transcript below its limit.
    CannotFit,
}

/// The decision of one stage, with the rule and the numbers behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// The kind of reason, if the stage changes nothing. It is not part of the JSON, which has the
    /// reason in words.
    #[serde(skip)]
    pub skip_cause: Option<SkipCause>,
}

impl Reason {
    /// Returns the reason of a stage that changes nothing at `tokens` tokens.
    pub(crate) fn skipped(stage: Stage, tokens: usize, refusal: Refusal) -> Self {
        let Refusal { cause, why } = refusal;
        Self {
            applies: false,
            skip_cause: Some(cause),
            ..Self::applied(stage, tokens, tokens, why)
        }
    }

    /// Returns the reason of a stage that applies.
    pub(crate) fn applied(stage: Stage, before: usize, after: usize, why: String) -> Self {
        Self {
            stage,
            applies: true,
            why,
            tokens_before: before,
            tokens_after: after,
            skip_cause: None,
        }
    }
}

/// Why a stage changes nothing.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) cause: SkipCause,
    /// The rule and its numbers.
    pub(crate) why: String,
}

impl Refusal {
    pub(crate) fn new(cause: SkipCause, why: impl Into<String>) -> Self {
        Self { cause, why: why.into() }
    }
}

/// The effect of a plan on one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// The message is unchanged.
    Kept,
    /// Its result was moved into a file.
    Evicted,
    /// Arguments of its calls, or its text, were shortened.
    Truncated,
    /// Its result was replaced by a placeholder.
    Pruned,
    /// It was replaced by the summary.
    Summarized,
}

names!(pub Fate::name: Kept "kept", Evicted "evicted", Truncated "truncated", Pruned "pruned",
    Summarized "summarized");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::plan::edit::{ClearedInputs, Hole};
    use crate::reading::transcript::dropped_blocks::DroppedBlocks;
    use crate::reading::transcript::summary_frame::SummaryFrame;

    #[test]
    fn a_plan_survives_json() {
        let plan = Plan {
            messages_before: 9,
            messages_after: 4,
            tokens_before: 900,
            total_tokens: 800,
            call_tokens: 0,
            tokens_after: 100,
            edits: vec![
                Edit::Evict(Eviction {
                    message: 7,
                    call_id: "c\"1".to_owned(),
                    tool: Some("read".to_owned()),
                    file: "c_1".to_owned(),
                    notice: "saved".to_owned(),
                    chars: 90_000,
                    human: true,
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
                    cause: PruneCause::Old,
                    inputs: Some(ClearedInputs { message: 3, calls: vec![0] }),
                }),
                Edit::Summarize(Summary {
                    cutoff: 4,
                    first_kept: 5,
                    messages: vec![1, 3, 4],
                    kept_before: vec![2],
                    cut: None,
                    dropped: vec![DroppedBlocks { message: 6, blocks: vec![0] }],
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
                skip_cause: None,
            }],
        };
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
    }
}
