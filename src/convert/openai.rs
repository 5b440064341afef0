//! OpenAI chat messages: `{"messages": [...], "tools": [...]}`. See `docs/reference/formats.md`.

use crate::convert::prelude::*;

/// OpenAI chat messages.
#[rustfmt::skip]
pub(super) const OPENAI_TARGET: ConversionTarget = ConversionTarget {
    name: "openai",
    about: "OpenAI chat messages: {\"messages\": [...], \"tools\": [...]}",
    // The API refuses longer ids.
    ids: Some(IdRule { max_bytes: 40, accepts: |_| true }),
    has_model: true,
    same_formats: &["openai", "openai-batch", "openai-dpo"],
    message_keys: &["role", "content", "name", "tool_calls", "tool_call_id", "function_call"],
    record_keys: &["messages", "tools", "model", "thread_id", "body", "input"],
    convert_block,
    accepts_tool,
    write_chat: |chat, out, _| chat.write_messages(out, write_message),
    ..ConversionTarget::PLAIN
};

fn convert_block(role: Role, block: &ContentBlock<'_>) -> Option<ConvertedBlock> {
    if is_openai_block(role, block) {
        return Some(ConvertedBlock::unchanged(block));
    }
    let url = match (role, &block.content) {
        (Role::User, BlockContent::ImageUrl(url)) => url.clone(),
        (Role::User, BlockContent::ImageData(media_type, base64)) => {
            join_texts([&"data:".into(), media_type, &";base64,".into(), base64], "")
        }
        _ => return None,
    };
    let block = fill_json(r#"{"type": "image_url", "image_url": {"url": $}}"#, &[&url.literal()]);
    Some(ConvertedBlock::content_only(ChatPart::Block(block)))
}

fn accepts_tool(tool: JsonNode<'_>) -> bool {
    let function = tool.get("function");
    tool.has_text("type", "function") && function.is_some_and(|function| function.has_key("name"))
}

/// Returns true if a block other than an image is one of the format.
fn is_openai_block(role: Role, block: &ContentBlock<'_>) -> bool {
    let kinds: &[&str] = match (role, &block.content) {
        (Role::User, BlockContent::ImageUrl(_) | BlockContent::ImageData(..)) => &[],
        (Role::User, _) => &["input_audio", "file"],
        (Role::Assistant, _) => &["refusal"],
        _ => &[],
    };
    // The content of these blocks has the name of the block as its key.
    kinds.iter().any(|kind| block.is_named(&[kind]) && block.has_key(kind))
}

fn write_message(turn: &ChatTurn, out: &mut Vec<u8>) {
    push_json(out, r#"{"role": "$""#, &[turn.role.name().as_bytes()]);
    match (&turn.answers, &turn.name) {
        (Some(id), _) => push_json(out, r#", "tool_call_id": $"#, &[&encode_literal(id)]),
        (None, Some(name)) => push_json(out, r#", "name": $"#, &[&name.literal()]),
        (None, None) => {}
    }
    out.extend_from_slice(b", \"content\": ");
    write_content(turn, out, None);
    if !turn.calls.is_empty() {
        out.extend_from_slice(b", \"tool_calls\": ");
        write_list(&turn.calls, out, write_call);
    }
    write_fields(&turn.extras, out);
    out.push(b'}');
}

fn write_call(call: &ChatCall, out: &mut Vec<u8>) {
    push_json(out, r#"{"id": $"#, &[&call.id_literal()]);
    write_called(call, out);
}

/// Appends what a call calls, and its end: a function, or a custom tool where the arguments are free
/// text. Empty arguments are written as an empty object, and an object that was cut off as it is.
pub(crate) fn write_called(call: &ChatCall, out: &mut Vec<u8>) {
    let begins_object = call.arguments.trim_ascii_start().starts_with(b"{");
    let is_function = !call.is_custom && (begins_object || call.argument_object().is_some());
    let [kind, key] = if is_function { ["function", "arguments"] } else { ["custom", "input"] };
    let (kind, key, name) = (kind.as_bytes(), key.as_bytes(), call.name.literal());
    let arguments = encode_wtf8_literal(match call.arguments.as_slice() {
        [] => b"{}",
        arguments => arguments,
    });
    let pattern = r#", "type": "$", "$": {"name": $, "$": $}}"#;
    push_json(out, pattern, &[kind, kind, &name, key, &arguments]);
}
