//! Bedrock Converse: `{"system": [{"text"}], "messages": [{"role", "content":
//! [{"text"} | {"toolUse"} | {"toolResult"}]}], "toolConfig"}`. Blocks have no `type`.

use crate::error::RecordError;
use crate::format::reading::{
    LocatedNode, before_content, call, each_element, is_incomplete, read_trees, results_and_words,
    system_prompt, without,
};
use crate::format::tree::JsonNode;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::JsonKind;
use crate::json::encode_literal;
use crate::transcript::{BlockKind, Content, Message, Record, Role, Transcript};

type Result<T> = std::result::Result<T, RecordError>;

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
        let hit = |why| {
            Some(Recognition {
                shape: Shape::Conversation,
                certainty: Certainty::Message,
                why,
            })
        };
        let blocks = || {
            record
                .list("messages")
                .flat_map(|message| message.list("content"))
        };
        if blocks().any(|block| block.has("toolUse") || block.has("toolResult")) {
            return hit("blocks toolUse or toolResult");
        }
        let typeless = blocks().next().is_some()
            && blocks().all(|block| block.literal_at("text").is_some() && !block.has("type"));
        if typeless {
            hit("content blocks with text and no type")
        } else {
            None
        }
    }

    fn read_transcript<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        let bytes: Vec<&'a [u8]> = records.iter().map(|record| record.bytes).collect();
        read_trees(records, Shape::Conversation, None, |transcript, whole| {
            transcript.alternates = true;
            let list = whole
                .node
                .get("messages")
                .ok_or_else(|| without(whole.node, "messages"))?;
            transcript.messages.extend(
                whole
                    .node
                    .get("system")
                    .and_then(|system| system_prompt(whole.record, system)),
            );
            transcript.outside = transcript.messages.len();
            transcript.tools = whole
                .node
                .at(&["toolConfig", "tools"])
                .filter(|tools| tools.is(JsonKind::Array))
                .map(JsonNode::span);
            transcript.model = whole
                .node
                .get("modelId")
                .and_then(JsonNode::text)
                .filter(|model| !model.is_empty())
                .map(std::borrow::Cow::into_owned);
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
            b"}",
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
    [b"{\"text\": ".as_slice(), literal, b"}"].concat()
}

fn kind(block: JsonNode<'_>) -> BlockKind {
    if let Some(text) = block.literal_at("text") {
        return BlockKind::Text(text);
    }
    if block.has("image") {
        BlockKind::Image
    } else {
        BlockKind::Other
    }
}

fn read_message(bytes: &[u8], element: LocatedNode<'_>) -> Result<Vec<Message>> {
    let role = element.role("role", &ROLES)?;
    let mut calls = Vec::new();
    let (content, content_span) = element.content("content", |block| {
        match block.get("toolUse").filter(|_| role == Role::Assistant) {
            Some(own) => {
                calls.push(call(
                    block.span(),
                    own.literal_at("toolUseId"),
                    own.literal_at("name"),
                    own.get("input"),
                ));
                BlockKind::Call(calls.len() - 1)
            }
            None => kind(block),
        }
    })?;
    let blocks = match content {
        Content::Blocks(blocks) if role == Role::User => blocks,
        content => {
            return Ok(vec![Message {
                content,
                content_span,
                calls,
                ..element.message(role)
            }]);
        }
    };
    let (mut results, mut words) = (Vec::new(), Vec::new());
    for (block, node) in blocks.into_iter().zip(element.node.list("content")) {
        match node.get("toolResult") {
            Some(own) => results.push(read_result(element, own)?),
            None => words.push(block),
        }
    }
    Ok(results_and_words(bytes, element, results, words))
}

fn read_result(element: LocatedNode<'_>, own: JsonNode<'_>) -> Result<Message> {
    let place = element.field("toolResult");
    let (content, content_span) = LocatedNode {
        node: own,
        place: &place,
        ..element
    }
    .content("content", kind)?;
    Ok(Message {
        content,
        content_span,
        answers: own.literal_at("toolUseId"),
        incomplete: is_incomplete(own),
        ..element.message(Role::Tool)
    })
}
