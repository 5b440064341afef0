//! What readers of trees have in common: records, thread ids, contents, and
//! the places where a summary enters a message.

use crate::error::RecordError;
use crate::format::tree::{JsonNode, JsonTree};
use crate::format::usage;
use crate::format::{Shape, SummaryPlace, ThreadId, describe_record, message_thread};
use crate::json::python_parser::parse_python_object;
use crate::json::{JsonKind, Span};
use crate::json::{decode_literal, decode_literal_wtf8, encode_literal, write_literal};
use crate::transcript::splice::Splice;
use crate::transcript::summary_frame::{SUMMARY_JOINT, find_summary_joint, is_framed_summary};
use crate::transcript::{BlockKind, Content, Message, MessageBlock, Record, Role, ToolCall, Transcript};

type Result<T> = std::result::Result<T, RecordError>;

/// Reads records: `each` adds the messages of one. JournalThread id, model and oddities are the same for all formats.
pub(super) fn read_trees<'a>(
    records: Vec<Record<'a>>,
    shape: Shape,
    thread_key: Option<&'static str>,
    mut each: impl FnMut(&mut Transcript<'a>, LocatedNode<'_>) -> Result<()>,
) -> Result<Transcript<'a>> {
    let mut transcript = Transcript {
        message_per_record: shape == Shape::Message,
        ..Transcript::default()
    };
    for (record, Record { bytes, .. }) in records.iter().enumerate() {
        let tree = JsonTree::new(bytes)?;
        let root = tree.root();
        if !matches!(root.kind(), JsonKind::Object | JsonKind::Array)
            || (shape == Shape::Message && root.is(JsonKind::Array))
        {
            return Err(root.wrong("the record", "an object or a list of messages"));
        }
        each(
            &mut transcript,
            LocatedNode {
                node: root,
                record,
                place: "the record",
            },
        )?;
        if shape == Shape::Conversation {
            let mut thread = ThreadId::of(thread_key);
            for (key, value) in root.entries() {
                thread.see(
                    bytes,
                    &decode_literal_wtf8(key.slice(bytes)),
                    value.span(),
                    value.kind(),
                );
            }
            transcript.thread_id = transcript.thread_id.take().or(thread.take());
            let model = root
                .get("model")
                .and_then(JsonNode::text)
                .filter(|model| !model.is_empty());
            transcript.model = transcript
                .model
                .take()
                .or(model.map(std::borrow::Cow::into_owned));
            let usage = root.get("usage").filter(|usage| usage.is(JsonKind::Object));
            usage::of_last_answer(
                &mut transcript.messages,
                usage.and_then(|usage| usage::read(usage.bytes())),
            );
        }
        if let Some(key) = tree.duplicate_key {
            transcript.warnings.push(format!(
                "key {key:?} stands twice in one object; the last one counts"
            ));
        }
    }
    if shape == Shape::Message
        && let Some(first) = records.first()
        && let Some((_, span)) = message_thread(first.bytes)
    {
        transcript.thread_id = Some(match span.slice(first.bytes) {
            literal @ [b'"', ..] => decode_literal(literal).into_owned(),
            number => String::from_utf8_lossy(number).into_owned(),
        });
    }
    transcript.records = records;
    transcript.keep_first_summary();
    Ok(transcript)
}

/// One object that is read: a record, or an element of its list.
#[derive(Clone, Copy)]
pub(super) struct LocatedNode<'t> {
    pub(super) node: JsonNode<'t>,
    /// Index of its record.
    pub(super) record: usize,
    /// How errors name it.
    pub(super) place: &'t str,
}

impl<'t> LocatedNode<'t> {
    /// A message of a role in this element.
    pub(super) fn message(self, role: Role) -> Message {
        let usage = self
            .node
            .get("usage")
            .filter(|usage| role == Role::Assistant && usage.is(JsonKind::Object));
        Message {
            usage: usage
                .and_then(|usage| usage::read(usage.bytes()))
                .map(Box::new),
            incomplete: role.is_result() && is_incomplete(self.node),
            ..Message::new(self.record, self.node.span(), role)
        }
    }

    /// The name of a field, for errors.
    pub(super) fn field(self, name: &str) -> String {
        if self.place == "the record" {
            name.to_owned()
        } else {
            format!("{}.{name}", self.place)
        }
    }

