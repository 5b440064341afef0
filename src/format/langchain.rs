//! LangChain messages in its three spellings: `messages_to_dict` (`data`),
//! `model_dump` (flat) and `dumpd` (`kwargs`); in lists, below `messages`, in
//! states of LangGraph (`values`), or one a record.
//!
//! An AI message stores a call up to three times: in `tool_calls`, as a block
//! of its content, in `additional_kwargs`. It counts once; edits change all.

use crate::error::RecordError;
use crate::format::reading::{
    LocatedNode, call, each_element, is_incomplete, is_summary, read_trees, thread_entry, without,
};
use crate::format::tree::{JsonNode, JsonTree};
use crate::format::usage;
use crate::format::{Certainty, Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::JsonKind;
use crate::json::{decode_literal, encode_literal, is_empty_literal};
use crate::transcript::splice::Splice;
use crate::transcript::{BlockKind, Message, Record, Role, ToolCall, Transcript};
use std::borrow::Cow;
use std::collections::HashSet;

type Result<T> = std::result::Result<T, RecordError>;

/// The messages of LangChain and LangGraph.
pub(super) struct LangChainFormat;

/// Types, and classes without `Message` and `MessageChunk`.
const TYPES: [(&str, &str, Role); 7] = [
    ("human", "Human", Role::User),
    ("ai", "AI", Role::Assistant),
    ("system", "System", Role::System),
    ("tool", "Tool", Role::Tool),
    ("function", "Function", Role::Function),
    ("chat", "Chat", Role::User),
    ("remove", "Remove", Role::System),
];
/// The type of the marker that takes a message back, and the id that stands for all before it.
const REMOVE: &str = "remove";
const REMOVE_ALL: &str = "__remove_all__";
/// What deepagents notes of a compaction, beside the messages, which it leaves as they are.
const EVENT: &str = "_summarization_event";
/// Keys of journals whose lines look like a flat message.
const JOURNAL_KEYS: [&str; 7] = [
    "uuid",
    "parentUuid",
    "sessionId",
    "session_id",
    "subtype",
    "timestamp",
    "message",
];
/// Keys of `additional_kwargs` that mark a summary as LangChain's middleware marks it.
const MARK: &[u8] = b"\"additional_kwargs\": {\"lc_source\": \"summarization\"}";

impl Format for LangChainFormat {
    fn name(&self) -> &'static str {
        "langchain"
    }

    fn help_line(&self) -> &'static str {
        "LangChain messages (messages_to_dict, model_dump, dumpd): lists, {\"messages\": [...]}, LangGraph states, or one per line"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let list = if record.is(JsonKind::Array) {
            Some(record)
        } else {
            find_list(record).map(|(state, _)| state.0)
        };
        let (shape, spelling) = match list {
            Some(list) => (
                Shape::Conversation,
                list.items().next().and_then(LangChainSpelling::of)?,
            ),
            None if JOURNAL_KEYS.iter().any(|key| record.has(key)) => return None,
            None => (Shape::Message, LangChainSpelling::of(record)?),
        };
        let why = match spelling {
            LangChainSpelling::Dumpd => "messages of LangChain's dumpd (lc, kwargs)",
            LangChainSpelling::Dict => "messages of LangChain's messages_to_dict (type, data)",
            LangChainSpelling::Flat => {
                "messages of LangChain's model_dump (type and content, no role)"
            }
        };
        Some(Recognition {
            shape,
            certainty: Certainty::Message,
            why,
        })
    }

    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>> {
        let bytes: Vec<&'a [u8]> = records.iter().map(|record| record.bytes).collect();
        read_trees(records, shape, None, |transcript, whole| {
            let (bytes, root) = (bytes[whole.record], whole.node);
            if shape == Shape::Message {
                transcript.messages.push(read_message(bytes, whole)?);
                return Ok(());
            }
            let ((list, state), name) = match root.kind() {
                JsonKind::Array => ((root, root), "messages"),
                _ => find_list(root).ok_or_else(|| without(root, "messages"))?,
            };
            let id = root
                .at(&["config", "configurable", "thread_id"])
                .and_then(JsonNode::text)
                .filter(|id| !id.is_empty());
            transcript.thread_id = id.map(Cow::into_owned);
            transcript.tools = state
                .get("tools")
                .filter(|tools| tools.is(JsonKind::Array))
                .map(JsonNode::span);
            let event = SummarizationEvent::of(state);
            if let Some(event) = &event {
                let element = LocatedNode {
                    node: event.message,
                    record: whole.record,
                    place: EVENT,
                };
                transcript.messages.push(Message {
                    earlier_summary: true,
                    ..read_message(bytes, element)?
                });
                transcript.outside = 1;
            }
            let skipped = event.map_or(0, |event| event.cutoff);
            let gone = taken_back(list);
            let mut number = 0;
            each_element(list, whole.record, name, |element| {
                number += 1;
                // What was taken back, and what an earlier compaction hides, the model does not see.
                if number > skipped && !gone.contains(&number) {
                    transcript.messages.push(read_message(bytes, element)?);
                }
                Ok(())
            })
        })
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        let record = transcript.records[0].bytes;
        let tree = if transcript.message_per_record {
            None
        } else {
            JsonTree::new(record).ok()
        };
        let event = tree
            .as_ref()
            .and_then(|tree| SummarizationEvent::of(find_list(tree.root())?.0.1));
        if let Some(splices) = event.and_then(|event| event.moved(transcript, place, text)) {
            return SummaryInsertion {
                message: None,
                splices,
                leaves_list: true,
            };
        }
        SummaryInsertion::message(self.render_message(transcript, place, Role::User, text))
    }

    fn render_message(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        let (kind, class) = if role == Role::Assistant {
            ("ai", "AIMessage")
        } else {
            ("human", "HumanMessage")
        };
        let first = &transcript.messages[place.removed[0]];
        let spelling = JsonTree::new(first.span.slice(transcript.records[first.record].bytes))
            .ok()
            .and_then(|tree| LangChainSpelling::of(tree.root()));
        let ending = format!(", \"type\": \"{kind}\"");
        let fields = [
            b"\"content\": ".as_slice(),
            &encode_literal(text),
            b", ",
            MARK,
            ending.as_bytes(),
        ]
        .concat();
        let json = match spelling {
            Some(LangChainSpelling::Dumpd) => {
                let class = format!(
                    "\"lc\": 1, \"type\": \"constructor\", \"id\": [\"langchain\", \"schema\", \"messages\", \"{class}\"], \"kwargs\": {{"
                );
                [class.as_bytes(), fields.as_slice(), b"}"].concat()
            }
            Some(LangChainSpelling::Dict) => [
                format!("\"type\": \"{kind}\", \"data\": {{").as_bytes(),
                fields.as_slice(),
                b"}",
            ]
            .concat(),
            Some(LangChainSpelling::Flat) | None => fields,
        };
        [
            b"{".as_slice(),
            &thread_entry(transcript, place),
            &json,
            b"}",
        ]
        .concat()
    }
}

