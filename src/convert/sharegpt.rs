//! ShareGPT with tools, as LLaMA-Factory trains on it: human and observation on
//! odd places, gpt and `function_call` on even ones, no ids (spec: formats, section 6).

use crate::convert::block::{BlockContent, ContentBlock};
use crate::convert::chat::{ChatCall, ChatPart, ChatTurn};
use crate::convert::literal::{EscapedText, embed, join};
use crate::convert::notes::ConversionNotes;
use crate::convert::{
    ChatTranscript, ConversionTarget, MergeRule, TargetRules, embedded, tools, write_extras,
    write_list,
};
use crate::json::encode_wtf8_literal;
use crate::transcript::Role;

/// ShareGPT conversations.
pub(super) struct ShareGptTarget;

/// Stands between texts of one turn.
const JOINT: &str = "\n\n";
/// What a trainer takes before a call: what the model thinks.
const THINK: [&str; 2] = ["<think>\n", "\n</think>"];
/// Stands for an image in the text.
const IMAGE: &str = "<image>";

impl ConversionTarget for ShareGptTarget {
    fn name(&self) -> &'static str {
        "sharegpt"
    }

    fn about(&self) -> &'static str {
        "ShareGPT with tools: {\"conversations\": [{\"from\": ..., \"value\": ...}], \"system\": ..., \"tools\": ...}, as LLaMA-Factory reads it"
    }

    fn rules(&self) -> TargetRules {
        TargetRules {
            merge: MergeRule::Both,
            system_apart: true,
            no_blanks: false,
            ids: None,
            has_model: false,
            tells_failure: false,
            tells_usage: false,
            same: &["sharegpt"],
            message_keys: &["from", "value", "role", "content"],
            record_keys: &["conversations", "conversation", "system", "tools", "id"],
        }
    }

    fn block(&self, role: Role, block: &ContentBlock<'_>, _: bool) -> Option<(ChatPart, bool)> {
        match (&block.kind, role) {
            (BlockContent::Thinking(thought), Role::Assistant) => {
                let mut text = EscapedText::from(THINK[0]);
                text.push(thought);
                text.push(&EscapedText::from(THINK[1]));
                Some((ChatPart::Text(text), false))
            }
            // Images are files or addresses.
            (BlockContent::Url(url), Role::User) => Some((ChatPart::Block(url.literal()), false)),
            _ => None,
        }
    }

    fn write(
        &self,
        chat: &ChatTranscript<'_>,
        out: &mut Vec<u8>,
        changed: &mut ConversionNotes,
    ) -> usize {
        chat.open("id", out);
        let mut images = Vec::new();
        let has_images = chat.groups.iter().flatten().any(|turn| {
            turn.parts
                .iter()
                .any(|part| matches!(part, ChatPart::Block(_)))
        });
        out.extend_from_slice(b", \"conversations\": ");
        write_list(&chat.groups, out, |group, out| {
            let (from, value) = if group.iter().all(|turn| turn.role == Role::Assistant) {
                of_assistant(group, changed)
            } else {
                of_user(group, has_images.then_some(&mut images), changed)
            };
            out.extend_from_slice(format!("{{\"from\": \"{from}\", \"value\": ").as_bytes());
            value.write(out);
            group
                .iter()
                .for_each(|turn| write_extras(&turn.extras, out));
            out.push(b'}');
        });
        if !chat.system.is_empty() {
            out.extend_from_slice(b", \"system\": ");
            join(chat.system.iter().flat_map(ChatTurn::texts), JOINT).write(out);
        }
        if !chat.tools.is_empty() {
            let mut list = Vec::new();
            write_list(&chat.tools, &mut list, |tool, out| {
                tools::write(tool, "parameters", None, out)
            });
            out.extend_from_slice(b", \"tools\": ");
            out.extend_from_slice(&encode_wtf8_literal(&list));
        }
        if !images.is_empty() {
            out.extend_from_slice(b", \"images\": ");
            write_list(&images, out, |image, out| out.extend_from_slice(image));
        }
        chat.close(out);
        chat.groups.len()
    }
}

