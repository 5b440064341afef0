//! OpenAI chat messages: `{"messages": […], "tools": […]}` (spec: formats, section 1).

use crate::convert::block::{BlockContent, ContentBlock};
use crate::convert::chat::{ChatPart, ChatTurn};
use crate::convert::literal::EscapedText;
use crate::convert::notes::ConversionNotes;
use crate::convert::shape::joined;
use crate::convert::{
    ChatTranscript, ConversionTarget, IdRule, MergeRule, TargetRules, embedded, tools,
    write_content, write_extras, write_list,
};
use crate::format::tree::JsonNode;
use crate::json::{encode_wtf8_literal, write_literal};
use crate::transcript::Role;

/// OpenAI chat transcripts.
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
            merge: MergeRule::Not,
            system_apart: false,
            no_blanks: false,
            // The API refuses longer ones.
            ids: Some(IdRule {
                longest: 40,
                takes: |_| true,
            }),
            has_model: true,
            tells_failure: false,
            tells_usage: false,
            same: &["openai", "openai-batch", "openai-dpo"],
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

    fn block(&self, role: Role, block: &ContentBlock<'_>, same: bool) -> Option<(ChatPart, bool)> {
        let whole = || Some((ChatPart::Block(embedded(block.json)), true));
        match (role, &block.kind) {
            _ if same => whole(),
            (Role::User, BlockContent::Url(url)) => Some((image(url), false)),
            (Role::User, BlockContent::Data(mime, base64)) => {
                Some((image(&data_url(mime, base64)), false))
            }
            (Role::User, _)
                if (block.is(&["input_audio"]) && block.has("input_audio"))
                    || (block.is(&["file"]) && block.has("file")) =>
            {
                whole()
            }
            (Role::Assistant, _) if block.is(&["refusal"]) && block.has("refusal") => whole(),
            _ => None,
        }
    }

    fn takes_tool(&self, tool: JsonNode<'_>) -> bool {
        tool.has_text("type", "function")
            && tool.get("function").is_some_and(|own| own.has_key("name"))
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
        chat.write_tools("tools", out, |tool, out| match tool.is_taken {
            true => tools::write(tool, "parameters", None, out),
            false => {
                out.extend_from_slice(b"{\"type\": \"function\", \"function\": ");
                tools::write(tool, "parameters", None, out);
                out.push(b'}');
            }
        });
        chat.close(out);
        turns.len()
    }
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
            name.write(out);
        }
        (None, None) => {}
    }
    out.extend_from_slice(b", \"content\": ");
    write_content(turn, out, None);
    if !turn.calls.is_empty() {
        out.extend_from_slice(b", \"tool_calls\": ");
        write_list(&turn.calls, out, |call, out| {
            out.extend_from_slice(b"{\"id\": ");
            write_literal(call.id.as_deref().unwrap_or_default(), out);
            out.extend_from_slice(b", \"type\": \"function\", \"function\": {\"name\": ");
            call.name.write(out);
            out.extend_from_slice(b", \"arguments\": ");
            // Text, whatever it holds; none at all is an object without keys.
            let arguments: &[u8] = if call.arguments.is_empty() {
                b"{}"
            } else {
                &call.arguments
            };
            out.extend_from_slice(&encode_wtf8_literal(arguments));
            out.extend_from_slice(b"}}");
        });
    }
    write_extras(&turn.extras, out);
    out.push(b'}');
}

fn image(url: &EscapedText) -> ChatPart {
    ChatPart::Block(
        [
            b"{\"type\": \"image_url\", \"image_url\": {\"url\": ".as_slice(),
            &url.literal(),
            b"}}",
        ]
        .concat(),
    )
}

/// Bytes as an address.
fn data_url(mime: &EscapedText, base64: &EscapedText) -> EscapedText {
    let mut url = EscapedText::from("data:");
    url.push(mime);
    url.push(&EscapedText::from(";base64,"));
    url.push(base64);
    url
}
