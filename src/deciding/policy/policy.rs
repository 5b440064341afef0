//! The whole policy, before the model of a transcript is known.

use super::overflow::OverflowPolicy;
use super::stages::{
    ArchivePolicy, Cut, DedupPolicy, Evict, OnGrowth, PatchedCalls, Pin, Prune, Summarize,
    TriggerCount, Truncate,
};
use super::summarizer::SummarizerPolicy;
use crate::base::secrets::Redaction;
use crate::deciding::model::{Models, ProfileRelease};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The policy of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The name of the preset that it started from.
    pub preset: &'static str,
    /// The model that the transcripts are for; each record's own if there is none.
    pub model: Option<String>,
    /// The path of the user's own table of limits.
    pub limits: Option<String>,
    /// The release of Deep Agents whose limits go before the embedded ones.
    pub profiles: ProfileRelease,
    /// The known models, those of the user's table included.
    pub models: Models,
    /// Refuses models whose input limit is not known.
    pub strict_model: bool,
    /// The input limit in tokens, in place of the model's.
    pub max_input_tokens: Option<u64>,
    /// The name of the token counter.
    pub counter: &'static str,
    /// Code points per token of the approximate counter; by default by provider.
    pub chars_per_token: Option<f64>,
    /// The system prompt, as far as the log lacks it.
    pub system: SystemPolicy,
    /// What triggers count beside the messages.
    pub count: TriggerCount,
    /// The answers that calls without any get in a replay.
    pub patch: PatchedCalls,
    /// The stage evict.
    pub evict: Evict,
    /// The stage truncate.
    pub truncate: Truncate,
    /// The stage cut.
    pub cut: Cut,
    /// The stage dedup.
    pub dedup: DedupPolicy,
    /// The messages that no stage touches.
    pub pin: Pin,
    /// The stage prune.
    pub prune: Prune,
    /// The stage summarize.
    pub summarize: Summarize,
    /// The writer of summaries.
    pub summarizer: SummarizerPolicy,
    /// The paths of archives, as they are named to the model.
    pub archive: ArchivePolicy,
    /// The limits above which a transcript is too large.
    pub overflow: OverflowPolicy,
    /// The treatment of an edit that makes a transcript larger.
    pub on_growth: OnGrowth,
    /// What is masked in requests, summaries and archives.
    pub redact: Redaction,
}

/// The parts of a system prompt that are not in the log. Their paths come from the user only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPolicy {
    /// The file with the prompt of logs that have none.
    pub base: Option<String>,
    /// The files of the memory, in order.
    pub memory: Vec<String>,
    /// The directories of skills, in order.
    pub skills: Vec<SkillSource>,
    /// The directory that memory and skills lie below; without it their paths are those of this
    /// machine.
    pub root: Option<PathBuf>,
    /// Counts the sections where triggers and limits are compared.
    pub count: bool,
    /// The version of Deep Agents whose sections these are.
    pub version: SectionsVersion,
}

/// A directory of skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillSource {
    pub path: String,
    /// The label in the list of sources; by default by the path.
    pub label: Option<String>,
}

impl SkillSource {
    /// Returns a source without a label.
    pub fn from_path(path: String) -> Self {
        Self { path, label: None }
    }
}

/// The versions of the sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum SectionsVersion {
    /// Those of Deep Agents 0.4.
    #[serde(rename = "0.4")]
    V04,
    /// Those of Deep Agents 0.7.
    #[serde(rename = "0.7")]
    V07,
}
