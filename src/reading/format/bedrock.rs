//! Bedrock Converse: `{"system": [{"text"}], "messages": [{"role", "content": [{"text"} |
//! {"toolUse"} | {"toolResult"}]}], "toolConfig"}`. Blocks have no `type`.

use crate::reading::format::prelude::*;

/// Conversations of the Converse API.
pub(super) struct BedrockFormat;

const ROLES: [(&str, Role); 2] = [("user", Role::User), ("assistant", Role::Assistant)];

impl Format for BedrockFormat {
    fn name(&self) -> &'static str {
        "bedrock"
    }

    fn help_line(&self) -> &'static str {
        "Bedrock Converse: {\"system\": [{\"text\": ...}], \"messages\": [...]} with toolUse and toolResult blocks"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let has_tool_block = content_blocks(record)
            .any(|block| block.has_key("toolUse") || block.has_key("toolResult"));
        let why = if has_tool_block {
            "blocks toolUse or toolResult"
        } else if content_blocks(record).any(is_text) && content_blocks(record).all(is_member) {
            "content blocks with text and no type"
        } else {
            return None;
        };
        Some(Recognition::by_message(Shape::Conversation, why))
    }

    fn read_transcript<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        read_as_trees(records, Shape::Conversation, None, |transcript, record| {
            let root = record.node;
            transcript.alternates = true;
            let list = root
                .get("messages")
                .ok_or_else(|| no_messages_error(root.bytes(), "messages"))?;
            let prompt = root.get("system");
            push_system_prompt(transcript, record.record, prompt);
            transcript.tools = root
                .get_path(&["toolConfig", "tools"])
                .filter(|tools| tools.is_kind(JsonKind::Array))
                .map(JsonNode::span);
            transcript.model = root.non_empty_text("modelId");
            for_each_element(
                transcript,
                list,
                record.record,
                "messages",
                |transcript, element| {
                    transcript.messages.extend(read_messages(element)?);
                    Ok(())
                },
            )
        })
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
        render_block_message(role, &self.render_text_block(text), b"}")
    }

    fn wrap_text(&self, literal: &[u8]) -> Vec<u8> {
        fill_json(r#"{"text": $}"#, &[literal])
    }

    fn render_result(&self, text: &str) -> Vec<u8> {
        render_block_list(&self.render_text_block(text))
    }
}

fn content_blocks(record: JsonNode<'_>) -> impl Iterator<Item = JsonNode<'_>> {
    record
        .items_of("messages")
        .flat_map(|message| message.items_of("content"))
}

fn is_text(block: JsonNode<'_>) -> bool {
    block.literal_at("text").is_some() && !block.has_key("type")
}

/// Returns true for a block as the interface has them, also those that it will have: text, or an
/// object under the only key, which names its kind.
fn is_member(block: JsonNode<'_>) -> bool {
    let mut entries = block.entries();
    let has_object = entries
        .next()
        .is_some_and(|(_, value)| value.is_kind(JsonKind::Object));
    is_text(block) || (has_object && entries.next().is_none())
}

fn block_kind(block: JsonNode<'_>) -> BlockKind {
    let guarded = || {
        block
            .get_path(&["guardContent", "text"])?
            .literal_at("text")
    };
    if let Some(text) = block
        .literal_at("text")
        .or_else(guarded)
        .or_else(|| cited_text(block))
    {
        return BlockKind::Text(text);
    }
    // Pages and films are priced like an image, not by the length of their base64.
    let has_source = |(_, value): (_, JsonNode<'_>)| value.has_key("source");
    if block.has_key("image") || block.entries().any(has_source) {
        BlockKind::Image
    } else {
        BlockKind::Other
    }
}

/// Returns the text of an answer with citations, if it is one piece.
fn cited_text(block: JsonNode<'_>) -> Option<Span> {
    let mut pieces = block.get("citationsContent")?.items_of("content");
    let text = pieces.next()?.literal_at("text")?;
    pieces.next().is_none().then_some(text)
}

/// Reads the messages that one logged message holds: a user's results are separate messages.
fn read_messages(element: LocatedNode<'_>) -> Result<Vec<Message>> {
    let role = element.read_role("role", &ROLES)?;
    let mut calls = Vec::new();
    let (content, content_span) = element.read_content("content", |block| {
        match block.get("toolUse").filter(|_| role == Role::Assistant) {
            Some(tool_use) => {
                calls.push(new_call(
                    block.span(),
                    tool_use.literal_at("toolUseId"),
                    tool_use.literal_at("name"),
                    tool_use.get("input"),
                ));
                BlockKind::Call(calls.len() - 1)
            }
            None => block_kind(block),
        }
    })?;
    let blocks = match content {
        Content::Blocks(blocks) if role == Role::User => blocks,
        content => {
            return Ok(vec![Message {
                content,
                content_span,
                calls,
                ..element.new_message(role)
            }]);
        }
    };
    let (mut results, mut words) = (Vec::new(), Vec::new());
    for (block, node) in blocks.into_iter().zip(element.node.items_of("content")) {
        match node.get("toolResult") {
            Some(result) => results.push(read_result(element, result)?),
            None => words.push(block),
        }
    }
    Ok(join_results_and_words(element, results, words))
}

fn read_result(element: LocatedNode<'_>, result: JsonNode<'_>) -> Result<Message> {
    let path = element.field_path("toolResult");
    let located = LocatedNode {
        node: result,
        path: Some(&path),
        ..element
    };
    let (content, content_span) = located.read_content("content", block_kind)?;
    Ok(Message {
        content,
        content_span,
        answers: result.literal_at("toolUseId"),
        incomplete: is_incomplete(result),
        ..element.new_message(Role::Tool)
    })
}
