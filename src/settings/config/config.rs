//! The keys of the configuration. A key stands here once: its type, its place in the policy, and what
//! a file that is found, or an export of somebody else's, may set it to.

use super::row::{ConfigKey, ConfigTable, config_table, given_key, place_of, set_key};
use super::spelling::{CounterName, HeaderList};
use super::trust::{
    POLICY, WRITER, any, guard, is_below, is_empty, is_false, is_true, masks, names_no_file, never,
    server,
};
use super::{amounts, spelling};
use crate::base::secrets::Redaction;
use crate::deciding::model::ProfileRelease;
use crate::deciding::policy::{
    AskingTool, BoundReasoning, CachePlace, CallPrice, Dialect, HistoryForm, Keep, LeastCleared,
    NoticeForm, OnFailure, OnGrowth, PatchedCalls, Policy, Preset, PruneMeasure, PruneRule,
    SectionsVersion, SkillSource, SummarizerKind, SummaryTemplate, TextPattern, Trigger,
    TriggerMeasure,
};
use crate::reading::transcript::{Role, summary_frame::SummaryFrame};
#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU64;
use std::path::PathBuf;

config_table! {
    /// The keys of a configuration. A key that is left out leaves the policy as it is.
    Config at top;

    /// The preset that the policy starts from.
    preset: &'static Preset as own, POLICY;
    /// The model that the transcripts are for, as `provider:model`; each record's own if left out.
    model: String as own, server(any);
    /// A table of model limits, which takes precedence over the embedded one.
    limits: PathBuf as own, guard(is_below, never);
    /// A release of Deep Agents whose limits take precedence over the embedded ones: `none`, `0.4.3`
    /// or `0.7.32`.
    profiles: ProfileRelease as value, POLICY;
    /// Refuses models whose input limit is not known.
    strict_model: bool as value, guard(is_true, any);
    /// The model's input limit in tokens, in place of the known one.
    max_input_tokens: NonZeroU64 as own, POLICY;
    /// The token counter.
    counter: CounterName as own, guard(names_no_file, names_no_file);
    /// Code points per token of the approximate counter.
    #[serde(default, deserialize_with = "spelling::chars_per_token")]
    chars_per_token: f64 as option, POLICY;
    /// Masks secrets in requests, summaries and archives; with "pii" personal data, too.
    redact: Redaction as value, guard(masks, any);

    [tables]

    /// The system prompt that the live agent would have sent, as far as the log lacks it.
    system: SystemConfig;
    /// What triggers count beside the messages.
    count: CountConfig;
    /// Answers for calls that have none.
    patch: PatchConfig;
    /// Moving large tool results into files.
    evict: EvictConfig;
    /// Shortening long arguments of old calls.
    truncate: TruncateConfig;
    /// Replacing old tool results by a placeholder. The table turns the stage on, even if it is
    /// empty.
    prune: Option<PruneConfig>;
    /// Replacing results that are repeated further down.
    dedup: DedupConfig;
    /// Shortening long results in their structure.
    cut: CutConfig;
    /// Messages that no stage touches.
    pin: PinConfig;
    /// Replacing what is before the cutoff by a summary.
    summarize: SummarizeConfig;
    /// The writer of summaries.
    summarizer: SummarizerConfig;
    /// The paths that are named to the model.
    archive: ArchiveConfig;
    /// The limits above which a transcript is too large.
    overflow: OverflowConfig;
}

config_table! {
    /// The table `[system]`.
    SystemConfig at system;

    /// A file with the system prompt of logs that have none.
    base: String as option, guard(never, never);
    /// The files of the memory, in order.
    memory: Vec<String> as value, guard(never, is_empty);
    /// The directories of skills, in order: a path, or a table of path and label.
    skills: Vec<SkillSource> as value, guard(never, is_empty);
    /// The directory that memory and skills lie below; without it their paths are those of this
    /// machine.
    root: PathBuf as path, guard(never, never);
    /// Counts the sections where triggers and limits are compared.
    count: bool as value, POLICY;
    /// The version of Deep Agents whose sections these are.
    version: SectionsVersion as value, POLICY;
}

config_table! {
    /// The table `[count]`.
    CountConfig at count;

    /// Counts the leading system message when a trigger is compared.
    system: bool as value, POLICY;
    /// Counts the tool schemas when a trigger is compared.
    tools: bool as value, POLICY;
}

config_table! {
    /// The table `[patch]`.
    PatchConfig at patch;

    /// In a replay, gives calls without an answer the one that Deep Agents of this version adds when
    /// the user speaks again: `off`, `0.4` or `0.7`.
    calls: PatchedCalls as value at patch, POLICY;
}

