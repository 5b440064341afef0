//! OpenAI chat messages: `{"messages": [...], "tools": [...]}`. See `docs/reference/formats.md`.

use crate::convert::block::{BlockContent, ContentBlock};
use crate::convert::call_ids::IdRule;
use crate::convert::chat::{ChatCall, ChatPart, ChatTranscript, ChatTurn, join_turns};
use crate::convert::escaped_text::EscapedText;
use crate::convert::json_output::{write_content, write_fields, write_list};
use crate::convert::notes::ConversionNotes;
use crate::convert::target::{ConversionTarget, ConvertedBlock, MergeRule, TargetRules};
use crate::convert::tools::write_tool;
use crate::reading::format::tree::JsonNode;
use crate::reading::json::{encode_wtf8_literal, fill_json, write_literal};
use crate::reading::transcript::Role;

/// OpenAI chat messages.
pub(super) struct OpenAiTarget;

impl ConversionTarget for OpenAiTarget {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn about(&self) -> &'static str {
        "OpenAI chat messages: {\"messages\": [...], \"tools\": [...]}"
    }

    fn rules(&self) -> TargetRules {
        TargetRules {
            merge: MergeRule::Never,
            system_apart: false,
            ends_with_answer: false,
            refuses_blank_text: false,
            // The API refuses longer ids.
            ids: Some(IdRule {
                max_bytes: 40,
                accepts: |_| true,
            }),
            has_model: true,
            records_failure: false,
            records_usage: false,
            same_formats: &["openai", "openai-batch", "openai-dpo"],
            message_keys: &[
                "role",
                "content",
                "name",
                "tool_calls",
                "tool_call_id",
                "function_call",
            ],
            record_keys: &["messages", "tools", "model", "thread_id", "body", "input"],
        }
    }

    fn convert_block(
        &self,
        role: Role,
        block: &ContentBlock<'_>,
        is_same_format: bool,
    ) -> Option<ConvertedBlock> {
        if is_same_format || is_openai_block(role, block) {
            return Some(ConvertedBlock::unchanged(block));
        }
        let url = match (role, &block.content) {
            (Role::User, BlockContent::ImageUrl(url)) => url.clone(),
            (Role::User, BlockContent::ImageData(media_type, base64)) => {
                data_url(media_type, base64)
            }
            _ => return None,
        };
        Some(ConvertedBlock::content_only(image_block(&url)))
    }

    fn accepts_tool(&self, tool: JsonNode<'_>) -> bool {
        tool.has_text("type", "function")
            && tool
                .get("function")
                .is_some_and(|function| function.has_key("name"))
    }

    fn write_chat(
        &self,
        chat: &ChatTranscript<'_>,
        out: &mut Vec<u8>,
        _: &mut ConversionNotes,
    ) -> usize {
        chat.write_opening("thread_id", out);
        out.extend_from_slice(b", \"messages\": ");
        let turns: Vec<ChatTurn> = chat
            .groups
            .iter()
            .filter_map(|group| join_turns(group))
            .collect();
        write_list(&turns, out, write_message);
        chat.write_tools("tools", out, |tool, out| {
            if tool.logged.is_some() {
                return write_tool(tool, "parameters", None, out);
            }
            out.extend_from_slice(b"{\"type\": \"function\", \"function\": ");
            write_tool(tool, "parameters", None, out);
            out.push(b'}');
        });
        chat.write_closing(out);
        turns.len()
    }
}

/// Returns true if a block other than an image is one of the format.
fn is_openai_block(role: Role, block: &ContentBlock<'_>) -> bool {
    let kinds: &[&str] = match (role, &block.content) {
        (Role::User, BlockContent::ImageUrl(_) | BlockContent::ImageData(..)) => &[],
        (Role::User, _) => &["input_audio", "file"],
        (Role::Assistant, _) => &["refusal"],
        _ => &[],
    };
    // The content of these blocks has the name of the block as its key.
    kinds
        .iter()
        .any(|kind| block.is_named(&[kind]) && block.has_key(kind))
}

fn write_message(turn: &ChatTurn, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\": ");
    write_literal(turn.role.name(), out);
    match (&turn.answers, &turn.name) {
        (Some(id), _) => {
            out.extend_from_slice(b", \"tool_call_id\": ");
            write_literal(id, out);
        }
        (None, Some(name)) => {
            out.extend_from_slice(b", \"name\": ");
            name.write_literal(out);
        }
        (None, None) => {}
    }
    out.extend_from_slice(b", \"content\": ");
    write_content(turn, out, None);
    if !turn.calls.is_empty() {
        out.extend_from_slice(b", \"tool_calls\": ");
        write_list(&turn.calls, out, write_call);
    }
    write_fields(&turn.extras, out);
    out.push(b'}');
}

fn write_call(call: &ChatCall, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"id\": ");
    write_literal(call.id.as_deref().unwrap_or_default(), out);
    write_called(call, out);
}

/// Appends what a call calls, and its end: a function, or a custom tool where the arguments are free
/// text. Empty arguments are written as an empty object, and an object that was cut off as it is.
pub(crate) fn write_called(call: &ChatCall, out: &mut Vec<u8>) {
    let begins_object = call.arguments.trim_ascii_start().starts_with(b"{");
    let is_function = !call.is_custom && (begins_object || call.argument_object().is_some());
    let [kind, key] = if is_function {
        ["function", "arguments"]
    } else {
        ["custom", "input"]
    };
    out.extend_from_slice(format!(", \"type\": \"{kind}\", \"{kind}\": {{\"name\": ").as_bytes());
    call.name.write_literal(out);
    out.extend_from_slice(format!(", \"{key}\": ").as_bytes());
    let arguments: &[u8] = if call.arguments.is_empty() {
        b"{}"
    } else {
        &call.arguments
    };
    out.extend_from_slice(&encode_wtf8_literal(arguments));
    out.extend_from_slice(b"}}");
}

fn image_block(url: &EscapedText) -> ChatPart {
    ChatPart::Block(fill_json(
        r#"{"type": "image_url", "image_url": {"url": $}}"#,
        &[&url.literal()],
    ))
}

/// Returns the bytes of an image as a `data:` URL.
fn data_url(media_type: &EscapedText, base64: &EscapedText) -> EscapedText {
    let mut url = EscapedText::from("data:");
    url.push_text(media_type);
    url.push_text(&EscapedText::from(";base64,"));
    url.push_text(base64);
    url
}
