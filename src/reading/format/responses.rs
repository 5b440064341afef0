//! OpenAI Responses: requests (`input`), answers (`output`), a bare list of items, or one item a
//! record.
//!
//! One answer of the model consists of several items (reasoning, calls, a message). Each is read as
//! a message that is joined to the one before it, so that items which the API refuses separately
//! stay together. Encrypted reasoning is removed as a whole or stays unchanged.

use crate::reading::format::chat_row::{ChatEvidence, ChatReads, ChatRow, MessageForm};
use crate::reading::format::prelude::*;

/// The items of the Responses API.
pub(super) const RESPONSES_CHAT: ChatRow = ChatRow {
    name: "openai-responses",
    help: "OpenAI Responses: requests {\"input\": [items]}, answers {\"output\": [items]}, a list of items, or one item per line",
    told: ChatEvidence::Own(recognize),
    reads: ChatReads::Own(|records, shape| {
        let thread = Some("custom_id");
        let mut transcript = read_as_trees(records, shape, thread, |transcript, record| {
            if shape == Shape::Message {
                transcript.messages.push(read_item(record)?);
                return Ok(());
            }
            read_request(transcript, record)
        })?;
        // Consecutive items of the model are one answer.
        let messages = &mut transcript.messages;
        for index in 1..messages.len() {
            let is_answer = |index: usize| messages[index].role == Role::Assistant;
            messages[index].joined = is_answer(index) && is_answer(index - 1);
        }
        Ok(transcript)
    }),
    message: MessageForm::Own(render_message),
    text_block: r#"{"type": "input_text", "text": $}"#,
    ..ChatRow::PLAIN
};

const ROLES: RoleNames = RoleNames("user|assistant|system|developer");
/// Keys of which a request has at least one beside its `input`.
const REQUEST: &[If] =
    &[has("model|instructions|tools|previous_response_id|max_output_tokens|store|object")];
/// Items that always stay: a server left them of earlier turns, or keeps their content itself.
const PINNED: [&str; 5] = [
    "additional_tools", "compaction", "compaction_summary", "context_compaction", "item_reference",
];

fn recognize(record: JsonNode<'_>) -> Option<Recognition> {
    if record.is_kind(JsonKind::Array) {
        let are_items = record.items().all(|item| item.has_key("type") || item.has_key("role"))
            && record.items().any(is_own_item);
        let why = "a list with items of the Responses API";
        return are_items.then(|| Recognition::by_message(Shape::Conversation, why));
    }
    let request = record
        .get("body")
        .filter(|body| record.has_key("custom_id") && body.has_key("input"))
        .unwrap_or(record);
    let has_input =
        request.items_of("input").next().is_some_and(|first| first.is_kind(JsonKind::Object));
    if has_input && hold(REQUEST, request) {
        let why = "a list input beside model, instructions or tools";
        return Some(Recognition::by_envelope(Shape::Conversation, why));
    }
    if request.items_of("output").any(is_own_item) {
        let why = "a list output with items of the Responses API";
        return Some(Recognition::by_envelope(Shape::Conversation, why));
    }
    is_own_item(record)
        .then(|| Recognition::by_message(Shape::Message, "one item of the Responses API"))
}

fn render_message(place: &SummaryPlace<'_>, role: Role, text: &str) -> Vec<u8> {
    let kind = match role {
        Role::Assistant => "output_text",
        _ => "input_text",
    };
    let start = format!(
        "\"type\": \"message\", \"role\": \"{}\", \"content\": [{{\"type\": \"{kind}\", \"text\": ",
        role.name()
    );
    fill_json("{$$$}]}", &[&render_thread_entry(place), start.as_bytes(), &encode_literal(text)])
}

/// Reads a request, an answer or a list of items.
fn read_request(transcript: &mut Transcript<'_>, record: LocatedNode<'_>) -> Result<()> {
    let root = record.node;
    let request = root.get("body").filter(|body| body.has_key("input")).unwrap_or(root);
    push_system_prompt(transcript, request.get("instructions"));
    transcript.tools = request.get_kind("tools", JsonKind::Array).map(JsonNode::span);
    transcript.model = request.non_empty_text("model");
    if request.literal_at("previous_response_id").is_some() {
        transcript.warnings.push("previous_response_id: the record is not the whole context, earlier turns are on the server".to_owned());
    }
    let (name, list) = match (request.get("input"), request.get("output")) {
        _ if root.is_kind(JsonKind::Array) => ("items", root),
        // An input that is a text is no list that could be shortened.
        (Some(input), _) if input.is_kind(JsonKind::String) => return Ok(()),
        (Some(input), _) => ("input", input),
        (None, Some(output)) => ("output", output),
        (None, None) => return Err(no_messages_error(root.bytes(), "input or output")),
    };
    for_each_element(transcript, list, name, |transcript, element| {
        transcript.messages.push(read_item(element)?);
        Ok(())
    })
}

