//! The settings of the summarizer.

use super::model::ModelPolicy;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The writer of summaries, and what it is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct SummarizerPolicy {
    /// The summarizer.
    pub kind: SummarizerKind,
    /// Length of a summary in tokens; 0 is 5 % of what it replaces, from 256 to 2000.
    pub budget: usize,
    /// The sections of a summary, and how the conversation is written into a prompt.
    pub template: SummaryTemplate,
    /// The prompt for a model. Its `{messages}` is replaced by the conversation.
    pub prompt: String,
    /// The prompt if there is an earlier summary, which replaces `{prior_summary}`. If it is empty,
    /// an earlier summary is among the messages.
    pub merge_prompt: String,
    /// Code points of a tool result in a prompt of the template `opencode`; 0 is all.
    pub result_chars: usize,
    /// Headings that a summary must have, in any order.
    pub headings: Vec<String>,
    /// The treatment of a transcript whose summary fails.
    pub on_failure: OnFailure,
    /// Variables of the environment that a program gets beside the usual ones.
    pub pass_env: Vec<String>,
    /// The file with the weights of the embedded summarizer; without one it has its own.
    pub weights: Option<PathBuf>,
    /// The parameters of asking a model.
    pub model: ModelPolicy,
}

/// The shapes of summaries and prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SummaryTemplate {
    /// SESSION INTENT, SUMMARY, ARTIFACTS, NEXT STEPS; messages as LangChain writes them.
    DeepAgents,
    /// Objective, Important Details, Work State, Next Move, Relevant Files; messages as labelled
    /// items.
    OpenCode,
}

impl SummaryTemplate {
    /// Returns the name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::DeepAgents => "deepagents",
            Self::OpenCode => "opencode",
        }
    }
}

/// The summarizers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SummarizerKind {
    /// The embedded summarizer, without a model or a network.
    Extract,
    /// A program that reads the prompt on stdin and writes the summary to stdout.
    Command(String),
    /// A model behind an HTTP interface.
    Http,
    /// No summarizer: only evict, truncate and prune.
    None,
}

impl SummarizerKind {
    /// Returns the program and its arguments, if a program writes the summaries.
    pub fn command_line(&self) -> Option<&str> {
        match self {
            Self::Command(line) => Some(line),
            Self::Extract | Self::Http | Self::None => None,
        }
    }
}

/// The treatment of a transcript whose summary fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// Writes the transcript unchanged and marks it as failed.
    Keep,
    /// Lets the embedded summarizer write the summary, with a warning.
    Extract,
    /// Ends the run.
    Fail,
}

impl OnFailure {
    /// All values, in the order in which help lists them.
    pub const ALL: [Self; 3] = [Self::Keep, Self::Extract, Self::Fail];

    /// Returns the name in options and the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Extract => "extract",
            Self::Fail => "fail",
        }
    }
}
