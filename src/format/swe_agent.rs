//! SWE-agent trajectories: `history` holds the messages (OpenAI with
//! `tool_call_ids`); `trajectory` and `info` stay as they are.

use crate::error::RecordError;
use crate::format::openai::{MessageListPath, message, read_below};
use crate::format::tree::JsonNode;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::transcript::{Record, Role, Transcript};

/// Trajectories of SWE-agent.
pub(super) struct SweAgentFormat;

const PATH: MessageListPath = MessageListPath {
    list: &["history"],
    thread: Some("instance_id"),
};

impl Format for SweAgentFormat {
    fn name(&self) -> &'static str {
        "swe-agent"
    }

    fn help_line(&self) -> &'static str {
        "SWE-agent .traj: {\"history\": [OpenAI messages], \"trajectory\": [...], \"info\": ...}; only history is compacted"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let has_messages = record
            .list("history")
            .next()
            .is_some_and(|first| first.has("role") && first.has("content"));
        let hit = Recognition {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "a list history of messages",
        };
        has_messages.then_some(hit)
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        _: Shape,
    ) -> Result<Transcript<'a>, RecordError> {
        read_below(records, PATH)
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        SummaryInsertion::message(message(transcript, place, Role::User, text))
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        message(transcript, place, role, text)
    }
}
