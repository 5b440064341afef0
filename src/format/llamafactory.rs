//! LLaMA-Factory v1: `{"messages": [{"role", "content": [{"type", "value"}], "loss_weight"}]}`.
//! There are no ids, and one tool message may answer several calls.

use crate::error::RecordError;
use crate::format::reading::{
    LocatedNode, before_content, each_element, read_trees, user_messages, without,
};
use crate::format::sharegpt::calls_in;
use crate::format::tree::JsonNode;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::JsonKind;
use crate::json::encode_literal;
use crate::transcript::{BlockKind, Message, Record, Role, ToolCall, Transcript};

type Result<T> = std::result::Result<T, RecordError>;

/// Conversations of LLaMA-Factory v1.
pub(super) struct LlamaFactoryFormat;

const ROLES: [(&str, Role); 4] = [
    ("user", Role::User),
    ("assistant", Role::Assistant),
    ("tool", Role::Tool),
    ("system", Role::System),
];

impl Format for LlamaFactoryFormat {
    fn name(&self) -> &'static str {
        "llamafactory"
    }

    fn help_line(&self) -> &'static str {
        "LLaMA-Factory v1: {\"messages\": [{\"role\": ..., \"content\": [{\"type\": ..., \"value\": ...}]}]}"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let own = |block: JsonNode<'_>| block.has("type") && block.has("value");
        let has_own = record
            .list("messages")
            .any(|message| message.has("role") && message.list("content").any(own));
        has_own.then_some(Recognition {
            shape: Shape::Conversation,
            certainty: Certainty::Message,
            why: "content blocks with type and value",
        })
    }

    fn read_transcript<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        let bytes: Vec<&'a [u8]> = records.iter().map(|record| record.bytes).collect();
        read_trees(records, Shape::Conversation, None, |transcript, whole| {
            transcript.alternates = true;
            let list = whole
                .node
                .get("messages")
                .ok_or_else(|| without(whole.node, "messages"))?;
            transcript.tools = whole
                .node
                .get("tools")
                .filter(|tools| matches!(tools.kind(), JsonKind::Array | JsonKind::String))
                .map(JsonNode::span);
            each_element(list, whole.record, "messages", |element| {
                transcript
                    .messages
                    .extend(read_message(bytes[whole.record], element)?);
                Ok(())
            })
        })
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        let follows = place.user_that_follows(transcript);
        if let Some(splices) =
            follows.and_then(|message| before_content(transcript, message, "content", text, wrap))
        {
            return SummaryInsertion {
                splices,
                ..SummaryInsertion::default()
            };
        }
        SummaryInsertion::message(self.render_message(transcript, place, Role::User, text))
    }

    fn render_message(
        &self,
        _: &Transcript<'_>,
        _: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        [
            format!("{{\"role\": \"{}\", \"content\": ", role.name()).as_bytes(),
            &self.render_result(text),
            b", \"loss_weight\": 0.0}",
        ]
        .concat()
    }

    fn render_text_block(&self, text: &str) -> Vec<u8> {
        wrap(&encode_literal(text))
    }

    fn render_result(&self, text: &str) -> Vec<u8> {
        [b"[", self.render_text_block(text).as_slice(), b"]"].concat()
    }
}

fn wrap(literal: &[u8]) -> Vec<u8> {
    [
        b"{\"type\": \"text\", \"value\": ".as_slice(),
        literal,
        b"}",
    ]
    .concat()
}

fn read_message(bytes: &[u8], element: LocatedNode<'_>) -> Result<Vec<Message>> {
    let role = element.role("role", &ROLES)?;
    let mut calls = Vec::new();
    let (content, content_span) = element.content("content", |block| {
        match block.get("type").and_then(JsonNode::text).as_deref() {
            Some("text") => BlockKind::Text(block.literal_at("value").unwrap_or_default()),
            Some("image_url" | "image") => BlockKind::Image,
            Some("tool_call") if role == Role::Assistant => {
                let mut found = block
                    .literal_at("value")
                    .map_or_else(Vec::new, |literal| calls_in(bytes, literal, None));
                match found.len() {
                    0 => found.push(ToolCall {
                        span: block.span(),
                        ..ToolCall::default()
                    }),
                    1 => {}
                    // Several calls in one block are not cut: the block shows one of them as an edit leaves it.
                    _ => found.iter_mut().for_each(|call| call.valid = false),
                }
                calls.append(&mut found);
                BlockKind::Call(calls.len() - 1)
            }
            _ => BlockKind::Other,
        }
    })?;
    let message = Message {
        content,
        content_span,
        calls,
        ..element.message(role)
    };
    Ok(if role == Role::User {
        user_messages(bytes, message)
    } else {
        vec![message]
    })
}
