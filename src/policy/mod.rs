//! What the user asked for: data, and its pure evaluation. Settings fill it in
//! once; nothing after that reads an option.

mod amount;
mod model;
mod overflow;
mod presets;

pub use amount::{
    Amount, Clause, Keep, KeepCount, MissingLimit, Room, Threshold, Trigger, Triggered,
};
pub use model::{CachePlace, Dialect, ModelPolicy, OnFailure, Price};
pub use overflow::Overflow;
pub use presets::{PRESETS, Preset};

use crate::model::{Model, Models};
use crate::transcript::summary_frame::SummaryFrame;
use serde::{Deserialize, Serialize};

/// The whole policy, before a transcript's model is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The preset it started from.
    pub preset: &'static str,
    /// The model that the transcripts are for; else each record's own.
    pub model: Option<String>,
    /// The user's own table of limits, by its path.
    pub limits: Option<String>,
    /// The models that are known, that table included.
    pub models: Models,
    /// Whether a model whose limit is not known is an error.
    pub strict_model: bool,
    /// The input limit, whatever the model's is.
    pub max_input_tokens: Option<u64>,
    /// Name of the counter.
    pub counter: &'static str,
    /// Code points per token of an estimating counter; by provider if not given.
    pub chars_per_token: Option<f64>,
    /// Stage evict.
    pub evict: Evict,
    /// Stage truncate.
    pub truncate: Truncate,
    /// Stage prune.
    pub prune: Prune,
    /// Stage summarize.
    pub summarize: Summarize,
    /// Who writes the summary.
    pub summarizer: SummarizerPolicy,
    /// How archives are named to the model.
    pub archive: ArchivePolicy,
    /// When a transcript is too large.
    pub overflow: Overflow,
    /// What to do with an edit that makes a transcript larger.
    pub on_growth: OnGrowth,
    /// Whether secrets are masked in requests, summaries and archives.
    pub redact: bool,
}

/// Stage evict: large tool results go into files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evict {
    /// Results longer than four times this many code points are evicted; 0 = off.
    pub tokens: u64,
    /// Tools whose results stay.
    pub exclude: Vec<String>,
}

/// Stage truncate: long string arguments of old calls are cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Truncate {
    /// When; if not given, by whether the model's limit is known.
    pub trigger: Option<Trigger>,
    /// Recent messages that stay as they are; as `trigger` if not given.
    pub keep: Option<Keep>,
    /// Longest argument that stays, in code points.
    pub max_length: usize,
    /// What follows the part that is left.
    pub text: String,
    /// Tools whose arguments are cut.
    pub tools: Vec<String>,
}

/// Stage prune: old tool results become a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prune {
    /// Whether it runs.
    pub enabled: bool,
    /// So many tokens of the newest results stay; the result that crosses this line goes.
    pub protect: u64,
    /// Only if more than so many tokens would go.
    pub minimum: u64,
    /// What stands in place of a result.
    pub placeholder: String,
    /// Tools whose results stay, and are not counted.
    pub protect_tools: Vec<String>,
    /// So many of the newest user turns stay, and are not counted.
    pub skip_turns: u64,
    /// Whether to look on behind a result that was pruned before.
    pub rescan: bool,
    /// Whether results of failed calls, those pruned before and those before an earlier summary are like any other.
    pub every_result: bool,
    /// In a replay: whether it looks before each call, not only where the agent has ended its turn.
    pub each_call: bool,
}

/// Stage summarize: all before the cutoff becomes one message.
#[derive(Debug, Clone, PartialEq)]
pub struct Summarize {
    /// When; if not given, by whether the model's limit is known.
    pub trigger: Option<Trigger>,
    /// How much recent context stays; as `trigger` if not given.
    pub keep: Option<Keep>,
    /// Only the last so many tokens reach the summarizer; 0 = all.
    pub trim_tokens: u64,
    /// How the summary is presented.
    pub frame: SummaryFrame,
    /// Whether the last user message and all behind it stay, whatever the keep.
    pub replay: bool,
}

/// Who writes summaries.
#[derive(Debug, Clone, PartialEq)]
pub struct SummarizerPolicy {
    /// Which one.
    pub kind: SummarizerKind,
    /// Tokens of a summary; 0 = 5 % of what it replaces, at least 256, at most 2000.
    pub budget: usize,
    /// Sections of the embedded summarizer, and how the conversation is written into a prompt.
    pub template: Template,
    /// The prompt for a model; `{messages}` is replaced literally.
    pub prompt: String,
    /// The prompt where there is an earlier summary, for `{prior_summary}`; empty = it is among the messages.
    pub merge_prompt: String,
    /// Code points of a tool result in the prompt of the template `opencode`; 0 = all.
    pub result_chars: usize,
    /// Headings that a summary must have to be one, in any order.
    pub headings: Vec<String>,
    /// What becomes of a transcript whose summary failed.
    pub on_failure: OnFailure,
    /// How a model is asked.
    pub model: ModelPolicy,
}

