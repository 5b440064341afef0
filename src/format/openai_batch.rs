//! Requests of the OpenAI Batch API: `{"custom_id", "method", "url", "body": {"messages": …}}`.

use crate::error::RecordError;
use crate::format::openai::{Path, message, read_below};
use crate::format::tree::Node;
use crate::format::{Certainty, Entry, Format, Hit, Place, Shape};
use crate::json::Kind;
use crate::transcript::{Record, Role, Transcript};

/// Requests of the Batch API.
pub(super) struct OpenAiBatch;

const PATH: Path = Path {
    list: &["body", "messages"],
    thread: Some("custom_id"),
};

impl Format for OpenAiBatch {
    fn name(&self) -> &'static str {
        "openai-batch"
    }

    fn about(&self) -> &'static str {
        "OpenAI Batch API requests: {\"custom_id\": ..., \"body\": {\"model\": ..., \"messages\": [...]}}"
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
        let has_messages = record
            .at(PATH.list)
            .is_some_and(|list| list.is(Kind::Array));
        (record.has("custom_id") && has_messages).then_some(Hit {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "custom_id and body.messages",
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
