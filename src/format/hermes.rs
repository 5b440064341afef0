//! Calls as tags in the text (Hermes, Qwen): `<tool_call>{…}</tool_call>` in
//! turns of the model, `<tool_response>` in turns of the tool or the user; in
//! `conversations` of ShareGPT or in `messages` with `role` and `content`.
//!
//! The tags are text to the model, so they count as text and nothing inside
//! them is cut. They tell which turns belong together.

use crate::error::RecordError;
use crate::format::reading::user_messages;
use crate::format::sharegpt::{
    ShareGptTurn, calls_in, find_list, place_in_turns, place_turns, read_turns, turn,
};
use crate::format::tree::JsonNode;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::decode_literal;
use crate::transcript::{Message, Record, Role, ToolCall, Transcript};

/// Conversations with calls in tags.
pub(super) struct HermesFormat;

const LISTS: [&str; 3] = ["conversations", "conversation", "messages"];
const CALL: [&str; 2] = ["<tool_call>", "</tool_call>"];
const RESPONSE: &str = "<tool_response>";
/// What the names of both have in common.
const NAMES: &str = "tool_";

impl Format for HermesFormat {
    fn name(&self) -> &'static str {
        "hermes"
    }

    fn help_line(&self) -> &'static str {
        "Hermes and Qwen tags: <tool_call> and <tool_response> in the text of conversations or messages"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let (list, _) = find_list(record, &LISTS)?;
        // What writes JSON may escape `<` and `/`, but no letters: most texts need not be decoded.
        let has_names = |json: &[u8]| memchr::memmem::find(json, NAMES.as_bytes()).is_some();
        if !has_names(list.bytes()) {
            return None;
        }
        let says = |turn: JsonNode<'_>, tag: &str| {
            let texts = ["value", "content"].iter().filter_map(|key| turn.get(key));
            let mut may = texts.filter(|text| has_names(text.bytes()));
            may.any(|text| text.text().is_some_and(|text| text.contains(tag)))
        };
        // Calls in fields of their own: tags are then somebody's words.
        let mut turns = list.items();
        let plain = turns.all(|turn| {
            !turn.has("tool_calls")
                && ["value", "content"]
                    .iter()
                    .any(|key| turn.get(key).is_some_and(|text| text.literal().is_some()))
        });
        let tagged = || {
            list.items()
                .any(|turn| says(turn, CALL[0]) && says(turn, CALL[1]))
                && list.items().any(|turn| says(turn, RESPONSE))
        };
        (plain && tagged()).then_some(Recognition {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "turns with <tool_call> and <tool_response> in their text",
        })
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        _: Shape,
    ) -> Result<Transcript<'a>, RecordError> {
        read_turns(records, &LISTS, read_turn)
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        place_in_turns(transcript, place, text)
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        _: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        turn(transcript, role, text)
    }

    fn place_messages(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        messages: &[(Role, String)],
        separator: &[u8],
    ) -> SummaryInsertion {
        place_turns(transcript, place, messages, separator)
    }
}

/// Turns with tags have no content that a stage may replace: the tags would go with it.
fn read_turn(bytes: &[u8], turn: ShareGptTurn<'_>, messages: &mut Vec<Message>) {
    let text = turn
        .value
        .literal()
        .map(|literal| decode_literal(literal.slice(bytes)))
        .unwrap_or_default();
    match turn.role {
        Role::User | Role::Tool
            if turn.role == Role::Tool || text.trim_start().starts_with(RESPONSE) =>
        {
            messages.push(Message {
                content_span: None,
                ..turn.to_message(Role::Function)
            })
        }
        Role::User => messages.extend(user_messages(bytes, turn.to_message(Role::User))),
        Role::Assistant => {
            let calls = turn.value.literal().into_iter().flat_map(|literal| {
                let parts =
                    tagged(&text).map(|part| (part.clone(), calls_in(bytes, literal, Some(part))));
                let opaque = ToolCall {
                    span: turn.value.span(),
                    ..ToolCall::default()
                };
                parts
                    .flat_map(move |(_, calls)| {
                        if calls.is_empty() {
                            vec![opaque.clone()]
                        } else {
                            calls
                        }
                    })
                    .collect::<Vec<_>>()
            });
            let calls = calls
                .map(|call| ToolCall {
                    legacy: true,
                    ..call
                })
                .collect();
            messages.push(Message {
                calls,
                ..turn.to_message(Role::Assistant)
            });
        }
        role => messages.push(turn.to_message(role)),
    }
}

/// What stands between the tags of calls.
fn tagged(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(CALL[0])? + CALL[0].len();
        // An answer that was cut off ends without its tag.
        let end = text[start..]
            .find(CALL[1])
            .map_or(text.len(), |length| start + length);
        at = end;
        Some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use crate::format;

    #[test]
    fn escaped_tags_are_tags() {
        let record = |call: &str| {
            let said = format!(
                r#"{{"from": "gpt", "value": "{call}"}}, {{"from": "tool", "value": "\u003ctool_response>1<\/tool_response>"}}"#
            );
            format!(r#"{{"conversations": [{{"from": "human", "value": "go"}}, {said}]}}"#)
        };
        let named = |record: &str| format::detect_format([record.as_bytes()]).unwrap().0.name();
        assert_eq!(
            named(&record(r"\u003ctool_call\u003e{}<\/tool_call>")),
            "hermes"
        );
        assert_eq!(named(&record("a tool_call of words")), "sharegpt");
    }
}
