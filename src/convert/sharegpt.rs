//! ShareGPT with tools, as LLaMA-Factory trains on it: human and observation on
//! odd places, gpt and `function_call` on even ones, no ids (spec: formats, section 6).

use crate::convert::block::{Block, Kind};
use crate::convert::chat::{Call, Part, Turn};
use crate::convert::literal::{Text, embed, join};
use crate::convert::notes::Notes;
use crate::convert::{Chat, Merge, Rules, Target, embedded, tools, write_extras, write_list};
use crate::json::text;
use crate::transcript::Role;

/// ShareGPT conversations.
pub(super) struct ShareGpt;

/// Stands between texts of one turn.
const JOINT: &str = "\n\n";
/// What a trainer takes before a call: what the model thinks.
const THINK: [&str; 2] = ["<think>\n", "\n</think>"];
/// Stands for an image in the text.
const IMAGE: &str = "<image>";

impl Target for ShareGpt {
    fn name(&self) -> &'static str {
        "sharegpt"
    }

    fn about(&self) -> &'static str {
        "ShareGPT with tools: {\"conversations\": [{\"from\": ..., \"value\": ...}], \"system\": ..., \"tools\": ...}, as LLaMA-Factory reads it"
    }

    fn rules(&self) -> Rules {
        Rules {
            merge: Merge::Both,
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

    fn block(&self, role: Role, block: &Block<'_>, _: bool) -> Option<(Part, bool)> {
        match (&block.kind, role) {
            (Kind::Thinking(thought), Role::Assistant) => {
                let mut text = Text::from(THINK[0]);
                text.push(thought);
                text.push(&Text::from(THINK[1]));
                Some((Part::Text(text), false))
            }
            // Images are files or addresses.
            (Kind::Url(url), Role::User) => Some((Part::Block(url.literal()), false)),
            _ => None,
        }
    }

    fn write(&self, chat: &Chat<'_>, out: &mut Vec<u8>, changed: &mut Notes) -> usize {
        chat.open("id", out);
        let mut images = Vec::new();
        let has_images = chat
            .groups
            .iter()
            .flatten()
            .any(|turn| turn.parts.iter().any(|part| matches!(part, Part::Block(_))));
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
            join(chat.system.iter().flat_map(Turn::texts), JOINT).write(out);
        }
        if !chat.tools.is_empty() {
            let mut list = Vec::new();
            write_list(&chat.tools, &mut list, |tool, out| {
                tools::write(tool, "parameters", None, out)
            });
            out.extend_from_slice(b", \"tools\": ");
            out.extend_from_slice(&text::wtf8_literal(&list));
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
fn of_assistant(group: &[Turn], changed: &mut Notes) -> (&'static str, Text) {
    let words = join(group.iter().flat_map(Turn::texts), JOINT);
    let calls: Vec<&Call> = group.iter().flat_map(|turn| &turn.calls).collect();
    if calls.is_empty() {
        return ("gpt", words);
    }
    let mut json = Vec::new();
    match calls.as_slice() {
        [one] => write_call(one, &mut json),
        calls => write_list(calls, &mut json, |call, out| write_call(call, out)),
    }
    let json = Text::of_wtf8(&json);
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
            let plain = |text: &Text| {
                text.decoded()
                    .replace("<think>", "")
                    .replace("</think>", "")
                    .trim()
                    .to_owned()
            };
            let plain: Vec<String> = group.iter().flat_map(Turn::texts).map(plain).collect();
            Text::from(format!("{}{}{}", THINK[0], plain.join(JOINT), THINK[1]).as_str())
        }
    };
    ("function_call", join([&words, &json], JOINT))
}

fn write_call(call: &Call, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"name\": ");
    call.name.write(out);
    out.extend_from_slice(b", \"arguments\": ");
    out.extend_from_slice(
        &call
            .object()
            .unwrap_or_else(|| text::wtf8_literal(&call.arguments)),
    );
    out.push(b'}');
}

/// What the user says, or the results of calls; `images` takes addresses where there are any.
fn of_user(
    group: &[Turn],
    mut images: Option<&mut Vec<Vec<u8>>>,
    changed: &mut Notes,
) -> (&'static str, Text) {
    let mut results: Vec<&Turn> = group
        .iter()
        .filter(|turn| turn.role == Role::Tool)
        .collect();
    results.sort_by_key(|turn| turn.place);
    let mut texts: Vec<Text> = Vec::new();
    for part in group
        .iter()
        .filter(|turn| turn.role != Role::Tool)
        .flat_map(|turn| &turn.parts)
    {
        match (part, &mut images) {
            (Part::Text(text), Some(_)) if text.decoded().contains(IMAGE) => {
                changed.add(
                    IMAGE,
                    "[image] in the text: it is no mark of an image",
                    (0, None),
                );
                texts.push(Text::from(
                    text.decoded().replace(IMAGE, "[image]").as_str(),
                ));
            }
            (Part::Text(text), _) => texts.push(text.clone()),
            (Part::Block(image), Some(images)) => {
                images.push(image.clone());
                texts.push(IMAGE.into());
            }
            _ => {}
        }
    }
    if results.is_empty() {
        return ("human", join(&texts, JOINT));
    }
    let said = |turn: &Turn| join(turn.texts(), JOINT);
    let value = match results.as_slice() {
        [one] => said(one),
        several => {
            let mut list = Vec::new();
            write_list(several, &mut list, |turn, out| {
                embed(&said(turn).literal(), out)
            });
            Text::of_wtf8(&embedded(&list))
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
