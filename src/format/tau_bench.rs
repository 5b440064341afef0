//! tau-bench results: an array of `{"task_id", "reward", "traj": [OpenAI messages]}`.
//! Call ids repeat within a conversation.

use crate::error::RecordError;
use crate::format::openai::{Path, message, read_below};
use crate::format::tree::Node;
use crate::format::{Certainty, Entry, Format, Hit, Place, Shape};
use crate::transcript::{Record, Role, Transcript};

/// Results of tau-bench.
pub(super) struct TauBench;

const PATH: Path = Path {
    list: &["traj"],
    thread: Some("task_id"),
};

impl Format for TauBench {
    fn name(&self) -> &'static str {
        "tau-bench"
    }

    fn about(&self) -> &'static str {
        "tau-bench results: {\"task_id\": ..., \"reward\": ..., \"traj\": [OpenAI messages]}"
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
        let has_messages = record
            .list("traj")
            .next()
            .is_some_and(|first| first.has("role"));
        has_messages.then_some(Hit {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "a list traj of objects with a role",
        })
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
