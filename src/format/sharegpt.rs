//! ShareGPT: `{"conversations": [{"from", "value"}], "system", "tools"}` with
//! its tool variants (`function_call`, `observation`), as LLaMA-Factory trains on it.
//!
//! There are no ids: a result belongs to the call right before it. Turns must
//! alternate, so a summary goes into the human turn that follows it.

use crate::error::RecordError;
use crate::format::reading::{
    LocatedNode, before_text, each_element, read_trees, system_prompt, user_messages, without,
};
use crate::format::tree::{JsonNode, JsonTree};
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::{JsonKind, Span};
use crate::json::{decode_literal, decode_literal_wtf8, encode_literal, locate_in_literal};
use crate::transcript::splice::Splice;
use crate::transcript::{Content, Message, Record, Role, ToolCall, Transcript};
use std::borrow::Cow;

type Result<T> = std::result::Result<T, RecordError>;

/// Conversations of ShareGPT.
pub(super) struct ShareGptFormat;

const LISTS: [&str; 2] = ["conversations", "conversation"];
/// Tags of turns; a call is an assistant's turn.
const TAGS: [(&str, Role); 16] = [
    ("system", Role::System),
    ("human", Role::User),
    ("user", Role::User),
    ("gpt", Role::Assistant),
    ("assistant", Role::Assistant),
    ("chatgpt", Role::Assistant),
    ("bard", Role::Assistant),
    ("bing", Role::Assistant),
    ("model", Role::Assistant),
    ("function_call", Role::Assistant),
    ("function", Role::Assistant),
    ("observation", Role::Tool),
    ("tool", Role::Tool),
    ("ipython", Role::Tool),
    ("function_response", Role::Tool),
    ("tool_response", Role::Tool),
];
const THINK: [&str; 2] = ["<think>", "</think>"];
const CALLS: [&str; 2] = ["function_call", "function"];
/// Marks in the text that stand for the next element of a list beside the turns.
const MEDIA: [(&str, &str); 3] = [
    ("images", "<image>"),
    ("videos", "<video>"),
    ("audios", "<audio>"),
];

impl Format for ShareGptFormat {
    fn name(&self) -> &'static str {
        "sharegpt"
    }

    fn help_line(&self) -> &'static str {
        "ShareGPT: {\"conversations\": [{\"from\": ..., \"value\": ...}], \"system\": ..., \"tools\": ...}, with function_call and observation"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let (list, _) = find_list(record, &LISTS)?;
        let first = list.items().next()?;
        let own = first.has("from") && first.has("value");
        let retagged = first.has("role") && (first.has("content") || first.has("value"));
        let why = if own {
            "a list conversations of objects with from and value"
        } else {
            "a list conversations of objects with a role"
        };
        (own || retagged).then_some(Recognition {
            shape: Shape::Conversation,
            certainty: Certainty::Message,
            why,
        })
    }

    fn read_transcript<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        read_turns(records, &LISTS, read_turn)
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        place_in_turns(transcript, place, text)
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        _: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        turn(transcript, role, text)
    }

    fn place_messages(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        messages: &[(Role, String)],
        separator: &[u8],
    ) -> SummaryInsertion {
        place_turns(transcript, place, messages, separator)
    }
}

/// The first of these lists that a record has, and its name.
pub(super) fn find_list<'t>(
    record: JsonNode<'t>,
    names: &[&'static str],
) -> Option<(JsonNode<'t>, &'static str)> {
    names.iter().find_map(|name| {
        Some((
            record.get(name).filter(|list| list.is(JsonKind::Array))?,
            *name,
        ))
    })
}

/// Reads records of turns; `read` adds the messages of one turn with this tag and text.
pub(super) fn read_turns<'a>(
    records: Vec<Record<'a>>,
    lists: &[&'static str],
    read: impl Fn(&[u8], ShareGptTurn<'_>, &mut Vec<Message>),
) -> Result<Transcript<'a>> {
    let bytes: Vec<&'a [u8]> = records.iter().map(|record| record.bytes).collect();
    read_trees(records, Shape::Conversation, None, |transcript, whole| {
        transcript.alternates = true;
        let (list, name) =
            find_list(whole.node, lists).ok_or_else(|| without(whole.node, lists[0]))?;
        let prompt = whole
            .node
            .get("system")
            .filter(|prompt| prompt.text().is_some_and(|text| !text.is_empty()));
        transcript
            .messages
            .extend(prompt.and_then(|prompt| system_prompt(whole.record, prompt)));
        transcript.outside = transcript.messages.len();
        transcript.tools = whole
            .node
            .get("tools")
            .filter(|tools| matches!(tools.kind(), JsonKind::Array | JsonKind::String))
            .map(JsonNode::span);
        each_element(list, whole.record, name, |element| {
            let (tag_key, text_key) = keys(element.node);
            let role = element.role(tag_key, &TAGS)?;
            let value = element
                .node
                .get(text_key)
                .ok_or_else(|| element.node.missing(&element.field(text_key)))?;
            if !matches!(value.kind(), JsonKind::String | JsonKind::Null) {
                return Err(value.wrong(&element.field(text_key), "a string"));
            }
            let tag = element
                .node
                .get(tag_key)
                .and_then(JsonNode::text)
                .unwrap_or_default();
            read(
                bytes[whole.record],
                ShareGptTurn {
                    element,
                    role,
                    tag,
                    value,
                },
                &mut transcript.messages,
            );
            Ok(())
        })
    })
}

