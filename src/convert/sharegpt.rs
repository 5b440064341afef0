//! ShareGPT conversations with tools, as LLaMA-Factory reads them for training.
//!
//! `human` and `observation` are at odd places, `gpt` and `function_call` at even
//! ones, and there are no call ids. See `docs/reference/formats.md`.

use crate::convert::escaped_text::push_embedded_json;
use crate::convert::prelude::*;

/// The separator between texts of one message.
const TEXT_SEPARATOR: &str = "\n\n";
const IMAGE_MARK: &str = "<image>";

#[rustfmt::skip]
pub(super) const SHAREGPT_TARGET: ConversionTarget = ConversionTarget {
    name: "sharegpt",
    about: "ShareGPT with tools: {\"conversations\": [{\"from\": ..., \"value\": ...}], \"system\": ..., \"tools\": ...}, as LLaMA-Factory reads it",
    merge: MergeRule::Alternate,
    system_apart: true,
    ends_with_answer: true,
    ids: None,
    same_formats: &["sharegpt"],
    message_keys: &["from", "value", "role", "content"],
    record_keys: &["conversations", "conversation", "system", "tools", "id"],
    keeps_blocks: false,
    convert_block,
    write_chat,
    ..ConversionTarget::PLAIN
};

fn convert_block(role: Role, block: &ContentBlock<'_>) -> Option<ConvertedBlock> {
    let part = match (&block.content, role) {
        (BlockContent::Thinking(thinking), Role::Assistant) => {
            let [open, close] = THINK_TAGS.map(EscapedText::from);
            ChatPart::Text(join_texts([&open, thinking, &close], ""))
        }
        // Images are files or URLs.
        (BlockContent::ImageUrl(url), Role::User) => ChatPart::Block(url.literal()),
        _ => return None,
    };
    Some(ConvertedBlock::content_only(part))
}