config_table! {
    /// The table `[evict]`.
    EvictConfig at evict;

    /// Evicts results longer than four times this many code points; 0 turns the stage off.
    tokens: u64 as value, POLICY;
    /// Tools whose results are never evicted.
    exclude: Vec<String> as value, POLICY;
    /// Moves the last user message of a call into a file if it is longer than four times this many
    /// code points; 0 never does.
    human_tokens: u64 as value, POLICY;
    /// The form of the notice that replaces a result.
    notice: NoticeForm as value, POLICY;
}

config_table! {
    /// The table `[truncate]`.
    TruncateConfig at truncate;

    /// When to truncate: any table of the list, if all of its conditions hold.
    trigger: Trigger as option, POLICY;
    /// The recent context that is left alone: tokens, messages or fraction.
    #[serde(default, deserialize_with = "amounts::keep_without_turns")]
    keep: Keep as option, POLICY;
    /// The longest argument that is left alone, in code points.
    max_length: usize as value, POLICY;
    /// The text that replaces what is cut off.
    text: String as value, POLICY;
    /// Tools whose arguments are truncated.
    tools: Vec<String> as value, POLICY;
}

config_table! {
    /// The table `[cut]`.
    CutConfig at cut;

    /// Shortens results of more than this many tokens to about as many: JSON stays JSON, a table
    /// keeps its head, a log its first, last and error lines. 0 turns the stage off.
    tokens: u64 as value, POLICY;
    /// Leaves this many of the newest results alone.
    keep: u64 as value, POLICY;
    /// Tools whose results are never shortened.
    exclude: Vec<String> as value, POLICY;
}

config_table! {
    /// The table `[dedup]`.
    DedupConfig at dedup;

    /// Replaces a result that is repeated further down by a reference to the newest.
    enabled: bool as value, POLICY;
    /// Leaves results of fewer tokens than this alone.
    least: u64 as value, POLICY;
    /// Tools of which a later result for the same file, or the same arguments, replaces the earlier.
    tools: Vec<String> as value, POLICY;
}

config_table! {
    /// The table `[pin]`.
    PinConfig at pin;

    /// Roles whose messages are never summarized, pruned, evicted or cut.
    roles: Vec<Role> as value, POLICY;
    /// Tools whose results are never summarized, pruned, evicted or cut.
    tools: Vec<String> as value, POLICY;
    /// Regular expressions: a message in whose text one is found is never summarized, pruned,
    /// evicted or cut.
    #[cfg_attr(test, schemars(with = "Option<Vec<String>>"))]
    patterns: Vec<TextPattern> as value, POLICY;
    /// Labels: a message that has one, under `label`, `labels`, `tag` or `tags`, is never
    /// summarized, pruned, evicted or cut.
    labels: Vec<String> as value, POLICY;
}

config_table! {
    /// The table `[prune]`.
    PruneConfig at prune;

    /// Turns the stage on or off.
    enabled: bool as own, POLICY;
    /// Keeps this many tokens of the newest results; the result that crosses this line is pruned.
    protect: u64 as value, POLICY;
    /// Prunes only if more than this many tokens would go.
    minimum: u64 as value, POLICY;
    /// Counts results of fewer tokens than this, but leaves them alone.
    least: u64 as value, POLICY;
    /// The text that replaces a result. `{lines}` in it are the lines of the result, `{images}` its
    /// pictures; what is between `[[` and `]]` is left out where the result has no pictures.
    placeholder: String as value, POLICY;
    /// Tools whose results are neither pruned nor counted.
    protect_tools: Vec<String> as value, POLICY;
    /// Leaves this many of the newest user turns alone, and does not count them.
    skip_turns: u64 as value, POLICY;
    /// Leaves this many of the newest messages alone, and does not count them.
    skip_messages: u64 as value, POLICY;
    /// Goes on behind a result that was pruned before.
    rescan: bool as value, POLICY;
    /// Treats results of failed calls, results pruned before and results before an earlier summary
    /// like any other.
    every_result: bool as value, POLICY;
    /// In a replay, prunes before each call instead of where the agent has ended its turn.
    each_call: bool as value, POLICY;
    /// Scans in the order in which OpenCode stores messages: a summary follows the messages
    /// that it kept.
    stored_order: bool as value, POLICY;
    /// The rule that chooses the results: by `tokens`, as OpenCode, or by the number of `results`,
    /// as LangChain, Anthropic and SWE-agent. By number, only `placeholder`, `protect_tools` and what follows
    /// count.
    rule: PruneRule as value, POLICY;
    /// Prunes calls of more than this many tokens.
    trigger: u64 as value, POLICY;
    /// Prunes calls of at least this many results, whatever their tokens; 0 is no such number.
    results: u64 as value, POLICY;
    /// The tokens that are compared with `trigger`: those of the `messages`, or those `used` by the
    /// call.
    measure: PruneMeasure as value, POLICY;
    /// Keeps this many of the newest results.
    keep: u64 as value, POLICY;
    /// The tokens that pruning is to save; 0 is as many as it can.
    clear_at_least: u64 as value, POLICY;
    /// The meaning of `clear_at_least`: clearing ends (`stop`) as soon as it is reached, or needs
    /// to reach it (`need`).
    at_least: LeastCleared as value, POLICY;
    /// Also replaces the arguments of the calls of pruned results by `{}`.
    clear_inputs: bool as value, POLICY;
    /// Keeps this many of the oldest results.
    keep_first: u64 as value, POLICY;
    /// Counts the results in steps of this many: newer ones than the last full step stay.
    polling: NonZeroU64 as number, POLICY;
    /// Takes what a trajectory marks as an observation for a result, and follows its tags
    /// `keep_output` and `remove_output`. Without marks, the first user message is the first
    /// observation.
    observations: bool as value, POLICY;
}

