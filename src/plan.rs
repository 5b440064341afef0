//! The decision about one transcript, as plain data. `plan` prints it,
//! `compact` carries it out, reports measure it, tests compare it.

use crate::transcript::Transcript;
use crate::transcript::overlay::Overlay;
use crate::transcript::rewrite_arguments::rewrite_call_arguments;
use crate::transcript::summary_frame::SummaryFrame;
use serde::{Deserialize, Serialize};

/// The stages, in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Large tool results go into files.
    Evict,
    /// Long string arguments of old calls are cut.
    Truncate,
    /// Old tool results become a placeholder.
    Prune,
    /// All before the cutoff becomes one message.
    Summarize,
    /// What is still above its limit shrinks further, by edits of the other stages.
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

    /// The stage's name.
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

/// What a stage decided, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Which stage.
    pub stage: Stage,
    /// Whether it changes anything.
    pub applies: bool,
    /// The rule and the numbers that decided.
    pub why: String,
    /// Tokens of the model call when the stage began.
    pub tokens_before: usize,
    /// Tokens of the model call after it, a summary's own text not counted.
    pub tokens_after: usize,
}

/// One change. Message indices are those of the transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "lowercase")]
pub enum Edit {
    /// A tool result goes into a file.
    Evict(Eviction),
    /// A string argument is cut.
    Truncate(Truncation),
    /// A tool result becomes a placeholder.
    Prune(Pruning),
    /// All before the cutoff becomes one message.
    Summarize(Summary),
}

impl Edit {
    /// The stage that makes it.
    #[must_use]
    pub fn stage(&self) -> Stage {
        match self {
            Self::Evict(_) => Stage::Evict,
            Self::Truncate(_) => Stage::Truncate,
            Self::Prune(_) => Stage::Prune,
            Self::Summarize(_) => Stage::Summarize,
        }
    }

    /// The one message that it changes.
    #[must_use]
    pub fn message(&self) -> Option<usize> {
        match self {
            Self::Evict(eviction) => Some(eviction.message),
            Self::Truncate(truncation) => Some(truncation.message),
            Self::Prune(pruning) => Some(pruning.message),
            Self::Summarize(_) => None,
        }
    }
}

/// A tool result that goes into a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eviction {
    /// The tool message.
    pub message: usize,
    /// The id of the call that it answers.
    pub call_id: String,
    /// The tool, where it is known.
    pub tool: Option<String>,
    /// Its file, below the directory of evicted results.
    pub file: String,
    /// What the message says instead.
    pub notice: String,
    /// Code points of the result.
    pub chars: usize,
}

/// A string argument that is cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// The assistant message.
    pub message: usize,
    /// Which of its calls.
    pub call: usize,
    /// The tool.
    pub tool: String,
    /// The argument's name.
    pub argument: String,
    /// Its place among the arguments: names that only differ in what is no text would look alike.
    pub place: usize,
    /// What the argument is now.
    pub value: String,
    /// Code points it had.
    pub chars: usize,
}

/// A tool result that becomes a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pruning {
    /// The tool message.
    pub message: usize,
    /// The id of the call that it answers.
    pub call_id: String,
    /// The tool, where it is known.
    pub tool: Option<String>,
    /// Tokens of its text.
    pub tokens: u64,
    /// What the message says instead.
    pub placeholder: String,
}

/// A summary in the place of all before a cutoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// First kept message, a leading system message not counted.
    pub cutoff: usize,
    /// First kept message; the number of messages where none is kept.
    pub first_kept: usize,
    /// The messages that go, in order.
    pub messages: Vec<usize>,
    /// System messages before the cutoff that stay, a leading one not among them.
    pub kept_system: Vec<usize>,
    /// The archive as the model sees it.
    pub path: String,
    /// How the summary is presented.
    pub frame: SummaryFrame,
    /// The hole that a summarizer fills.
    pub hole: Hole,
}

