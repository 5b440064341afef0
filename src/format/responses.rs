//! OpenAI Responses: requests (`input`), answers (`output`), the bare list of
//! items, or one item a record.
//!
//! One answer of the model is several items (reasoning, calls, a message):
//! each is read as a message, joined to the one before it. What the API refuses
//! apart is so never parted, encrypted reasoning leaves whole or stays.

use crate::error::RecordError;
use crate::format::reading::{
    LocatedNode, call, each_element, is_summary, read_trees, system_prompt, text_or_other,
    thread_entry, without,
};
use crate::format::tree::JsonNode;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::JsonKind;
use crate::json::encode_literal;
use crate::transcript::{BlockKind, Content, ContentBlock, Message, Record, Role, Transcript};

type Result<T> = std::result::Result<T, RecordError>;

/// The items of the Responses API.
pub(super) struct ResponsesFormat;

const ROLES: [(&str, Role); 4] = [
    ("user", Role::User),
    ("assistant", Role::Assistant),
    ("system", Role::System),
    ("developer", Role::Developer),
];
/// Keys of which a request or an answer has one.
const BESIDE: [&str; 7] = [
    "model",
    "instructions",
    "tools",
    "previous_response_id",
    "max_output_tokens",
    "store",
    "object",
];
/// What a server left of earlier turns, or keeps for itself: these items always stay.
const PINNED: [&str; 4] = [
    "compaction",
    "compaction_summary",
    "context_compaction",
    "item_reference",
];

impl Format for ResponsesFormat {
    fn name(&self) -> &'static str {
        "openai-responses"
    }

    fn help_line(&self) -> &'static str {
        "OpenAI Responses: requests {\"input\": [items]}, answers {\"output\": [items]}, a list of items, or one item per line"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let hit = |shape, certainty, why| {
            Some(Recognition {
                shape,
                certainty,
                why,
            })
        };
        if record.is(JsonKind::Array) {
            let own = record
                .items()
                .all(|item| item.has("type") || item.has("role"))
                && record.items().any(is_own_item);
            return if own {
                hit(
                    Shape::Conversation,
                    Certainty::Message,
                    "a list with items of the Responses API",
                )
            } else {
                None
            };
        }
        let request = record
            .get("body")
            .filter(|body| record.has("custom_id") && body.has("input"))
            .unwrap_or(record);
        if request
            .list("input")
            .next()
            .is_some_and(|first| first.is(JsonKind::Object))
            && BESIDE.iter().any(|key| request.has(key))
        {
            return hit(
                Shape::Conversation,
                Certainty::Envelope,
                "a list input beside model, instructions or tools",
            );
        }
        if request.list("output").any(is_own_item) {
            return hit(
                Shape::Conversation,
                Certainty::Envelope,
                "a list output with items of the Responses API",
            );
        }
        if is_own_item(record) {
            hit(
                Shape::Message,
                Certainty::Message,
                "one item of the Responses API",
            )
        } else {
            None
        }
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>> {
        let bytes: Vec<&'a [u8]> = records.iter().map(|record| record.bytes).collect();
        let mut transcript = read_trees(records, shape, Some("custom_id"), |transcript, whole| {
            let (bytes, root) = (bytes[whole.record], whole.node);
            if shape == Shape::Message {
                transcript.messages.push(read_item(bytes, whole)?);
                return Ok(());
            }
            let request = root
                .get("body")
                .filter(|body| body.has("input"))
                .unwrap_or(root);
            transcript.messages.extend(
                request
                    .get("instructions")
                    .and_then(|prompt| system_prompt(whole.record, prompt)),
            );
            transcript.outside = transcript.messages.len();
            transcript.tools = request
                .get("tools")
                .filter(|tools| tools.is(JsonKind::Array))
                .map(JsonNode::span);
            transcript.model = request
                .get("model")
                .and_then(JsonNode::text)
                .filter(|model| !model.is_empty())
                .map(std::borrow::Cow::into_owned);
            if request
                .get("previous_response_id")
                .is_some_and(|id| id.is(JsonKind::String))
            {
                transcript.warnings.push("previous_response_id: the record is not the whole context, earlier turns lie on the server".to_owned());
            }
            let (name, list) = match (request.get("input"), request.get("output")) {
                _ if root.is(JsonKind::Array) => ("items", root),
                // One text is no list that could be shortened.
                (Some(input), _) if input.is(JsonKind::String) => return Ok(()),
                (Some(input), _) => ("input", input),
                (None, Some(output)) => ("output", output),
                (None, None) => return Err(without(root, "input or output")),
            };
            each_element(list, whole.record, name, |element| {
                transcript.messages.push(read_item(bytes, element)?);
                Ok(())
            })
        })?;
        join(&mut transcript.messages);
        Ok(transcript)
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        SummaryInsertion::message(self.render_message(transcript, place, Role::User, text))
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        let kind = if role == Role::Assistant {
            "output_text"
        } else {
            "input_text"
        };
        let start = format!(
            "\"type\": \"message\", \"role\": \"{}\", \"content\": [{{\"type\": \"{kind}\", \"text\": ",
            role.name()
        );
        [
            b"{".as_slice(),
            &thread_entry(transcript, place),
            start.as_bytes(),
            &encode_literal(text),
            b"}]}",
        ]
        .concat()
    }

    fn render_text_block(&self, text: &str) -> Vec<u8> {
        [
            b"{\"type\": \"input_text\", \"text\": ".as_slice(),
            &encode_literal(text),
            b"}",
        ]
        .concat()
    }
}

