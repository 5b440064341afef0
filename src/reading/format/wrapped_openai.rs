//! Formats that wrap a list of OpenAI chat messages in keys of their own. Each is a row of this
//! file; only the list is compacted, everything around it stays as logged.

use crate::reading::format::openai::render_chat_message;
use crate::reading::format::openai_records::{MessageListPath, read_openai_records};
use crate::reading::format::prelude::*;

/// A format that keeps OpenAI chat messages below other keys.
pub(super) struct WrappedOpenAi {
    /// The name for `--format` and reports.
    name: &'static str,
    /// The line for `epitome formats`.
    help_line: &'static str,
    /// The keys that lead to the list of messages, and the key that names the conversation.
    path: MessageListPath,
    /// Keys of which the record must have at least one; empty if none is required.
    required_keys: &'static [&'static str],
    /// Keys that the first message must have; empty if the list may be empty.
    first_message_keys: &'static [&'static str],
    /// The evidence in words.
    why: &'static str,
}

/// Requests of the OpenAI Batch API.
pub(super) static OPENAI_BATCH: WrappedOpenAi = WrappedOpenAi {
    name: "openai-batch",
    help_line: "OpenAI Batch API requests: {\"custom_id\": ..., \"body\": {\"model\": ..., \"messages\": [...]}}",
    path: MessageListPath {
        list: &["body", "messages"],
        thread: Some("custom_id"),
        trial: None,
    },
    required_keys: &["custom_id"],
    first_message_keys: &[],
    why: "custom_id and body.messages",
};

/// OpenAI preference data: the prompt is compacted, the answers to choose from stay.
pub(super) static OPENAI_DPO: WrappedOpenAi = WrappedOpenAi {
    name: "openai-dpo",
    help_line: "OpenAI preference (DPO) data: {\"input\": {\"messages\": [...]}, \"preferred_output\": ...}; only input.messages is compacted",
    path: MessageListPath {
        list: &["input", "messages"],
        thread: None,
        trial: None,
    },
    required_keys: &[
        "preferred_output",
        "preferred_completion",
        "non_preferred_output",
        "non_preferred_completion",
    ],
    first_message_keys: &[],
    why: "input.messages beside preferred or non-preferred answers",
};

/// Trajectories of SWE-agent, whose results answer by `tool_call_ids`.
pub(super) static SWE_AGENT: WrappedOpenAi = WrappedOpenAi {
    name: "swe-agent",
    help_line: "SWE-agent .traj: {\"history\": [OpenAI messages], \"trajectory\": [...], \"info\": ...}; only history is compacted",
    path: MessageListPath {
        list: &["history"],
        thread: Some("instance_id"),
        trial: None,
    },
    required_keys: &[],
    first_message_keys: &["role", "content"],
    why: "a list history of messages",
};

/// Results of tau-bench, whose call ids repeat within a conversation.
pub(super) static TAU_BENCH: WrappedOpenAi = WrappedOpenAi {
    name: "tau-bench",
    help_line: "tau-bench results: {\"task_id\": ..., \"reward\": ..., \"traj\": [OpenAI messages]}",
    path: MessageListPath {
        list: &["traj"],
        thread: Some("task_id"),
        trial: Some("trial"),
    },
    required_keys: &[],
    first_message_keys: &["role"],
    why: "a list traj of objects with a role",
};

/// Prompts of TRL with the answers to train on or to choose from: the prompt is compacted, the
/// answers stay.
pub(super) static TRL: WrappedOpenAi = WrappedOpenAi {
    name: "trl",
    help_line: "TRL data in chat form: {\"prompt\": [OpenAI messages], \"completion\" or \"chosen\" and \"rejected\": [...]}; only prompt is compacted",
    path: MessageListPath {
        list: &["prompt"],
        thread: None,
        trial: None,
    },
    required_keys: &["completion", "chosen", "rejected"],
    first_message_keys: &["role", "content"],
    why: "a list prompt of messages beside completion, chosen or rejected",
};

/// Trajectories of agents as data sets keep them, such as SWE-rebench.
pub(super) static TRAJECTORY: WrappedOpenAi = WrappedOpenAi {
    name: "openai-trajectory",
    help_line: "trajectories in data sets: {\"trajectory\": [OpenAI messages]} beside other keys; only trajectory is compacted",
    path: MessageListPath {
        list: &["trajectory"],
        thread: Some("instance_id"),
        trial: None,
    },
    required_keys: &[],
    first_message_keys: &["role", "content"],
    why: "a list trajectory of messages",
};

impl WrappedOpenAi {
    fn has_required_key(&self, record: JsonNode<'_>) -> bool {
        self.required_keys.is_empty() || self.required_keys.iter().any(|key| record.has_key(key))
    }

    fn accepts_list(&self, list: JsonNode<'_>) -> bool {
        let keys = self.first_message_keys;
        let mut messages = list.items();
        list.is_kind(JsonKind::Array)
            && (keys.is_empty()
                || messages
                    .next()
                    .is_some_and(|first| keys.iter().all(|key| first.has_key(key))))
    }
}

impl Format for WrappedOpenAi {
    fn name(&self) -> &'static str {
        self.name
    }

    fn help_line(&self) -> &'static str {
        self.help_line
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let list = record.get_path(self.path.list)?;
        (self.accepts_list(list) && self.has_required_key(record))
            .then(|| Recognition::by_envelope(Shape::Conversation, self.why))
    }

    fn read_transcript<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        read_openai_records(records, Shape::Conversation, self.path)
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        render_chat_message(transcript, place, role, text)
    }
}