/// How a message is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LangChainSpelling {
    Dumpd,
    Dict,
    Flat,
}

impl LangChainSpelling {
    fn of(message: JsonNode<'_>) -> Option<Self> {
        if message.has("lc") {
            return (class(message).is_some() && message.has("kwargs")).then_some(Self::Dumpd);
        }
        let name = message.get("type").and_then(JsonNode::text)?;
        if !TYPES
            .iter()
            .any(|(known, class, _)| name == *known || is_class(&name, class))
            || message.has("role")
        {
            return None;
        }
        if message.get("data").is_some_and(|data| data.has("content")) {
            return Some(Self::Dict);
        }
        (message.has("content") || (name == REMOVE && message.has("id"))).then_some(Self::Flat)
    }
}

/// The last name of the path that `dumpd` writes.
fn class(message: JsonNode<'_>) -> Option<Cow<'_, str>> {
    let name = message.list("id").next_back()?.text()?;
    TYPES
        .iter()
        .any(|(_, class, _)| is_class(&name, class))
        .then_some(name)
}

fn is_class(name: &str, class: &str) -> bool {
    name.strip_prefix(class)
        .is_some_and(|rest| matches!(rest, "Message" | "MessageChunk"))
}

/// The list of messages and the state that holds it; and the list's name.
fn find_list(root: JsonNode<'_>) -> Option<((JsonNode<'_>, JsonNode<'_>), &'static str)> {
    let state = [root].into_iter().chain(root.get("values")).find(|state| {
        state
            .get("messages")
            .is_some_and(|list| list.is(JsonKind::Array))
    })?;
    Some(((state.get("messages")?, state), "messages"))
}

/// The numbers (from 1) of messages that later ones take back, and of these.
fn taken_back(list: JsonNode<'_>) -> HashSet<usize> {
    let mut gone = HashSet::new();
    let id_of = |node: JsonNode<'_>| {
        fields_of(node)
            .get("id")
            .and_then(JsonNode::text)
            .map(Cow::into_owned)
    };
    for (at, marker) in list
        .items()
        .enumerate()
        .filter(|(_, node)| type_of(*node).is_some_and(|(name, _)| name == REMOVE))
    {
        gone.insert(at + 1);
        let Some(target) = id_of(marker) else {
            continue;
        };
        let hit =
            |node: JsonNode<'_>| target == REMOVE_ALL || id_of(node).as_ref() == Some(&target);
        gone.extend(
            list.items()
                .take(at)
                .enumerate()
                .filter(|(_, node)| hit(*node))
                .map(|(before, _)| before + 1),
        );
    }
    gone
}