    /// The role that a key names.
    ///
    /// # Errors
    /// If it is missing, no string or none of these.
    pub(super) fn role(self, key: &str, roles: &[(&str, Role)]) -> Result<Role> {
        let value = self
            .node
            .get(key)
            .ok_or_else(|| self.node.missing(&self.field(key)))?;
        let name = value
            .text()
            .ok_or_else(|| value.wrong(&self.field(key), "a string"))?;
        roles
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, role)| *role)
            .ok_or_else(|| {
                let known: Vec<&str> = roles.iter().map(|(known, _)| *known).collect();
                RecordError::at(
                    value.span().start,
                    format!(
                        "{} is {name:?}, it must be one of {}",
                        self.field(key),
                        known.join(", ")
                    ),
                )
            })
    }

    /// The content that a key holds: a string, a list of blocks told apart by `kind`, or nothing.
    ///
    /// # Errors
    /// If it is anything else.
    pub(super) fn content(
        self,
        key: &str,
        mut kind: impl FnMut(JsonNode<'t>) -> BlockKind,
    ) -> Result<(Content, Option<Span>)> {
        let Some(value) = self.node.get(key) else {
            return Ok((Content::Absent, None));
        };
        let content = match value.kind() {
            JsonKind::String => Content::Text(value.span()),
            JsonKind::Null => Content::Absent,
            JsonKind::Array => {
                let mut blocks = Vec::new();
                for (number, block) in value.items().enumerate() {
                    let kind = match block.kind() {
                        JsonKind::String => BlockKind::Text(block.span()),
                        JsonKind::Object => kind(block),
                        _ => {
                            return Err(block.wrong(
                                &format!("{}[{number}]", self.field(key)),
                                "an object or a string",
                            ));
                        }
                    };
                    blocks.push(MessageBlock {
                        span: block.span(),
                        kind,
                    });
                }
                if blocks.is_empty() {
                    Content::Absent
                } else {
                    Content::Blocks(blocks)
                }
            }
            JsonKind::Object | JsonKind::Number | JsonKind::Bool => {
                return Err(value.wrong(&self.field(key), "a string, a list or null"));
            }
        };
        Ok((content, Some(value.span())))
    }
}

/// Whether a result says that its call failed, or has not ended.
pub(super) fn is_incomplete(result: JsonNode<'_>) -> bool {
    let failed = result
        .get("is_error")
        .is_some_and(|value| value.bytes() == b"true");
    failed
        || ["error", "pending", "running"]
            .iter()
            .any(|status| result.says("status", status))
}

/// Reads every element of a list of messages.
///
/// # Errors
/// If the list is none, an element is no object, or what `each` returns.
pub(super) fn each_element(
    list: JsonNode<'_>,
    record: usize,
    name: &str,
    mut each: impl FnMut(LocatedNode<'_>) -> Result<()>,
) -> Result<()> {
    let list = list.must_be(JsonKind::Array, name)?;
    for (number, node) in list.items().enumerate() {
        let place = format!("{name}[{number}]");
        each(LocatedNode {
            node: node.must_be(JsonKind::Object, &place)?,
            record,
            place: &place,
        })?;
    }
    Ok(())
}

/// The error that a record holds no messages.
pub(super) fn without(root: JsonNode<'_>, name: &str) -> RecordError {
    RecordError::new(format!(
        "record without {name}; {}",
        describe_record(root.bytes())
    ))
}

/// A system prompt under a key of its own: a string, or blocks with a `text`.
pub(super) fn system_prompt(record: usize, value: JsonNode<'_>) -> Option<Message> {
    let content = match value.kind() {
        JsonKind::String => Content::Text(value.span()),
        JsonKind::Array => Content::Blocks(value.items().map(text_or_other).collect()),
        _ => return None,
    };
    Some(Message {
        content,
        ..Message::new(record, value.span(), Role::System)
    })
}

/// A block as text if it is a string or has a `text`.
pub(super) fn text_or_other(block: JsonNode<'_>) -> MessageBlock {
    let text = block.literal().or_else(|| block.literal_at("text"));
    MessageBlock {
        span: block.span(),
        kind: text.map_or(BlockKind::Other, BlockKind::Text),
    }
}

/// A call with arguments that are an object, or a literal that holds one.
pub(super) fn call(
    span: Span,
    id: Option<Span>,
    name: Option<Span>,
    arguments: Option<JsonNode<'_>>,
) -> ToolCall {
    let valid = arguments.is_some_and(|value| match value.kind() {
        JsonKind::Object => true,
        JsonKind::String => parse_python_object(&decode_literal_wtf8(value.bytes())).is_some(),
        _ => false,
    });
    ToolCall {
        span,
        id,
        name,
        arguments: arguments.map(JsonNode::span),
        valid,
        ..ToolCall::default()
    }
}

/// Whether a content is a summary alone.
pub(super) fn is_summary(bytes: &[u8], content: &Content) -> bool {
    match content {
        Content::Text(span) => is_framed_summary(span.slice(bytes)),
        Content::Blocks(blocks) => {
            matches!(blocks.as_slice(), [MessageBlock { kind: BlockKind::Text(span), .. }] if is_framed_summary(span.slice(bytes)))
        }
        Content::Absent => false,
    }
}

/// A user's message; where an earlier summary was put before its other blocks, that is a message of its own.
pub(super) fn user_messages(bytes: &[u8], mut message: Message) -> Vec<Message> {
    let merged = match &mut message.content {
        Content::Blocks(blocks) if blocks.len() > 1 => {
            let is_first = matches!(blocks[0].kind, BlockKind::Text(span) if is_framed_summary(span.slice(bytes)));
            is_first.then(|| Content::Blocks(vec![blocks.remove(0)]))
        }
        Content::Text(span) => find_summary_joint(span.slice(bytes)).map(|at| {
            let (start, end) = (span.start, span.end);
            // Literals that share their bytes: the text between the quotes is all that is looked at.
            *span = Span {
                start: start + at.end - 1,
                end,
            };
            Content::Text(Span {
                start,
                end: start + at.start + 1,
            })
        }),
        Content::Blocks(_) | Content::Absent => None,
    };
    let Some(content) = merged else {
        message.earlier_summary = is_summary(bytes, &message.content);
        return vec![message];
    };
    let joined = std::mem::replace(&mut message.joined, true);
    vec![
        Message {
            content,
            joined,
            earlier_summary: true,
            ..Message::new(message.record, message.span, Role::User)
        },
        message,
    ]
}

/// The messages of a user's turn that holds results beside words: results first, as they follow their call, never parted.
pub(super) fn results_and_words(
    bytes: &[u8],
    element: LocatedNode<'_>,
    results: Vec<Message>,
    words: Vec<MessageBlock>,
) -> Vec<Message> {
    let mut messages = results;
    if messages.is_empty() || !words.is_empty() {
        let content = if words.is_empty() {
            Content::Absent
        } else {
            Content::Blocks(words)
        };
        messages.extend(user_messages(
            bytes,
            Message {
                content,
                ..element.message(Role::User)
            },
        ));
    }
    messages
        .iter_mut()
        .skip(1)
        .for_each(|message| message.joined = true);
    messages
}

/// The keys that a message of one record begins with: the thread key and its value.
pub(super) fn thread_entry(transcript: &Transcript<'_>, place: &SummaryPlace<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some((key, value)) = place.thread(transcript) {
        write_literal(key, &mut out);
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
        out.extend_from_slice(b", ");
    }
    out
}

