//! Gemini and Vertex AI: `{"systemInstruction", "contents": [{"role", "parts": […]}]}`, also below
//! `request`, a bare list of contents, or one content a record. Ids are often missing, so results pair with calls by order. A part with a signature
//! is either removed as a whole or stays unchanged.

use crate::reading::format::chat_row::{
    ChatEvidence, ChatList, ChatReads, ChatRow, MessageForm, SummaryJoins,
};
use crate::reading::format::prelude::*;

/// Contents of the Gemini API.
pub(super) const GEMINI_CHAT: ChatRow = ChatRow {
    name: "gemini",
    help: "Gemini and Vertex AI requests: {\"systemInstruction\": ..., \"contents\": [{\"role\": ..., \"parts\": [...]}]}, a list of contents, or one per line",
    told: ChatEvidence::Own(recognize),
    reads: ChatReads::List(&ChatList {
        thread: Some("key"),
        request: request_in,
        list: "contents",
        is_wide: true,
        needs: Some("parts"),
        prompt: |request| {
            let mut prompts = at("systemInstruction|system_instruction").nodes(request);
            let prompt = prompts.next()?;
            Some(prompt.get("parts").unwrap_or(prompt))
        },
        read: read_messages,
        ..ChatList::PLAIN
    }),
    joins: SummaryJoins::Blocks("parts"),
    message: MessageForm::Pattern(
        |role| {
            if role == Role::Assistant { "model" } else { "user" }
        },
        r#"{$"role": "$", "parts": [{"text": $}]}"#,
    ),
    text_block: r#"{"text": $}"#,
    ..ChatRow::PLAIN
};

const ROLES: RoleNames = RoleNames("user|model=assistant|function=user|tool=user|system");

fn recognize(record: JsonNode<'_>) -> Option<Recognition> {
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
    let why = "a list contents of objects with parts";
    let has_parts = first.has_key("parts");
    has_parts.then(|| Recognition::by_envelope(Shape::Conversation, why))
}

/// Returns the request in a record: the object below `request`, or the record itself.
fn request_in(record: JsonNode<'_>) -> JsonNode<'_> {
    record.get("request").filter(|request| request.has_key("contents")).unwrap_or(record)
}

const CALL: At = at("functionCall|function_call");
const RESPONSE: At = at("functionResponse|function_response");
/// Keys of a part, of which it has at least one.
const PART: &[If] = &[none("type"), has(PART_KEYS)];
const PART_KEYS: &str = "text|function_call|function_response|file_data|functionCall\
    |functionResponse|inlineData|inline_data|fileData|executableCode|codeExecutionResult";

/// Returns true if an object is a content. The parts of other dialects name their type.
fn is_content(node: JsonNode<'_>) -> bool {
    let role = node.get_text("role");
    let is_part = |part: JsonNode<'_>| hold(PART, part);
    role.is_some_and(|role| ROLES.role_of(&role).is_some())
        && !node.has_key("content")
        && node.items_of("parts").next().is_some()
        && node.items_of("parts").all(is_part)
}

/// Appends the messages that one content holds: a user's results are separate messages.
fn read_messages(element: LocatedNode<'_>, messages: &mut Vec<Message>) -> Result<()> {
    let role = if element.node.has_key("role") {
        element.read_role("role", ROLES)?
    } else if element.node.has_key("parts") {
        // A content without a role is the user's.
        Role::User
    } else {
        return Err(element.node.missing_key(&element.field_path("parts")));
    };
    let path = element.field_path("parts");
    let parts =
        element.node.get("parts").map(|parts| parts.must_be(JsonKind::Array, &path)).transpose()?;
    let (mut calls, mut results, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts.into_iter().flat_map(JsonNode::items) {
        let response = RESPONSE.nodes(part).next();
        if let Some(response) = response.filter(|_| role == Role::User) {
            results.push(read_response(element, response));
            continue;
        }
        let call = CALL.nodes(part).next();
        let kind = match call.filter(|_| role == Role::Assistant) {
            Some(call) => {
                calls.push(read_call(part, call));
                BlockKind::Call(calls.len() - 1)
            }
            None => part_kind(part),
        };
        let span = part.span();
        blocks.push(MessageBlock { span, kind });
    }
    if role == Role::User {
        messages.extend(join_results_and_words(element, results, blocks));
        return Ok(());
    }
    messages.push(Message {
        content: content_of_blocks(blocks),
        calls,
        ..element.new_message(role)
    });
    Ok(())
}

/// Reads a call. The arguments of a signed part are never cut.
fn read_call(part: JsonNode<'_>, call: JsonNode<'_>) -> ToolCall {
    let call = call_of(part.span(), call, ["id", "name"], at("args"));
    ToolCall { valid: call.valid && !part.has_key("thoughtSignature"), ..call }
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
    let whole =
        response.map(|response| MessageBlock { span: response.span(), kind: BlockKind::Other });
    let mut media = result
        .items_of("parts")
        .map(|part| MessageBlock { span: part.span(), kind: part_kind(part) });
    let (content, content_span) = match (strings.next(), strings.next(), media.next()) {
        (_, _, Some(first)) if whole.is_some() => {
            let blocks = whole.into_iter().chain([first]).chain(media);
            (Content::Blocks(blocks.collect()), None)
        }
        (Some(text), None, _) => (Content::Text(text), Some(text)),
        _ => (content_of_blocks(whole.into_iter().collect()), None),
    };
    Message {
        content,
        content_span,
        answers: result.literal_at("id"),
        name: result.literal_at("name"),
        ..element.new_message(Role::Tool)
    }
}
