//! Sessions of pi (and of agents built on it): entries, in newer files a tree
//! by `parentId`. After a compaction the live context is its summary, the
//! entries from the first kept one on, and what followed (spec: formats, section 13).

use crate::error::RecordError;
use crate::format::dialects::ANTHROPIC;
use crate::format::insertion::SummaryPlace;
use crate::format::journal::{
    ElementMark, Journal, JournalReader, JournalThread, append_lines, hex_id,
};
use crate::format::recognition::{Certainty, Recognition, Shape};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::encode_literal;
use crate::json::{JsonKind, Span};
use crate::transcript::Transcript;
use crate::transcript::journal::WriteMode;
use crate::transcript::splice::Splice;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Sessions of pi.
pub(super) struct PiJournal;

const WRITES: WriteMode = WriteMode::Appended {
    asked: false,
    clears: false,
};
/// Types of entries that stand beside a time.
const ENTRIES: [&str; 6] = [
    "message",
    "compaction",
    "model_change",
    "thinking_level_change",
    "branch_summary",
    "custom_message",
];
const ROLES: [&str; 7] = [
    "user",
    "assistant",
    "toolResult",
    "bashExecution",
    "custom",
    "branchSummary",
    "compactionSummary",
];

impl Journal for PiJournal {
    fn name(&self) -> &'static str {
        "pi"
    }

    fn help_line(&self) -> &'static str {
        "pi sessions (~/.pi/agent/sessions): {\"type\": \"session\", \"cwd\": ...}, then entries; the live branch from the last compaction on"
    }

    fn write_mode(&self) -> WriteMode {
        WRITES
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let hit = |why| {
            Some(Recognition {
                shape: Shape::Journal,
                certainty: Certainty::Envelope,
                why,
            })
        };
        if record.has_text("type", "session") && record.has_key("cwd") {
            return hit("a session with a cwd");
        }
        let is_entry =
            record.has_key("timestamp") && ENTRIES.iter().any(|kind| record.has_text("type", kind));
        let own_role = record
            .get("message")
            .is_some_and(|message| ROLES.iter().any(|role| message.has_text("role", role)));
        if is_entry
            && (own_role || (record.has_text("type", "compaction") && record.has_key("summary")))
        {
            hit("an entry with its message or summary")
        } else {
            None
        }
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(PiReader::default())
    }

    fn append_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let Some(tree) = transcript
            .records
            .last()
            .and_then(|record| JsonTree::new(record.bytes).ok())
        else {
            return Vec::new();
        };
        let last = tree.root();
        let stamp = last
            .get("timestamp")
            .map_or_else(|| b"null".to_vec(), |stamp| stamp.bytes().to_vec());
        let kept = (place.first_kept < transcript.messages.len()).then(|| {
            transcript.bytes(place.first_kept, transcript.messages[place.first_kept].span)
        });
        let mut keys = vec![b"\"type\": \"compaction\"".to_vec()];
        let kept_key = match last.get("id").filter(|_| !last.has_text("type", "session")) {
            Some(parent) => {
                let own = encode_literal(&hex_id(&[last.bytes(), text.as_bytes()])[..8]);
                keys.push(
                    [
                        b"\"id\": ".as_slice(),
                        &own,
                        b", \"parentId\": ",
                        parent.bytes(),
                    ]
                    .concat(),
                );
                // Where nothing is kept it names itself.
                let id = kept
                    .and_then(|element| value_of(element, "id"))
                    .unwrap_or(own);
                [b"\"firstKeptEntryId\": ".as_slice(), &id].concat()
            }
            None => {
                let number = kept
                    .and_then(|element| value_of(element, "entry"))
                    .or_else(|| value_of(transcript.records[0].bytes, "entries"));
                [
                    b"\"firstKeptEntryIndex\": ".as_slice(),
                    &number.unwrap_or_default(),
                ]
                .concat()
            }
        };
        keys.push([b"\"timestamp\": ".as_slice(), &stamp].concat());
        keys.push([b"\"summary\": ".as_slice(), &encode_literal(text)].concat());
        keys.push(kept_key);
        keys.push(format!("\"tokensBefore\": {}", place.tokens_before).into_bytes());
        append_lines(
            transcript,
            &[[b"{".as_slice(), &keys.join(b", ".as_slice()), b"}"].concat()],
        )
    }
}

/// The bytes of the value that a key of an object holds.
fn value_of(object: &[u8], key: &str) -> Option<Vec<u8>> {
    Some(
        JsonTree::new(object)
            .ok()?
            .root()
            .get(key)?
            .bytes()
            .to_vec(),
    )
}

/// One entry.
struct PiEntry {
    at: usize,
    /// Its place in the file, the session's head counted.
    number: usize,
    id: Option<String>,
    parent: Option<String>,
    says: PiPayload,
}

/// What an entry adds to the conversation.
enum PiPayload {
    /// Nothing that is sent.
    Nothing,
    /// A message, told as JSON without its opening brace.
    Message(Vec<u8>, Span),
    Compaction {
        summary: Option<Span>,
        kept: PiFirstKept,
    },
}