/// The splices that put `text` before all else in a value of message `message`: `wrap` makes a block of a literal.
/// A string becomes a list of two blocks.
pub(super) fn before_content(
    transcript: &Transcript<'_>,
    message: &Message,
    key: &str,
    text: &str,
    wrap: impl Fn(&[u8]) -> Vec<u8>,
) -> Option<Vec<(usize, Splice)>> {
    let element = message.span.slice(transcript.records[message.record].bytes);
    let tree = JsonTree::new(element).ok()?;
    let value = tree.root().get(key)?;
    let base = message.span.start;
    let at = |offset: usize, bytes: Vec<u8>| {
        (
            message.record,
            Splice {
                span: Span {
                    start: base + offset,
                    end: base + offset,
                },
                bytes,
            },
        )
    };
    let block = wrap(&encode_literal(text));
    let Span { start, end } = value.span();
    match value.kind() {
        JsonKind::Array => {
            let joint: &[u8] = if value.items().next().is_some() {
                b", "
            } else {
                b""
            };
            Some(vec![at(start + 1, [&block, joint].concat())])
        }
        JsonKind::String => {
            // The literal stays; the block around it is written in two halves.
            let around = wrap(b"\0");
            let middle = around.iter().position(|byte| *byte == 0)?;
            Some(vec![
                at(
                    start,
                    [b"[", block.as_slice(), b", ", &around[..middle]].concat(),
                ),
                at(end, [&around[middle + 1..], b"]"].concat()),
            ])
        }
        _ => None,
    }
}

/// The splice that puts `text` before the text of a string value, told from it by [`SUMMARY_JOINT`].
pub(super) fn before_text(
    transcript: &Transcript<'_>,
    message: &Message,
    key: &str,
    text: &str,
) -> Option<Vec<(usize, Splice)>> {
    let element = message.span.slice(transcript.records[message.record].bytes);
    let tree = JsonTree::new(element).ok()?;
    let start = message.span.start + tree.root().literal_at(key)?.start + 1;
    let literal = encode_literal(&format!("{text}{}", SUMMARY_JOINT));
    Some(vec![(
        message.record,
        Splice {
            span: Span { start, end: start },
            bytes: literal[1..literal.len() - 1].to_vec(),
        },
    )])
}
