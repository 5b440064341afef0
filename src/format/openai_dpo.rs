//! OpenAI preference data: only the prompt in `input.messages` is compacted,
//! the answers to choose from stay as they are.

use crate::error::RecordError;
use crate::format::openai::{Path, message, read_below};
use crate::format::tree::Node;
use crate::format::{Certainty, Entry, Format, Hit, Place, Shape};
use crate::json::Kind;
use crate::transcript::{Record, Role, Transcript};

/// OpenAI preference data.
pub(super) struct OpenAiDpo;

const PATH: Path = Path {
    list: &["input", "messages"],
    thread: None,
};

impl Format for OpenAiDpo {
    fn name(&self) -> &'static str {
        "openai-dpo"
    }

    fn about(&self) -> &'static str {
        "OpenAI preference (DPO) data: {\"input\": {\"messages\": [...]}, \"preferred_output\": ...}; only input.messages is compacted"
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
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
            .is_some_and(|list| list.is(Kind::Array));
        (has_answers && has_input).then_some(Hit {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "input.messages beside preferred or non-preferred answers",
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
