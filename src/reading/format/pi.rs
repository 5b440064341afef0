//! Sessions of pi, and of agents that are built on it: entries, in newer files a tree by
//! `parentId`. After a compaction the live context is its summary, the entries from the first kept
//! one on, and the entries that followed. See `docs/reference/formats.md`.

use crate::base::foreign_text::shorten_value;
use crate::reading::format::dialects::ANTHROPIC;
use crate::reading::format::pi_messages::{render_edited, render_message, render_user_message};
use crate::reading::format::prelude::*;

/// Sessions of pi.
pub(super) struct PiJournal;

/// Keys of messages that entries of other agents don't have.
const OWN_MESSAGE_KEYS: [&str; 7] = [
    "timestamp",
    "api",
    "provider",
    "model",
    "usage",
    "stopReason",
    "toolCallId",
];

const WRITE_MODE: WriteMode = WriteMode::Appended {
    asked: false,
    clears: false,
    lists: false,
};
/// Types of entries.
const ENTRY_TYPES: [&str; 7] = [
    "message",
    "context_edit",
    "compaction",
    "model_change",
    "thinking_level_change",
    "branch_summary",
    "custom_message",
];
/// Roles of messages.
const ROLES: [&str; 8] = [
    "system",
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
        WRITE_MODE
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        if record.has_text("type", "session") && record.has_key("cwd") {
            return Some(Recognition::journal_event("a session with a cwd"));
        }
        let is_entry = record.has_key("timestamp")
            && ENTRY_TYPES.iter().any(|kind| record.has_text("type", kind));
        let has_message = record
            .get("message")
            .is_some_and(|message| ROLES.iter().any(|role| message.has_text("role", role)));
        let is_compaction = record.has_text("type", "compaction") && record.has_key("summary");
        (is_entry && (has_message || is_compaction)).then(|| Recognition {
            shape: Shape::Journal,
            certainty: if is_compaction || has_own_message(record) {
                Certainty::Envelope
            } else {
                Certainty::Fits
            },
            why: "an entry with its message or summary",
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(PiReader::default())
    }

    fn known_types(&self) -> &'static [&'static str] {
        &[
            "session",
            "message",
            "model_change",
            "thinking_level_change",
            "branch_summary",
            "custom_message",
            "custom",
            "compaction",
            "context_edit",
            "label",
            "session_info",
        ]
    }

    fn new_compaction_finder(&self) -> Box<dyn CompactionFinder> {
        Box::new(CompactionRecords(|record| {
            record.has_text("type", "compaction")
        }))
    }

    fn append_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let last = transcript.records.last();
        let Some(tree) = last.and_then(|record| JsonTree::new(record.bytes).ok()) else {
            return Vec::new();
        };
        let last = tree.root();
        let mut entries = vec![b"\"type\": \"compaction\"".to_vec()];
        let kept_entry = match last.get("id").filter(|_| !last.has_text("type", "session")) {
            Some(parent) => {
                let id = encode_literal(&hex_id(&[last.bytes(), text.as_bytes()])[..8]);
                entries.push(fill_json(
                    r#""id": $, "parentId": $"#,
                    &[&id, parent.bytes()],
                ));
                // If nothing is kept, the compaction names itself.
                let first_kept = kept_value(transcript, place, "id").unwrap_or(id);
                fill_json(r#""firstKeptEntryId": $"#, &[&first_kept])
            }
            None => {
                let number = kept_value(transcript, place, "entry")
                    .or_else(|| value_of(transcript.records[0].bytes, "entries"))
                    .unwrap_or_default();
                fill_json(r#""firstKeptEntryIndex": $"#, &[&number])
            }
        };
        entries.push(fill_json(
            r#""timestamp": $"#,
            &[last.bytes_or_null("timestamp")],
        ));
        entries.push(fill_json(r#""summary": $"#, &[&encode_literal(text)]));
        entries.push(kept_entry);
        entries.push(format!("\"tokensBefore\": {}", place.tokens_before).into_bytes());
        let line = fill_json("{$}", &[&entries.join(b", ".as_slice())]);
        append_lines(transcript, &[line])
    }
}

/// Returns true if the message of an entry holds something that no message of Anthropic does.
fn has_own_message(entry: JsonNode<'_>) -> bool {
    entry.get("message").is_some_and(|message| {
        let is_turn = message.has_text("role", "user") || message.has_text("role", "assistant");
        !is_turn
            || OWN_MESSAGE_KEYS.iter().any(|key| message.has_key(key))
            || message
                .items_of("content")
                .any(|block| block.has_text("type", "toolCall"))
    })
}

/// Returns the bytes of a value in the element of the first kept message.
fn kept_value(transcript: &Transcript<'_>, place: &SummaryPlace<'_>, key: &str) -> Option<Vec<u8>> {
    let message = transcript.messages.get(place.first_kept)?;
    value_of(transcript.bytes(place.first_kept, message.span), key)
}

/// Returns the bytes of the value that a key of an object holds.
fn value_of(object: &[u8], key: &str) -> Option<Vec<u8>> {
    let tree = JsonTree::new(object).ok()?;
    Some(tree.root().get(key)?.bytes().to_vec())
}

/// An entry of a session.
struct PiEntry {
    /// Index of the record.
    at: usize,
    /// The number of the entry in the file; the head of the session is 0.
    number: usize,
    id: Option<String>,
    parent: Option<String>,
    payload: PiPayload,
}

/// The part of an entry that belongs to the conversation.
enum PiPayload {
    /// Nothing that is sent.
    Nothing,
    /// A message.
    Message {
        /// The message as Anthropic has it, without the opening brace.
        json: Vec<u8>,
        span: Span,
        is_system: bool,
    },
    /// Another content of an earlier message, or none if it is taken back.
    Edit {
        target: String,
        content: Option<Vec<u8>>,
        span: Span,
    },
    Compaction {
        /// The literal of the summary.
        summary: Option<Span>,
        kept: PiFirstKept,
    },
}

impl PiPayload {
    fn from_message(json: Option<Vec<u8>>, span: Span) -> Self {
        json.map_or(Self::Nothing, |json| Self::Message {
            is_system: json.starts_with(b"\"role\": \"system\""),
            json,
            span,
        })
    }

    fn from_edit(record: JsonNode<'_>) -> Self {
        let replacement = record.get("replacement");
        let content = replacement.map(|other| other.get("content").unwrap_or(other));
        // Only a replacement that is missing or null takes the message back.
        let content = content.filter(|content| !content.is_kind(JsonKind::Null));
        if content.is_some_and(|it| !matches!(it.kind(), JsonKind::String | JsonKind::Array)) {
            return Self::Nothing;
        }
        let content = content.map(|content| content.bytes().to_vec());
        let edit = record.non_empty_text("targetId").map(|target| Self::Edit {
            target,
            content,
            span: record.span(),
        });
        edit.unwrap_or(Self::Nothing)
    }

    fn from_compaction(record: JsonNode<'_>) -> Self {
        let number = record
            .get("firstKeptEntryIndex")
            .and_then(JsonNode::as_u64)
            .and_then(|number| usize::try_from(number).ok());
        let id = record.non_empty_text("firstKeptEntryId");
        Self::Compaction {
            summary: record.literal_at("summary"),
            kept: match (number, id) {
                (Some(number), _) => PiFirstKept::Number(number),
                (None, Some(id)) => PiFirstKept::Id(id),
                (None, None) => PiFirstKept::Nothing,
            },
        }
    }
}

/// The first entry that a compaction keeps.
enum PiFirstKept {
    Number(usize),
    Id(String),
    Nothing,
}

/// A session, read entry by entry.
#[derive(Default)]
struct PiReader {
    entries: Vec<PiEntry>,
    number: usize,
    id: Option<String>,
    model: Option<String>,
}

impl JournalReader for PiReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<()> {
        let number = self.number;
        self.number += 1;
        let kind = record.get_text("type").unwrap_or_default();
        let payload = match kind.as_ref() {
            "session" => {
                self.id = self.id.take().or_else(|| record.non_empty_text("id"));
                self.model = record.non_empty_text("modelId").or(self.model.take());
                return Ok(());
            }
            "model_change" => {
                self.model = record.non_empty_text("modelId").or(self.model.take());
                PiPayload::Nothing
            }
            "message" => {
                let message = record.need_kind("message", JsonKind::Object)?;
                self.model = message.non_empty_text("model").or(self.model.take());
                PiPayload::from_message(render_message(message), message.span())
            }
            "custom_message" => PiPayload::from_message(render_message(record), record.span()),
            "branch_summary" => {
                let summary = record.literal_bytes("summary");
                PiPayload::from_message(summary.map(render_user_message), record.span())
            }
            "compaction" => PiPayload::from_compaction(record),
            "context_edit" => PiPayload::from_edit(record),
            _ => PiPayload::Nothing,
        };
        self.entries.push(PiEntry {
            at,
            number,
            id: record.non_empty_text("id"),
            parent: record.non_empty_text("parentId"),
            payload,
        });
        Ok(())
    }

    fn threads_so_far(&mut self, records: &[&[u8]]) -> Option<Vec<JournalThread>> {
        Some(self.threads(records))
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        self.threads(records)
    }
}

impl PiReader {
    fn threads(&self, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(ANTHROPIC, "messages", WRITE_MODE, last);
        thread.add_entry("entries", self.number.to_string().as_bytes());
        let branch = self.live_branch(&mut thread.warnings);
        let edits = PiEdits::on_branch(&branch, records);
        let compaction = branch
            .iter()
            .rposition(|entry| matches!(entry.payload, PiPayload::Compaction { .. }));
        let mut live: &[&PiEntry] = &branch;
        if let Some(at) = compaction {
            push_compaction(&mut thread, &branch[..=at], &edits, records);
            live = &branch[at + 1..];
        }
        for entry in live {
            push_message(&mut thread, entry, &edits);
        }
        let tools: Vec<Vec<u8>> = branch
            .iter()
            .filter_map(|entry| added_tools(entry, records))
            .collect();
        if !tools.is_empty() {
            let tools = tools.join(b", ".as_slice());
            thread.add_entry("tools", &fill_json("[$]", &[&tools]));
        }
        (thread.id, thread.model) = (self.id.clone(), self.model.clone());
        thread.into_only_thread()
    }

    /// Returns the entries of the live branch, in order, or all entries if they have no ids.
    fn live_branch(&self, warnings: &mut Vec<String>) -> Vec<&PiEntry> {
        let Some(leaf) = self.entries.iter().rev().find(|entry| entry.id.is_some()) else {
            return self.entries.iter().collect();
        };
        let by_id: HashMap<&str, &PiEntry> = self
            .entries
            .iter()
            .filter_map(|entry| Some((entry.id.as_deref()?, entry)))
            .collect();
        let (mut branch, mut seen) = (vec![leaf], HashSet::from([leaf.number]));
        let mut at = leaf;
        while let Some(parent) = &at.parent {
            match by_id.get(parent.as_str()) {
                Some(entry) if seen.insert(entry.number) => at = entry,
                Some(_) => {
                    let parent = shorten_value(parent);
                    warnings.push(format!("the parents of the entries from {parent} on form a circle: the conversation begins there"));
                    break;
                }
                None => {
                    let parent = shorten_value(parent);
                    warnings.push(format!("the parent {parent} of an entry is missing in the file; earlier messages are left out"));
                    break;
                }
            }
            branch.push(at);
        }
        branch.reverse();
        branch
    }
}

/// Appends the summary of the compaction that is the last of these entries, and the messages before
/// it that it keeps.
fn push_compaction(
    thread: &mut JournalThread,
    entries: &[&PiEntry],
    edits: &PiEdits,
    records: &[&[u8]],
) {
    let Some((entry, before)) = entries.split_last() else {
        return;
    };
    let PiPayload::Compaction { summary, kept } = &entry.payload else {
        return;
    };
    let first = match kept {
        PiFirstKept::Number(number) => before.iter().position(|entry| entry.number >= *number),
        PiFirstKept::Id(id) => before
            .iter()
            .position(|entry| entry.id.as_ref() == Some(id)),
        PiFirstKept::Nothing => None,
    };
    let (summarized, kept) = before.split_at(first.unwrap_or(before.len()));
    // The system prompt stays as it is.
    for entry in summarized {
        if let PiPayload::Message {
            is_system: true, ..
        } = entry.payload
        {
            push_message(thread, entry, edits);
        }
    }
    if let Some(literal) = summary {
        let json = render_user_message(literal.slice(records[entry.at]));
        push_entry(thread, entry, ElementMark::Summary, &json, *literal);
    }
    for entry in kept {
        push_message(thread, entry, edits);
    }
}

fn push_message(thread: &mut JournalThread, entry: &PiEntry, edits: &PiEdits) {
    let PiPayload::Message { json, span, .. } = &entry.payload else {
        return;
    };
    let edit = entry.id.as_ref().and_then(|id| edits.0.get(id));
    let json = match edit {
        None => json,
        Some(PiEdit { json: None, .. }) => return,
        Some(PiEdit {
            json: Some(json), ..
        }) => json,
    };
    push_entry(thread, entry, ElementMark::Message, json, *span);
    if let Some(edit) = edit {
        thread.add_place(thread.len() - 1, edit.place);
    }
}

/// The last edit of each message of a branch, by its id.
struct PiEdits(HashMap<String, PiEdit>);

struct PiEdit {
    /// The message as it is sent; `None` if it is taken back.
    json: Option<Vec<u8>>,
    place: EventPlace,
}

impl PiEdits {
    fn on_branch(branch: &[&PiEntry], records: &[&[u8]]) -> Self {
        let by_id: HashMap<&str, &PiEntry> = branch
            .iter()
            .filter_map(|entry| Some((entry.id.as_deref()?, *entry)))
            .collect();
        let mut edits = HashMap::new();
        for entry in branch {
            let PiPayload::Edit {
                target,
                content,
                span,
            } = &entry.payload
            else {
                continue;
            };
            let edited = by_id.get(target.as_str()).and_then(|entry| {
                let tree = JsonTree::new(records[entry.at]).ok()?;
                let message = tree.root().get("message").unwrap_or(tree.root());
                render_edited(message, content.as_deref()?)
            });
            if content.is_some() && edited.is_none() {
                // The message stays as it is.
                continue;
            }
            let place = EventPlace::new(entry.at, *span);
            edits.insert(
                target.clone(),
                PiEdit {
                    json: edited,
                    place,
                },
            );
        }
        Self(edits)
    }
}

/// Returns the tools that a system message adds, without the brackets around them.
fn added_tools(entry: &PiEntry, records: &[&[u8]]) -> Option<Vec<u8>> {
    let PiPayload::Message {
        is_system: true, ..
    } = entry.payload
    else {
        return None;
    };
    let tree = JsonTree::new(records[entry.at]).ok()?;
    let tools = tree.root().get_path(&["message", "toolsAdded"])?;
    let list = tools.is_kind(JsonKind::Array).then(|| tools.bytes())?;
    let tools = list[1..list.len() - 1].trim_ascii();
    (!tools.is_empty()).then(|| tools.to_vec())
}

/// Appends an element with the number and the id of its entry, from which a compaction is appended.
fn push_entry(
    thread: &mut JournalThread,
    entry: &PiEntry,
    mark: ElementMark,
    json: &[u8],
    span: Span,
) {
    let id = entry.id.as_deref().map_or_else(Vec::new, |id| {
        fill_json(r#""id": $, "#, &[&encode_literal(id)])
    });
    let number = format!("{{\"entry\": {}, ", entry.number);
    thread.push_element(
        mark,
        vec![EventPlace::new(entry.at, span)],
        &[number.as_bytes(), &id, json].concat(),
    );
}