/// The shapes of summaries and prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Template {
    /// SESSION INTENT, SUMMARY, ARTIFACTS, NEXT STEPS; messages as LangChain writes them.
    DeepAgents,
    /// Objective, Important Details, Work State, Next Move, Relevant Files; messages as labelled items.
    OpenCode,
}

impl Template {
    /// All templates.
    pub const ALL: [Self; 2] = [Self::DeepAgents, Self::OpenCode];

    /// The template's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DeepAgents => "deepagents",
            Self::OpenCode => "opencode",
        }
    }
}

impl SummarizerPolicy {
    /// Takes over a template, with its prompts.
    pub fn use_template(&mut self, template: Template) {
        presets::use_template(self, template);
    }
}

/// The summarizers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SummarizerKind {
    /// The embedded one: no model, no network.
    Extract,
    /// A program: prompt on stdin, summary on stdout.
    Command(String),
    /// A model behind an HTTP interface.
    Http,
    /// None: only evict, truncate and prune.
    None,
}

/// How archives are named to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivePolicy {
    /// Where histories are, as the model sees it.
    pub prefix: String,
    /// Where evicted results are, as the model sees it; may hold `{thread_id}`.
    pub results_prefix: String,
}

/// What to do with an edit that makes a transcript larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnGrowth {
    /// Don't make it, and say so.
    Skip,
    /// Make it, as the reference does.
    Allow,
}

/// The thresholds of one transcript, its model's limit known or known to be unknown.
#[derive(Debug, Clone, PartialEq)]
pub struct Thresholds {
    /// When to truncate.
    pub truncate_trigger: Vec<Clause<Threshold>>,
    /// Recent messages that truncation leaves alone.
    pub truncate_keep: KeepCount,
    /// When to summarise.
    pub summarize_trigger: Vec<Clause<Threshold>>,
    /// How much stays.
    pub summarize_keep: KeepCount,
    /// Summarise above this many tokens though nothing triggered.
    pub overflow: Option<u64>,
    /// Shrink step by step until there are at most so many tokens.
    pub fit: Option<u64>,
    /// Above this many tokens the result does not fit.
    pub limit: Option<u64>,
}

impl Policy {
    /// What a transcript's model has room for.
    #[must_use]
    pub fn room(&self, model: Option<&Model>) -> Room {
        self.room_with(None, model)
    }

    /// The same, where the log itself names the model's input limit.
    #[must_use]
    pub fn room_with(&self, logged: Option<u64>, model: Option<&Model>) -> Room {
        self.overflow.room(
            self.max_input_tokens.or(logged),
            model.map(|model| model.limits).unwrap_or_default(),
        )
    }

    /// The thresholds for a transcript whose model has so much room.
    ///
    /// # Errors
    /// If `[summarize]` uses a fraction and no limit is known.
    pub fn thresholds(&self, room: Room) -> Result<Thresholds, MissingLimit> {
        let limit = room.limit;
        let defaults = presets::defaults(self.preset, limit.is_some());
        let summarize_trigger = self
            .summarize
            .trigger
            .as_ref()
            .unwrap_or(&defaults.summarize_trigger);
        let summarize_keep = self.summarize.keep.unwrap_or(defaults.summarize_keep);
        let truncate_trigger = self
            .truncate
            .trigger
            .as_ref()
            .unwrap_or(&defaults.truncate_trigger);
        let truncate_keep = self.truncate.keep.unwrap_or(defaults.truncate_keep);
        // An explicit limit holds even where summarising has no trigger of its own; the model's only where it has
        // one, and not where the reference is followed in everything: there a limit alone never triggers.
        let asked = Some(self.overflow.max_tokens).filter(|tokens| *tokens > 0);
        let least = |limits: [Option<u64>; 2]| limits.into_iter().flatten().min();
        let overflow = match self.overflow.limit {
            0 if summarize_trigger.clauses.is_empty() || self.on_growth == OnGrowth::Allow => None,
            0 => limit,
            explicit => Some(explicit),
        };
        Ok(Thresholds {
            // In [truncate] a fraction of an unknown limit is no error: the trigger is false, keep means 20 messages.
            truncate_trigger: truncate_trigger
                .clauses
                .iter()
                .filter_map(|clause| clause.resolve(room))
                .collect(),
            truncate_keep: truncate_keep
                .resolve(room)
                .unwrap_or(KeepCount::Messages(presets::TRUNCATE_KEEP_WITHOUT_LIMIT)),
            summarize_trigger: summarize_trigger
                .resolve(room)
                .ok_or(MissingLimit { option: "trigger" })?,
            summarize_keep: summarize_keep
                .resolve(room)
                .ok_or(MissingLimit { option: "keep" })?,
            overflow: least([overflow, asked]),
            // The reference summarises once, and sends what that leaves.
            fit: if self.on_growth == OnGrowth::Allow {
                asked
            } else {
                least([overflow, asked])
            },
            limit: least([
                least([
                    limit,
                    (self.overflow.limit > 0).then_some(self.overflow.limit),
                ]),
                asked,
            ]),
        })
    }
}
