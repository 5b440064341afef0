//! The plan of a conversation as `plan --json` writes it. Fields that no test looks at are left
//! out.

use serde::Deserialize;

/// The stages, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    Evict,
    Truncate,
    Prune,
    Dedup,
    Cut,
    Summarize,
    Overflow,
}

/// The number of stages that leave a reason under every policy.
pub(crate) const STAGES: usize = 5;

/// One change of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "edit", rename_all = "lowercase")]
pub(crate) enum Edit {
    Evict(Eviction),
    Truncate { message: usize },
    Prune(Pruning),
    Summarize(Summary),
}

impl Edit {
    /// Returns the stage that makes the edit.
    pub(crate) fn stage(&self) -> Stage {
        match self {
            Self::Evict(_) => Stage::Evict,
            Self::Truncate { .. } => Stage::Truncate,
            Self::Prune(pruning) => pruning.cause.stage(),
            Self::Summarize(_) => Stage::Summarize,
        }
    }
}

/// A tool result that goes into a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Eviction {
    pub(crate) message: usize,
    pub(crate) call_id: String,
    pub(crate) notice: String,
}

/// A tool result that becomes a placeholder, a reference or a shorter text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Pruning {
    pub(crate) message: usize,
    pub(crate) placeholder: String,
    #[serde(default)]
    pub(crate) cause: Cause,
}

/// Why a tool result is replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cause {
    #[default]
    Old,
    Repeated,
    Shortened,
}

impl Cause {
    fn stage(self) -> Stage {
        match self {
            Self::Old => Stage::Prune,
            Self::Repeated => Stage::Dedup,
            Self::Shortened => Stage::Cut,
        }
    }
}

/// A summary in place of all messages before a cutoff.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Summary {
    pub(crate) cutoff: usize,
    pub(crate) first_kept: usize,
    pub(crate) messages: Vec<usize>,
    pub(crate) path: String,
    pub(crate) frame: String,
    pub(crate) hole: Hole,
}

/// What the summarizer gets.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Hole {
    pub(crate) window: Vec<usize>,
}

/// Why a stage did something or nothing.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Reason {
    pub(crate) stage: Stage,
    pub(crate) applies: bool,
    pub(crate) why: String,
}

impl Summary {
    /// Returns the number of messages that present the summary.
    pub(crate) fn presented_messages(&self) -> usize {
        if self.frame == "opencode" { 2 } else { 1 }
    }
}

/// What happens to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Kept,
    Evicted,
    Truncated,
    Pruned,
    Summarized,
}

/// The decision about one conversation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Plan {
    pub(crate) messages_before: usize,
    pub(crate) messages_after: usize,
    pub(crate) tokens_after: usize,
    pub(crate) edits: Vec<Edit>,
    pub(crate) reasons: Vec<Reason>,
}

impl Plan {
    /// Returns true if the plan changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns what happens to each message. Of several edits the last counts.
    pub(crate) fn fates(&self) -> Vec<Fate> {
        let mut fates = vec![Fate::Kept; self.messages_before];
        for edit in &self.edits {
            match edit {
                Edit::Evict(eviction) => fates[eviction.message] = Fate::Evicted,
                Edit::Truncate { message } => fates[*message] = Fate::Truncated,
                Edit::Prune(pruning) => fates[pruning.message] = Fate::Pruned,
                Edit::Summarize(summary) => {
                    for &index in &summary.messages {
                        fates[index] = Fate::Summarized;
                    }
                }
            }
        }
        fates
    }

    pub(crate) fn evictions(&self) -> impl Iterator<Item = &Eviction> {
        self.edits.iter().filter_map(|edit| match edit {
            Edit::Evict(eviction) => Some(eviction),
            _ => None,
        })
    }

    /// Returns the number of truncated arguments.
    pub(crate) fn truncated_arguments(&self) -> usize {
        self.edits.iter().filter(|edit| edit.stage() == Stage::Truncate).count()
    }

    /// Returns the number of results that a stage replaced.
    pub(crate) fn replaced_by(&self, stage: Stage) -> usize {
        self.prunings().filter(|pruning| pruning.cause.stage() == stage).count()
    }

    pub(crate) fn prunings(&self) -> impl Iterator<Item = &Pruning> {
        self.edits.iter().filter_map(|edit| match edit {
            Edit::Prune(pruning) => Some(pruning),
            _ => None,
        })
    }

    pub(crate) fn summary(&self) -> Option<&Summary> {
        self.edits.iter().find_map(|edit| match edit {
            Edit::Summarize(summary) => Some(summary),
            _ => None,
        })
    }
}