/// The object that holds the fields of a message.
fn fields_of(message: JsonNode<'_>) -> JsonNode<'_> {
    match LangChainSpelling::of(message) {
        Some(LangChainSpelling::Dumpd) => message.get("kwargs").unwrap_or(message),
        Some(LangChainSpelling::Dict) => message.get("data").unwrap_or(message),
        Some(LangChainSpelling::Flat) | None => message,
    }
}

fn type_of(message: JsonNode<'_>) -> Option<(&'static str, Role)> {
    let name = if message.has("lc") {
        class(message)?
    } else {
        message.get("type").and_then(JsonNode::text)?
    };
    let found = TYPES
        .iter()
        .find(|(known, class, _)| name == *known || is_class(&name, class))?;
    Some((found.0, found.2))
}

fn read_message(bytes: &[u8], element: LocatedNode<'_>) -> Result<Message> {
    let Some((name, mut role)) = type_of(element.node) else {
        let known: Vec<&str> = TYPES.iter().map(|(known, ..)| *known).collect();
        let at = element
            .node
            .get("type")
            .unwrap_or(element.node)
            .span()
            .start;
        return Err(RecordError::at(
            at,
            format!(
                "{} names no type of message ({})",
                element.field("type"),
                known.join(", ")
            ),
        ));
    };
    let fields = fields_of(element.node);
    if name == "chat" && (fields.says("role", "assistant") || fields.says("role", "ai")) {
        role = Role::Assistant;
    }
    let mut calls = if role == Role::Assistant {
        read_calls(fields)
    } else {
        Vec::new()
    };
    let mut seen = vec![false; calls.len()];
    let inner = LocatedNode {
        node: fields,
        ..element
    };
    let (content, content_span) = inner.content("content", |block| {
        match block.get("type").and_then(JsonNode::text).as_deref() {
            Some("text") => BlockKind::Text(block.literal_at("text").unwrap_or_default()),
            Some("image" | "image_url") => BlockKind::Image,
            Some("tool_use" | "tool_call") if role == Role::Assistant => {
                let arguments = ["input", "args"].into_iter().find_map(|key| block.get(key));
                BlockKind::Call(add_copy(
                    bytes,
                    &mut calls,
                    &mut seen,
                    call(
                        block.span(),
                        block.literal_at("id"),
                        block.literal_at("name"),
                        arguments,
                    ),
                ))
            }
            _ => BlockKind::Other,
        }
    })?;
    let marked = fields
        .at(&["additional_kwargs", "lc_source"])
        .and_then(JsonNode::text)
        .is_some_and(|source| source == "summarization");
    let non_empty = |node: JsonNode<'_>| {
        node.literal()
            .filter(|span| !is_empty_literal(span.slice(bytes)))
    };
    let usage = fields
        .get("usage_metadata")
        .filter(|usage| usage.is(JsonKind::Object));
    Ok(Message {
        earlier_summary: role == Role::User && (marked || is_summary(bytes, &content)),
        content,
        content_span,
        name: fields.get("name").and_then(non_empty),
        calls,
        answers: fields
            .literal_at("tool_call_id")
            .filter(|_| role == Role::Tool),
        usage: usage
            .and_then(|usage| usage::metadata(usage.bytes()))
            .map(Box::new),
        provider: fields
            .at(&["response_metadata", "model_provider"])
            .and_then(non_empty),
        incomplete: role.is_result() && is_incomplete(fields),
        ..element.message(role)
    })
}

