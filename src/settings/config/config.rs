//! The keys of the configuration, each of which stands here once.

use super::spelling::{CounterName, HeaderList};
use super::{amounts, spelling};
use crate::model::ProfileRelease;
use crate::policy::{
    AskingTool, BoundReasoning, CachePlace, CallPrice, Dialect, HistoryForm, Keep, LeastCleared,
    NoticeForm, OnFailure, OnGrowth, PatchedCalls, Preset, PruneMeasure, PruneRule,
    SectionsVersion, SkillSource, SummarizerKind, SummaryTemplate, TextPattern, Trigger,
    TriggerMeasure,
};
use crate::secrets::Redaction;
use crate::transcript::Role;
use crate::transcript::summary_frame::SummaryFrame;
#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// The keys of a configuration. A key that is left out leaves the policy as it is.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// The preset that the policy starts from.
    pub preset: Option<&'static Preset>,
    /// The model that the transcripts are for, as `provider:model`; each record's own if left out.
    pub model: Option<String>,
    /// A table of model limits, which takes precedence over the embedded one.
    pub limits: Option<PathBuf>,
    /// A release of Deep Agents whose limits take precedence over the embedded ones: `none`, `0.4.3`
    /// or `0.7.32`.
    pub profiles: Option<ProfileRelease>,
    /// Refuses models whose input limit is not known.
    pub strict_model: Option<bool>,
    /// The model's input limit in tokens, in place of the known one.
    pub max_input_tokens: Option<NonZeroU64>,
    /// The token counter.
    pub counter: Option<CounterName>,
    /// Code points per token of the approximate counter.
    #[serde(default, deserialize_with = "spelling::chars_per_token")]
    pub chars_per_token: Option<f64>,
    /// Masks secrets in requests, summaries and archives; with "pii" personal data, too.
    pub redact: Option<Redaction>,
    /// The system prompt that the live agent would have sent, as far as the log lacks it.
    #[serde(default)]
    pub system: SystemConfig,
    /// What triggers count beside the messages.
    #[serde(default)]
    pub count: CountConfig,
    /// Answers for calls that have none.
    #[serde(default)]
    pub patch: PatchConfig,
    /// Moving large tool results into files.
    #[serde(default)]
    pub evict: EvictConfig,
    /// Shortening long arguments of old calls.
    #[serde(default)]
    pub truncate: TruncateConfig,
    /// Replacing old tool results by a placeholder. The table turns the stage on, even if it is
    /// empty.
    pub prune: Option<PruneConfig>,
    /// Replacing results that stand again further down.
    #[serde(default)]
    pub dedup: DedupConfig,
    /// Shortening long results in their structure.
    #[serde(default)]
    pub cut: CutConfig,
    /// Messages that no stage touches.
    #[serde(default)]
    pub pin: PinConfig,
    /// Replacing what is before the cutoff by a summary.
    #[serde(default)]
    pub summarize: SummarizeConfig,
    /// The writer of summaries.
    #[serde(default)]
    pub summarizer: SummarizerConfig,
    /// The paths that are named to the model.
    #[serde(default)]
    pub archive: ArchiveConfig,
    /// The limits above which a transcript is too large.
    #[serde(default)]
    pub overflow: OverflowConfig,
}

/// The table `[system]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SystemConfig {
    /// A file with the system prompt of logs that have none.
    pub base: Option<String>,
    /// The files of the memory, in order.
    pub memory: Option<Vec<String>>,
    /// The directories of skills, in order: a path, or a table of path and label.
    pub skills: Option<Vec<SkillSource>>,
    /// The directory that memory and skills lie below; without it their paths are those of this
    /// machine.
    pub root: Option<PathBuf>,
    /// Counts the sections where triggers and limits are compared.
    pub count: Option<bool>,
    /// The version of Deep Agents whose sections these are.
    pub version: Option<SectionsVersion>,
}

/// The table `[count]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct CountConfig {
    /// Counts the leading system message when a trigger is compared.
    pub system: Option<bool>,
    /// Counts the tool schemas when a trigger is compared.
    pub tools: Option<bool>,
}

/// The table `[patch]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PatchConfig {
    /// In a replay, gives calls without an answer the one that Deep Agents of this version adds when
    /// the user speaks again: `off`, `0.4` or `0.7`.
    pub calls: Option<PatchedCalls>,
}