config_table! {
    /// The table `[summarize]`.
    SummarizeConfig at summarize;

    /// When to summarize: any table of the list, if all of its conditions hold.
    trigger: Trigger as option, POLICY;
    /// The recent context that is kept: tokens, messages, fraction, events, or turns and tokens
    /// beside them; or by the rule of another agent: recent (pi), back
    /// (Cline), whole (OpenCode 2), answers (Claude Code), characters (Gemini CLI).
    keep: Keep as option, POLICY;
    /// The share of `trigger` that the preset's keep takes at most, where no `keep` is given; 0 is without
    /// a bound. A quarter where no preset is named, else 0.
    #[serde(default, deserialize_with = "spelling::budget")]
    keep_share: f64 as value, POLICY;
    /// Passes only the last tokens, this many, to the summarizer; 0 passes all.
    trim_tokens: u64 as value, POLICY;
    /// The frame of the summary: the messages that present it to the model.
    frame: SummaryFrame as value, POLICY;
    /// Keeps the last user message and all behind it, whatever `keep` says.
    replay: bool as value, POLICY;
    /// Decides on the messages up to the last answer and its results. Newer messages stay, and do
    /// not count.
    after_step: bool as value, POLICY;
    /// The tokens that the trigger compares: the `estimate`, those that the log reports for the
    /// last answer and the estimates `trailing` it, its `prompt` alone, or the `larger` of that and
    /// the estimate.
    measure: TriggerMeasure as value, POLICY;
    /// Also keeps this many of the first events: messages, one of several calls as many.
    keep_first: u64 as value, POLICY;
    /// Also keeps the newest user messages of this many tokens, by 4 bytes a token; the one that
    /// crosses the line is cut in its middle.
    keep_users: u64 as value, POLICY;
    /// The fate of reasoning in kept messages that is bound to what is summarized, as that of
    /// Claude is: `keep`, or `drop` as Deep Agents 0.7 does.
    bound_reasoning: BoundReasoning as value, POLICY;
    /// Tools by which the agent asks for a summary, and the beginning of a result that says it was
    /// made: the call behind such a result is summarized.
    asked_by: Vec<AskingTool> as value, POLICY;
    /// The treatment of an edit of any stage that makes a transcript larger.
    on_growth: OnGrowth as value at on_growth, POLICY;
}

