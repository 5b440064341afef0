//! Anthropic Messages: `{"system": ..., "messages": [...], "tools": [...]}`.
//!
//! User and assistant alternate, and results come first in the user message after
//! their calls. See `docs/reference/formats.md`.

use crate::convert::prelude::*;

/// The blocks of the format in user messages.
const USER_BLOCKS: [&str; 4] = ["image", "document", "search_result", "container_upload"];
/// The blocks of the format in results.
const RESULT_BLOCKS: [&str; 3] = ["image", "document", "search_result"];
/// The blocks of the format in assistant messages.
const ASSISTANT_BLOCKS: [&str; 8] = [
    "redacted_thinking", "server_tool_use", "web_search_tool_result", "web_fetch_tool_result",
    "code_execution_tool_result", "mcp_tool_use", "mcp_tool_result", "compaction",
];
/// The media types of images that the models accept.
const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/// Arguments that are no JSON object.
const RAW_ARGUMENTS: &str = r#"{"raw_arguments": $}"#;

#[rustfmt::skip]
pub(super) const ANTHROPIC_TARGET: ConversionTarget = ConversionTarget {
    name: "anthropic",
    about: "Anthropic Messages: {\"system\": ..., \"messages\": [...], \"tools\": [...]}, user and assistant in turn",
    merge: MergeRule::Alternate,
    system_apart: true,
    refuses_blank_text: true,
    ids: Some(IdRule {
        max_bytes: 64,
        accepts: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
    }),
    has_model: true,
    records_failure: true,
    same_formats: &["anthropic"],
    message_keys: &["role", "content"],
    record_keys: &["system", "messages", "tools", "model", "thread_id", "params", "modelInput"],
    convert_block,
    accepts_tool,
    write_chat,
    ..ConversionTarget::PLAIN
};

fn convert_block(role: Role, block: &ContentBlock<'_>) -> Option<ConvertedBlock> {
    if is_anthropic_block(role, block) {
        return Some(ConvertedBlock::unchanged(block));
    }
    if !matches!(role, Role::User | Role::Tool) {
        return None;
    }
    let source = match &block.content {
        BlockContent::ImageUrl(url) => fill_json(r#"{"type": "url", "url": $}"#, &[&url.literal()]),
        BlockContent::ImageData(media_type, base64)
            if IMAGE_TYPES.contains(&media_type.decoded().as_ref()) =>
        {
            let pattern = r#"{"type": "base64", "media_type": $, "data": $}"#;
            fill_json(pattern, &[&media_type.literal(), &base64.literal()])
        }
        _ => return None,
    };
    let image = fill_json(r#"{"type": "image", "source": $}"#, &[&source]);
    Some(ConvertedBlock::content_only(ChatPart::Block(image)))
}

fn accepts_tool(tool: JsonNode<'_>) -> bool {
    // The `type` of a tool hosted by the provider ends with a date.
    let kind = tool.get_text("type");
    tool.has_key("name")
        && (tool.has_key("input_schema")
            || kind.is_some_and(|kind| kind.ends_with(|c: char| c.is_ascii_digit())))
}

fn write_chat(
    chat: &ChatTranscript<'_>,
    out: &mut Vec<u8>,
    changed: &mut ConversionNotes,
) -> usize {
    chat.write_opening("thread_id", out);
    if let Some(system) = join_turns(&chat.system) {
        out.extend_from_slice(b", \"system\": ");
        write_content(&system, out, None);
    }
    out.extend_from_slice(b", \"messages\": ");
    write_list(&chat.groups, out, |group, out| {
        write_message(group, out, changed);
    });
    chat.write_tools("tools", out, |tool, out| {
        write_tool(tool, "input_schema", Some("{\"type\": \"object\"}"), out);
    });
    chat.write_closing(out);
    chat.groups.len()
}

/// Returns true if a block is one of the format, in a message of this role.
fn is_anthropic_block(role: Role, block: &ContentBlock<'_>) -> bool {
    match role {
        Role::User => block.is_named(&USER_BLOCKS) && block.has_key("source"),
        Role::Tool => block.is_named(&RESULT_BLOCKS) && block.has_key("source"),
        Role::Assistant => {
            block.is_named(&ASSISTANT_BLOCKS)
                || (block.is_named(&["thinking"]) && block.has_key("signature"))
        }
        Role::System | Role::Developer | Role::Function => false,
    }
}

fn write_message(group: &[ChatTurn], out: &mut Vec<u8>, changed: &mut ConversionNotes) {
    let is_assistant = group.iter().all(|turn| turn.role == Role::Assistant);
    let role = if is_assistant { Role::Assistant } else { Role::User };
    out.extend_from_slice(format!("{{\"role\": \"{}\", \"content\": ", role.name()).as_bytes());
    let mut message = ChatTurn::new(role, None);
    for turn in group {
        if turn.role == Role::Tool {
            message.parts.push(ChatPart::Block(result_block(turn)));
        } else {
            note_raw_arguments(turn, changed);
            message.append_turn(turn.clone());
        }
    }
    write_content(&message, out, Some(write_call));
    for turn in group {
        write_fields(&turn.extras, out);
    }
    out.push(b'}');
}

/// Notes the calls whose arguments are not a JSON object.
fn note_raw_arguments(turn: &ChatTurn, changed: &mut ConversionNotes) {
    let calls = turn.calls.iter();
    for call in calls.filter(|call| call.argument_object().is_none()) {
        let why = "not a JSON object: they are text under raw_arguments";
        changed.add_note("arguments of a call", why, Some(call.message));
    }
}

fn write_call(call: &ChatCall, out: &mut Vec<u8>) {
    let raw = || fill_json(RAW_ARGUMENTS, &[&encode_wtf8_literal(&call.arguments)]);
    let input = call.argument_object().unwrap_or_else(raw);
    let pattern = r#"{"type": "tool_use", "id": $, "name": $, "input": $}"#;
    push_json(out, pattern, &[&call.id_literal(), &call.name.literal(), &input]);
}

fn result_block(turn: &ChatTurn) -> Vec<u8> {
    let id = encode_literal(turn.answers.as_deref().unwrap_or_default());
    let mut out = fill_json(r#"{"type": "tool_result", "tool_use_id": $"#, &[&id]);
    if !turn.parts.is_empty() {
        out.extend_from_slice(b", \"content\": ");
        write_content(turn, &mut out, None);
    }
    out.extend_from_slice(if turn.failed { b", \"is_error\": true}" } else { b"}" });
    out
}
