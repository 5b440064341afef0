//! OpenAI chat messages: `{"messages": […], "tools": […], …}`, a bare list of messages, or one
//! message a record. Most logs and most fine-tuning data are of this format; `function_call` and
//! `function` are its legacy spelling of calls.

use crate::reading::format::openai_records::{MessageListPath, read_openai_records};
use crate::reading::format::prelude::*;

/// The OpenAI chat dialect.
pub(super) struct OpenAiFormat;

/// The list at the top of a record.
const TOP: MessageListPath = MessageListPath {
    list: &["messages"],
    thread: None,
    trial: None,
};

/// Keys of a message that hold its text or its calls.
const MESSAGE_KEYS: [&str; 8] = [
    "content",
    "tool_calls",
    "function_call",
    "reasoning",
    "reasoning_content",
    "thinking",
    "refusal",
    "audio",
];
/// Keys of calls and their results.
const CALL_KEYS: [&str; 3] = ["tool_calls", "tool_call_id", "function_call"];
/// Roles that other dialects don't have in their lists.
const OWN_ROLES: [&str; 4] = ["system", "developer", "tool", "function"];

impl Format for OpenAiFormat {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn help_line(&self) -> &'static str {
        "OpenAI chat messages: {\"messages\": [...]} or a list of messages per record, or one message per line"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        if record.is_kind(JsonKind::Array) {
            // Only the first element decides, so that an error in a later one is reported.
            let is_message = record
                .items()
                .next()
                .is_none_or(|first| first.has_key("role"));
            return is_message.then(|| recognize_list(record, "a list of objects with a role"));
        }
        if let Some(list) = record.get("messages") {
            // Messages with `parts` are of another dialect, whose text would be overlooked here.
            let has_parts = list.items().any(|message| message.has_key("parts"));
            return (!has_parts).then(|| recognize_list(list, "a key messages"));
        }
        let role = record.get_text("role")?;
        Role::from_name(role.as_bytes())?;
        // Messages of other formats have a role as well, and their text under another key.
        MESSAGE_KEYS.iter().any(|key| record.has_key(key)).then(|| {
            // A system message a line is of the AI SDK as well, whose parts must tell it also when
            // few messages are left.
            let evidence = if has_own_keys(record) && !record.has_text("role", "system") {
                Certainty::Message
            } else {
                Certainty::Fits
            };
            Recognition {
                shape: Shape::Message,
                certainty: evidence,
                why: "one message with a role, and content or calls",
            }
        })
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>> {
        read_openai_records(records, shape, TOP)
    }

    fn is_chat(&self) -> bool {
        true
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        render_chat_message(transcript, place, role, text)
    }
}

/// Recognizes a conversation by its list of messages.
fn recognize_list(list: JsonNode<'_>, why: &'static str) -> Recognition {
    if list.items().any(has_own_keys) {
        let why = "messages with calls, results or roles that only OpenAI has";
        return Recognition::by_message(Shape::Conversation, why);
    }
    Recognition {
        shape: Shape::Conversation,
        certainty: Certainty::Fits,
        why,
    }
}

/// Returns true if a message holds something that messages of user and assistant in other dialects
/// don't have: calls as OpenAI spells them, or a role that only OpenAI has.
fn has_own_keys(message: JsonNode<'_>) -> bool {
    CALL_KEYS.iter().any(|key| message.has_key(key))
        || OWN_ROLES.iter().any(|role| message.has_text("role", role))
}

