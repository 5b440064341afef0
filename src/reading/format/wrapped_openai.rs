//! Formats that wrap a list of OpenAI chat messages in keys of their own. Each is a row of this
//! file; only the list is compacted, everything around it stays as logged.

use crate::reading::format::chat_row::{ChatEvidence, ChatReads, ChatRow};
use crate::reading::format::openai_records::MessageListPath;
use crate::reading::format::prelude::*;

/// Requests of the OpenAI Batch API.
#[rustfmt::skip]
pub(super) const OPENAI_BATCH: ChatRow = ChatRow {
    name: "openai-batch",
    help: "OpenAI Batch API requests: {\"custom_id\": ..., \"body\": {\"model\": ..., \"messages\": [...]}}",
    told: ChatEvidence::Rows(&[conversation("custom_id and body.messages", &[kind("body.messages", LIST), has("custom_id")])]),
    reads: ChatReads::OpenAi(MessageListPath { list: &["body", "messages"], thread: Some("custom_id"), trial: None }),
    ..ChatRow::PLAIN
};

/// OpenAI preference data: the prompt is compacted, the answers to choose from stay.
#[rustfmt::skip]
pub(super) const OPENAI_DPO: ChatRow = ChatRow {
    name: "openai-dpo",
    help: "OpenAI preference (DPO) data: {\"input\": {\"messages\": [...]}, \"preferred_output\": ...}; only input.messages is compacted",
    told: ChatEvidence::Rows(&[conversation("input.messages beside preferred or non-preferred answers", &[kind("input.messages", LIST), has("preferred_output|preferred_completion|non_preferred_output|non_preferred_completion")])]),
    reads: ChatReads::OpenAi(MessageListPath { list: &["input", "messages"], thread: None, trial: None }),
    ..ChatRow::PLAIN
};

/// Trajectories of SWE-agent, whose results answer by `tool_call_ids`.
#[rustfmt::skip]
pub(super) const SWE_AGENT: ChatRow = ChatRow {
    name: "swe-agent",
    help: "SWE-agent .traj: {\"history\": [OpenAI messages], \"trajectory\": [...], \"info\": ...}; only history is compacted",
    told: ChatEvidence::Rows(&[conversation("a list history of messages", &[kind("history", LIST), If::Of(at("history.0"), &[all("role|content")])])]),
    reads: ChatReads::OpenAi(MessageListPath { list: &["history"], thread: Some("instance_id"), trial: None }),
    ..ChatRow::PLAIN
};

/// Results of tau-bench, whose call ids repeat within a conversation.
#[rustfmt::skip]
pub(super) const TAU_BENCH: ChatRow = ChatRow {
    name: "tau-bench",
    help: "tau-bench results: {\"task_id\": ..., \"reward\": ..., \"traj\": [OpenAI messages]}",
    told: ChatEvidence::Rows(&[conversation("a list traj of objects with a role", &[kind("traj", LIST), If::Of(at("traj.0"), &[all("role")])])]),
    reads: ChatReads::OpenAi(MessageListPath { list: &["traj"], thread: Some("task_id"), trial: Some("trial") }),
    ..ChatRow::PLAIN
};

/// Prompts of TRL with the answers to train on or to choose from: the prompt is compacted, the
/// answers stay.
#[rustfmt::skip]
pub(super) const TRL: ChatRow = ChatRow {
    name: "trl",
    help: "TRL data in chat form: {\"prompt\": [OpenAI messages], \"completion\" or \"chosen\" and \"rejected\": [...]}; only prompt is compacted",
    told: ChatEvidence::Rows(&[conversation("a list prompt of messages beside completion, chosen or rejected", &[kind("prompt", LIST), If::Of(at("prompt.0"), &[all("role|content")]), has("completion|chosen|rejected")])]),
    reads: ChatReads::OpenAi(MessageListPath { list: &["prompt"], thread: None, trial: None }),
    ..ChatRow::PLAIN
};

/// Trajectories of agents as data sets keep them, such as SWE-rebench.
#[rustfmt::skip]
pub(super) const TRAJECTORY: ChatRow = ChatRow {
    name: "openai-trajectory",
    help: "trajectories in data sets: {\"trajectory\": [OpenAI messages]} beside other keys; only trajectory is compacted",
    told: ChatEvidence::Rows(&[conversation("a list trajectory of messages", &[kind("trajectory", LIST), If::Of(at("trajectory.0"), &[all("role|content")])])]),
    reads: ChatReads::OpenAi(MessageListPath { list: &["trajectory"], thread: Some("instance_id"), trial: None }),
    ..ChatRow::PLAIN
};
