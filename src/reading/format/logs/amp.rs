//! Threads of Amp (`~/.local/share/amp/threads/T-*.json`): one object, whose messages are
//! Anthropic's but for the results of tools, which hold the run of the tool. A summary stands for
//! the messages before it.

use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const AMP: LogRow = LogRow {
    name: "amp",
    help: "Amp threads (~/.local/share/amp/threads): {\"v\", \"id\", \"messages\": [{\"messageId\", \"role\", \"content\"}]}",
    evidence: &[conversation("a thread of messages with messageId", &[
        If::Of(at("messages.0"), &[all("messageId|role|content")]),
        If::Any(&[starts("id", "T-"), all("v|created")]),
    ])],
    reads: Reads::Lines(&LinesRow {
        dialect: ANTHROPIC,
        lines: &[Line {
            becomes: Becomes::List(&ListRow {
                key: "messages",
                id: at("id"),
                model: NOWHERE,
                lines: &[
                    Line {
                        when: &[If::Some(at("content"), &[is("type", "summary"), If::Own(|block| at(SUMMARY).literal(block).is_some())])],
                        becomes: Becomes::Own(push_summary),
                        is_summary: true,
                        ..Line::NOTE
                    },
                    Line {
                        when: &[is("role", "user|assistant")],
                        needs: &[(&[has("content")], NOWHERE, "messages[].content")],
                        model: at("usage.model"),
                        becomes: Becomes::Own(push_message),
                        ..Line::NOTE
                    },
                    // Information for the screen; a conversion lists it as left out.
                    Line {
                        needs: &[(&[kind("role", TEXT), If::Not(&[is("role", "")])], NOWHERE, "messages[].role")],
                        ..Line::NOTE
                    },
                ],
            }),
            ..Line::NOTE
        }],
        ..LinesRow::PLAIN
    }),
};

/// The text of a summary, in its block.
const SUMMARY: &str = "summary|summary.summary|summary.text|text";
/// The keys of a run that may hold what the model was told; the first that is not null does.
const TOLD: At = at("result|error|reason|toRejectReason|progress");
/// The usage of an answer as an entry, and where it is.
const USAGE: &str = r#", "usage": {"input_tokens": $, "output_tokens": $, "cache_read_input_tokens": $, "cache_creation_input_tokens": $}"#;
const USAGE_KEYS: [At; 4] = [
    at("inputTokens"),
    at("outputTokens"),
    at("cacheReadInputTokens"),
    at("cacheCreationInputTokens"),
];
const RUN: &[Block] = &[Block {
    when: &[is("type", "tool_result"), has("run")],
    becomes: BlockJson::Own(render_run),
}];

fn push_summary(thread: &mut JournalThread, message: JsonNode<'_>) {
    let mut blocks = message.items_of("content");
    let block = blocks.find(|block| block.has_text("type", "summary"));
    let text = at(SUMMARY).literal_or_empty(block.unwrap_or(message));
    thread.push_said(ElementMark::Summary, message.place(), "user", text);
}

fn push_message(thread: &mut JournalThread, message: JsonNode<'_>) {
    let content = match message.get_kind("content", JsonKind::Array) {
        Some(list) => render_blocks(RUN, list.items()),
        None => message.bytes_or_null("content").to_vec(),
    };
    let usage = message.get_kind("usage", JsonKind::Object);
    let usage = usage.map(|usage| fill_counts(USAGE, usage, &USAGE_KEYS));
    let usage = usage.unwrap_or_default();
    let parts = [message.bytes_or_null("role"), &content, &usage];
    thread.push_message(message.place(), &fill_json(r#"{"role": $, "content": $$}"#, &parts));
}

/// Renders the run of a tool as a result.
fn render_run(block: JsonNode<'_>) -> Vec<u8> {
    let Some(run) = block.get("run") else {
        return block.bytes().to_vec();
    };
    let told = TOLD.node(run).filter(|value| !value.is_kind(JsonKind::Null));
    let content = told.map_or_else(|| run.bytes_or_null("status").to_vec(), render_told);
    let has_failed = hold(&[is("status", "error|cancelled|rejected-by-user")], run);
    let id = at("toolUseID").literal(block);
    let id = id.unwrap_or_else(|| block.bytes_or_null("tool_use_id"));
    result_block(id, &content, has_failed)
}

/// Renders what a run returned: a text, the only text of an object, or its JSON as text.
fn render_told(value: JsonNode<'_>) -> Vec<u8> {
    let mut entries = value.entries();
    match (entries.next(), entries.next()) {
        (Some((_, only)), None) if only.is_kind(JsonKind::String) => only.bytes().to_vec(),
        _ => value.text_literal(),
    }
}
