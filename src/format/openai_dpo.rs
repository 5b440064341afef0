//! OpenAI preference data: only the prompt in `input.messages` is compacted,
//! the answers to choose from stay as they are.

use crate::error::RecordError;
use crate::format::openai::{MessageListPath, message, read_below};
use crate::format::tree::JsonNode;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::JsonKind;
use crate::transcript::{Record, Role, Transcript};

/// OpenAI preference data.
pub(super) struct OpenAiDpoFormat;

const PATH: MessageListPath = MessageListPath {
    list: &["input", "messages"],
    thread: None,
};

impl Format for OpenAiDpoFormat {
    fn name(&self) -> &'static str {
        "openai-dpo"
    }

    fn help_line(&self) -> &'static str {
        "OpenAI preference (DPO) data: {\"input\": {\"messages\": [...]}, \"preferred_output\": ...}; only input.messages is compacted"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let has_answers = [
            "preferred_output",
            "preferred_completion",
            "non_preferred_output",
            "non_preferred_completion",
        ]
        .iter()
        .any(|key| record.has(key));
        let has_input = record
            .at(PATH.list)
            .is_some_and(|list| list.is(JsonKind::Array));
        (has_answers && has_input).then_some(Recognition {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "input.messages beside preferred or non-preferred answers",
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
