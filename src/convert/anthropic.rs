//! Anthropic Messages: `{"system": ..., "messages": [...], "tools": [...]}`.
//!
//! User and assistant alternate, and results come first in the user message after
//! their calls. See `docs/reference/formats.md`.

use crate::convert::block::{BlockContent, ContentBlock};
use crate::convert::call_ids::IdRule;
use crate::convert::chat::{ChatCall, ChatPart, ChatTranscript, ChatTurn, join_turns};
use crate::convert::escaped_text::EscapedText;
use crate::convert::json_output::{write_content, write_fields, write_list, write_text_block};
use crate::convert::notes::{ConversionNotes, NotePlace};
use crate::convert::target::{ConversionTarget, ConvertedBlock, MergeRule, TargetRules};
use crate::convert::tools::write_tool;
use crate::reading::format::tree::JsonNode;
use crate::reading::json::{encode_wtf8_literal, fill_json, write_literal};
use crate::reading::transcript::Role;

/// Anthropic Messages.
pub(super) struct AnthropicTarget;

/// The blocks of the format in user messages.
const USER_BLOCKS: [&str; 4] = ["image", "document", "search_result", "container_upload"];
/// The blocks of the format in results.
const RESULT_BLOCKS: [&str; 3] = ["image", "document", "search_result"];
/// The blocks of the format in assistant messages.
const ASSISTANT_BLOCKS: [&str; 8] = [
    "redacted_thinking",
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "compaction",
];
/// The media types of images that the models accept.
const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/// The beginning of arguments that are no JSON object.
const RAW_ARGUMENTS: &[u8] = b"{\"raw_arguments\": ";

impl ConversionTarget for AnthropicTarget {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn about(&self) -> &'static str {
        "Anthropic Messages: {\"system\": ..., \"messages\": [...], \"tools\": [...]}, user and assistant in turn"
    }

    fn rules(&self) -> TargetRules {
        TargetRules {
            merge: MergeRule::Alternate,
            system_apart: true,
            ends_with_answer: false,
            refuses_blank_text: true,
            ids: Some(IdRule {
                max_bytes: 64,
                accepts: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
            }),
            has_model: true,
            records_failure: true,
            records_usage: false,
            same_formats: &["anthropic"],
            message_keys: &["role", "content"],
            record_keys: &[
                "system",
                "messages",
                "tools",
                "model",
                "thread_id",
                "params",
                "modelInput",
            ],
        }
    }

    fn convert_block(
        &self,
        role: Role,
        block: &ContentBlock<'_>,
        is_same_format: bool,
    ) -> Option<ConvertedBlock> {
        if is_same_format || is_anthropic_block(role, block) {
            return Some(ConvertedBlock::unchanged(block));
        }
        if !matches!(role, Role::User | Role::Tool) {
            return None;
        }
        let source = match &block.content {
            BlockContent::ImageUrl(url) => url_source(url),
            BlockContent::ImageData(media_type, base64)
                if IMAGE_TYPES.contains(&media_type.decoded().as_ref()) =>
            {
                base64_source(media_type, base64)
            }
            _ => return None,
        };
        let image = [
            b"{\"type\": \"image\", \"source\": ".as_slice(),
            &source,
            b"}",
        ];
        Some(ConvertedBlock::content_only(ChatPart::Block(
            image.concat(),
        )))
    }

    fn accepts_tool(&self, tool: JsonNode<'_>) -> bool {
        // The `type` of a tool hosted by the provider ends with a date.
        let kind = tool.get_text("type");
        tool.has_key("name")
            && (tool.has_key("input_schema")
                || kind.is_some_and(|kind| kind.ends_with(|c: char| c.is_ascii_digit())))
    }

    fn write_chat(
        &self,
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

fn url_source(url: &EscapedText) -> Vec<u8> {
    fill_json(r#"{"type": "url", "url": $}"#, &[&url.literal()])
}

fn base64_source(media_type: &EscapedText, base64: &EscapedText) -> Vec<u8> {
    fill_json(
        r#"{"type": "base64", "media_type": $, "data": $}"#,
        &[&media_type.literal(), &base64.literal()],
    )
}

fn write_message(group: &[ChatTurn], out: &mut Vec<u8>, changed: &mut ConversionNotes) {
    let is_assistant = group.iter().all(|turn| turn.role == Role::Assistant);
    let role = if is_assistant {
        Role::Assistant
    } else {
        Role::User
    };
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
        changed.add_note(
            "arguments of a call",
            "not a JSON object: they are text under raw_arguments",
            NotePlace::in_message(Some(call.message)),
        );
    }
}

fn write_call(call: &ChatCall, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\": \"tool_use\", \"id\": ");
    write_literal(call.id.as_deref().unwrap_or_default(), out);
    out.extend_from_slice(b", \"name\": ");
    call.name.write_literal(out);
    out.extend_from_slice(b", \"input\": ");
    match call.argument_object() {
        Some(object) => out.extend_from_slice(&object),
        None => {
            out.extend_from_slice(RAW_ARGUMENTS);
            out.extend_from_slice(&encode_wtf8_literal(&call.arguments));
            out.push(b'}');
        }
    }
    out.push(b'}');
}

/// Returns a result as a block.
fn result_block(turn: &ChatTurn) -> Vec<u8> {
    let mut out = b"{\"type\": \"tool_result\", \"tool_use_id\": ".to_vec();
    write_literal(turn.answers.as_deref().unwrap_or_default(), &mut out);
    match turn.parts.as_slice() {
        [] => {}
        [ChatPart::Text(text)] => {
            out.extend_from_slice(b", \"content\": ");
            text.write_literal(&mut out);
        }
        parts => {
            out.extend_from_slice(b", \"content\": ");
            write_list(parts, &mut out, |part, out| match part {
                ChatPart::Text(text) => write_text_block(text, out),
                ChatPart::Block(block) => out.extend_from_slice(block),
                ChatPart::Call(_) => {}
            });
        }
    }
    if turn.failed {
        out.extend_from_slice(b", \"is_error\": true");
    }
    out.push(b'}');
    out
}