/// What comes from the model without anything between is one answer.
fn join(messages: &mut [Message]) {
    for index in 1..messages.len() {
        messages[index].joined =
            messages[index].role == Role::Assistant && messages[index - 1].role == Role::Assistant;
    }
}

/// Whether an object is an item that no other dialect has.
fn is_own_item(item: JsonNode<'_>) -> bool {
    let Some(kind) = item.get("type").and_then(JsonNode::text) else {
        return false;
    };
    match kind.as_ref() {
        "message" => item
            .list("content")
            .any(|block| block.says("type", "input_text") || block.says("type", "output_text")),
        "reasoning" => item.has("summary") || item.has("encrypted_content"),
        "function_call" | "custom_tool_call" | "local_shell_call" | "computer_call" => {
            item.has("call_id")
        }
        "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call"
        | "mcp_call" => item.has("id") && item.has("status"),
        "compaction" | "compaction_summary" | "context_compaction" => item.has("encrypted_content"),
        kind => kind.ends_with("_call_output") && item.has("call_id"),
    }
}

fn read_item(bytes: &[u8], element: LocatedNode<'_>) -> Result<Message> {
    let node = element.node;
    let kind = match node.get("type") {
        None => None,
        Some(kind) => Some(
            kind.text()
                .ok_or_else(|| kind.wrong(&element.field("type"), "a string"))?,
        ),
    };
    let literal = |key: &str| node.literal_at(key);
    Ok(match kind.as_deref() {
        None | Some("message") => {
            let role = element.role("role", &ROLES)?;
            let (content, content_span) = element.content("content", block)?;
            let earlier_summary = role == Role::User && is_summary(bytes, &content);
            Message {
                content,
                content_span,
                earlier_summary,
                ..element.message(role)
            }
        }
        Some("reasoning") => {
            // Encrypted text is no measure of tokens, and nobody may cut it.
            let texts = node
                .list("summary")
                .chain(node.list("content"))
                .map(text_or_other);
            Message {
                content: Content::Blocks(texts.collect()),
                ..element.message(Role::Assistant)
            }
        }
        Some(
            "function_call" | "custom_tool_call" | "local_shell_call" | "shell_call"
            | "computer_call" | "apply_patch_call" | "tool_search_call",
        ) => {
            let arguments = ["arguments", "action", "operation"]
                .into_iter()
                .find_map(|key| node.get(key));
            let mut call = call(
                node.span(),
                literal("call_id"),
                literal("name").or(literal("type")),
                arguments,
            );
            if let Some(input) = literal("input") {
                call.arguments = Some(input); // free text
            }
            Message {
                calls: vec![call],
                ..element.message(Role::Assistant)
            }
        }
        Some(kind) if kind.ends_with("_output") => {
            let (content, content_span) = match node
                .get("output")
                .filter(|output| output.is(JsonKind::Object))
            {
                Some(output) => (
                    Content::Blocks(vec![ContentBlock {
                        span: output.span(),
                        kind: block(output),
                    }]),
                    None,
                ),
                None => element.content("output", block)?,
            };
            Message {
                content,
                content_span,
                answers: literal("call_id"),
                ..element.message(Role::Tool)
            }
        }
        Some(kind) if PINNED.contains(&kind) => element.message(Role::System),
        Some(kind) => {
            let what = if kind == "image_generation_call" {
                BlockKind::Image
            } else {
                BlockKind::Other
            };
            Message {
                content: Content::Blocks(vec![ContentBlock {
                    span: node.span(),
                    kind: what,
                }]),
                ..element.message(Role::Assistant)
            }
        }
    })
}

fn block(block: JsonNode<'_>) -> BlockKind {
    match block.get("type").and_then(JsonNode::text).as_deref() {
        Some("input_text" | "output_text" | "text" | "reasoning_text" | "summary_text") => {
            BlockKind::Text(block.literal_at("text").unwrap_or_default())
        }
        Some("input_image" | "computer_screenshot") => BlockKind::Image,
        _ => BlockKind::Other,
    }
}