enum PiFirstKept {
    Number(usize),
    Id(String),
    None,
}

/// A session while it is read.
#[derive(Default)]
struct PiReader {
    entries: Vec<PiEntry>,
    number: usize,
    id: Option<String>,
    model: Option<String>,
}

fn text_at(node: JsonNode<'_>, key: &str) -> Option<String> {
    node.get(key)
        .and_then(JsonNode::as_text)
        .filter(|text| !text.is_empty())
        .map(Cow::into_owned)
}

impl JournalReader for PiReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let number = self.number;
        self.number += 1;
        let kind = record
            .get("type")
            .and_then(JsonNode::as_text)
            .unwrap_or_default();
        let says = match kind.as_ref() {
            "session" => {
                self.id = self.id.take().or_else(|| text_at(record, "id"));
                self.model = text_at(record, "modelId").or(self.model.take());
                return Ok(());
            }
            "model_change" => {
                self.model = text_at(record, "modelId").or(self.model.take());
                PiPayload::Nothing
            }
            "message" => {
                let message = record
                    .get("message")
                    .ok_or_else(|| record.missing_key("message"))?
                    .must_be(JsonKind::Object, "message")?;
                self.model = text_at(message, "model").or(self.model.take());
                told(message).map_or(PiPayload::Nothing, |json| {
                    PiPayload::Message(json, message.span())
                })
            }
            "custom_message" => told(record).map_or(PiPayload::Nothing, |json| {
                PiPayload::Message(json, record.span())
            }),
            "branch_summary" => {
                let json = record
                    .literal_at("summary")
                    .map(|literal| user(literal.slice(record.record_bytes())));
                json.map_or(PiPayload::Nothing, |json| {
                    PiPayload::Message(json, record.span())
                })
            }
            "compaction" => {
                let number = record
                    .get("firstKeptEntryIndex")
                    .and_then(|node| std::str::from_utf8(node.bytes()).ok()?.parse().ok());
                let by_id =
                    text_at(record, "firstKeptEntryId").map_or(PiFirstKept::None, PiFirstKept::Id);
                PiPayload::Compaction {
                    summary: record.literal_at("summary"),
                    kept: number.map_or(by_id, PiFirstKept::Number),
                }
            }
            _ => PiPayload::Nothing,
        };
        self.entries.push(PiEntry {
            at,
            number,
            id: text_at(record, "id"),
            parent: text_at(record, "parentId"),
            says,
        });
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let Some(last) = records.len().checked_sub(1) else {
            return Vec::new();
        };
        let mut thread = JournalThread::new(ANTHROPIC, "messages", WRITES, last);
        thread.add_entry("entries", self.number.to_string().as_bytes());
        let path = self.path(&mut thread.warnings);
        let compaction = path
            .iter()
            .rposition(|entry| matches!(entry.says, PiPayload::Compaction { .. }));
        let mut live: &[&PiEntry] = &path;
        let mut kept: &[&PiEntry] = &[];
        if let Some(at) = compaction {
            let entry = path[at];
            live = &path[at + 1..];
            if let PiPayload::Compaction {
                summary,
                kept: first,
            } = &entry.says
            {
                let from = match first {
                    PiFirstKept::Number(number) => {
                        path[..at].iter().position(|entry| entry.number >= *number)
                    }
                    PiFirstKept::Id(id) => path[..at]
                        .iter()
                        .position(|entry| entry.id.as_ref() == Some(id)),
                    PiFirstKept::None => None,
                };
                kept = from.map_or(&[], |from| &path[from..at]);
                if let Some(literal) = summary {
                    push(
                        &mut thread,
                        entry,
                        ElementMark::Summary,
                        &user(literal.slice(records[entry.at])),
                        *literal,
                    );
                }
            }
        }
        for entry in kept.iter().chain(live) {
            if let PiPayload::Message(json, span) = &entry.says {
                push(&mut thread, entry, ElementMark::Message, json, *span);
            }
        }
        (thread.id, thread.model) = (self.id, self.model);
        if thread.len() == 0 {
            Vec::new()
        } else {
            vec![thread]
        }
    }
}

fn push(thread: &mut JournalThread, entry: &PiEntry, mark: ElementMark, json: &[u8], span: Span) {
    let id = entry.id.as_deref().map_or_else(Vec::new, |id| {
        [b"\"id\": ".as_slice(), &encode_literal(id), b", "].concat()
    });
    let number = format!("{{\"entry\": {}, ", entry.number);
    thread.push_element(
        mark,
        vec![(entry.at, span)],
        &[number.as_bytes(), &id, json],
    );
}

