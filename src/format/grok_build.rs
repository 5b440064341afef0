//! Chat histories of Grok Build (`~/.grok/sessions/**/chat_history.jsonl`): one item a line, told by
//! its `type`. An answer holds its calls; results and reasoning are items of their own.

use crate::error::RecordError;
use crate::format::dialects::RESPONSES;
use crate::format::journal::{ElementMark, EventPlace, Journal, JournalReader, JournalThread};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::{JsonKind, encode_wtf8_literal, is_empty_literal};
use crate::transcript::journal::WriteMode;

/// Chat histories of Grok Build.
pub(super) struct GrokBuildJournal;

/// The types of items.
const ITEM_TYPES: [&str; 6] = [
    "system",
    "user",
    "assistant",
    "reasoning",
    "tool_result",
    "backend_tool_call",
];
/// Keys of the lines of other programs that also have such a type.
const FOREIGN_KEYS: [&str; 9] = [
    "message",
    "role",
    "uuid",
    "id",
    "timestamp",
    "subtype",
    "session_id",
    "sessionId",
    "tool_id",
];

impl Journal for GrokBuildJournal {
    fn name(&self) -> &'static str {
        "grok-build"
    }

    fn help_line(&self) -> &'static str {
        "Grok Build chat histories (~/.grok/sessions/**/chat_history.jsonl): system, user, assistant, reasoning, tool_result"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let kind = record.get("type").and_then(JsonNode::as_text)?;
        let is_bare = !FOREIGN_KEYS.iter().any(|key| record.has_key(key));
        let certainty = match kind.as_ref() {
            "user" | "assistant" if is_bare && (has_content(record) || has_calls(record)) => {
                Certainty::Envelope
            }
            "tool_result" if is_bare && record.has_key("tool_call_id") => Certainty::Envelope,
            "backend_tool_call" => Certainty::Envelope,
            // Items of other formats look the same.
            "system" if is_bare && has_content(record) => Certainty::Fits,
            "reasoning" if record.has_key("summary") => Certainty::Fits,
            _ => return None,
        };
        Some(Recognition {
            shape: Shape::Journal,
            certainty,
            why: "a type user, assistant or tool_result beside content",
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(GrokBuildReader::default())
    }
}

fn has_content(record: JsonNode<'_>) -> bool {
    record
        .get("content")
        .is_some_and(|content| matches!(content.kind(), JsonKind::String | JsonKind::Array))
}

fn has_calls(record: JsonNode<'_>) -> bool {
    record.get_kind("tool_calls", JsonKind::Array).is_some()
}

/// A chat history, read line by line.
#[derive(Default)]
struct GrokBuildReader {
    model: Option<String>,
    items: Vec<EventPlace>,
}

impl JournalReader for GrokBuildReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let kind = record.get("type").and_then(JsonNode::as_text);
        let kind = kind.as_deref().unwrap_or_default();
        if !ITEM_TYPES.contains(&kind) {
            return Ok(());
        }
        let is_told = match kind {
            "assistant" => has_content(record) || has_calls(record),
            "system" | "user" | "tool_result" => has_content(record),
            _ => true,
        };
        if !is_told {
            return Err(record.missing_key("content, a text or a list,"));
        }
        let models = ["model_id", "model"].iter();
        let mut models = models.filter_map(|key| record.non_empty_text(key));
        self.model = models.next().or(self.model.take());
        self.items.push(EventPlace::new(at, record.span()));
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(RESPONSES, "input", WriteMode::Nowhere, last);
        thread.model = self.model;
        for place in self.items {
            if let Ok(tree) = JsonTree::new(place.bytes(records)) {
                push_item(&mut thread, tree.root(), place);
            }
        }
        thread.into_only_thread()
    }
}

/// Appends the items of the Responses API that an item becomes.
fn push_item(thread: &mut JournalThread, item: JsonNode<'_>, place: EventPlace) {
    match item.get("type").and_then(JsonNode::as_text).as_deref() {
        Some(role @ ("system" | "user")) => {
            let json = render_message(role, "input_text", item);
            thread.push_message(place, &[&json]);
        }
        Some("assistant") => push_answer(thread, item, place),
        Some("tool_result") => {
            let content = item
                .get("content")
                .map_or(b"\"\"".as_slice(), JsonNode::bytes);
            thread.push_message(
                place,
                &[
                    b"{\"type\": \"function_call_output\", \"call_id\": ",
                    item.bytes_or_null("tool_call_id"),
                    b", \"output\": ",
                    content,
                    b"}",
                ],
            );
        }
        // Reasoning is an item of the Responses API; calls that the server made stay as they are.
        _ => thread.push_message(place, &[item.bytes()]),
    }
}

