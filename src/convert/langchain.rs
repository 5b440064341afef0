//! LangChain messages: `{"messages": [{"type": ..., "data": ...}]}`.
//!
//! This is the form that `messages_to_dict` writes and `messages_from_dict` reads.
//! See `docs/reference/formats.md`.

use crate::convert::prelude::*;

#[rustfmt::skip]
pub(super) const LANGCHAIN_TARGET: ConversionTarget = ConversionTarget {
    name: "langchain",
    about: "LangChain messages as messages_from_dict loads them: {\"messages\": [{\"type\": ..., \"data\": ...}]}",
    records_failure: true,
    records_usage: true,
    same_formats: &["langchain"],
    message_keys: &[
        "content", "type", "name", "tool_calls", "invalid_tool_calls", "tool_call_chunks", "tool_call_id", "status",
    ],
    record_keys: &["messages", "values", "thread_id", "tools"],
    convert_block,
    message_fields,
    write_chat: |chat, out, _| chat.write_messages(out, write_message),
    ..ConversionTarget::PLAIN
};

fn convert_block(_: Role, block: &ContentBlock<'_>) -> Option<ConvertedBlock> {
    let (pattern, values) = match &block.content {
        BlockContent::ImageUrl(url) => (r#"{"type": "image", "url": $}"#, vec![url]),
        BlockContent::ImageData(media_type, base64) => {
            let pattern = r#"{"type": "image", "base64": $, "mime_type": $}"#;
            (pattern, vec![base64, media_type])
        }
        // Signed thinking must not change, so it is kept as any other block.
        BlockContent::Thinking(text) if !block.has_key("signature") => {
            (r#"{"type": "reasoning", "reasoning": $}"#, vec![text])
        }
        BlockContent::Thinking(_) | BlockContent::Words(_) | BlockContent::Other => {
            let pattern = r#"{"type": "non_standard", "value": $}"#;
            let json = fill_json(pattern, &[&embed_json(block.json)]);
            return Some(ConvertedBlock::complete(json));
        }
    };
    let values: Vec<Vec<u8>> = values.into_iter().map(EscapedText::literal).collect();
    let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
    let json = fill_json(pattern, &values);
    Some(ConvertedBlock::content_only(ChatPart::Block(json)))
}

fn message_fields(message: JsonNode<'_>) -> JsonNode<'_> {
    let inner = if message.has_key("lc") {
        message.get("kwargs")
    } else {
        message.get("data").filter(|_| !message.has_key("content"))
    };
    inner.unwrap_or(message)
}

fn write_message(turn: &ChatTurn, out: &mut Vec<u8>) {
    let kind = match turn.role {
        Role::System | Role::Developer => "system",
        Role::User => "human",
        Role::Assistant => "ai",
        Role::Tool | Role::Function => "tool",
    };
    out.extend_from_slice(format!("{{\"type\": \"{kind}\", \"data\": {{\"content\": ").as_bytes());
    if turn.parts.iter().all(|part| matches!(part, ChatPart::Call(_))) {
        out.extend_from_slice(b"\"\"");
    } else {
        write_content(turn, out, None);
    }
    out.extend_from_slice(format!(", \"type\": \"{kind}\"").as_bytes());
    if let Some(name) = &turn.name {
        push_json(out, r#", "name": $"#, &[&name.literal()]);
    }
    if let Some(id) = &turn.answers {
        let status: &[u8] = if turn.failed { b"error" } else { b"success" };
        let pattern = r#", "tool_call_id": $, "status": "$""#;
        push_json(out, pattern, &[&encode_literal(id), status]);
    }
    if turn.role == Role::Assistant {
        write_calls(turn, out);
    }
    if let Some(usage) = turn.usage.filter(|_| !has_extra(turn, "usage_metadata")) {
        write_usage(usage, out);
    }
    if !has_extra(turn, "additional_kwargs") {
        write_additional_kwargs(turn, out);
    }
    write_fields(&turn.extras, out);
    out.extend_from_slice(b"}}");
}

/// Returns true if a turn has this further field.
fn has_extra(turn: &ChatTurn, wanted: &str) -> bool {
    turn.extras.iter().any(|(key, _)| key.decoded() == wanted)
}

/// Appends the marks of a summary, as LangChain's middleware sets it, and of a
/// developer message, as its OpenAI models set it.
fn write_additional_kwargs(turn: &ChatTurn, out: &mut Vec<u8>) {
    match turn.role {
        Role::User if turn.is_summary => {
            out.extend_from_slice(b", \"additional_kwargs\": {\"lc_source\": \"summarization\"}");
        }
        Role::Developer => {
            out.extend_from_slice(b", \"additional_kwargs\": {\"__openai_role__\": \"developer\"}");
        }
        _ => {}
    }
}

/// Appends the lists of calls with and without valid arguments.
fn write_calls(turn: &ChatTurn, out: &mut Vec<u8>) {
    let calls = turn.calls.iter();
    let (valid, invalid): (Vec<_>, Vec<_>) = calls.partition(|it| it.argument_object().is_some());
    for (key, calls, ending) in [
        ("tool_calls", valid, r#""type": "tool_call""#),
        ("invalid_tool_calls", invalid, r#""error": null, "type": "invalid_tool_call""#),
    ] {
        push_json(out, r#", "$": "#, &[key.as_bytes()]);
        write_list(&calls, out, |call, out| {
            let raw = || encode_wtf8_literal(&call.arguments);
            let arguments = call.argument_object().unwrap_or_else(raw);
            let (name, id) = (call.name.literal(), call.id_literal());
            let values: [&[u8]; 4] = [&name, &arguments, &id, ending.as_bytes()];
            push_json(out, r#"{"name": $, "args": $, "id": $, $}"#, &values);
        });
    }
}

/// Appends the reported usage. The input tokens of LangChain include those of the cache.
fn write_usage(usage: Usage, out: &mut Vec<u8>) {
    let input = usage.input + usage.cache_read + usage.cache_write;
    let (total_tokens, output, cache_read, cache_write) =
        (usage.total_tokens, usage.output, usage.cache_read, usage.cache_write);
    out.extend_from_slice(
        format!(", \"usage_metadata\": {{\"input_tokens\": {input}, \"output_tokens\": {output}, \"total_tokens\": {total_tokens}, \"input_token_details\": {{\"cache_read\": {cache_read}, \"cache_creation\": {cache_write}}}}}").as_bytes(),
    );
}
