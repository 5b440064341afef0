//! The settings of each stage.

use super::amount::{Keep, Trigger};
use super::text_pattern::TextPattern;
use crate::reading::transcript::Role;
use crate::reading::transcript::summary_frame::SummaryFrame;
use serde::{Deserialize, Serialize};

/// What triggers count beside the messages of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriggerCount {
    /// Counts the leading system message.
    pub system: bool,
    /// Counts the tool schemas.
    pub tools: bool,
}

/// The stage evict: large tool results are moved into files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evict {
    /// Evicts results longer than four times this many code points; 0 turns the stage off.
    pub tokens: u64,
    /// Tools whose results are never evicted.
    pub exclude: Vec<String>,
    /// Moves the last user message of a call into a file if it is longer than four times this many
    /// code points; 0 never does.
    pub human_tokens: u64,
    /// The form of the notice that replaces a result.
    pub notice: NoticeForm,
}

/// The forms of the notice that replaces an evicted result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum NoticeForm {
    /// That of Deep Agents 0.4: the full call id, always the same words before the preview, line
    /// numbers six wide.
    Fixed,
    /// That of Deep Agents 0.7: a long call id is cut, the words before the preview say what it
    /// leaves out, and line numbers are as wide as they must be.
    Caveats,
    /// The preview alone, without a file to read: for training data.
    Plain,
}

/// The stage truncate: long string arguments of old calls are shortened.
#[derive(Debug, Clone, PartialEq)]
pub struct Truncate {
    /// When to truncate; by default the preset's trigger.
    pub trigger: Option<Trigger>,
    /// The recent context that is left alone; by default the preset's keep.
    pub keep: Option<Keep>,
    /// The longest argument that is left alone, in code points.
    pub max_length: usize,
    /// The text that replaces what is cut off.
    pub text: String,
    /// Tools whose arguments are truncated.
    pub tools: Vec<String>,
}

/// The stage cut: long results are shortened in their structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Shortens results of more than this many tokens to about as many; 0 turns the stage off.
    pub tokens: u64,
    /// Leaves this many of the newest results alone.
    pub keep: u64,
    /// Tools whose results are never shortened.
    pub exclude: Vec<String>,
}

/// The stage dedup: results that repeat further down become a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DedupPolicy {
    /// Turns the stage on.
    pub enabled: bool,
    /// Leaves results of fewer tokens than this alone.
    pub least: u64,
    /// Tools of which a later result for the same file, or the same arguments, replaces the earlier.
    pub tools: Vec<String>,
}

/// The messages that no stage touches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pin {
    /// Roles whose messages are pinned.
    pub roles: Vec<Role>,
    /// Tools whose results are pinned.
    pub tools: Vec<String>,
    /// Regular expressions: a message in whose text one is found is pinned.
    pub patterns: Vec<TextPattern>,
    /// Labels: a message that has one is pinned.
    pub labels: Vec<String>,
}

impl Pin {
    /// Returns true if nothing is pinned.
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
            && self.tools.is_empty()
            && self.patterns.is_empty()
            && self.labels.is_empty()
    }
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
    /// Counts results of fewer tokens than this, but leaves them alone.
    pub least: u64,
    /// The text that replaces a result.
    pub placeholder: String,
    /// Tools whose results are neither pruned nor counted.
    pub protect_tools: Vec<String>,
    /// Leaves this many of the newest user turns alone, and does not count them.
    pub skip_turns: u64,
    /// Leaves this many of the newest messages alone, and does not count them.
    pub skip_messages: u64,
    /// Goes on behind a result that was pruned before.
    pub rescan: bool,
    /// Treats results of failed calls, results pruned before and results before an earlier summary
    /// like any other.
    pub every_result: bool,
    /// In a replay, prunes before each call instead of where the agent has ended its turn.
    pub each_call: bool,
    /// Scans in the order in which OpenCode stores messages: a summary comes after the messages
    /// that it kept.
    pub stored_order: bool,
    /// The rule that chooses the results. By number, only `placeholder`, `protect_tools` and what
    /// follows count.
    pub rule: PruneRule,
    /// Prunes calls of more than this many tokens.
    pub trigger: u64,
    /// Prunes calls of at least this many results, whatever their tokens; 0 is no such number.
    pub results: u64,
    /// The tokens that are compared with `trigger`.
    pub measure: PruneMeasure,
    /// Keeps this many of the newest results.
    pub keep: u64,
    /// The tokens that pruning is to save; 0 is as many as it can.
    pub clear_at_least: u64,
    /// The meaning of `clear_at_least`.
    pub at_least: LeastCleared,
    /// Also replaces the arguments of the calls of pruned results by `{}`.
    pub clear_inputs: bool,
    /// Keeps this many of the oldest results.
    pub keep_first: u64,
    /// Counts the results in steps of this many: newer ones than the last full step stay.
    pub polling: u64,
    /// Takes what a trajectory marks as an observation for a result, and follows its tags. Without
    /// marks, the first user message is the first observation.
    pub observations: bool,
}