/// The calls of an AI message, with the copies in `additional_kwargs` and of a stream.
fn read_calls(fields: JsonNode<'_>) -> Vec<ToolCall> {
    let flat = |node: JsonNode<'_>| {
        call(
            node.span(),
            node.literal_at("id"),
            node.literal_at("name"),
            node.get("args"),
        )
    };
    let mut calls: Vec<ToolCall> = fields.list("tool_calls").map(flat).collect();
    calls.extend(fields.list("invalid_tool_calls").map(|node| ToolCall {
        valid: false,
        ..flat(node)
    }));
    let raw = fields
        .get("additional_kwargs")
        .into_iter()
        .flat_map(|kwargs| kwargs.list("tool_calls"));
    let raw = raw.map(|node| {
        let part = |key| node.at(&["function", key]);
        (
            node,
            call(
                node.span(),
                node.literal_at("id"),
                part("name").and_then(JsonNode::literal),
                part("arguments"),
            ),
        )
    });
    let chunks = fields
        .list("tool_call_chunks")
        .map(|node| (node, flat(node)));
    for copies in [raw.collect::<Vec<_>>(), chunks.collect()] {
        let mut seen = vec![false; calls.len()];
        for (node, copy) in copies {
            // The record's bytes: spans of all nodes count from its start.
            add_copy(node.record(), &mut calls, &mut seen, copy);
        }
    }
    if calls.is_empty()
        && let Some(legacy) = fields
            .at(&["additional_kwargs", "function_call"])
            .filter(|legacy| legacy.is(JsonKind::Object))
    {
        calls.push(ToolCall {
            legacy: true,
            ..call(
                legacy.span(),
                None,
                legacy.literal_at("name"),
                legacy.get("arguments"),
            )
        });
    }
    calls
}

/// Adds a stored call to those known: to the first with its id that has no copy of this kind yet, else as one more.
fn add_copy(
    bytes: &[u8],
    calls: &mut Vec<ToolCall>,
    seen: &mut Vec<bool>,
    copy: ToolCall,
) -> usize {
    let id = |call: &ToolCall| call.id.map(|id| decode_literal(id.slice(bytes)));
    let known = calls
        .iter()
        .zip(seen.iter())
        .position(|(call, seen)| !seen && id(call) == id(&copy));
    match known {
        Some(at) => {
            seen[at] = true;
            calls[at].copies.extend(copy.arguments);
            at
        }
        None => {
            calls.push(copy);
            seen.push(true);
            calls.len() - 1
        }
    }
}

/// An earlier compaction as deepagents notes it: the summary, and how many messages it stands for.
#[derive(Clone, Copy)]
struct SummarizationEvent<'t> {
    message: JsonNode<'t>,
    cutoff: usize,
    cutoff_node: JsonNode<'t>,
    file_path: Option<JsonNode<'t>>,
}

impl<'t> SummarizationEvent<'t> {
    fn of(state: JsonNode<'t>) -> Option<Self> {
        let event = state.get(EVENT)?;
        let (message, cutoff_node) = (event.get("summary_message")?, event.get("cutoff_index")?);
        let cutoff = std::str::from_utf8(cutoff_node.bytes())
            .ok()?
            .parse()
            .ok()?;
        LangChainSpelling::of(message)?;
        Some(Self {
            message,
            cutoff,
            cutoff_node,
            file_path: event.get("file_path"),
        })
    }

    /// The note as it reads after one more compaction: the messages stay where they are, as their owner expects it.
    fn moved(
        self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> Option<Vec<(usize, Splice)>> {
        let kept = place
            .removed
            .last()
            .is_none_or(|last| last + 1 == place.first_kept)
            && place.removed.first() == Some(&0);
        let content = fields_of(self.message).get("content")?;
        let first_kept = transcript.messages.get(place.first_kept).filter(|_| kept)?;
        let tree = JsonTree::new(transcript.records[0].bytes).ok()?;
        let list = find_list(tree.root())?.0.0;
        let cutoff = list
            .items()
            .position(|element| element.span() == first_kept.span)?;
        let mut splices = vec![
            (self.cutoff_node, cutoff.to_string().into_bytes()),
            (content, encode_literal(text)),
        ];
        let path = crate::transcript::summary_frame::archive_path_in(text);
        splices.extend(
            self.file_path
                .map(|node| (node, path.map_or_else(|| b"null".to_vec(), encode_literal))),
        );
        Some(
            splices
                .into_iter()
                .map(|(node, bytes)| {
                    (
                        0,
                        Splice {
                            span: node.span(),
                            bytes,
                        },
                    )
                })
                .collect(),
        )
    }
}
