//! Anthropic Messages: `{"system", "messages": […], "tools"}`, roles in turn,
//! results first in the user message behind their calls (spec: formats, section 4).

use crate::convert::block::{BlockContent, ContentBlock};
use crate::convert::chat::{ChatCall, ChatPart, ChatTurn};
use crate::convert::notes::ConversionNotes;
use crate::convert::{
    ChatTranscript, ConversionTarget, IdRule, MergeRule, TargetRules, embedded, tools,
    write_content, write_extras, write_list, write_text_block,
};
use crate::format::tree::JsonNode;
use crate::json::{encode_wtf8_literal, write_literal};
use crate::transcript::Role;

/// Anthropic Messages.
pub(super) struct AnthropicTarget;

/// Blocks that are taken as they are, by who speaks.
const OF_USER: [&str; 4] = ["image", "document", "search_result", "container_upload"];
const OF_ASSISTANT: [&str; 8] = [
    "redacted_thinking",
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "mcp_tool_use",
    "mcp_tool_result",
    "compaction",
];
/// What the model looks at.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/// Where arguments stand that are no object.
const RAW: &[u8] = b"{\"raw_arguments\": ";

impl ConversionTarget for AnthropicTarget {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn about(&self) -> &'static str {
        "Anthropic Messages: {\"system\": ..., \"messages\": [...], \"tools\": [...]}, user and assistant in turn"
    }

    fn rules(&self) -> TargetRules {
        TargetRules {
            merge: MergeRule::Both,
            system_apart: true,
            no_blanks: true,
            ids: Some(IdRule {
                longest: 64,
                takes: |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
            }),
            has_model: true,
            tells_failure: true,
            tells_usage: false,
            same: &["anthropic"],
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

    fn block(&self, role: Role, block: &ContentBlock<'_>, same: bool) -> Option<(ChatPart, bool)> {
        let whole = || Some((ChatPart::Block(embedded(block.json)), true));
        let own = match role {
            Role::User => block.is(&OF_USER) && block.has("source"),
            Role::Tool => block.is(&["image", "document", "search_result"]) && block.has("source"),
            Role::Assistant => {
                block.is(&OF_ASSISTANT) || (block.is(&["thinking"]) && block.has("signature"))
            }
            Role::System | Role::Developer | Role::Function => false,
        };
        let source = match (&block.kind, role) {
            _ if same || own => return whole(),
            (BlockContent::Url(url), Role::User | Role::Tool) => [
                b"{\"type\": \"url\", \"url\": ".as_slice(),
                &url.literal(),
                b"}",
            ]
            .concat(),
            (BlockContent::Data(mime, base64), Role::User | Role::Tool)
                if IMAGES.contains(&mime.decoded().as_ref()) =>
            {
                [
                    b"{\"type\": \"base64\", \"media_type\": ".as_slice(),
                    &mime.literal(),
                    b", \"data\": ",
                    &base64.literal(),
                    b"}",
                ]
                .concat()
            }
            _ => return None,
        };
        Some((
            ChatPart::Block(
                [
                    b"{\"type\": \"image\", \"source\": ".as_slice(),
                    &source,
                    b"}",
                ]
                .concat(),
            ),
            false,
        ))
    }

    fn takes_tool(&self, tool: JsonNode<'_>) -> bool {
        // Its own tools have a `type` with a date.
        let kind = tool.get("type").and_then(JsonNode::as_text);
        tool.has_key("name")
            && (tool.has_key("input_schema")
                || kind.is_some_and(|kind| kind.ends_with(|c: char| c.is_ascii_digit())))
    }

    fn write(
        &self,
        chat: &ChatTranscript<'_>,
        out: &mut Vec<u8>,
        changed: &mut ConversionNotes,
    ) -> usize {
        chat.open("thread_id", out);
        if !chat.system.is_empty() {
            out.extend_from_slice(b", \"system\": ");
            let mut turns = chat.system.iter().cloned();
            if let Some(mut all) = turns.next() {
                turns.for_each(|turn| all.append(turn));
                write_content(&all, out, None);
            }
        }
        out.extend_from_slice(b", \"messages\": ");
        write_list(&chat.groups, out, |group, out| {
            write_message(group, out, changed)
        });
        chat.write_tools("tools", out, |tool, out| {
            tools::write(tool, "input_schema", Some("{\"type\": \"object\"}"), out)
        });
        chat.close(out);
        chat.groups.len()
    }
}

fn write_message(group: &[ChatTurn], out: &mut Vec<u8>, changed: &mut ConversionNotes) {
    let is_assistant = group.iter().all(|turn| turn.role == Role::Assistant);
    out.extend_from_slice(if is_assistant {
        b"{\"role\": \"assistant\", \"content\": "
    } else {
        b"{\"role\": \"user\", \"content\": "
    });
    let mut all = ChatTurn::new(
        if is_assistant {
            Role::Assistant
        } else {
            Role::User
        },
        None,
    );
    for turn in group {
        if turn.role == Role::Tool {
            all.parts.push(ChatPart::Block(result(turn)));
        } else {
            turn.calls
                .iter()
                .filter(|call| call.object().is_none())
                .for_each(|call| {
                    changed.add(
                        "arguments of a call",
                        "no JSON object: they stand as text under raw_arguments",
                        (0, Some(call.origin.0)),
                    );
                });
            all.append(turn.clone());
        }
    }
    write_content(&all, out, Some(write_call));
    group
        .iter()
        .for_each(|turn| write_extras(&turn.extras, out));
    out.push(b'}');
}

fn write_call(call: &ChatCall, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"type\": \"tool_use\", \"id\": ");
    write_literal(call.id.as_deref().unwrap_or_default(), out);
    out.extend_from_slice(b", \"name\": ");
    call.name.write(out);
    out.extend_from_slice(b", \"input\": ");
    match call.object() {
        Some(object) => out.extend_from_slice(&object),
        None => {
            out.extend_from_slice(RAW);
            out.extend_from_slice(&encode_wtf8_literal(&call.arguments));
            out.push(b'}');
        }
    }
    out.push(b'}');
}

/// A result as a block.
fn result(turn: &ChatTurn) -> Vec<u8> {
    let mut out = b"{\"type\": \"tool_result\", \"tool_use_id\": ".to_vec();
    write_literal(turn.answers.as_deref().unwrap_or_default(), &mut out);
    match turn.parts.as_slice() {
        [] => {}
        [ChatPart::Text(text)] => {
            out.extend_from_slice(b", \"content\": ");
            text.write(&mut out);
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
