//! LangChain messages as `messages_to_dict` writes them and `messages_from_dict`
//! reads them: `{"messages": [{"type", "data"}]}` (spec: formats, section 5).

use crate::convert::block::{BlockContent, ContentBlock};
use crate::convert::chat::{ChatCall, ChatPart, ChatTurn};
use crate::convert::notes::ConversionNotes;
use crate::convert::shape::joined;
use crate::convert::{
    ChatTranscript, ConversionTarget, IdRule, MergeRule, TargetRules, embedded, tools,
    write_content, write_extras, write_list,
};
use crate::format::tree::JsonNode;
use crate::json::{encode_wtf8_literal, write_literal};
use crate::transcript::{Role, Usage};

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
            merge: MergeRule::Not,
            system_apart: false,
            no_blanks: false,
            ids: Some(IdRule {
                longest: usize::MAX,
                takes: |_| true,
            }),
            has_model: false,
            tells_failure: true,
            tells_usage: true,
            same: &["langchain"],
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

    fn block(&self, _: Role, block: &ContentBlock<'_>, same: bool) -> Option<(ChatPart, bool)> {
        let json = |parts: &[&[u8]]| Some((ChatPart::Block(parts.concat()), false));
        match &block.kind {
            _ if same => Some((ChatPart::Block(embedded(block.json)), true)),
            BlockContent::Url(url) => {
                json(&[b"{\"type\": \"image\", \"url\": ", &url.literal(), b"}"])
            }
            BlockContent::Data(mime, base64) => json(&[
                b"{\"type\": \"image\", \"base64\": ",
                &base64.literal(),
                b", \"mime_type\": ",
                &mime.literal(),
                b"}",
            ]),
            // What is signed stays as it is.
            BlockContent::Thinking(text) if !block.has("signature") => json(&[
                b"{\"type\": \"reasoning\", \"reasoning\": ",
                &text.literal(),
                b"}",
            ]),
            BlockContent::Thinking(_) | BlockContent::Other => Some((
                ChatPart::Block(
                    [
                        b"{\"type\": \"non_standard\", \"value\": ".as_slice(),
                        &embedded(block.json),
                        b"}",
                    ]
                    .concat(),
                ),
                true,
            )),
        }
    }

    fn fields<'n>(&self, message: JsonNode<'n>) -> JsonNode<'n> {
        let inner = if message.has_key("lc") {
            message.get("kwargs")
        } else {
            message.get("data").filter(|_| !message.has_key("content"))
        };
        inner.unwrap_or(message)
    }

    fn write(
        &self,
        chat: &ChatTranscript<'_>,
        out: &mut Vec<u8>,
        _: &mut ConversionNotes,
    ) -> usize {
        chat.open("thread_id", out);
        out.extend_from_slice(b", \"messages\": ");
        let turns: Vec<ChatTurn> = chat
            .groups
            .iter()
            .filter_map(|group| joined(group))
            .collect();
        write_list(&turns, out, write_message);
        // As `bind_tools` takes them.
        chat.write_tools("tools", out, |tool, out| {
            out.extend_from_slice(b"{\"type\": \"function\", \"function\": ");
            tools::write(tool, "parameters", None, out);
            out.push(b'}');
        });
        chat.close(out);
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
        name.write(out);
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
    let has = |wanted: &str| turn.extras.iter().any(|(key, _)| key.decoded() == wanted);
    if let Some(usage) = turn.usage.filter(|_| !has("usage_metadata")) {
        write_usage(usage, out);
    }
    // As LangChain's own middleware marks a summary, and its OpenAI models a developer's message.
    match turn.role {
        _ if has("additional_kwargs") => {}
        Role::User if turn.is_summary => {
            out.extend_from_slice(b", \"additional_kwargs\": {\"lc_source\": \"summarization\"}")
        }
        Role::Developer => {
            out.extend_from_slice(b", \"additional_kwargs\": {\"__openai_role__\": \"developer\"}")
        }
        _ => {}
    }
    write_extras(&turn.extras, out);
    out.extend_from_slice(b"}}");
}

fn write_calls(turn: &ChatTurn, out: &mut Vec<u8>) {
    let (valid, invalid): (Vec<&ChatCall>, Vec<&ChatCall>) =
        turn.calls.iter().partition(|call| call.object().is_some());
    for (calls, key, kind) in [
        (valid, "tool_calls", "tool_call"),
        (invalid, "invalid_tool_calls", "invalid_tool_call"),
    ] {
        out.extend_from_slice(format!(", \"{key}\": ").as_bytes());
        write_list(&calls, out, |call, out| {
            out.extend_from_slice(b"{\"name\": ");
            call.name.write(out);
            out.extend_from_slice(b", \"args\": ");
            out.extend_from_slice(
                &call
                    .object()
                    .unwrap_or_else(|| encode_wtf8_literal(&call.arguments)),
            );
            out.extend_from_slice(b", \"id\": ");
            write_literal(call.id.as_deref().unwrap_or_default(), out);
            if kind == "invalid_tool_call" {
                out.extend_from_slice(b", \"error\": null");
            }
            out.extend_from_slice(format!(", \"type\": \"{kind}\"}}").as_bytes());
        });
    }
}

/// In LangChain's words input counts what the cache gave and took.
fn write_usage(usage: Usage, out: &mut Vec<u8>) {
    let Usage {
        total_tokens,
        input,
        output,
        cache_read,
        cache_write,
    } = usage;
    let input = input + cache_read + cache_write;
    out.extend_from_slice(
        format!(", \"usage_metadata\": {{\"input_tokens\": {input}, \"output_tokens\": {output}, \"total_tokens\": {total_tokens}").as_bytes(),
    );
    out.extend_from_slice(format!(", \"input_token_details\": {{\"cache_read\": {cache_read}, \"cache_creation\": {cache_write}}}}}").as_bytes());
}