/// The table `[evict]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct EvictConfig {
    /// Evicts results longer than four times this many code points; 0 turns the stage off.
    pub tokens: Option<u64>,
    /// Tools whose results are never evicted.
    pub exclude: Option<Vec<String>>,
    /// Moves the last user message of a call into a file if it is longer than four times this many
    /// code points; 0 never does.
    pub human_tokens: Option<u64>,
    /// The form of the notice that replaces a result.
    pub notice: Option<NoticeForm>,
}

/// The table `[truncate]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct TruncateConfig {
    /// When to truncate: any table of the list, if all of its conditions hold.
    pub trigger: Option<Trigger>,
    /// The recent context that is left alone: tokens, messages or fraction.
    #[serde(default, deserialize_with = "amounts::keep_without_turns")]
    pub keep: Option<Keep>,
    /// The longest argument that is left alone, in code points.
    pub max_length: Option<usize>,
    /// The text that replaces what is cut off.
    pub text: Option<String>,
    /// Tools whose arguments are truncated.
    pub tools: Option<Vec<String>>,
}

/// The table `[cut]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct CutConfig {
    /// Shortens results of more than this many tokens to about as many: JSON stays JSON, a table
    /// keeps its head, a log its first, last and error lines. 0 turns the stage off.
    pub tokens: Option<u64>,
    /// Leaves this many of the newest results alone.
    pub keep: Option<u64>,
    /// Tools whose results are never shortened.
    pub exclude: Option<Vec<String>>,
}

/// The table `[dedup]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct DedupConfig {
    /// Replaces a result that stands again further down by a reference to the newest.
    pub enabled: Option<bool>,
    /// Leaves results of fewer tokens than this alone.
    pub least: Option<u64>,
    /// Tools of which a later result for the same file, or the same arguments, replaces the earlier.
    pub tools: Option<Vec<String>>,
}

/// The table `[pin]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PinConfig {
    /// Roles whose messages are never summarized, pruned, evicted or cut.
    pub roles: Option<Vec<Role>>,
    /// Tools whose results are never summarized, pruned, evicted or cut.
    pub tools: Option<Vec<String>>,
    /// Regular expressions: a message in whose text one is found is never summarized, pruned,
    /// evicted or cut.
    #[cfg_attr(test, schemars(with = "Option<Vec<String>>"))]
    pub patterns: Option<Vec<TextPattern>>,
    /// Labels: a message that has one, under `label`, `labels`, `tag` or `tags`, is never
    /// summarized, pruned, evicted or cut.
    pub labels: Option<Vec<String>>,
}

/// The table `[prune]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PruneConfig {
    /// Turns the stage on or off.
    pub enabled: Option<bool>,
    /// Keeps this many tokens of the newest results; the result that crosses this line is pruned.
    pub protect: Option<u64>,
    /// Prunes only if more than this many tokens would go.
    pub minimum: Option<u64>,
    /// Counts results of fewer tokens than this, but leaves them alone.
    pub least: Option<u64>,
    /// The text that replaces a result. `{lines}` in it are the lines of the result, `{images}` its
    /// pictures; what stands in `[[` and `]]` is left out where the result has no pictures.
    pub placeholder: Option<String>,
    /// Tools whose results are neither pruned nor counted.
    pub protect_tools: Option<Vec<String>>,
    /// Leaves this many of the newest user turns alone, and does not count them.
    pub skip_turns: Option<u64>,
    /// Leaves this many of the newest messages alone, and does not count them.
    pub skip_messages: Option<u64>,
    /// Goes on behind a result that was pruned before.
    pub rescan: Option<bool>,
    /// Treats results of failed calls, results pruned before and results before an earlier summary
    /// like any other.
    pub every_result: Option<bool>,
    /// In a replay, prunes before each call instead of where the agent has ended its turn.
    pub each_call: Option<bool>,
    /// Scans in the order in which OpenCode stores messages: a summary stands behind the messages
    /// that it kept.
    pub stored_order: Option<bool>,
    /// The rule that chooses the results: by `tokens`, as OpenCode, or by the number of `results`,
    /// as LangChain, Anthropic and SWE-agent. By number, only `placeholder`, `protect_tools` and what follows
    /// count.
    pub rule: Option<PruneRule>,
    /// Prunes calls of more than this many tokens.
    pub trigger: Option<u64>,
    /// Prunes calls of at least this many results, whatever their tokens; 0 is no such number.
    pub results: Option<u64>,
    /// The tokens that are compared with `trigger`: those of the `messages`, or those `used` by the
    /// call.
    pub measure: Option<PruneMeasure>,
    /// Keeps this many of the newest results.
    pub keep: Option<u64>,
    /// The tokens that pruning is to save; 0 is as many as it can.
    pub clear_at_least: Option<u64>,
    /// The meaning of `clear_at_least`: clearing ends (`stop`) as soon as it is reached, or needs
    /// to reach it (`need`).
    pub at_least: Option<LeastCleared>,
    /// Also replaces the arguments of the calls of pruned results by `{}`.
    pub clear_inputs: Option<bool>,
    /// Keeps this many of the oldest results.
    pub keep_first: Option<u64>,
    /// Counts the results in steps of this many: newer ones than the last full step stay.
    pub polling: Option<NonZeroU64>,
    /// Takes what a trajectory marks as an observation for a result, and follows its tags
    /// `keep_output` and `remove_output`. Without marks, the first user message is the first
    /// observation.
    pub observations: Option<bool>,
}

