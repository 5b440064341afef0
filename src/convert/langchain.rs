//! LangChain messages: `{"messages": [{"type": ..., "data": ...}]}`.
//!
//! This is the form that `messages_to_dict` writes and `messages_from_dict` reads.
//! See `docs/reference/formats.md`.

use crate::convert::block::{BlockContent, ContentBlock};
use crate::convert::call_ids::IdRule;
use crate::convert::chat::{ChatCall, ChatPart, ChatTranscript, ChatTurn, join_turns};
use crate::convert::embedded_json::embed_json;
use crate::convert::json_output::{write_content, write_fields, write_list};
use crate::convert::notes::ConversionNotes;
use crate::convert::target::{ConversionTarget, ConvertedBlock, MergeRule, TargetRules};
use crate::convert::tools::write_tool;
use crate::reading::format::tree::JsonNode;
use crate::reading::json::{encode_wtf8_literal, fill_json, write_literal};
use crate::reading::transcript::{Role, Usage};

/// LangChain messages.
pub(super) struct LangChainTarget;

impl ConversionTarget for LangChainTarget {
    fn name(&self) -> &'static str {
        "langchain"
    }

    fn about(&self) -> &'static str {
        "LangChain messages as messages_from_dict loads them: {\"messages\": [{\"type\": ..., \"data\": ...}]}"
    }

    fn rules(&self) -> TargetRules {
        TargetRules {
            merge: MergeRule::Never,
            system_apart: false,
            ends_with_answer: false,
            refuses_blank_text: false,
            ids: Some(IdRule {
                max_bytes: usize::MAX,
                accepts: |_| true,
            }),
            has_model: false,
            records_failure: true,
            records_usage: true,
            same_formats: &["langchain"],
            message_keys: &[
                "content",
                "type",
                "name",
                "tool_calls",
                "invalid_tool_calls",
                "tool_call_chunks",
                "tool_call_id",
                "status",
            ],
            record_keys: &["messages", "values", "thread_id", "tools"],
        }
    }

    fn convert_block(
        &self,
        _: Role,
        block: &ContentBlock<'_>,
        is_same_format: bool,
    ) -> Option<ConvertedBlock> {
        if is_same_format {
            return Some(ConvertedBlock::unchanged(block));
        }
        let json = match &block.content {
            BlockContent::ImageUrl(url) => {
                fill_json(r#"{"type": "image", "url": $}"#, &[&url.literal()])
            }
            BlockContent::ImageData(media_type, base64) => fill_json(
                r#"{"type": "image", "base64": $, "mime_type": $}"#,
                &[&base64.literal(), &media_type.literal()],
            ),
            // Signed thinking must not change, so it is kept as any other block.
            BlockContent::Thinking(text) if !block.has_key("signature") => fill_json(
                r#"{"type": "reasoning", "reasoning": $}"#,
                &[&text.literal()],
            ),
            BlockContent::Thinking(_) | BlockContent::Words(_) | BlockContent::Other => {
                let json = [
                    b"{\"type\": \"non_standard\", \"value\": ".as_slice(),
                    &embed_json(block.json),
                    b"}",
                ];
                return Some(ConvertedBlock::complete(json.concat()));
            }
        };
        Some(ConvertedBlock::content_only(ChatPart::Block(json)))
    }

    fn message_fields<'n>(&self, message: JsonNode<'n>) -> JsonNode<'n> {
        let inner = if message.has_key("lc") {
            message.get("kwargs")
        } else {
            message.get("data").filter(|_| !message.has_key("content"))
        };
        inner.unwrap_or(message)
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
        // The form that `bind_tools` takes.
        chat.write_tools("tools", out, |tool, out| {
            out.extend_from_slice(b"{\"type\": \"function\", \"function\": ");
            write_tool(tool, "parameters", None, out);
            out.push(b'}');
        });
        chat.write_closing(out);
        turns.len()
    }
}