/// One turn.
pub(super) struct ShareGptTurn<'t> {
    pub(super) element: LocatedNode<'t>,
    pub(super) role: Role,
    tag: Cow<'t, str>,
    pub(super) value: JsonNode<'t>,
}

impl ShareGptTurn<'_> {
    /// The turn as a message of this role.
    pub(super) fn to_message(&self, role: Role) -> Message {
        let content = self.value.literal().map_or(Content::Absent, Content::Text);
        Message {
            content,
            content_span: Some(self.value.span()),
            ..self.element.message(role)
        }
    }
}

/// The keys of a turn's tag and text.
fn keys(turn: JsonNode<'_>) -> (&'static str, &'static str) {
    let key = |own: &'static str, other| {
        if turn.has(own) || !turn.has(other) {
            own
        } else {
            other
        }
    };
    (key("from", "role"), key("value", "content"))
}

fn read_turn(bytes: &[u8], turn: ShareGptTurn<'_>, messages: &mut Vec<Message>) {
    let message = turn.to_message(turn.role);
    if turn.role == Role::User {
        return messages.extend(user_messages(bytes, message));
    }
    if !CALLS.contains(&turn.tag.as_ref()) {
        return messages.push(message);
    }
    let (thought, calls) = turn
        .value
        .literal()
        .map_or_else(Default::default, |literal| {
            thought_and_calls(bytes, literal)
        });
    messages.push(if calls.is_empty() {
        // What can't be read is a call nevertheless: its result stays with it.
        Message {
            calls: vec![ToolCall {
                span: turn.value.span(),
                ..ToolCall::default()
            }],
            ..message
        }
    } else {
        Message {
            calls,
            content: thought.map_or(Content::Absent, Content::Text),
            ..message
        }
    });
}

/// The calls of a turn, and what was thought before them: trainers take `<think>` there and nothing else.
fn thought_and_calls(bytes: &[u8], literal: Span) -> (Option<Span>, Vec<ToolCall>) {
    let text = decode_literal_wtf8(literal.slice(bytes));
    let end = text
        .starts_with(THINK[0].as_bytes())
        .then(|| memchr::memmem::find(&text, THINK[1].as_bytes()))
        .flatten();
    let Some(end) = end.map(|at| at + THINK[1].len()) else {
        return (None, calls_in(bytes, literal, None));
    };
    // A part of a literal has a byte more on each side.
    let last = literal.start + locate_in_literal(literal.slice(bytes), &[end])[0] + 1;
    (
        Some(Span {
            start: literal.start,
            end: last,
        }),
        calls_in(bytes, literal, Some(end..text.len())),
    )
}

/// The calls (`{"name", "arguments"}`, or a list of them) that a part of a string holds: bytes of its text, else all of it.
pub(super) fn calls_in(
    bytes: &[u8],
    literal: Span,
    part: Option<std::ops::Range<usize>>,
) -> Vec<ToolCall> {
    let text = decode_literal_wtf8(literal.slice(bytes));
    let part = part.unwrap_or(0..text.len());
    let Ok(tree) = JsonTree::new(&text[part.clone()]) else {
        return Vec::new();
    };
    let root = tree.root();
    let nodes: Vec<JsonNode<'_>> = if root.is(JsonKind::Array) {
        root.items().collect()
    } else {
        vec![root]
    };
    // A span of the text as one of the literal, with a byte more on each side where quotes would be.
    let outer = |span: Span| {
        let at = locate_in_literal(
            literal.slice(bytes),
            &[part.start + span.start, part.start + span.end],
        );
        Span {
            start: literal.start + at[0] - 1,
            end: literal.start + at[1] + 1,
        }
    };
    let inner = |span: Span| {
        outer(Span {
            start: span.start + 1,
            end: span.end - 1,
        })
    };
    let read = |node: JsonNode<'_>| {
        let name = node.literal_at("name")?;
        let arguments = ["arguments", "parameters"]
            .into_iter()
            .find_map(|key| node.get(key));
        let valid = arguments.is_some_and(|arguments| arguments.is(JsonKind::Object));
        Some(ToolCall {
            span: outer(node.span()),
            name: Some(inner(name)),
            arguments: arguments.map(|node| outer(node.span())),
            valid,
            inside: true,
            ..ToolCall::default()
        })
    };
    nodes
        .into_iter()
        .map(read)
        .collect::<Option<_>>()
        .unwrap_or_default()
}

