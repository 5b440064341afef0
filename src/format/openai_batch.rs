//! Requests of the OpenAI Batch API: `{"custom_id", "method", "url", "body": {"messages": …}}`.

use crate::error::RecordError;
use crate::format::openai::{MessageListPath, message, read_below};
use crate::format::tree::JsonNode;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::JsonKind;
use crate::transcript::{Record, Role, Transcript};

/// Requests of the Batch API.
pub(super) struct OpenAiBatchFormat;

const PATH: MessageListPath = MessageListPath {
    list: &["body", "messages"],
    thread: Some("custom_id"),
};

impl Format for OpenAiBatchFormat {
    fn name(&self) -> &'static str {
        "openai-batch"
    }

    fn help_line(&self) -> &'static str {
        "OpenAI Batch API requests: {\"custom_id\": ..., \"body\": {\"model\": ..., \"messages\": [...]}}"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let has_messages = record
            .at(PATH.list)
            .is_some_and(|list| list.is(JsonKind::Array));
        (record.has("custom_id") && has_messages).then_some(Recognition {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "custom_id and body.messages",
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
