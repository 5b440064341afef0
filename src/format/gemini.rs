//! Gemini and Vertex AI: `{"systemInstruction", "contents": [{"role", "parts": […]}]}`,
//! also below `request`. Results pair with calls by order: ids are often missing.
//! A part with a signature leaves whole or stays as it is.

use crate::error::RecordError;
use crate::format::reading::{
    LocatedNode, before_content, call, each_element, read_trees, results_and_words, system_prompt,
    without,
};
use crate::format::tree::JsonNode;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::JsonKind;
use crate::json::encode_literal;
use crate::transcript::{
    BlockKind, Content, ContentBlock, Message, Record, Role, ToolCall, Transcript,
};

type Result<T> = std::result::Result<T, RecordError>;

/// Contents of the Gemini API.
pub(super) struct GeminiFormat;

const ROLES: [(&str, Role); 5] = [
    ("user", Role::User),
    ("model", Role::Assistant),
    ("function", Role::User),
    ("tool", Role::User),
    ("system", Role::System),
];

impl Format for GeminiFormat {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn help_line(&self) -> &'static str {
        "Gemini and Vertex AI requests: {\"systemInstruction\": ..., \"contents\": [{\"role\": ..., \"parts\": [...]}]}"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let has_parts = request(record)
            .list("contents")
            .next()
            .is_some_and(|first| first.has("parts"));
        has_parts.then_some(Recognition {
            shape: Shape::Conversation,
            certainty: Certainty::Envelope,
            why: "a list contents of objects with parts",
        })
    }

    fn read_transcript<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        let bytes: Vec<&'a [u8]> = records.iter().map(|record| record.bytes).collect();
        read_trees(
            records,
            Shape::Conversation,
            Some("key"),
            |transcript, whole| {
                transcript.alternates = true;
                let request = request(whole.node);
                let list = request
                    .get("contents")
                    .ok_or_else(|| without(whole.node, "contents"))?;
                let prompt = ["systemInstruction", "system_instruction"]
                    .into_iter()
                    .find_map(|key| request.get(key));
                let prompt = prompt.map(|prompt| prompt.get("parts").unwrap_or(prompt));
                transcript
                    .messages
                    .extend(prompt.and_then(|prompt| system_prompt(whole.record, prompt)));
                transcript.outside = transcript.messages.len();
                transcript.tools = request
                    .get("tools")
                    .filter(|tools| tools.is(JsonKind::Array))
                    .map(JsonNode::span);
                each_element(list, whole.record, "contents", |element| {
                    transcript
                        .messages
                        .extend(read_content(bytes[whole.record], element)?);
                    Ok(())
                })
            },
        )
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        let wrap = |literal: &[u8]| [b"{\"text\": ".as_slice(), literal, b"}"].concat();
        let follows = place.user_that_follows(transcript);
        if let Some(splices) =
            follows.and_then(|message| before_content(transcript, message, "parts", text, wrap))
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
        let name = if role == Role::Assistant {
            "model"
        } else {
            "user"
        };
        let block = [b"{\"text\": ".as_slice(), &encode_literal(text), b"}"].concat();
        [
            format!("{{\"role\": \"{name}\", \"parts\": [").as_bytes(),
            &block,
            b"]}",
        ]
        .concat()
    }
}

fn request(record: JsonNode<'_>) -> JsonNode<'_> {
    record
        .get("request")
        .filter(|request| request.has("contents"))
        .unwrap_or(record)
}

fn read_content(bytes: &[u8], element: LocatedNode<'_>) -> Result<Vec<Message>> {
    // Without a role it is the user's.
    let role = if element.node.has("role") {
        element.role("role", &ROLES)?
    } else {
        Role::User
    };
    let place = element.field("parts");
    let parts = element
        .node
        .get("parts")
        .map(|parts| parts.must_be(JsonKind::Array, &place))
        .transpose()?;
    let (mut calls, mut results, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts.into_iter().flat_map(JsonNode::items) {
        if let Some(response) = part.get("functionResponse").filter(|_| role == Role::User) {
            results.push(read_response(element, response));
            continue;
        }
        let kind = if let Some(own) = part.get("functionCall").filter(|_| role == Role::Assistant) {
            let call = call(
                part.span(),
                own.literal_at("id"),
                own.literal_at("name"),
                own.get("args"),
            );
            calls.push(ToolCall {
                valid: call.valid && !part.has("thoughtSignature"),
                ..call
            });
            BlockKind::Call(calls.len() - 1)
        } else if let Some(text) = part.literal_at("text").filter(|_| {
            part.get("thought")
                .is_none_or(|thought| thought.bytes() != b"true")
        }) {
            BlockKind::Text(text)
        } else if part.has("inlineData") || part.has("inline_data") {
            BlockKind::Image
        } else {
            BlockKind::Other
        };
        blocks.push(ContentBlock {
            span: part.span(),
            kind,
        });
    }
    if role == Role::User {
        return Ok(results_and_words(bytes, element, results, blocks));
    }
    let content = if blocks.is_empty() {
        Content::Absent
    } else {
        Content::Blocks(blocks)
    };
    Ok(vec![Message {
        content,
        calls,
        ..element.message(role)
    }])
}

/// A result: its one string if there is one, else the whole response.
fn read_response(element: LocatedNode<'_>, own: JsonNode<'_>) -> Message {
    let response = own.get("response");
    let mut strings = response
        .into_iter()
        .flat_map(JsonNode::entries)
        .filter_map(|(_, value)| value.literal());
    let (content, content_span) = match (strings.next(), strings.next(), response) {
        (Some(text), None, _) => (Content::Text(text), Some(text)),
        (_, _, Some(response)) => (
            Content::Blocks(vec![ContentBlock {
                span: response.span(),
                kind: BlockKind::Other,
            }]),
            None,
        ),
        (_, _, None) => (Content::Absent, None),
    };
    Message {
        content,
        content_span,
        answers: own.literal_at("id"),
        name: own.literal_at("name"),
        ..element.message(Role::Tool)
    }
}