/// Returns true if an object is an item that no other dialect has.
fn is_own_item(item: JsonNode<'_>) -> bool {
    let Some(kind) = item.get_text("type") else {
        return false;
    };
    match kind.as_ref() {
        "message" => item.items_of("content").any(|block| {
            block.has_text("type", "input_text") || block.has_text("type", "output_text")
        }),
        "reasoning" => item.has_key("summary") || item.has_key("encrypted_content"),
        "function_call" | "custom_tool_call" | "local_shell_call" | "computer_call" => {
            item.has_key("call_id")
        }
        "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call"
        | "mcp_call" => item.has_key("id") && item.has_key("status"),
        "compaction" | "compaction_summary" | "context_compaction" => {
            item.has_key("encrypted_content")
        }
        kind => kind.ends_with("_call_output") && item.has_key("call_id"),
    }
}

fn read_item(element: LocatedNode<'_>) -> Result<Message> {
    let node = element.node;
    let Some(kind) = node.get("type") else {
        return read_message_item(element);
    };
    let kind =
        kind.as_text().ok_or_else(|| kind.wrong_kind(&element.field_path("type"), "a string"))?;
    match kind.as_ref() {
        "message" => read_message_item(element),
        "reasoning" => {
            // Only readable text is counted, and no part of it is ever cut.
            let texts = node.items_of("summary").chain(node.items_of("content"));
            Ok(Message {
                content: Content::Blocks(texts.map(read_text_block).collect()),
                ..element.new_message(Role::Assistant)
            })
        }
        "function_call" | "custom_tool_call" | "local_shell_call" | "shell_call"
        | "computer_call" | "apply_patch_call" | "tool_search_call" => Ok(read_call_item(element)),
        kind if kind.ends_with("_output") => read_output_item(element),
        kind if PINNED.contains(&kind) => Ok(element.new_message(Role::System)),
        kind => {
            let span = node.span();
            let kind = match kind {
                "image_generation_call" => BlockKind::Image,
                _ => BlockKind::Other,
            };
            Ok(Message {
                content: Content::Blocks(vec![MessageBlock { span, kind }]),
                ..element.new_message(Role::Assistant)
            })
        }
    }
}

fn read_message_item(element: LocatedNode<'_>) -> Result<Message> {
    let role = element.read_role("role", ROLES)?;
    let (content, content_span) = element.read_content("content", block_kind)?;
    let bytes = element.node.record_bytes();
    Ok(Message {
        earlier_summary: role == Role::User && is_summary(bytes, &content),
        content,
        content_span,
        ..element.new_message(role)
    })
}

fn read_call_item(element: LocatedNode<'_>) -> Message {
    let node = element.node;
    let arguments = ["arguments", "action", "operation"].into_iter().find_map(|key| node.get(key));
    let name = node.literal_at("name").or(node.literal_at("type"));
    let mut call = new_call(node.span(), node.literal_at("call_id"), name, arguments);
    if let Some(input) = node.literal_at("input") {
        call.arguments = Some(input); // free text
    }
    Message { calls: vec![call], ..element.new_message(Role::Assistant) }
}

fn read_output_item(element: LocatedNode<'_>) -> Result<Message> {
    let node = element.node;
    let (content, content_span) = match node.get_kind("output", JsonKind::Object) {
        Some(output) => {
            let (span, kind) = (output.span(), block_kind(output));
            (Content::Blocks(vec![MessageBlock { span, kind }]), None)
        }
        None => element.read_content("output", block_kind)?,
    };
    Ok(Message {
        content,
        content_span,
        answers: node.literal_at("call_id"),
        ..element.new_message(Role::Tool)
    })
}

fn block_kind(block: JsonNode<'_>) -> BlockKind {
    match block.get_text("type").as_deref() {
        Some("input_text" | "output_text" | "text" | "reasoning_text" | "summary_text") => {
            text_kind(block)
        }
        Some("input_image" | "computer_screenshot") => BlockKind::Image,
        _ => BlockKind::Other,
    }
}
