//! SWE-agent trajectories: `history` holds the messages (OpenAI with
//! `tool_call_ids`); `trajectory` and `info` stay as they are.

use crate::error::RecordError;
use crate::format::openai::{Path, message, read_below};
use crate::format::tree::Node;
use crate::format::{Certainty, Entry, Format, Hit, Place, Shape};
use crate::transcript::{Record, Role, Transcript};

/// Trajectories of SWE-agent.
pub(super) struct SweAgent;

const PATH: Path = Path {
    list: &["history"],
    thread: Some("instance_id"),
};

impl Format for SweAgent {
    fn name(&self) -> &'static str {
        "swe-agent"
    }

    fn about(&self) -> &'static str {
        "SWE-agent .traj: {\"history\": [OpenAI messages], \"trajectory\": [...], \"info\": ...}; only history is compacted"
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
        let has_messages = record
            .list("history")
            .next()
            .is_some_and(|first| first.has("role") && first.has("content"));
        let hit = Hit {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "a list history of messages",
        };
        has_messages.then_some(hit)
    }

    fn read<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>, RecordError> {
        read_below(records, PATH)
    }

    fn place_summary(&self, transcript: &Transcript<'_>, place: &Place<'_>, text: &str) -> Entry {
        Entry::message(message(transcript, place, Role::User, text))
    }

    fn message(
        &self,
        transcript: &Transcript<'_>,
        place: &Place<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        message(transcript, place, role, text)
    }
}