/// What the assistant says, or the calls that it makes.
fn of_assistant(group: &[ChatTurn], changed: &mut ConversionNotes) -> (&'static str, EscapedText) {
    let words = join(group.iter().flat_map(ChatTurn::texts), JOINT);
    let calls: Vec<&ChatCall> = group.iter().flat_map(|turn| &turn.calls).collect();
    if calls.is_empty() {
        return ("gpt", words);
    }
    let mut json = Vec::new();
    match calls.as_slice() {
        [one] => write_call(one, &mut json),
        calls => write_list(calls, &mut json, |call, out| write_call(call, out)),
    }
    let json = EscapedText::of_wtf8(&json);
    if words.is_blank() {
        return ("function_call", json);
    }
    // The one place for words beside a call that trainers know.
    let said = words.decoded().into_owned();
    let thought = said
        .strip_prefix(THINK[0])
        .and_then(|rest| rest.strip_suffix(THINK[1]))
        .filter(|thought| !thought.contains("think>"));
    let words = match thought {
        Some(_) => words,
        None => {
            changed.add(
                "words beside a call",
                "they stand as <think> before it",
                (0, calls.first().map(|call| call.origin.0)),
            );
            let plain = |text: &EscapedText| {
                text.decoded()
                    .replace("<think>", "")
                    .replace("</think>", "")
                    .trim()
                    .to_owned()
            };
            let plain: Vec<String> = group.iter().flat_map(ChatTurn::texts).map(plain).collect();
            EscapedText::from(format!("{}{}{}", THINK[0], plain.join(JOINT), THINK[1]).as_str())
        }
    };
    ("function_call", join([&words, &json], JOINT))
}

fn write_call(call: &ChatCall, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"name\": ");
    call.name.write(out);
    out.extend_from_slice(b", \"arguments\": ");
    out.extend_from_slice(
        &call
            .object()
            .unwrap_or_else(|| encode_wtf8_literal(&call.arguments)),
    );
    out.push(b'}');
}

/// What the user says, or the results of calls; `images` takes addresses where there are any.
fn of_user(
    group: &[ChatTurn],
    mut images: Option<&mut Vec<Vec<u8>>>,
    changed: &mut ConversionNotes,
) -> (&'static str, EscapedText) {
    let mut results: Vec<&ChatTurn> = group
        .iter()
        .filter(|turn| turn.role == Role::Tool)
        .collect();
    results.sort_by_key(|turn| turn.place);
    let mut texts: Vec<EscapedText> = Vec::new();
    for part in group
        .iter()
        .filter(|turn| turn.role != Role::Tool)
        .flat_map(|turn| &turn.parts)
    {
        match (part, &mut images) {
            (ChatPart::Text(text), Some(_)) if text.decoded().contains(IMAGE) => {
                changed.add(
                    IMAGE,
                    "[image] in the text: it is no mark of an image",
                    (0, None),
                );
                texts.push(EscapedText::from(
                    text.decoded().replace(IMAGE, "[image]").as_str(),
                ));
            }
            (ChatPart::Text(text), _) => texts.push(text.clone()),
            (ChatPart::Block(image), Some(images)) => {
                images.push(image.clone());
                texts.push(IMAGE.into());
            }
            _ => {}
        }
    }
    if results.is_empty() {
        return ("human", join(&texts, JOINT));
    }
    let said = |turn: &ChatTurn| join(turn.texts(), JOINT);
    let value = match results.as_slice() {
        [one] => said(one),
        several => {
            let mut list = Vec::new();
            write_list(several, &mut list, |turn, out| {
                embed(&said(turn).literal(), out)
            });
            EscapedText::of_wtf8(&embedded(&list))
        }
    };
    if !texts.is_empty() {
        changed.add(
            "what the user says",
            "it stands in the observation before it: roles must alternate",
            (0, group.last().and_then(|turn| turn.message)),
        );
    }
    (
        "observation",
        join(std::iter::once(&value).chain(&texts), JOINT),
    )
}