/// Puts a summary into the user's turn that follows, else as a turn of its own; media of turns that went go along.
pub(super) fn place_in_turns(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    text: &str,
) -> SummaryInsertion {
    let (mut entry, text) = place_media(transcript, place, text);
    let text_key = sample(transcript, Role::User).map_or("value", |tree| keys(tree.root()).1);
    match place
        .user_that_follows(transcript)
        .and_then(|message| before_text(transcript, message, text_key, &text))
    {
        Some(splices) => entry.splices.extend(splices),
        None => entry.message = Some(turn(transcript, Role::User, &text)),
    }
    entry
}

/// Puts a summary that is told in several turns; media of turns that went go along.
pub(super) fn place_turns(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    messages: &[(Role, String)],
    separator: &[u8],
) -> SummaryInsertion {
    let mut entry = SummaryInsertion::default();
    let mut turns = Vec::new();
    for (role, text) in messages {
        let (media, text) = place_media(transcript, place, text);
        turns.push(turn(transcript, *role, &text));
        // All say the same of the media.
        entry = media;
    }
    SummaryInsertion {
        message: Some(turns.join(separator)),
        ..entry
    }
}

/// What changes in the lists of media, and a text without their marks.
fn place_media<'x>(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    text: &'x str,
) -> (SummaryInsertion, Cow<'x, str>) {
    let (mut entry, mut text) = (SummaryInsertion::default(), Cow::Borrowed(text));
    if let Ok(tree) = JsonTree::new(transcript.records[0].bytes) {
        for (key, mark) in MEDIA {
            let Some(list) = tree.root().get(key).filter(|list| list.is(JsonKind::Array)) else {
                continue;
            };
            text = Cow::Owned(text.replace(mark, &format!("[{key}]")));
            entry
                .splices
                .extend(media_left(transcript, place, list, mark).map(|splice| (0, splice)));
        }
    }
    (entry, text)
}

/// The first turn of a role.
fn sample<'a>(transcript: &Transcript<'a>, role: Role) -> Option<JsonTree<'a>> {
    let first = transcript
        .messages
        .iter()
        .skip(transcript.outside)
        .find(|message| message.role == role);
    JsonTree::new(first?.span.slice(transcript.records[0].bytes)).ok()
}

/// A turn of its own, spelled as the others are.
pub(super) fn turn(transcript: &Transcript<'_>, role: Role, text: &str) -> Vec<u8> {
    let (own, user) = (sample(transcript, role), sample(transcript, Role::User));
    let (tag_key, text_key) = own
        .as_ref()
        .or(user.as_ref())
        .map_or(("from", "value"), |tree| keys(tree.root()));
    let usual = match (tag_key, role) {
        ("from", Role::Assistant) => "gpt",
        ("from", _) => "human",
        (_, Role::Assistant) => "assistant",
        _ => "user",
    };
    let tag = own
        .as_ref()
        .and_then(|tree| tree.root().get(tag_key)?.text())
        .unwrap_or(Cow::Borrowed(usual));
    let literals = [tag_key, &tag, text_key, text].map(encode_literal);
    let [tag_key, tag, text_key, text] = &literals;
    [
        b"{",
        tag_key.as_slice(),
        b": ",
        tag,
        b", ",
        text_key,
        b": ",
        text,
        b"}",
    ]
    .concat()
}

/// The list of media without those whose marks go; none where marks and media do not match anyway.
fn media_left(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    list: JsonNode<'_>,
    mark: &str,
) -> Option<Splice> {
    let mut stays = Vec::new();
    for (index, message) in transcript.messages.iter().enumerate() {
        if let Content::Text(span) = message.content {
            let count = decode_literal(transcript.bytes(index, span))
                .matches(mark)
                .count();
            stays.extend(std::iter::repeat_n(
                place.removed.binary_search(&index).is_err(),
                count,
            ));
        }
    }
    if stays.len() != list.items().count() || stays.iter().all(|stays| *stays) {
        return None;
    }
    let kept: Vec<&[u8]> = list
        .items()
        .zip(stays)
        .filter(|(_, stays)| *stays)
        .map(|(node, _)| node.bytes())
        .collect();
    Some(Splice {
        span: list.span(),
        bytes: [b"[", kept.join(b", ".as_slice()).as_slice(), b"]"].concat(),
    })
}
