//! The stream of `codex exec --json`: a report of turns and items, from which no session can be
//! resumed. A call and its result are one item, and of items with the same id the last one counts.
//! The user's request is not part of the stream.

use crate::error::RecordError;
use crate::format::dialects::RESPONSES;
use crate::format::journal::{EventPlace, JournalReader, JournalThread};
use crate::format::row::*;
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::{JsonKind, encode_literal, encode_wtf8_literal};
use crate::transcript::journal::WriteMode;
use std::borrow::Cow;

#[rustfmt::skip]
pub(in crate::format) const CODEX_EXEC: LogRow = LogRow {
    name: "codex-exec",
    help: "the stream of `codex exec --json`: thread.*, turn.* and item.* events",
    evidence: &[
        event(WHY, &[starts("type", "thread.|turn."), none("messages")]),
        event(WHY, &[starts("type", "item."), none("messages"), has("item")]),
    ],
    reads: Reads::Own(|| Box::new(CodexExecReader::default())),
};

const WHY: &str = "a type thread.*, turn.* or item.*";

/// Keys of an item that its call has as arguments.
const ARGUMENT_KEYS: [&str; 4] = ["command", "changes", "query", "arguments"];
/// Keys of an item that may hold its result; the first that is not null does.
const RESULT_KEYS: [&str; 4] = ["aggregated_output", "result", "error", "status"];

struct ExecItem {
    id: String,
    place: EventPlace,
}

#[derive(Default)]
struct CodexExecReader {
    id: Option<String>,
    /// The items in the order of their first events.
    items: Vec<ExecItem>,
    /// The number of items of earlier turns. Ids may repeat in the next turn.
    earlier: usize,
}

impl JournalReader for CodexExecReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        if record.has_text("type", "thread.started") {
            let id = record.get("thread_id").and_then(JsonNode::as_text);
            self.id = id.map(Cow::into_owned).or(self.id.take());
        }
        if record.has_text("type", "turn.started") {
            self.earlier = self.items.len();
        }
        let Some(item) = record.get_kind("item", JsonKind::Object) else {
            return Ok(());
        };
        // An item without an id gets an id that no other item has.
        let id = item
            .get("id")
            .and_then(JsonNode::as_text)
            .map_or_else(|| format!("\0{at}"), Cow::into_owned);
        let place = EventPlace::new(at, item.span());
        let known = self.items[self.earlier..]
            .iter_mut()
            .rfind(|known| known.id == id);
        match known {
            Some(known) => known.place = place,
            None => self.items.push(ExecItem { id, place }),
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(RESPONSES, "input", WriteMode::Nowhere, last);
        thread.id = self.id;
        for ExecItem { place, .. } in self.items {
            if let Ok(tree) = JsonTree::new(place.bytes(records)) {
                push_item(&mut thread, tree.root(), place);
            }
        }
        thread.into_only_thread()
    }
}

/// Appends an item, or a call and its result, to the thread.
fn push_item(thread: &mut JournalThread, item: JsonNode<'_>, place: EventPlace) {
    let kind = item
        .get("type")
        .and_then(JsonNode::as_text)
        .or_else(|| item.get("item_type").and_then(JsonNode::as_text))
        .unwrap_or_default();
    let text = item.literal_bytes("text").unwrap_or(b"\"\"");
    match kind.as_ref() {
        "agent_message" | "assistant_message" => thread.push_message(place, &[
            b"{\"type\": \"message\", \"role\": \"assistant\", \"content\": [{\"type\": \"output_text\", \"text\": ",
            text,
            b"}]}",
        ]),
        "reasoning" => thread.push_message(place, &[
            b"{\"type\": \"reasoning\", \"summary\": [{\"type\": \"summary_text\", \"text\": ",
            text,
            b"}]}",
        ]),
        "todo_list" | "error" => {}
        kind => push_call(thread, item, kind, place),
    }
}

/// Appends the call that an item is, and its result if it has ended.
fn push_call(thread: &mut JournalThread, item: JsonNode<'_>, kind: &str, place: EventPlace) {
    let id = item.literal_bytes("id").unwrap_or(b"\"\"");
    let tool = item.get("tool").and_then(JsonNode::as_text);
    let name = match kind {
        "command_execution" => "shell",
        "file_change" => "apply_patch",
        "mcp_tool_call" => tool.as_deref().unwrap_or(kind),
        other => other,
    };
    thread.push_message(
        place,
        &[
            b"{\"type\": \"function_call\", \"call_id\": ",
            id,
            b", \"name\": ",
            &encode_literal(name),
            b", \"arguments\": ",
            &encode_wtf8_literal(&call_arguments(item)),
            b"}",
        ],
    );
    let result = RESULT_KEYS
        .iter()
        .filter_map(|key| item.get(key).map(JsonNode::bytes))
        .find(|value| *value != b"null");
    let has_ended = !item.has_text("status", "in_progress");
    let Some(result) = result.filter(|_| has_ended) else {
        return;
    };
    let output = if result.first() == Some(&b'"') {
        result.to_vec()
    } else {
        encode_wtf8_literal(result)
    };
    let status: &[u8] = if item.has_text("status", "failed") {
        b", \"status\": \"error\""
    } else {
        b""
    };
    thread.push_message(
        place,
        &[
            b"{\"type\": \"function_call_output\", \"call_id\": ",
            id,
            b", \"output\": ",
            &output,
            status,
            b"}",
        ],
    );
}

/// Returns the arguments of an item as an object: its `arguments`, or those of its keys that
/// describe the call.
fn call_arguments(item: JsonNode<'_>) -> Vec<u8> {
    if let Some(arguments) = item.get_kind("arguments", JsonKind::Object) {
        return arguments.bytes().to_vec();
    }
    let entries: Vec<Vec<u8>> = ARGUMENT_KEYS
        .iter()
        .filter_map(|key| {
            let value = item.get(key)?.bytes();
            Some([b"\"", key.as_bytes(), b"\": ", value].concat())
        })
        .collect();
    [b"{".as_slice(), &entries.join(b", ".as_slice()), b"}"].concat()
}