/// Appends the text of an answer, unless it is empty, and its calls.
fn push_answer(thread: &mut JournalThread, item: JsonNode<'_>, place: EventPlace) {
    let is_empty = match item.get("content") {
        Some(content) => {
            is_empty_literal(content.bytes())
                || (content.is_kind(JsonKind::Array) && content.items().next().is_none())
                || content.is_kind(JsonKind::Null)
        }
        None => true,
    };
    let mut calls = item.items_of("tool_calls").peekable();
    let mut mark = ElementMark::Message;
    if !is_empty || calls.peek().is_none() {
        let json = render_message("assistant", "output_text", item);
        thread.push_message(place, &[&json]);
        mark = ElementMark::Joined;
    }
    for call in calls {
        let function = call.get("function").unwrap_or(call);
        let arguments = match function.get("arguments") {
            Some(text) if text.is_kind(JsonKind::String) => text.bytes().to_vec(),
            Some(value) => encode_wtf8_literal(value.bytes()),
            None => b"\"{}\"".to_vec(),
        };
        thread.push_element(
            mark,
            vec![place],
            &[
                b"{\"type\": \"function_call\", \"call_id\": ",
                call.bytes_or_null("id"),
                b", \"name\": ",
                function.bytes_or_null("name"),
                b", \"arguments\": ",
                &arguments,
                b"}",
            ],
        );
        mark = ElementMark::Joined;
    }
}

/// Renders a message. `text_type` is the type of its blocks of text.
fn render_message(role: &str, text_type: &str, item: JsonNode<'_>) -> Vec<u8> {
    let render_text = |literal: &[u8]| {
        [
            format!("{{\"type\": \"{text_type}\", \"text\": ").as_bytes(),
            literal,
            b"}",
        ]
        .concat()
    };
    let blocks: Vec<Vec<u8>> = match item.get("content") {
        Some(content) if content.is_kind(JsonKind::Array) => content
            .items()
            .map(|block| match block.literal_bytes("text") {
                Some(text) if block.has_text("type", "text") => render_text(text),
                _ => block.bytes().to_vec(),
            })
            .collect(),
        Some(content) if content.is_kind(JsonKind::String) => vec![render_text(content.bytes())],
        _ => Vec::new(),
    };
    [
        format!("{{\"type\": \"message\", \"role\": \"{role}\", \"content\": [").as_bytes(),
        &blocks.join(b", ".as_slice()),
        b"]}",
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    #[test]
    fn items_are_told_from_lines_of_other_programs() {
        for record in [
            r#"{"type": "user", "content": [{"type": "text", "text": "Why?"}], "prompt_index": 0}"#,
            r#"{"type": "assistant", "content": "It is hot."}"#,
            r#"{"type": "assistant", "tool_calls": [{"id": "c", "name": "f", "arguments": "{}"}]}"#,
            r#"{"type": "tool_result", "tool_call_id": "c", "content": "61 C"}"#,
        ] {
            assert!(recognizes(&GrokBuildJournal, record), "{record}");
        }
        for record in [
            r#"{"type": "user", "message": {"role": "user", "content": "x"}}"#,
            r#"{"type": "user", "content": "x", "id": "1", "timestamp": "t"}"#,
            r#"{"type": "tool_result", "tool_id": "c", "output": "61 C"}"#,
            r#"{"type": "human", "content": "x"}"#,
        ] {
            assert!(!recognizes(&GrokBuildJournal, record), "{record}");
        }
    }

    #[test]
    fn an_answer_is_its_text_and_its_calls() {
        let log = r#"{"type": "system", "content": "Help."}
{"type": "user", "content": [{"type": "text", "text": "Why?"}], "prompt_index": 0}
{"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm."}], "status": "completed"}
{"type": "assistant", "content": "I look.", "tool_calls": [{"id": "c", "name": "read", "arguments": "{}"}, {"id": "d", "name": "list", "arguments": {"path": "."}}]}
{"type": "tool_result", "tool_call_id": "c", "content": "61 C"}
{"type": "tool_result", "tool_call_id": "d", "content": [{"type": "text", "text": "a"}]}
{"type": "assistant", "content": "", "tool_calls": []}
{"type": "assistant", "content": "It is hot.", "model_id": "grok-4"}"#;
        let threads = tell_threads(&GrokBuildJournal, log);
        assert_eq!(
            threads[0].messages,
            [
                "system: Help.",
                "user: Why?",
                "assistant: Hm.",
                "assistant: I look.",
                "assistant: [read]",
                "assistant: [list]",
                "tool: 61 C",
                "tool: a",
                "assistant: ",
                "assistant: It is hot."
            ]
        );
    }
}
