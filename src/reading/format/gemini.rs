//! Gemini and Vertex AI: `{"systemInstruction", "contents": [{"role", "parts": […]}]}`, also below
//! `request`, a bare list of contents, or one content a record. Ids are often missing, so results pair with calls by order. A part with a signature
//! is either removed as a whole or stays unchanged.

use crate::reading::format::prelude::*;

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
        "Gemini and Vertex AI requests: {\"systemInstruction\": ..., \"contents\": [{\"role\": ..., \"parts\": [...]}]}, a list of contents, or one per line"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        if is_content(record) {
            let why = "a content with the parts of Gemini";
            return Some(Recognition::by_message(Shape::Message, why));
        }
        if record.is_kind(JsonKind::Array) {
            let why = "a list of contents with the parts of Gemini";
            let is_list = record.items().next().is_some() && record.items().all(is_content);
            return is_list.then(|| Recognition::by_message(Shape::Conversation, why));
        }
        let first = request_in(record).items_of("contents").next()?;
        first.has_key("parts").then(|| {
            Recognition::by_envelope(Shape::Conversation, "a list contents of objects with parts")
        })
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>> {
        read_as_trees(records, shape, Some("key"), |transcript, record| {
            transcript.alternates = true;
            if shape == Shape::Message {
                if !record.node.has_key("parts") {
                    return Err(no_messages_error(record.node.bytes(), "parts"));
                }
                transcript.messages.extend(read_messages(record)?);
                return Ok(());
            }
            let request = request_in(record.node);
            let list = if record.node.is_kind(JsonKind::Array) {
                record.node
            } else {
                request
                    .get("contents")
                    .ok_or_else(|| no_messages_error(record.node.bytes(), "contents"))?
            };
            if list.items().next().is_some() && !list.items().any(|item| item.has_key("parts")) {
                return Err(no_messages_error(record.node.bytes(), "parts"));
            }
            let prompt = ["systemInstruction", "system_instruction"]
                .into_iter()
                .find_map(|key| request.get(key))
                .map(|prompt| prompt.get("parts").unwrap_or(prompt));
            push_system_prompt(transcript, record.record, prompt);
            transcript.tools = request
                .get_kind("tools", JsonKind::Array)
                .map(JsonNode::span);
            for_each_element(
                transcript,
                list,
                record.record,
                "contents",
                |transcript, element| {
                    transcript.messages.extend(read_messages(element)?);
                    Ok(())
                },
            )
        })
    }

    fn user_content_key(&self) -> Option<&'static str> {
        Some("parts")
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        let name = match role {
            Role::Assistant => "model",
            _ => "user",
        };
        fill_json(
            r#"{$"role": "$", "parts": [$]}"#,
            &[
                &render_thread_entry(transcript, place),
                name.as_bytes(),
                &self.render_text_block(text),
            ],
        )
    }

    fn wrap_text(&self, literal: &[u8]) -> Vec<u8> {
        fill_json(r#"{"text": $}"#, &[literal])
    }
}

