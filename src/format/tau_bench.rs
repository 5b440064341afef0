//! tau-bench results: an array of `{"task_id", "reward", "traj": [OpenAI messages]}`.
//! Call ids repeat within a conversation.

use crate::error::RecordError;
use crate::format::openai::{MessageListPath, message, read_below};
use crate::format::tree::JsonNode;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::transcript::{Record, Role, Transcript};

/// Results of tau-bench.
pub(super) struct TauBenchFormat;

const PATH: MessageListPath = MessageListPath {
    list: &["traj"],
    thread: Some("task_id"),
};

impl Format for TauBenchFormat {
    fn name(&self) -> &'static str {
        "tau-bench"
    }

    fn help_line(&self) -> &'static str {
        "tau-bench results: {\"task_id\": ..., \"reward\": ..., \"traj\": [OpenAI messages]}"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let has_messages = record
            .list("traj")
            .next()
            .is_some_and(|first| first.has("role"));
        has_messages.then_some(Recognition {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "a list traj of objects with a role",
        })
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