fn write_message(turn: &ChatTurn, out: &mut Vec<u8>) {
    let kind = match turn.role {
        Role::System | Role::Developer => "system",
        Role::User => "human",
        Role::Assistant => "ai",
        Role::Tool | Role::Function => "tool",
    };
    out.extend_from_slice(format!("{{\"type\": \"{kind}\", \"data\": {{\"content\": ").as_bytes());
    if turn
        .parts
        .iter()
        .all(|part| matches!(part, ChatPart::Call(_)))
    {
        out.extend_from_slice(b"\"\"");
    } else {
        write_content(turn, out, None);
    }
    out.extend_from_slice(format!(", \"type\": \"{kind}\"").as_bytes());
    if let Some(name) = &turn.name {
        out.extend_from_slice(b", \"name\": ");
        name.write_literal(out);
    }
    if let Some(id) = &turn.answers {
        out.extend_from_slice(b", \"tool_call_id\": ");
        write_literal(id, out);
        out.extend_from_slice(if turn.failed {
            b", \"status\": \"error\""
        } else {
            b", \"status\": \"success\""
        });
    }
    if turn.role == Role::Assistant {
        write_calls(turn, out);
    }
    if let Some(usage) = turn.usage.filter(|_| !has_extra(turn, "usage_metadata")) {
        write_usage(usage, out);
    }
    if !has_extra(turn, "additional_kwargs") {
        write_additional_kwargs(turn, out);
    }
    write_fields(&turn.extras, out);
    out.extend_from_slice(b"}}");
}

/// Returns true if a turn has this further field.
fn has_extra(turn: &ChatTurn, wanted: &str) -> bool {
    turn.extras.iter().any(|(key, _)| key.decoded() == wanted)
}

/// Appends the marks of a summary, as LangChain's middleware sets it, and of a
/// developer message, as its OpenAI models set it.
fn write_additional_kwargs(turn: &ChatTurn, out: &mut Vec<u8>) {
    match turn.role {
        Role::User if turn.is_summary => {
            out.extend_from_slice(b", \"additional_kwargs\": {\"lc_source\": \"summarization\"}");
        }
        Role::Developer => {
            out.extend_from_slice(b", \"additional_kwargs\": {\"__openai_role__\": \"developer\"}");
        }
        _ => {}
    }
}

/// Appends the lists of calls with and without valid arguments.
fn write_calls(turn: &ChatTurn, out: &mut Vec<u8>) {
    let (valid, invalid): (Vec<&ChatCall>, Vec<&ChatCall>) = turn
        .calls
        .iter()
        .partition(|call| call.argument_object().is_some());
    out.extend_from_slice(b", \"tool_calls\": ");
    write_list(&valid, out, |call, out| {
        write_call_opening(call, out);
        out.extend_from_slice(b", \"type\": \"tool_call\"}");
    });
    out.extend_from_slice(b", \"invalid_tool_calls\": ");
    write_list(&invalid, out, |call, out| {
        write_call_opening(call, out);
        out.extend_from_slice(b", \"error\": null, \"type\": \"invalid_tool_call\"}");
    });
}

/// Appends `{"name": ..., "args": ..., "id": ...`.
fn write_call_opening(call: &ChatCall, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"name\": ");
    call.name.write_literal(out);
    out.extend_from_slice(b", \"args\": ");
    out.extend_from_slice(
        &call
            .argument_object()
            .unwrap_or_else(|| encode_wtf8_literal(&call.arguments)),
    );
    out.extend_from_slice(b", \"id\": ");
    write_literal(call.id.as_deref().unwrap_or_default(), out);
}

/// Appends the reported usage. The input tokens of LangChain include those of the cache.
fn write_usage(usage: Usage, out: &mut Vec<u8>) {
    let Usage {
        total_tokens,
        input,
        output,
        cache_read,
        cache_write,
        of_list: _,
    } = usage;
    let input = input + cache_read + cache_write;
    out.extend_from_slice(
        format!(", \"usage_metadata\": {{\"input_tokens\": {input}, \"output_tokens\": {output}, \"total_tokens\": {total_tokens}").as_bytes(),
    );
    out.extend_from_slice(format!(", \"input_token_details\": {{\"cache_read\": {cache_read}, \"cache_creation\": {cache_write}}}}}").as_bytes());
}