/// The table `[summarize]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SummarizeConfig {
    /// When to summarize: any table of the list, if all of its conditions hold.
    pub trigger: Option<Trigger>,
    /// The recent context that is kept: tokens, messages, fraction, events, or turns and tokens
    /// beside them; or by the rule of another agent: recent (pi), characters (Gemini CLI), half
    /// (Cline).
    pub keep: Option<Keep>,
    /// The share of `trigger` that the preset's keep takes at most, where no `keep` is given; 0 is no
    /// bound. A quarter where no preset is named, else 0.
    #[serde(default, deserialize_with = "spelling::budget")]
    pub keep_share: Option<f64>,
    /// Passes only the last tokens, this many, to the summarizer; 0 passes all.
    pub trim_tokens: Option<u64>,
    /// The frame of the summary: the messages that present it to the model.
    pub frame: Option<SummaryFrame>,
    /// Keeps the last user message and all behind it, whatever `keep` says.
    pub replay: Option<bool>,
    /// Decides on the messages up to the last answer and its results. Newer messages stay, and do
    /// not count.
    pub after_step: Option<bool>,
    /// The tokens that the trigger compares: the `estimate`, those that the log reports as `used`
    /// by the last answer, those and the estimates `trailing` it, or its `prompt` alone.
    pub measure: Option<TriggerMeasure>,
    /// Also keeps this many of the first events: messages, one of several calls as many.
    pub keep_first: Option<u64>,
    /// Also keeps the newest user messages of this many tokens, by 4 bytes a token; the one that
    /// crosses the line is cut in its middle.
    pub keep_users: Option<u64>,
    /// The fate of reasoning in kept messages that is bound to what is summarized, as that of
    /// Claude is: `keep`, or `drop` as Deep Agents 0.7 does.
    pub bound_reasoning: Option<BoundReasoning>,
    /// Tools by which the agent asks for a summary, and the beginning of a result that says it was
    /// made: the call behind such a result is summarized.
    pub asked_by: Option<Vec<AskingTool>>,
    /// The treatment of an edit of any stage that makes a transcript larger.
    pub on_growth: Option<OnGrowth>,
}

