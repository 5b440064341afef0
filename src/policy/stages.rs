//! The settings of each stage.

use super::amount::{Keep, Trigger};
use crate::transcript::summary_frame::SummaryFrame;
use serde::{Deserialize, Serialize};

/// The stage evict: large tool results are moved into files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evict {
    /// Evicts results longer than four times this many code points; 0 turns the stage off.
    pub tokens: u64,
    /// Tools whose results are never evicted.
    pub exclude: Vec<String>,
}

/// The stage truncate: long string arguments of old calls are shortened.
#[derive(Debug, Clone, PartialEq)]
pub struct Truncate {
    /// When to truncate; the preset's trigger if there is none.
    pub trigger: Option<Trigger>,
    /// The recent context that is left alone; the preset's keep if there is none.
    pub keep: Option<Keep>,
    /// The longest argument that is left alone, in code points.
    pub max_length: usize,
    /// The text that replaces what is cut off.
    pub text: String,
    /// Tools whose arguments are truncated.
    pub tools: Vec<String>,
}

/// The stage prune: old tool results are replaced by a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prune {
    /// Turns the stage on.
    pub enabled: bool,
    /// Keeps this many tokens of the newest results; the result that crosses this line is pruned.
    pub protect: u64,
    /// Prunes only if more than this many tokens would go.
    pub minimum: u64,
    /// The text that replaces a result.
    pub placeholder: String,
    /// Tools whose results are neither pruned nor counted.
    pub protect_tools: Vec<String>,
    /// Leaves this many of the newest user turns alone, and does not count them.
    pub skip_turns: u64,
    /// Goes on behind a result that was pruned before.
    pub rescan: bool,
    /// Treats results of failed calls, results pruned before and results before an earlier summary
    /// like any other.
    pub every_result: bool,
    /// In a replay, prunes before each call instead of where the agent has ended its turn.
    pub each_call: bool,
}

/// The stage summarize: what is before the cutoff is replaced by a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Summarize {
    /// When to summarize; the preset's trigger if there is none.
    pub trigger: Option<Trigger>,
    /// The recent context that is kept; the preset's keep if there is none.
    pub keep: Option<Keep>,
    /// Passes only the last tokens, this many, to the summarizer; 0 passes all.
    pub trim_tokens: u64,
    /// The frame of the summary: the messages that present it to the model.
    pub frame: SummaryFrame,
    /// Keeps the last user message and all behind it, whatever `keep` says.
    pub replay: bool,
}

/// The paths of archives, as they are named to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivePolicy {
    /// The directory of histories.
    pub prefix: String,
    /// The directory of evicted results; it may contain `{thread_id}`.
    pub results_prefix: String,
}

/// The treatment of an edit that makes a transcript larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnGrowth {
    /// Skips the edit and says so.
    Skip,
    /// Makes the edit, as the reference does.
    Allow,
}
