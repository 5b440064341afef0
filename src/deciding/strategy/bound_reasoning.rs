//! Reasoning that is bound to the conversation before it, as Claude's is: its provider may refuse
//! it once a summary took that conversation's place. See `docs/reference/deepagents.md`.

use crate::deciding::strategy::prelude::*;
use crate::reading::transcript::dropped_blocks::{is_one_list, object_blocks};

/// The types of reasoning blocks in the formats of Anthropic and of Bedrock.
const NATIVE_TYPES: [&str; 3] = ["thinking", "redacted_thinking", "reasoning_content"];
/// The type of reasoning blocks in LangChain's own form.
const COMMON_TYPE: &str = "reasoning";

/// Returns the bound reasoning in a range of messages. A message that would be left without a word
/// or a call keeps it, and so does a journal in which nothing is rewritten.
pub(crate) fn bound_reasoning(
    transcript: &Transcript<'_>,
    range: Range<usize>,
) -> Vec<DroppedBlocks> {
    if matches!(transcript.write_mode, WriteMode::Appended { .. }) {
        return Vec::new();
    }
    range
        .filter(|&index| transcript.messages[index].role == Role::Assistant)
        .filter_map(|index| bound_blocks(transcript, index))
        .collect()
}

/// Returns the bound reasoning of one answer.
fn bound_blocks(transcript: &Transcript<'_>, index: usize) -> Option<DroppedBlocks> {
    let message = &transcript.messages[index];
    let blocks: Vec<(usize, String)> = object_blocks(message)
        .filter_map(|(number, span)| Some((number, block_type(transcript, index, span)?)))
        .filter(|(_, kind)| kind == COMMON_TYPE || NATIVE_TYPES.contains(&kind.as_str()))
        .collect();
    if blocks.is_empty() || !is_one_list(transcript.record_of(index), message) {
        return None;
    }
    let binding = ReasoningBinding::of_answer(transcript, index);
    let bound = blocks.into_iter().filter(|(_, kind)| binding.binds(kind));
    let blocks: Vec<usize> = bound.map(|(number, _)| number).collect();
    let dropped = DroppedBlocks { message: index, blocks };
    (!dropped.blocks.is_empty() && leaves_something(message, &dropped)).then_some(dropped)
}

/// Returns true if a message says or calls something without the dropped blocks.
fn leaves_something(message: &Message, dropped: &DroppedBlocks) -> bool {
    !message.calls.is_empty() || object_blocks(message).any(|(number, _)| !dropped.contains(number))
}

/// The way in which an answer's reasoning is bound, by who gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReasoningBinding {
    /// It is not bound.
    Free,
    /// The log does not name the provider: only blocks in the native forms are bound.
    Native,
    /// Claude gave it: all of it is bound.
    All,
}

impl ReasoningBinding {
    fn of_answer(transcript: &Transcript<'_>, index: usize) -> Self {
        let message = &transcript.messages[index];
        let Some(provider) = message.provider else {
            return Self::Native;
        };
        match decode_literal(transcript.bytes(index, provider)).as_ref() {
            "anthropic" => Self::All,
            "bedrock" | "bedrock_converse" if is_claude(transcript, index) => Self::All,
            _ => Self::Free,
        }
    }

    fn binds(self, kind: &str) -> bool {
        match self {
            Self::Free => false,
            Self::Native => kind != COMMON_TYPE,
            Self::All => true,
        }
    }
}

/// Returns true if the metadata of an answer names Claude as its model.
fn is_claude(transcript: &Transcript<'_>, index: usize) -> bool {
    let element = transcript.bytes(index, transcript.messages[index].span);
    let Some(fields) = parse_python_object(element) else {
        return false;
    };
    let name = [
        ["response_metadata", "model_name"].as_slice(),
        &["data", "response_metadata", "model_name"],
        &["kwargs", "response_metadata", "model_name"],
    ]
    .into_iter()
    .find_map(|path| text_at(&fields, path));
    name.is_some_and(|name| {
        let name = name.to_lowercase();
        name.contains("claude") || name.contains("anthropic")
    })
}

fn block_type(transcript: &Transcript<'_>, index: usize, span: Span) -> Option<String> {
    let json = transcript.bytes(index, span);
    if json.first() != Some(&b'{') {
        return None;
    }
    text_at(&parse_python_object(json)?, &["type"]).map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::format::{Shape, format_by_name};

    /// Returns the blocks that an answer with this metadata and content loses.
    fn dropped_of(metadata: &str, content: &str) -> Vec<usize> {
        let record = format!(
            r#"{{"messages": [{{"role": "user", "content": "q"}}, {{"role": "assistant", "content": {content}{metadata}}}]}}"#
        );
        let format = format_by_name("openai").unwrap();
        let records = vec![Record { bytes: record.as_bytes(), line: 1 }];
        let transcript = format.read_transcript(records, Shape::Conversation).unwrap();
        bound_reasoning(&transcript, 0..transcript.messages.len())
            .into_iter()
            .flat_map(|dropped| dropped.blocks)
            .collect()
    }

    #[test]
    fn only_the_reasoning_of_claude_is_bound() {
        let content = r#"[{"type": "thinking", "thinking": "t"}, {"type": "reasoning", "reasoning": "r"}, {"type": "text", "text": "a"}]"#;
        let by = |provider: &str, model: &str| {
            let metadata = format!(
                r#", "response_metadata": {{"model_provider": "{provider}", "model_name": "{model}"}}"#
            );
            dropped_of(&metadata, content)
        };
        assert_eq!(dropped_of("", content), [0]);
        assert_eq!(by("anthropic", "x"), [0, 1]);
        assert_eq!(by("bedrock_converse", "us.anthropic.x"), [0, 1]);
        assert_eq!(by("bedrock", "Claude-x"), [0, 1]);
        assert_eq!(by("bedrock", "gpt-oss"), [0; 0]);
        assert_eq!(by("google_genai", "claude"), [0; 0]);
    }

    #[test]
    fn an_answer_never_becomes_empty() {
        let thought = r#"[{"type": "thinking", "thinking": "t"}]"#;
        let call = r#", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]"#;
        assert_eq!(dropped_of("", thought), [0; 0]);
        assert_eq!(dropped_of(call, thought), [0]);
        assert_eq!(dropped_of("", r#""text""#), [0; 0]);
    }
}
