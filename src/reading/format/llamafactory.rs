//! LLaMA-Factory v1: `{"messages": [{"role", "content": [{"type", "value"}], "loss_weight"}]}`.
//! Calls have no ids, and one tool message may answer several calls.

use crate::reading::format::prelude::*;
use crate::reading::format::sharegpt_calls::calls_in_string;

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
        let has_value_block = record.items_of("messages").any(|message| {
            let mut blocks = message.items_of("content");
            message.has_key("role")
                && blocks.any(|block| block.has_key("type") && block.has_key("value"))
        });
        has_value_block.then(|| {
            Recognition::by_message(Shape::Conversation, "content blocks with type and value")
        })
    }

    fn read_transcript<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        read_block_records(records, "messages")
    }

    fn user_content_key(&self) -> Option<&'static str> {
        Some("content")
    }

    fn render_message(
        &self,
        _: &Transcript<'_>,
        _: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        render_block_message(
            role,
            &self.render_text_block(text),
            b", \"loss_weight\": 0.0}",
        )
    }

    fn wrap_text(&self, literal: &[u8]) -> Vec<u8> {
        fill_json(r#"{"type": "text", "value": $}"#, &[literal])
    }

    fn render_result(&self, text: &str) -> Vec<u8> {
        render_block_list(&self.render_text_block(text))
    }
}

/// Reads the messages of the list under this key.
pub(super) fn read_block_records<'a>(
    records: Vec<Record<'a>>,
    key: &'static str,
) -> Result<Transcript<'a>> {
    read_as_trees(records, Shape::Conversation, None, |transcript, record| {
        let root = record.node;
        transcript.alternates = true;
        let list = root
            .get(key)
            .ok_or_else(|| no_messages_error(root.bytes(), key))?;
        transcript.tools = root
            .get("tools")
            .filter(|tools| matches!(tools.kind(), JsonKind::Array | JsonKind::String))
            .map(JsonNode::span);
        for_each_element(
            transcript,
            list,
            record.record,
            key,
            |transcript, element| {
                transcript.messages.extend(read_messages(element)?);
                Ok(())
            },
        )
    })
}

/// Reads the messages that one logged message holds: an earlier summary is a separate message.
fn read_messages(element: LocatedNode<'_>) -> Result<Vec<Message>> {
    let role = element.read_role("role", &ROLES)?;
    let mut calls = Vec::new();
    let (content, content_span) =
        element.read_content("content", |block| match block.get_text("type").as_deref() {
            Some("text") => BlockKind::Text(block.literal_at("value").unwrap_or_default()),
            Some("image_url" | "image") => BlockKind::Image,
            Some("tool_call") if role == Role::Assistant => {
                calls.append(&mut read_calls(block));
                BlockKind::Call(calls.len() - 1)
            }
            _ => BlockKind::Other,
        })?;
    let message = Message {
        content,
        content_span,
        calls,
        ..element.new_message(role)
    };
    Ok(if role == Role::User {
        split_off_summary(element.node.record_bytes(), message)
    } else {
        vec![message]
    })
}

/// Reads the calls of a block. There is at least one: what cannot be read is an opaque call.
fn read_calls(block: JsonNode<'_>) -> Vec<ToolCall> {
    let mut calls = block.literal_at("value").map_or_else(Vec::new, |literal| {
        calls_in_string(block.record_bytes(), literal, None)
    });
    match calls.len() {
        0 => calls.push(ToolCall {
            span: block.span(),
            ..ToolCall::default()
        }),
        1 => {}
        // Several calls in one block are never cut: the block is shown as an edit of one of them
        // leaves it.
        _ => calls.iter_mut().for_each(|call| call.valid = false),
    }
    calls
}
