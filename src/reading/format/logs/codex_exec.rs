//! The stream of `codex exec --json`: a report of turns and items, from which no session can be
//! resumed. A call and its result are one item, and of items with the same id the last one counts.
//! The user's request is not part of the stream.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const CODEX_EXEC: LogRow = LogRow {
    name: "codex-exec",
    help: "the stream of `codex exec --json`: thread.*, turn.* and item.* events",
    evidence: &[
        event(WHY, &[starts("type", "thread.|turn."), none("messages")]),
        event(WHY, &[starts("type", "item."), none("messages"), has("item")]),
    ],
    reads: Reads::Lines(&LinesRow {
        dialect: RESPONSES,
        within: at("item"),
        again: at("id"),
        lines: &[
            Line { when: &[is("type", "thread.started")], id: at("thread_id"), ..Line::NOTE },
            // Ids may repeat in the next turn.
            Line { when: &[is("type", "turn.started")], is_new_turn: true, ..Line::NOTE },
            Line {
                when: &[ITEM, is(KIND, "agent_message|assistant_message")],
                becomes: Becomes::Message(&template(r#"{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": $text?}]}"#)),
                ..Line::NOTE
            },
            Line {
                when: &[ITEM, is(KIND, "reasoning")],
                becomes: Becomes::Message(&template(r#"{"type": "reasoning", "summary": [{"type": "summary_text", "text": $text?}]}"#)),
                ..Line::NOTE
            },
            Line { when: &[is(KIND, "todo_list|error")], ..Line::NOTE },
            Line { when: &[ITEM], becomes: Becomes::Own(push_call), ..Line::NOTE },
        ],
        ..LinesRow::PLAIN
    }),
};

const WHY: &str = "a type thread.*, turn.* or item.*";
const ITEM: If = kind("item", OBJECT);
const KIND: &str = "item.type|item.item_type";

/// Appends the call that an item is, and its result if it has ended.
fn push_call(thread: &mut JournalThread, item: JsonNode<'_>) {
    let mut kinds = at("type|item_type").nodes(item).filter_map(JsonNode::as_text);
    let kind = kinds.next().unwrap_or_default();
    let tool = item.get_text("tool");
    let name = match kind.as_ref() {
        "command_execution" => "shell",
        "file_change" => "apply_patch",
        "mcp_tool_call" => tool.as_deref().unwrap_or(&kind),
        other => other,
    };
    let id = at("id").literal_or_empty(item);
    let arguments = encode_wtf8_literal(&call_arguments(item));
    let pattern = r#"{"type": "function_call", "call_id": $, "name": $, "arguments": $}"#;
    let call = fill_json(pattern, &[id, &encode_literal(name), &arguments]);
    thread.push_message(item.place(), &call);
    let result = at("aggregated_output|result|error|status").node(item);
    let is_done = |value: &JsonNode<'_>| {
        !value.is_kind(JsonKind::Null) && !item.has_text("status", "in_progress")
    };
    let Some(result) = result.filter(is_done) else {
        return;
    };
    let failure: &[u8] = match item.has_text("status", "failed") {
        true => br#", "status": "error""#,
        false => b"",
    };
    let pattern = r#"{"type": "function_call_output", "call_id": $, "output": $$}"#;
    thread.push_message(item.place(), &fill_json(pattern, &[id, &result.text_literal(), failure]));
}

/// Returns the arguments of an item as an object: its `arguments`, or those of its keys that
/// describe the call.
fn call_arguments(item: JsonNode<'_>) -> Vec<u8> {
    if let Some(arguments) = item.get_kind("arguments", JsonKind::Object) {
        return arguments.bytes().to_vec();
    }
    let keys = ["command", "changes", "query", "arguments"];
    fill_json("{$}", &[&item.entries_json(&keys)])
}