/// The rules by which stage prune chooses results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PruneRule {
    /// OpenCode's: the newest tokens of results stay, and what was pruned stays so.
    Tokens,
    /// LangChain's, Anthropic's and SWE-agent's: the newest results stay, and every call begins anew.
    Results,
}

/// The tokens of a call that stage prune compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PruneMeasure {
    /// Those of the messages, without system prompt and tool schemas.
    Messages,
    /// Those of the call: what the log reports for its last answer, else the estimate.
    Used,
}

/// The meanings of a least number of tokens to clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LeastCleared {
    /// Clearing ends as soon as it is reached.
    Stop,
    /// Nothing is cleared if it can't be reached.
    Need,
}

/// The stage summarize: what is before the cutoff is replaced by a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Summarize {
    /// When to summarize; by default the preset's trigger.
    pub trigger: Option<Trigger>,
    /// The recent context that is kept; by default the preset's keep.
    pub keep: Option<Keep>,
    /// The share of a trigger of the user's own that the preset's keep takes at most; 0 is without a bound.
    pub keep_share: f64,
    /// Passes only the last tokens, this many, to the summarizer; 0 passes all.
    pub trim_tokens: u64,
    /// The frame of the summary: the messages that present it to the model.
    pub frame: SummaryFrame,
    /// Keeps the last user message and all behind it, whatever `keep` says.
    pub replay: bool,
    /// Decides on the messages up to the last answer and its results. Newer messages stay, and do
    /// not count.
    pub after_step: bool,
    /// The tokens that the trigger compares.
    pub measure: TriggerMeasure,
    /// Also keeps this many of the first events.
    pub keep_first: u64,
    /// Also keeps the newest user messages of this many tokens, by 4 bytes a token; the one that
    /// crosses the line is cut in its middle.
    pub keep_users: u64,
    /// The fate of reasoning in kept messages that is bound to what is summarized.
    pub bound_reasoning: BoundReasoning,
    /// Tools by which the agent asks for a summary: behind a result that says it was made, the next
    /// call is summarized.
    pub asked_by: Vec<AskingTool>,
}

/// A tool by which an agent asks for a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AskingTool {
    /// The name of the tool.
    pub tool: String,
    /// The beginning of a result that says that the summary was made.
    pub made: String,
}

/// The fate of reasoning that is bound to the conversation before it, as that of Claude is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum BoundReasoning {
    /// It stays.
    Keep,
    /// It goes once a summary takes the place of that conversation.
    Drop,
}

/// The tokens that the trigger of a summary compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TriggerMeasure {
    /// The estimate of the call, or what its provider reported for the last answer if that is more.
    Estimate,
    /// What the log reports as used by the last answer, and the estimates of the messages behind
    /// it; without a report the estimate of the call.
    Trailing,
    /// The input tokens of the last answer alone; without a report the estimate.
    Prompt,
    /// The input tokens of the last answer, or the estimate of the call if that is more.
    Larger,
}

/// The paths of archives, as they are named to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivePolicy {
    /// The directory of histories.
    pub prefix: String,
    /// The directory of evicted results; it may contain `{thread_id}`.
    pub results_prefix: String,
    /// The form of the messages in the history, and in prompts of the template `deepagents`.
    pub form: HistoryForm,
}

/// The forms of messages in a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum HistoryForm {
    /// Lines of `Human: ...`, `AI: ...` and so on, as Deep Agents 0.4 writes them.
    Lines,
    /// Elements `<message type="human">...</message>`, as Deep Agents 0.7 writes them.
    Xml,
}

/// The answers that calls without any get in a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum PatchedCalls {
    /// None.
    #[serde(rename = "off")]
    Off,
    /// Those of Deep Agents 0.4: valid calls that nothing behind them answers.
    #[serde(rename = "0.4")]
    V04,
    /// Those of Deep Agents 0.7: calls that nothing answers, those that can't be parsed included.
    #[serde(rename = "0.7")]
    V07,
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
