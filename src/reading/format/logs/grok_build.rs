//! Chat histories of Grok Build (`~/.grok/sessions/**/chat_history.jsonl`): one item a line, told by
//! its `type`. An answer holds its calls; results and reasoning are items of their own.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const GROK_BUILD: LogRow = LogRow {
    name: "grok-build",
    help: "Grok Build chat histories (~/.grok/sessions/**/chat_history.jsonl): system, user, assistant, reasoning, tool_result",
    evidence: &[
        event(WHY, &[is("type", "user|assistant"), BARE, If::Any(&[CONTENT, CALLS])]),
        event(WHY, &[is("type", "tool_result"), BARE, has("tool_call_id")]),
        event(WHY, &[is("type", "backend_tool_call")]),
        // Items of other formats look the same.
        fits(WHY, &[is("type", "system"), BARE, CONTENT]),
        fits(WHY, &[is("type", "reasoning"), has("summary")]),
    ],
    reads: Reads::Lines(&LinesRow {
        dialect: RESPONSES,
        lines: &[
            Line {
                when: &[is("type", "assistant")],
                needs: &[(&[If::Any(&[CONTENT, CALLS])], NOWHERE, NEEDED)],
                model: MODEL,
                becomes: Becomes::Own(push_answer),
                ..Line::NOTE
            },
            Line {
                when: &[is("type", "system|user")],
                needs: &[(&[CONTENT], NOWHERE, NEEDED)],
                model: MODEL,
                becomes: Becomes::Own(push_words),
                ..Line::NOTE
            },
            Line {
                when: &[is("type", "tool_result")],
                needs: &[(&[CONTENT], NOWHERE, NEEDED)],
                model: MODEL,
                becomes: Becomes::Message(&template(r#"{"type": "function_call_output", "call_id": $tool_call_id, "output": $content}"#)),
                ..Line::NOTE
            },
            // Reasoning is an item of the Responses API; calls that the server made stay as they are.
            Line {
                when: &[is("type", "reasoning|backend_tool_call")],
                model: MODEL,
                becomes: Becomes::Message(&template("$")),
                ..Line::NOTE
            },
        ],
        ..LinesRow::PLAIN
    }),
};

const WHY: &str = "a type user, assistant or tool_result beside content";
const NEEDED: &str = "content, a text or a list,";
const CONTENT: If = kind("content", TEXT_OR_LIST);
const CALLS: If = kind("tool_calls", LIST);
const MODEL: At = at("model_id|model");
/// Lines of other programs that also have such a type have one of these keys.
const BARE: If = none("message|role|uuid|id|timestamp|subtype|session_id|sessionId|tool_id");

fn push_words(thread: &mut JournalThread, item: JsonNode<'_>) {
    let role = if item.has_text("type", "user") { "user" } else { "system" };
    thread.push_message(item.place(), &render_message(role, "input_text", item));
}

/// Appends the text of an answer, unless it is empty, and its calls.
fn push_answer(thread: &mut JournalThread, item: JsonNode<'_>) {
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
        thread.push_message(item.place(), &json);
        mark = ElementMark::Joined;
    }
    for call in calls {
        let function = call.get("function").unwrap_or(call);
        let arguments = function.get("arguments");
        let arguments = arguments.map_or_else(|| b"\"{}\"".to_vec(), JsonNode::text_literal);
        thread.push_element(
            mark,
            vec![item.place()],
            &fill_json(
                r#"{"type": "function_call", "call_id": $, "name": $, "arguments": $}"#,
                &[call.bytes_or_null("id"), function.bytes_or_null("name"), &arguments],
            ),
        );
        mark = ElementMark::Joined;
    }
}

/// Renders a message. `text_type` is the type of its blocks of text.
fn render_message(role: &str, text_type: &str, item: JsonNode<'_>) -> Vec<u8> {
    let render_text =
        |literal: &[u8]| fill_json(r#"{"type": "$", "text": $}"#, &[text_type.as_bytes(), literal]);
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
    fill_json(
        r#"{"type": "message", "role": "$", "content": [$]}"#,
        &[role.as_bytes(), &blocks.join(b", ".as_slice())],
    )
}