fn write_chat(
    chat: &ChatTranscript<'_>,
    out: &mut Vec<u8>,
    changed: &mut ConversionNotes,
) -> usize {
    chat.write_opening("id", out);
    let mut parts = chat.groups.iter().flatten().flat_map(|turn| &turn.parts);
    let has_images = parts.any(|part| matches!(part, ChatPart::Block(_)));
    let mut images = Vec::new();
    out.extend_from_slice(b", \"conversations\": ");
    write_list(&chat.groups, out, |group, out| {
        let message = if group.iter().all(|turn| turn.role == Role::Assistant) {
            assistant_message(group, changed)
        } else {
            user_message(group, has_images, changed)
        };
        images.extend(message.images);
        let (from, value) = (message.from.as_bytes(), message.value.literal());
        push_json(out, r#"{"from": "$", "value": $"#, &[from, &value]);
        for turn in group {
            write_fields(&turn.extras, out);
        }
        out.push(b'}');
    });
    if !chat.system.is_empty() {
        let system = joined_texts(&chat.system).literal();
        push_json(out, r#", "system": $"#, &[&system]);
    }
    if !chat.tools.is_empty() {
        let mut list = Vec::new();
        write_list(&chat.tools, &mut list, |tool, out| {
            write_tool(tool, "parameters", None, out);
        });
        push_json(out, r#", "tools": $"#, &[&encode_wtf8_literal(&list)]);
    }
    if !images.is_empty() {
        out.extend_from_slice(b", \"images\": ");
        write_list(&images, out, |image, out| out.extend_from_slice(image));
    }
    chat.write_closing(out);
    chat.groups.len()
}

struct ShareGptMessage {
    /// The speaker.
    from: &'static str,
    value: EscapedText,
    /// The URLs of images, as literals.
    images: Vec<Vec<u8>>,
}

impl ShareGptMessage {
    fn new(from: &'static str, value: EscapedText) -> Self {
        Self { from, value, images: Vec::new() }
    }
}

/// Returns the message of the assistant: its text, or its calls.
fn assistant_message(group: &[ChatTurn], changed: &mut ConversionNotes) -> ShareGptMessage {
    let words = joined_texts(group);
    let calls: Vec<&ChatCall> = group.iter().flat_map(|turn| &turn.calls).collect();
    let Some(first_call) = calls.first() else {
        return ShareGptMessage::new("gpt", words);
    };
    let mut json = Vec::new();
    match calls.as_slice() {
        [call] => write_call(call, &mut json),
        calls => write_list(calls, &mut json, |call, out| write_call(call, out)),
    }
    let json = EscapedText::from_wtf8(&json);
    if words.is_blank() {
        return ShareGptMessage::new("function_call", json);
    }
    // Trainers accept words beside a call only as thinking.
    let words = if is_thinking(&words) {
        words
    } else {
        let why = "they become <think> before it";
        changed.add_note("words beside a call", why, Some(first_call.message));
        words_as_thinking(group)
    };
    ShareGptMessage::new("function_call", join_texts([&words, &json], TEXT_SEPARATOR))
}

fn joined_texts(group: &[ChatTurn]) -> EscapedText {
    let texts: Vec<EscapedText> = group.iter().flat_map(ChatTurn::texts).collect();
    join_texts(&texts, TEXT_SEPARATOR)
}

/// Returns the texts of turns as a single stretch of thinking, without tags within it.
fn words_as_thinking(group: &[ChatTurn]) -> EscapedText {
    let texts: Vec<String> = group
        .iter()
        .flat_map(ChatTurn::texts)
        .map(|text| text.decoded().replace("<think>", "").replace("</think>", "").trim().to_owned())
        .collect();
    let [open, close] = THINK_TAGS;
    EscapedText::from(format!("{open}{}{close}", texts.join(TEXT_SEPARATOR)).as_str())
}

fn write_call(call: &ChatCall, out: &mut Vec<u8>) {
    let arguments = call.argument_object_or_input();
    push_json(out, r#"{"name": $, "arguments": $}"#, &[&call.name.literal(), &arguments]);
}

/// Returns the message of the user, or the results of calls.
///
/// `has_images` is true if any message of the chat has images. Image marks that
/// the user wrote are then replaced.
fn user_message(
    group: &[ChatTurn],
    has_images: bool,
    changed: &mut ConversionNotes,
) -> ShareGptMessage {
    let mut results: Vec<&ChatTurn> = group.iter().filter(|turn| turn.role == Role::Tool).collect();
    results.sort_by_key(|turn| turn.call_number);
    let mut texts: Vec<EscapedText> = Vec::new();
    let mut images = Vec::new();
    for part in group.iter().filter(|turn| turn.role != Role::Tool).flat_map(|turn| &turn.parts) {
        match part {
            ChatPart::Text(text) if has_images && text.decoded().contains(IMAGE_MARK) => {
                let why = "[image] in the text: it does not mark an image";
                changed.add_note(IMAGE_MARK, why, None);
                let text = text.decoded().replace(IMAGE_MARK, "[image]");
                texts.push(EscapedText::from(text.as_str()));
            }
            ChatPart::Text(text) => texts.push(text.clone()),
            ChatPart::Block(image) => {
                images.push(image.clone());
                texts.push(IMAGE_MARK.into());
            }
            ChatPart::Call(_) => {}
        }
    }
    if results.is_empty() {
        return ShareGptMessage {
            images,
            ..ShareGptMessage::new("human", join_texts(&texts, TEXT_SEPARATOR))
        };
    }
    if !texts.is_empty() {
        changed.add_note(
            "what the user says",
            "it is part of the observation before it: roles must alternate",
            group.last().and_then(|turn| turn.message),
        );
    }
    let results = results_text(&results);
    let value = join_texts(std::iter::once(&results).chain(&texts), TEXT_SEPARATOR);
    ShareGptMessage { images, ..ShareGptMessage::new("observation", value) }
}

/// Returns the text of a result, or a JSON array of the texts of several.
fn results_text(results: &[&ChatTurn]) -> EscapedText {
    if let [result] = results {
        return join_texts(&result.texts(), TEXT_SEPARATOR);
    }
    let mut list = Vec::new();
    write_list(results, &mut list, |turn, out| {
        push_embedded_json(&join_texts(&turn.texts(), TEXT_SEPARATOR).literal(), out);
    });
    EscapedText::from_wtf8(&embed_json(&list))
}