config_table! {
    /// The table `[summarizer]`.
    SummarizerConfig at summarizer;

    /// The summarizer: `extract`, `http`, `command:PROGRAM` or `none`.
    kind: SummarizerKind as value, WRITER;
    /// Length of a summary in tokens; 0 is 5 % of what it replaces, from 256 to 2000.
    budget: usize as value, POLICY;
    /// The sections of a summary, and how the conversation is written into a prompt. Sets the
    /// prompts.
    template: SummaryTemplate as own, POLICY;
    /// The prompt for a model. Its `{messages}` is replaced by the conversation.
    #[serde(default, deserialize_with = "spelling::prompt")]
    prompt: String as own, server(any);
    /// The prompt if there is an earlier summary, which replaces `{prior_summary}`. If it is empty,
    /// an earlier summary is among the messages.
    #[serde(default, deserialize_with = "spelling::merge_prompt")]
    merge_prompt: String as value, server(any);
    /// Code points of a tool result in a prompt of the template `opencode`; 0 is all.
    result_chars: usize as value, server(any);
    /// Headings that a summary must have, in any order.
    headings: Vec<String> as value, server(any);
    /// The treatment of a transcript whose summary fails.
    on_failure: OnFailure as value, POLICY;
    /// Environment variables that `command:PROGRAM` gets beside `PATH`, `HOME` and the like.
    pass_env: Vec<String> as value, server(is_empty);
    /// A file with weights for the embedded summarizer, as `epitome fit` writes it.
    weights: PathBuf as path, guard(never, never);
    /// The model that writes summaries, by the server's name for it.
    model: String as option at summarizer.model.name, server(any);
    /// The server's interface.
    dialect: Dialect as option at summarizer.model.dialect, server(any);
    /// The server's address.
    base_url: String as option at summarizer.model.base_url, server(never);
    /// The environment variable that holds the API key.
    api_key_env: String as option at summarizer.model.key_env, server(never);
    /// The file that holds the API key.
    api_key_file: PathBuf as path at summarizer.model.key_file, server(never);
    /// Sends the API key over plain HTTP, too, to a server that is not on this machine.
    allow_plain_http: bool as value at summarizer.model.allow_plain_http, server(is_false);
    /// A PEM file of certificate authorities to trust beside the system's.
    ca_file: PathBuf as path at summarizer.model.ca_file, server(never);
    /// Sampling temperature, from 0 to 2.
    #[serde(default, deserialize_with = "spelling::temperature")]
    temperature: f64 as option at summarizer.model.temperature, server(any);
    /// Maximum tokens of an answer; 0 is the server's limit.
    max_output_tokens: u64 as value at summarizer.model.max_output, server(any);
    /// Seconds until a request is given up.
    timeout: NonZeroU64 as number at summarizer.model.timeout, server(any);
    /// Seconds until a summary is given up, retries and waits included.
    deadline: NonZeroU64 as number at summarizer.model.deadline, server(any);
    /// Maximum retries of a failed request.
    retries: u64 as value at summarizer.model.retries, server(any);
    /// The number of requests at the same time, from 1 to 256.
    #[serde(default, deserialize_with = "spelling::concurrency")]
    concurrency: usize as value at summarizer.model.concurrency, server(any);
    /// US dollars per million tokens of input and of output, as `INPUT,OUTPUT`.
    price: CallPrice as option at summarizer.model.price, server(any);
    /// Maximum calls of a run.
    max_calls: u64 as option at summarizer.model.max_calls, server(any);
    /// Maximum cost of a run in US dollars.
    #[serde(default, deserialize_with = "spelling::max_cost")]
    max_cost: f64 as option at summarizer.model.max_cost, server(any);
    /// The directory of cached answers; an empty text turns the cache off.
    cache: CachePlace as value at summarizer.model.cache, server(is_empty);
    /// More headers of each request. A value `$NAME` is read from the environment.
    headers: HeaderList as own, server(never);
}

config_table! {
    /// The table `[archive]`.
    ArchiveConfig at archive;

    /// The directory of histories, as it is named to the model.
    prefix: String as value, POLICY;
    /// The directory of evicted results, as it is named to the model; it may contain `{thread_id}`.
    results_prefix: String as value, POLICY;
    /// The form of the messages in the history, and in prompts of the template `deepagents`.
    form: HistoryForm as value, POLICY;
}

config_table! {
    /// The table `[overflow]`.
    OverflowConfig at overflow;

    /// Summarizes above this many tokens even if no trigger fired; 0 is the model's input limit.
    limit: u64 as value, POLICY;
    /// The number of tokens that every result must fit; 0 is no such limit.
    max_tokens: u64 as value, POLICY;
    /// The context in tokens, in place of all limits that the model declares; 0 is the model's.
    context: u64 as value, POLICY;
    /// The longest output in tokens, in place of the model's; 0 is the model's.
    output: u64 as value, POLICY;
    /// Tokens that are kept free of an input limit; 20,000 or `max_output` if that is less, if left
    /// out.
    reserved: u64 as option, POLICY;
    /// Lets the reserve count of a context, too: where both limits are declared, the smaller usable
    /// part counts.
    reserve_both: bool as value, POLICY;
    /// Tokens that are kept free beside the room for an answer.
    buffer: u64 as value, POLICY;
    /// The share of the context that is the input limit of a model that declares none.
    #[serde(default, deserialize_with = "spelling::budget")]
    input_share: f64 as value, POLICY;
    /// The longest answer in tokens that room is kept for.
    max_output: NonZeroU64 as number, POLICY;
    /// Lets the usable tokens be used up: the trigger `overflow` compares with `>` instead of `>=`.
    strict: bool as value, POLICY;
    /// The share of the input limit, less the longest output, that is the budget of a call. Above
    /// it, summarizes even if no trigger fired; 0 is no budget.
    #[serde(default, deserialize_with = "spelling::budget")]
    budget: f64 as value, POLICY;
    /// The providers whose calls ask for the model's longest output, which the budget leaves free.
    /// For all others it is `output`.
    answers_of: Vec<String> as value, POLICY;
}