/// Returns the request in a record: the object below `request`, or the record itself.
fn request_in(record: JsonNode<'_>) -> JsonNode<'_> {
    record
        .get("request")
        .filter(|request| request.has_key("contents"))
        .unwrap_or(record)
}

/// Keys of a part, of which it has at least one.
const PART_KEYS: [&str; 11] = [
    "text",
    "function_call",
    "function_response",
    "file_data",
    "functionCall",
    "functionResponse",
    "inlineData",
    "inline_data",
    "fileData",
    "executableCode",
    "codeExecutionResult",
];

/// Returns true if an object is a content. The parts of other dialects name their type.
fn is_content(node: JsonNode<'_>) -> bool {
    let role = node.get_text("role");
    let is_part =
        |part: JsonNode<'_>| !part.has_key("type") && PART_KEYS.iter().any(|key| part.has_key(key));
    role.is_some_and(|role| ROLES.iter().any(|(known, _)| *known == role))
        && !node.has_key("content")
        && node.items_of("parts").next().is_some()
        && node.items_of("parts").all(is_part)
}

/// Reads the messages that one content holds: a user's results are separate messages.
fn read_messages(element: LocatedNode<'_>) -> Result<Vec<Message>> {
    let role = if element.node.has_key("role") {
        element.read_role("role", &ROLES)?
    } else if element.node.has_key("parts") {
        // A content without a role is the user's.
        Role::User
    } else {
        return Err(element.node.missing_key(&element.field_path("parts")));
    };
    let path = element.field_path("parts");
    let parts = element
        .node
        .get("parts")
        .map(|parts| parts.must_be(JsonKind::Array, &path))
        .transpose()?;
    let (mut calls, mut results, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts.into_iter().flat_map(JsonNode::items) {
        let response = ["functionResponse", "function_response"];
        let response = response.into_iter().find_map(|key| part.get(key));
        if let Some(response) = response.filter(|_| role == Role::User) {
            results.push(read_response(element, response));
            continue;
        }
        let call = ["functionCall", "function_call"]
            .into_iter()
            .find_map(|key| part.get(key))
            .filter(|_| role == Role::Assistant)
            .map(|call| read_call(part, call));
        let kind = match call {
            Some(call) => {
                calls.push(call);
                BlockKind::Call(calls.len() - 1)
            }
            None => part_kind(part),
        };
        let span = part.span();
        blocks.push(MessageBlock { span, kind });
    }
    if role == Role::User {
        return Ok(join_results_and_words(element, results, blocks));
    }
    Ok(vec![Message {
        content: content_of_blocks(blocks),
        calls,
        ..element.new_message(role)
    }])
}

/// Reads a call. The arguments of a signed part are never cut.
fn read_call(part: JsonNode<'_>, call: JsonNode<'_>) -> ToolCall {
    let call = new_call(
        part.span(),
        call.literal_at("id"),
        call.literal_at("name"),
        call.get("args"),
    );
    ToolCall {
        valid: call.valid && !part.has_key("thoughtSignature"),
        ..call
    }
}

/// Returns the kind of a part that is neither a call nor a response. Thoughts are not text.
fn part_kind(part: JsonNode<'_>) -> BlockKind {
    match part.literal_at("text") {
        Some(text) if !part.has_true("thought") => BlockKind::Text(text),
        _ if part.has_key("inlineData") || part.has_key("inline_data") => BlockKind::Image,
        _ => BlockKind::Other,
    }
}

/// Reads a result: its string if it has exactly one, otherwise the whole response.
fn read_response(element: LocatedNode<'_>, result: JsonNode<'_>) -> Message {
    let response = result.get("response");
    let mut strings = response
        .into_iter()
        .flat_map(JsonNode::entries)
        .filter_map(|(_, value)| value.as_literal());
    let (content, content_span) = match (strings.next(), strings.next(), response) {
        (Some(text), None, _) => (Content::Text(text), Some(text)),
        (_, _, Some(response)) => (
            Content::Blocks(vec![MessageBlock {
                span: response.span(),
                kind: BlockKind::Other,
            }]),
            None,
        ),
        (_, _, None) => (Content::Absent, None),
    };
    let mut media = result.items_of("parts").map(|part| MessageBlock {
        span: part.span(),
        kind: part_kind(part),
    });
    let (content, content_span) = match (media.next(), response) {
        (Some(first), Some(response)) => {
            let kind = BlockKind::Other;
            let span = response.span();
            let blocks = [MessageBlock { span, kind }, first]
                .into_iter()
                .chain(media);
            (Content::Blocks(blocks.collect()), None)
        }
        _ => (content, content_span),
    };
    Message {
        content,
        content_span,
        answers: result.literal_at("id"),
        name: result.literal_at("name"),
        ..element.new_message(Role::Tool)
    }
}