impl PiReader {
    /// The entries of the live branch, in order; without ids all of them.
    fn path(&self, warnings: &mut Vec<String>) -> Vec<&PiEntry> {
        let Some(leaf) = self.entries.iter().rev().find(|entry| entry.id.is_some()) else {
            return self.entries.iter().collect();
        };
        let by_id: HashMap<&str, &PiEntry> = self
            .entries
            .iter()
            .filter_map(|entry| Some((entry.id.as_deref()?, entry)))
            .collect();
        let (mut path, mut seen) = (vec![leaf], HashSet::from([leaf.number]));
        let mut at = leaf;
        while let Some(parent) = &at.parent {
            match by_id.get(parent.as_str()) {
                Some(entry) if seen.insert(entry.number) => at = entry,
                Some(_) => {
                    warnings.push(format!("the entries from {parent} on hang on each other in a circle: the conversation begins there"));
                    break;
                }
                None => {
                    warnings.push(format!("an entry hangs on {parent}, which is not in the file: nothing before it is part of the conversation"));
                    break;
                }
            }
            path.push(at);
        }
        path.reverse();
        path
    }
}

/// A user's message with this text (a literal).
fn user(literal: &[u8]) -> Vec<u8> {
    [
        b"\"role\": \"user\", \"content\": ".as_slice(),
        literal,
        b"}",
    ]
    .concat()
}

/// A message as Anthropic has it, without the opening brace; none where it is not sent.
fn told(message: JsonNode<'_>) -> Option<Vec<u8>> {
    let content = || {
        message
            .get("content")
            .map_or_else(|| b"null".to_vec(), blocks)
    };
    let literal = |key: &str| {
        message.literal_at(key).map_or(b"\"\"".as_slice(), |span| {
            span.slice(message.record_bytes())
        })
    };
    Some(
        match message.get("role").and_then(JsonNode::as_text).as_deref() {
            Some("assistant") => {
                let usage = message.get("usage").map_or_else(Vec::new, usage);
                [
                    b"\"role\": \"assistant\", \"content\": ".as_slice(),
                    &content(),
                    &usage,
                    b"}",
                ]
                .concat()
            }
            Some("toolResult") => {
                let failed: &[u8] = if message
                    .get("isError")
                    .is_some_and(|value| value.bytes() == b"true")
                {
                    b", \"is_error\": true"
                } else {
                    b""
                };
                let start =
                b"\"role\": \"user\", \"content\": [{\"type\": \"tool_result\", \"tool_use_id\": "
                    .as_slice();
                [
                    start,
                    literal("toolCallId"),
                    failed,
                    b", \"content\": ",
                    &content(),
                    b"}]}",
                ]
                .concat()
            }
            Some("bashExecution")
                if message
                    .get("excludeFromContext")
                    .is_some_and(|value| value.bytes() == b"true") =>
            {
                return None;
            }
            Some("bashExecution") => {
                let (command, output) = (
                    text_at(message, "command").unwrap_or_default(),
                    text_at(message, "output").unwrap_or_default(),
                );
                user(&encode_literal(&format!(
                    "Ran `{command}`\n```\n{output}\n```"
                )))
            }
            Some("branchSummary" | "compactionSummary") => user(literal("summary")),
            // A message of an extension has no role of its own.
            Some("user" | "custom") | None => [
                b"\"role\": \"user\", \"content\": ".as_slice(),
                &content(),
                b"}",
            ]
            .concat(),
            Some(_) => return None,
        },
    )
}

fn usage(usage: JsonNode<'_>) -> Vec<u8> {
    let names = [
        ("input", "input_tokens"),
        ("output", "output_tokens"),
        ("cacheRead", "cache_read_input_tokens"),
        ("cacheWrite", "cache_creation_input_tokens"),
    ];
    let parts = names.iter().filter_map(|(own, name)| {
        Some([b"\"", name.as_bytes(), b"\": ", usage.get(own)?.bytes()].concat())
    });
    [
        b", \"usage\": {".as_slice(),
        &parts.collect::<Vec<_>>().join(b", ".as_slice()),
        b"}",
    ]
    .concat()
}

fn blocks(content: JsonNode<'_>) -> Vec<u8> {
    if !content.is_kind(JsonKind::Array) {
        return content.bytes().to_vec();
    }
    let block = |block: JsonNode<'_>| {
        let bytes = |key: &str| block.get(key).map_or(b"null".as_slice(), JsonNode::bytes);
        match block.get("type").and_then(JsonNode::as_text).as_deref() {
            Some("toolCall") => {
                let start = b"{\"type\": \"tool_use\", \"id\": ".as_slice();
                [
                    start,
                    bytes("id"),
                    b", \"name\": ",
                    bytes("name"),
                    b", \"input\": ",
                    bytes("arguments"),
                    b"}",
                ]
                .concat()
            }
            Some("image") if block.has_key("data") => {
                let start =
                    b"{\"type\": \"image\", \"source\": {\"type\": \"base64\", \"media_type\": "
                        .as_slice();
                [
                    start,
                    bytes("mimeType"),
                    b", \"data\": ",
                    bytes("data"),
                    b"}}",
                ]
                .concat()
            }
            _ => block.bytes().to_vec(),
        }
    };
    [
        b"[".as_slice(),
        &content
            .items()
            .map(block)
            .collect::<Vec<_>>()
            .join(b", ".as_slice()),
        b"]",
    ]
    .concat()
}