/// The table `[summarizer]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SummarizerConfig {
    /// The summarizer: `extract`, `http`, `command:PROGRAM` or `none`.
    pub kind: Option<SummarizerKind>,
    /// Length of a summary in tokens; 0 is 5 % of what it replaces, from 256 to 2000.
    pub budget: Option<usize>,
    /// The sections of a summary, and how the conversation is written into a prompt. Sets the
    /// prompts.
    pub template: Option<SummaryTemplate>,
    /// The prompt for a model. Its `{messages}` is replaced by the conversation.
    #[serde(default, deserialize_with = "spelling::prompt")]
    pub prompt: Option<String>,
    /// The prompt if there is an earlier summary, which replaces `{prior_summary}`. If it is empty,
    /// an earlier summary is among the messages.
    #[serde(default, deserialize_with = "spelling::merge_prompt")]
    pub merge_prompt: Option<String>,
    /// Code points of a tool result in a prompt of the template `opencode`; 0 is all.
    pub result_chars: Option<usize>,
    /// Headings that a summary must have, in any order.
    pub headings: Option<Vec<String>>,
    /// The treatment of a transcript whose summary fails.
    pub on_failure: Option<OnFailure>,
    /// Environment variables that `command:PROGRAM` gets beside `PATH`, `HOME` and the like.
    pub pass_env: Option<Vec<String>>,
    /// A file with weights for the embedded summarizer, as `epitome fit` writes it.
    pub weights: Option<PathBuf>,
    /// The model that writes summaries, by the server's name for it.
    pub model: Option<String>,
    /// The server's interface.
    pub dialect: Option<Dialect>,
    /// The server's address.
    pub base_url: Option<String>,
    /// The environment variable that holds the API key.
    pub api_key_env: Option<String>,
    /// The file that holds the API key.
    pub api_key_file: Option<PathBuf>,
    /// Sends the API key over plain HTTP, too, to a server that is not on this machine.
    pub allow_plain_http: Option<bool>,
    /// A PEM file of certificate authorities to trust beside the system's.
    pub ca_file: Option<PathBuf>,
    /// Sampling temperature, from 0 to 2.
    #[serde(default, deserialize_with = "spelling::temperature")]
    pub temperature: Option<f64>,
    /// The most tokens of an answer; 0 is the server's limit.
    pub max_output_tokens: Option<u64>,
    /// Seconds until a request is given up.
    pub timeout: Option<NonZeroU64>,
    /// Seconds until a summary is given up, retries and waits included.
    pub deadline: Option<NonZeroU64>,
    /// The most times that a failed request is repeated.
    pub retries: Option<u64>,
    /// The number of requests at the same time, from 1 to 256.
    #[serde(default, deserialize_with = "spelling::concurrency")]
    pub concurrency: Option<usize>,
    /// US dollars per million tokens of input and of output, as `INPUT,OUTPUT`.
    pub price: Option<CallPrice>,
    /// The most calls of a run.
    pub max_calls: Option<u64>,
    /// The most US dollars that a run may cost.
    #[serde(default, deserialize_with = "spelling::max_cost")]
    pub max_cost: Option<f64>,
    /// The directory of cached answers; an empty text turns the cache off.
    pub cache: Option<CachePlace>,
    /// More headers of each request. A value `$NAME` is read from the environment.
    pub headers: Option<HeaderList>,
}

/// The table `[archive]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct ArchiveConfig {
    /// The directory of histories, as it is named to the model.
    pub prefix: Option<String>,
    /// The directory of evicted results, as it is named to the model; it may contain `{thread_id}`.
    pub results_prefix: Option<String>,
    /// The form of the messages in the history, and in prompts of the template `deepagents`.
    pub form: Option<HistoryForm>,
}

/// The table `[overflow]`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct OverflowConfig {
    /// Summarizes above this many tokens even if no trigger fired; 0 is the model's input limit.
    pub limit: Option<u64>,
    /// The number of tokens that every result must fit; 0 is no such limit.
    pub max_tokens: Option<u64>,
    /// The context in tokens, in place of all limits that the model declares; 0 is the model's.
    pub context: Option<u64>,
    /// The longest output in tokens, in place of the model's; 0 is the model's.
    pub output: Option<u64>,
    /// Tokens that are kept free of an input limit; 20,000 or `max_output` if that is less, if left
    /// out.
    pub reserved: Option<u64>,
    /// Lets the reserve count of a context, too: where both limits are declared, the smaller usable
    /// part counts.
    pub reserve_both: Option<bool>,
    /// Tokens that are kept free beside the room for an answer.
    pub buffer: Option<u64>,
    /// The share of the context that is the input limit of a model that declares none.
    #[serde(default, deserialize_with = "spelling::budget")]
    pub input_share: Option<f64>,
    /// The longest answer in tokens that room is kept for.
    pub max_output: Option<NonZeroU64>,
    /// Lets the usable tokens be used up: the trigger `overflow` compares with `>` instead of `>=`.
    pub strict: Option<bool>,
    /// The share of the input limit, less the longest output, that is the budget of a call. Above
    /// it, summarizes even if no trigger fired; 0 is no budget.
    #[serde(default, deserialize_with = "spelling::budget")]
    pub budget: Option<f64>,
    /// The providers whose calls ask for the model's longest output, which the budget leaves free.
    /// For all others it is `output`.
    pub answers_of: Option<Vec<String>>,
}