/// The one thing that a plan does not hold: the text of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hole {
    /// How long the text may be, in tokens.
    pub budget: usize,
    /// The messages that the summarizer sees.
    pub window: Vec<usize>,
    /// What is left of the first of them, where trimming cut it.
    pub first_text: Option<String>,
}

/// The decision about one transcript.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Messages as logged.
    pub messages_before: usize,
    /// Messages that will be left.
    pub messages_after: usize,
    /// Tokens of a model call with the transcript as logged.
    pub tokens_before: usize,
    /// What the trigger compared: after eviction, truncation and pruning.
    pub total_tokens: usize,
    /// Tokens of a model call afterwards, a summary's own text not counted.
    pub tokens_after: usize,
    /// The changes, in the order of their stages.
    pub edits: Vec<Edit>,
    /// What each stage decided; stage overflow only where something was above its limit.
    pub reasons: Vec<Reason>,
}

/// What happens to one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It leaves as it came.
    Kept,
    /// Its text goes into a file.
    Evicted,
    /// Arguments of it are cut.
    Truncated,
    /// Its text becomes a placeholder.
    Pruned,
    /// It becomes part of the summary.
    Summarized,
}

impl Fate {
    /// The fate's name.
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
    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// What happens to each message; a summary takes what an earlier stage shortened.
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

    /// The evictions, in order.
    pub fn evictions(&self) -> impl Iterator<Item = &Eviction> {
        self.edits.iter().filter_map(|edit| {
            if let Edit::Evict(eviction) = edit {
                Some(eviction)
            } else {
                None
            }
        })
    }

    /// The truncations, in order.
    pub fn truncations(&self) -> impl Iterator<Item = &Truncation> {
        self.edits.iter().filter_map(|edit| {
            if let Edit::Truncate(truncation) = edit {
                Some(truncation)
            } else {
                None
            }
        })
    }

    /// The prunings, in order.
    pub fn prunings(&self) -> impl Iterator<Item = &Pruning> {
        self.edits.iter().filter_map(|edit| {
            if let Edit::Prune(pruning) = edit {
                Some(pruning)
            } else {
                None
            }
        })
    }

    /// The edits of the stages before this one.
    #[must_use]
    pub fn edits_before(&self, stage: Stage) -> Vec<Edit> {
        self.edits
            .iter()
            .filter(|edit| edit.stage() < stage)
            .cloned()
            .collect()
    }

    /// The summary, if there is one.
    #[must_use]
    pub fn summary(&self) -> Option<&Summary> {
        self.edits.iter().find_map(|edit| {
            if let Edit::Summarize(summary) = edit {
                Some(summary)
            } else {
                None
            }
        })
    }
}

/// The texts that edits put in place of the original.
#[must_use]
pub fn overlay(transcript: &Transcript<'_>, edits: &[Edit]) -> Overlay {
    let mut overlay = Overlay::default();
    for edit in edits {
        if let Edit::Evict(eviction) = edit {
            overlay
                .results
                .insert(eviction.message, eviction.notice.clone());
        } else if let Edit::Prune(pruning) = edit {
            overlay
                .results
                .insert(pruning.message, pruning.placeholder.clone());
            overlay.cleared.insert(pruning.message);
        }
    }
    let truncations = edits.iter().filter_map(|edit| {
        if let Edit::Truncate(truncation) = edit {
            Some(truncation)
        } else {
            None
        }
    });
    let mut truncations = truncations.peekable();
    while let Some(first) = truncations.next() {
        let mut values = vec![(first.place, first.value.as_str())];
        while let Some(next) =
            truncations.next_if(|next| (next.message, next.call) == (first.message, first.call))
        {
            values.push((next.place, &next.value));
        }
        if let Some(new) = rewrite_call_arguments(transcript, first.message, first.call, &values) {
            overlay.arguments.insert((first.message, first.call), new);
        }
    }
    overlay
}
