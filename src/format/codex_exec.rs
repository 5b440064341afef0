//! The stream of `codex exec --json`: a report of turns and items, not a
//! history that could be gone on with. A call and its result are one item; of
//! an item that comes twice the last counts. What the user asked is not in it.

use crate::error::RecordError;
use crate::format::dialects::RESPONSES;
use crate::format::journal::{ElementMark, Journal, JournalReader, JournalThread};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::{JsonKind, Span};
use crate::json::{encode_literal, encode_wtf8_literal};
use crate::transcript::journal::WriteMode;
use std::borrow::Cow;

/// Streams of Codex.
pub(super) struct CodexExecJournal;

const BEGINNINGS: [&str; 3] = ["thread.", "turn.", "item."];

impl Journal for CodexExecJournal {
    fn name(&self) -> &'static str {
        "codex-exec"
    }

    fn help_line(&self) -> &'static str {
        "the stream of `codex exec --json`: thread.*, turn.* and item.* events"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let kind = record.get("type").and_then(JsonNode::as_text)?;
        // An item tells of something; the other events say no more than that they happened.
        let own = BEGINNINGS.iter().any(|start| kind.starts_with(start))
            && !record.has_key("messages")
            && (!kind.starts_with("item.") || record.has_key("item"));
        own.then_some(Recognition {
            shape: Shape::Journal,
            certainty: Certainty::Envelope,
            why: "a type thread.*, turn.* or item.*",
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(CodexExecReader::default())
    }
}

#[derive(Default)]
struct CodexExecReader {
    id: Option<String>,
    /// Items by their id, where they came first.
    items: Vec<(String, usize, Span)>,
    /// How many of them are of earlier turns: ids may begin anew.
    earlier: usize,
}

impl JournalReader for CodexExecReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        if record.has_text("type", "thread.started") {
            self.id = record
                .get("thread_id")
                .and_then(JsonNode::as_text)
                .map(Cow::into_owned)
                .or(self.id.take());
        }
        if record.has_text("type", "turn.started") {
            self.earlier = self.items.len();
        }
        let Some(item) = record
            .get("item")
            .filter(|item| item.is_kind(JsonKind::Object))
        else {
            return Ok(());
        };
        // Without an id it is its own.
        let id = item
            .get("id")
            .and_then(JsonNode::as_text)
            .map_or_else(|| format!("\0{at}"), Cow::into_owned);
        let begun = self.items[self.earlier..]
            .iter_mut()
            .rfind(|(known, ..)| *known == id);
        match begun {
            Some(known) => *known = (id, at, item.span()),
            None => self.items.push((id, at, item.span())),
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let mut thread = JournalThread::new(RESPONSES, "input", WriteMode::Nowhere, last);
        thread.id = self.id;
        for (_, at, span) in self.items {
            let Ok(tree) = JsonTree::new(span.slice(records[at])) else {
                continue;
            };
            tell(&mut thread, tree.root(), (at, span));
        }
        if thread.len() == 0 {
            Vec::new()
        } else {
            vec![thread]
        }
    }
}

fn tell(thread: &mut JournalThread, item: JsonNode<'_>, place: (usize, Span)) {
    let bytes = |key: &str| item.get(key).map(JsonNode::bytes);
    let literal = |key: &str| {
        item.get(key)
            .filter(|value| value.is_kind(JsonKind::String))
            .map(JsonNode::bytes)
    };
    let kind = item
        .get("type")
        .and_then(JsonNode::as_text)
        .or_else(|| item.get("item_type").and_then(JsonNode::as_text))
        .unwrap_or_default();
    let mut push = |parts: &[&[u8]]| thread.push_element(ElementMark::Message, vec![place], parts);
    match kind.as_ref() {
        "agent_message" | "assistant_message" => {
            let start = b"{\"type\": \"message\", \"role\": \"assistant\", \"content\": [{\"type\": \"output_text\", \"text\": ";
            push(&[start, literal("text").unwrap_or(b"\"\""), b"}]}"]);
        }
        "reasoning" => push(&[
            b"{\"type\": \"reasoning\", \"summary\": [{\"type\": \"summary_text\", \"text\": ",
            literal("text").unwrap_or(b"\"\""),
            b"}]}",
        ]),
        "todo_list" | "error" => {}
        _ => {
            let id = literal("id").unwrap_or(b"\"\"");
            let name = match kind.as_ref() {
                "command_execution" => "shell".to_owned(),
                "file_change" => "apply_patch".to_owned(),
                "mcp_tool_call" => item
                    .get("tool")
                    .and_then(JsonNode::as_text)
                    .map_or_else(|| kind.to_string(), Cow::into_owned),
                other => other.to_owned(),
            };
            let given = bytes("arguments")
                .filter(|arguments| arguments.first() == Some(&b'{'))
                .map(<[u8]>::to_vec);
            let arguments = given.unwrap_or_else(|| {
                let parts = ["command", "changes", "query", "arguments"]
                    .iter()
                    .filter_map(|key| Some([b"\"", key.as_bytes(), b"\": ", bytes(key)?].concat()));
                [
                    b"{".as_slice(),
                    &parts.collect::<Vec<_>>().join(b", ".as_slice()),
                    b"}",
                ]
                .concat()
            });
            let arguments = encode_wtf8_literal(&arguments);
            push(&[
                b"{\"type\": \"function_call\", \"call_id\": ",
                id,
                b", \"name\": ",
                &encode_literal(&name),
                b", \"arguments\": ",
                &arguments,
                b"}",
            ]);
            let has_ended = !item.has_text("status", "in_progress");
            let result = ["aggregated_output", "result", "error", "status"]
                .iter()
                .find_map(|key| bytes(key).filter(|value| *value != b"null"));
            if let Some(result) = result.filter(|_| has_ended) {
                let output = if result.first() == Some(&b'"') {
                    result.to_vec()
                } else {
                    encode_wtf8_literal(result)
                };
                let failed = item.has_text("status", "failed");
                let status: &[u8] = if failed {
                    b", \"status\": \"error\""
                } else {
                    b""
                };
                push(&[
                    b"{\"type\": \"function_call_output\", \"call_id\": ",
                    id,
                    b", \"output\": ",
                    &output,
                    status,
                    b"}",
                ]);
            }
        }
    }
}