/// Renders a chat message with this text.
pub(super) fn render_chat_message(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    role: Role,
    text: &str,
) -> Vec<u8> {
    let mut out = b"{".to_vec();
    out.extend_from_slice(&render_thread_entry(transcript, place));
    out.extend_from_slice(format!("\"role\": \"{}\", \"content\": ", role.name()).as_bytes());
    write_literal(text, &mut out);
    out.push(b'}');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::transcript::Noticed;

    fn read_record(record: &str) -> Result<Transcript<'_>> {
        OpenAiFormat.read_transcript(
            vec![Record {
                bytes: record.as_bytes(),
                line: 1,
            }],
            Shape::Conversation,
        )
    }

    fn thread_id_in(record: &str) -> Option<String> {
        read_record(record).unwrap().thread_id
    }

    fn shape_of(record: &str) -> Option<Shape> {
        let tree = JsonTree::new(record.as_bytes()).unwrap();
        let recognition = OpenAiFormat.recognize_record(tree.root());
        recognition.map(|recognition| recognition.shape)
    }

    /// A conversation with this answer, and further keys beside the list.
    fn conversation_with(message: &str, beside: &str) -> String {
        format!(r#"{{"messages": [{{"role": "user", "content": "q"}}, {message}]{beside}}}"#)
    }

    #[test]
    fn errors_name_the_field_and_what_was_found() {
        for (record, want) in [
            (
                r#"{"messages": "x"}"#,
                "messages is a string, it must be an array",
            ),
            (
                r#"{"a": 1, "b": 2}"#,
                "record without messages; its keys: a, b",
            ),
            (
                r#"{"messages": [1]}"#,
                "messages[0] is a number, it must be an object",
            ),
            (
                r#"{"messages": [{"content": "x"}]}"#,
                "messages[0].role is missing",
            ),
            (
                r#"{"messages": [{"role": "critic"}]}"#,
                "messages[0].role is \"critic\", it must be one of system, developer, user, assistant, tool, function",
            ),
            (
                r#"{"messages": [{"role": "user", "content": 5}]}"#,
                "messages[0].content is a number, it must be a string, a list or null",
            ),
        ] {
            assert_eq!(read_record(record).unwrap_err().reason, want);
        }
    }

    #[test]
    fn the_thread_id_is_the_first_named_key_that_is_not_empty() {
        assert_eq!(
            thread_id_in(r#"{"id": "b", "thread_id": "a", "messages": []}"#).as_deref(),
            Some("a")
        );
        assert_eq!(
            thread_id_in(r#"{"thread_id": "", "id": 17, "messages": []}"#).as_deref(),
            Some("17")
        );
        assert_eq!(thread_id_in(r#"{"messages": []}"#), None);
    }

    #[test]
    fn noticed_flags_agree_with_a_search_of_the_record() {
        let plain = r#"{"role": "assistant", "content": "a \\u \n"}"#;
        for (record, units, times) in [
            (conversation_with(plain, ""), false, false),
            (
                conversation_with(plain, r#", "note": "\ud800""#),
                true,
                false,
            ),
            (
                conversation_with(plain, r#", "n\u006fte": [1]"#),
                true,
                false,
            ),
            (
                conversation_with(
                    r#"{"role": "assistant", "content": [{"type": "text", "text": "\ud800"}], "time": 1}"#,
                    "",
                ),
                true,
                true,
            ),
            (
                conversation_with(
                    r#"{"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{\"k\": \"\\ud800\"}"}}]}"#,
                    "",
                ),
                false,
                false,
            ),
            (
                conversation_with(
                    r#"{"role": "assistant", "tool_calls": [{"id": "\ud800", "function": {"name": "f", "arguments": {"k": 1}}}], "created_at": "x"}"#,
                    "",
                ),
                true,
                true,
            ),
        ] {
            let transcript = read_record(&record).unwrap();
            assert_eq!(
                transcript.noticed,
                Some(Noticed {
                    units,
                    times,
                    foreign: false
                }),
                "{record}"
            );
            let searched = Transcript {
                noticed: None,
                ..transcript.clone()
            };
            assert_eq!(
                transcript.has_lone_surrogate(),
                searched.has_lone_surrogate(),
                "{record}"
            );
        }
    }

    #[test]
    fn the_usage_of_a_record_is_that_of_its_last_answer() {
        let record = r#"{"usage": {"total_tokens": 9}, "messages": [{"role": "assistant"}, {"role": "assistant"}, {"role": "user"}]}"#;
        let messages = read_record(record).unwrap().messages;
        assert_eq!(
            messages
                .iter()
                .map(|message| message.usage.as_ref().map(|usage| usage.total_tokens))
                .collect::<Vec<_>>(),
            [None, Some(9), None]
        );
    }

    #[test]
    fn a_result_that_failed_or_has_not_ended_is_incomplete() {
        for (keys, want) in [
            (r#""status": "error""#, true),
            (r#""status": "running""#, true),
            (r#""status": "success""#, false),
            (r#""is_error": true"#, true),
            (r#""is_error": false"#, false),
            (r#""status": "error", "status": null"#, false),
            (r#""x": 1"#, false),
        ] {
            let record = format!(r#"{{"messages": [{{"role": "tool", "content": "x", {keys}}}]}}"#);
            assert_eq!(
                read_record(&record).unwrap().messages[0].incomplete,
                want,
                "{keys}"
            );
        }
    }

    #[test]
    fn recognises_its_three_shapes_and_nothing_else() {
        assert_eq!(shape_of(r#"{"messages": 1}"#), Some(Shape::Conversation));
        assert_eq!(shape_of(r#"[{"role": "user"}]"#), Some(Shape::Conversation));
        assert_eq!(
            shape_of(r#"{"role": "user", "content": "x"}"#),
            Some(Shape::Message)
        );
        assert_eq!(
            shape_of(r#"{"messages": [{"role": "user", "parts": []}]}"#),
            None
        );
        assert_eq!(shape_of(r#"{"x": 1}"#), None);
        assert_eq!(shape_of(r#"[{"messages": []}]"#), None);
    }
}
