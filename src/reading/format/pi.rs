//! Sessions of pi, and of agents that are built on it: entries, in newer files a tree by
//! `parentId`. After a compaction the live context is its summary, the entries from the first kept
//! one on, and the entries that followed. See `docs/reference/formats.md`.

use crate::base::foreign_text::shorten_value;
use crate::reading::format::dialects::ANTHROPIC;
use crate::reading::format::pi_messages::{render_edited, render_message, render_user_message};
use crate::reading::format::row::prelude::*;

/// Sessions of pi.
#[rustfmt::skip]
pub(super) const PI: LogRow = LogRow {
    name: "pi",
    help: "pi sessions (~/.pi/agent/sessions): {\"type\": \"session\", \"cwd\": ...}, then entries; the live branch from the last compaction on",
    evidence: &[
        event("a session with a cwd", &[is("type", "session"), has("cwd")]),
        event(WHY, &[has("timestamp"), is("type", "compaction"), has("summary")]),
        event(WHY, &[ENTRY, has("timestamp"), is("message.role", ROLES), If::Any(OWN_MESSAGE)]),
        fits(WHY, &[ENTRY, has("timestamp"), is("message.role", ROLES)]),
    ],
    reads: Reads::Written(&WrittenRow {
        known_types: "session|message|model_change|thinking_level_change|branch_summary|custom_message|custom|compaction|context_edit|label|session_info",
        new_finder: || Box::new(CompactionRecords(|record| record.has_text("type", "compaction"))),
        ..WrittenRow::new(|| Box::new(PiReader::default()), append_summary)
    }),
};
const WHY: &str = "an entry with its message or summary";
const ENTRY: If = is(
    "type",
    "message|context_edit|compaction|model_change|thinking_level_change|branch_summary|custom_message",
);
/// Roles of messages.
const ROLES: &str = "system|user|assistant|toolResult|bashExecution|custom|branchSummary\
    |compactionSummary";
/// What no message of Anthropic has.
const OWN_MESSAGE: &[If] = &[
    If::Not(&[is("message.role", "user|assistant")]),
    If::Of(
        at("message"),
        &[has(
            "timestamp|api|provider|model|usage|stopReason|toolCallId",
        )],
    ),
    If::Some(at("message.content"), &[is("type", "toolCall")]),
];

fn append_summary(
    transcript: &Transcript<'_>,
    place: &SummaryPlace<'_>,
    text: &str,
) -> Vec<(usize, Splice)> {
    let last = transcript.records.last();
    let Some(tree) = last.and_then(|record| JsonTree::new(record.bytes).ok()) else {
        return Vec::new();
    };
    let last = tree.root();
    let (ids, kept) = match last.get("id").filter(|_| !last.has_text("type", "session")) {
        Some(parent) => {
            let id = encode_literal(&hex_id(&[last.bytes(), text.as_bytes()])[..8]);
            let ids = fill_json(r#""id": $, "parentId": $, "#, &[&id, parent.bytes()]);
            // If nothing is kept, the compaction names itself.
            let first_kept = kept_value(transcript, place, at("id")).unwrap_or(id);
            (ids, fill_json(r#""firstKeptEntryId": $"#, &[&first_kept]))
        }
        None => {
            let number = kept_value(transcript, place, at("entry"))
                .or_else(|| at("entries").bytes_in(transcript.records[0].bytes))
                .unwrap_or_default();
            let kept = fill_json(r#""firstKeptEntryIndex": $"#, &[&number]);
            (Vec::new(), kept)
        }
    };
    let line = fill_json(
        r#"{"type": "compaction", $"timestamp": $, "summary": $, $, "tokensBefore": $}"#,
        &[
            &ids,
            last.bytes_or_null("timestamp"),
            &encode_literal(text),
            &kept,
            place.tokens_before.to_string().as_bytes(),
        ],
    );
    append_lines(transcript, &[line])
}

/// Returns the bytes of a value in the element of the first kept message.
fn kept_value(transcript: &Transcript<'_>, place: &SummaryPlace<'_>, value: At) -> Option<Vec<u8>> {
    let message = transcript.messages.get(place.first_kept)?;
    value.bytes_in(transcript.bytes(place.first_kept, message.span))
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
        let number = at("firstKeptEntryIndex").count(record);
        let number = number.and_then(|number| usize::try_from(number).ok());
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
    fn observe_record(&mut self, index: usize, record: JsonNode<'_>) -> Result<()> {
        let number = self.number;
        self.number += 1;
        let kind = record.get_text("type").unwrap_or_default();
        let payload = match kind.as_ref() {
            "session" => {
                at("id").first_into(&mut self.id, record);
                at("modelId").last_into(&mut self.model, record);
                return Ok(());
            }
            "model_change" => {
                at("modelId").last_into(&mut self.model, record);
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
            at: index,
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
        let mut thread = JournalThread::new(ANTHROPIC, WriteMode::APPENDED, last);
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
        thread.add_list("tools", &tools);
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
