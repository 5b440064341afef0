//! Sessions of pi, and of agents that are built on it: entries, in newer files a tree by
//! `parentId`. After a compaction the live context is its summary, the entries from the first kept
//! one on, and the entries that followed. See `docs/reference/formats.md`.

use crate::base::foreign_text::shorten_value;
use crate::reading::format::pi_messages::{render_edited, render_message, render_user_message};
use crate::reading::format::row::prelude::*;

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
const ROLES: &str = "system|user|assistant|toolResult|bashExecution|custom|branchSummary\
    |compactionSummary";
/// What no message of Anthropic has.
const OWN_MESSAGE: &[If] = &[
    If::Not(&[is("message.role", "user|assistant")]),
    If::Of(at("message"), &[has("timestamp|api|provider|model|usage|stopReason|toolCallId")]),
    If::Some(at("message.content"), &[is("type", "toolCall")]),
];

fn append_summary(place: &SummaryPlace<'_>, text: &str) -> Vec<(usize, Splice)> {
    let transcript = place.transcript;
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
            let first_kept = kept_value(place, at("id")).unwrap_or(id);
            (ids, fill_json(r#""firstKeptEntryId": $"#, &[&first_kept]))
        }
        None => {
            let number = kept_value(place, at("entry"))
                .or_else(|| at("entries").bytes_in(transcript.records[0].bytes))
                .unwrap_or_default();
            let kept = fill_json(r#""firstKeptEntryIndex": $"#, &[&number]);
            (Vec::new(), kept)
        }
    };
    let (text, tokens) = (encode_literal(text), place.tokens_before.to_string());
    let line = fill_json(
        r#"{"type": "compaction", $"timestamp": $, "summary": $, $, "tokensBefore": $}"#,
        &[&ids, last.bytes_or_null("timestamp"), &text, &kept, tokens.as_bytes()],
    );
    append_lines(transcript, &[line])
}

/// Returns the bytes of a value in the element of the first kept message.
fn kept_value(place: &SummaryPlace<'_>, value: At) -> Option<Vec<u8>> {
    let message = place.transcript.messages.get(place.first_kept)?;
    value.bytes_in(place.transcript.bytes(place.first_kept, message.span))
}

/// An entry of a session. What it names was written before it.
struct PiEntry {
    /// Index of the record.
    at: usize,
    /// The number of the entry in the file; the head of the session is 0.
    number: usize,
    id: Option<String>,
    parent: Option<String>,
    /// Index of the entry before it on its branch.
    before: Option<usize>,
    /// Index of the nearest entry before it on its branch that is of the system prompt.
    prompt_before: Option<usize>,
    payload: PiPayload,
}

/// The part of an entry that belongs to the conversation.
enum PiPayload {
    /// Nothing that is sent.
    Nothing,
    Message {
        /// The message as Anthropic has it, without the opening brace.
        json: Vec<u8>,
        span: Span,
        is_system: bool,
    },
    /// Another content of an earlier message, the entry with this index, or none if it is taken back.
    Edit { target: usize, content: Option<Vec<u8>>, span: Span },
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

    fn is_system(&self) -> bool {
        matches!(self, Self::Message { is_system: true, .. })
    }

    fn from_edit(record: JsonNode<'_>, by_id: &HashMap<String, usize>) -> Self {
        let replacement = record.get("replacement");
        let content = replacement.map(|other| other.get("content").unwrap_or(other));
        // Only a replacement that is missing or null takes the message back.
        let content = content.filter(|content| !content.is_kind(JsonKind::Null));
        if content.is_some_and(|it| !matches!(it.kind(), JsonKind::String | JsonKind::Array)) {
            return Self::Nothing;
        }
        let content = content.map(|content| content.bytes().to_vec());
        let target = record.non_empty_text("targetId");
        match target.and_then(|target| by_id.get(&target).copied()) {
            None => Self::Nothing,
            Some(target) => Self::Edit { target, content, span: record.span() },
        }
    }

    fn from_compaction(record: JsonNode<'_>, by_id: &HashMap<String, usize>) -> Self {
        let number = at("firstKeptEntryIndex").count(record);
        let number = number.and_then(|number| usize::try_from(number).ok());
        let id = record.non_empty_text("firstKeptEntryId");
        Self::Compaction {
            summary: record.literal_at("summary"),
            kept: match (number, id) {
                (Some(number), _) => PiFirstKept::Number(number),
                (None, Some(id)) => {
                    by_id.get(&id).map_or(PiFirstKept::Nothing, |index| PiFirstKept::Entry(*index))
                }
                (None, None) => PiFirstKept::Nothing,
            },
        }
    }
}

/// The first entry that a compaction keeps.
enum PiFirstKept {
    /// The first one with this number or a higher one.
    Number(usize),
    /// The one with this index.
    Entry(usize),
    Nothing,
}

/// A session, read entry by entry.
#[derive(Default)]
struct PiReader {
    entries: Vec<PiEntry>,
    /// The indices of the newest entries by their ids.
    by_id: HashMap<String, usize>,
    /// Index of the newest entry on a branch.
    leaf: Option<usize>,
    number: usize,
    id: Option<String>,
    model: Option<String>,
}

impl JournalReader for PiReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
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
            "compaction" => PiPayload::from_compaction(record, &self.by_id),
            "context_edit" => PiPayload::from_edit(record, &self.by_id),
            _ => PiPayload::Nothing,
        };
        self.push_entry(number, record, payload);
        Ok(())
    }

    fn threads_so_far(&mut self, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(ANTHROPIC, WriteMode::APPENDED, last);
        thread.add_entry("entries", self.number.to_string().as_bytes());
        let live = self.live_entries(&mut thread.warnings);
        let edits = self.edits_among(&live, records);
        for &index in &live.prompt {
            self.push_message(&mut thread, index, &edits);
        }
        if let Some(index) = live.compaction {
            self.push_summary(&mut thread, index, records);
        }
        for &index in live.kept.iter().chain(&live.newer) {
            self.push_message(&mut thread, index, &edits);
        }
        let tools: Vec<Vec<u8>> = live
            .messages()
            .filter_map(|index| added_tools(&self.entries[index], records))
            .collect();
        thread.add_list("tools", &tools);
        (thread.id, thread.model) = (self.id.clone(), self.model.clone());
        thread.into_only_thread()
    }
}

/// The live entries of a branch, as their indices.
#[derive(Default)]
struct PiLiveEntries {
    /// Those of the system prompt that a compaction passed over. The system prompt stays as it is.
    prompt: Vec<usize>,
    compaction: Option<usize>,
    /// Those before the compaction that it keeps.
    kept: Vec<usize>,
    /// Those behind it.
    newer: Vec<usize>,
}

impl PiLiveEntries {
    /// Returns all but the compaction, in order.
    fn messages(&self) -> impl Iterator<Item = usize> {
        let messages = [&self.prompt, &self.kept, &self.newer];
        messages.into_iter().flatten().copied()
    }
}

impl PiReader {
    /// Adds an entry to its branch. As long as no entry has an id, all are one branch.
    fn push_entry(&mut self, number: usize, record: JsonNode<'_>, payload: PiPayload) {
        let id = record.non_empty_text("id");
        let parent = record.non_empty_text("parentId").filter(|_| id.is_some());
        let before = match (&id, &parent) {
            (None, _) => self.entries.len().checked_sub(1),
            (Some(_), parent) => parent.as_ref().and_then(|id| self.by_id.get(id).copied()),
        };
        let index = self.entries.len();
        if id.is_some() || self.by_id.is_empty() {
            self.leaf = Some(index);
        }
        self.by_id.extend(id.clone().map(|id| (id, index)));
        self.entries.push(PiEntry {
            at: record.record_index(),
            number,
            id,
            parent,
            before,
            prompt_before: before.and_then(|before| self.prompt_up_to(before)),
            payload,
        });
    }

    /// Returns the nearest entry of the system prompt, from an entry on backwards.
    fn prompt_up_to(&self, index: usize) -> Option<usize> {
        let is_system = |index: usize| self.entries[index].payload.is_system();
        let is_of_prompt = match &self.entries[index].payload {
            PiPayload::Edit { target, .. } => is_system(*target),
            _ => is_system(index),
        };
        match is_of_prompt {
            true => Some(index),
            false => self.entries[index].prompt_before,
        }
    }

    /// Returns the live entries of the branch of the leaf. What its last compaction replaced is not
    /// passed through, so that a state of a long session costs as much as is left of it.
    fn live_entries(&self, warnings: &mut Vec<String>) -> PiLiveEntries {
        let mut live = PiLiveEntries::default();
        let mut first = None;
        for index in self.branch(self.leaf) {
            if let PiPayload::Compaction { .. } = self.entries[index].payload {
                live.compaction = Some(index);
                break;
            }
            live.newer.push(index);
            first = Some(index);
        }
        if let Some(index) = live.compaction {
            live.kept = self.kept_entries(index);
            first = Some(live.kept.last().map_or(index, |first| *first));
            let passed = first.and_then(|first| self.entries[first].prompt_before);
            let prompt = std::iter::successors(passed, |at| self.entries[*at].prompt_before);
            live.prompt = prompt.collect();
        }
        for entries in [&mut live.prompt, &mut live.kept, &mut live.newer] {
            entries.reverse();
        }
        let root = first.map(|first| &self.entries[first]);
        if let Some(parent) =
            root.filter(|root| root.before.is_none()).and_then(|root| root.parent.as_deref())
        {
            let parent = shorten_value(parent);
            warnings.push(format!("the parent {parent} of an entry is not before it in the file; earlier messages are left out"));
        }
        live
    }

    /// Returns the entries of a branch, from this one on backwards.
    fn branch(&self, newest: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(newest, |at| self.entries[*at].before)
    }

    /// Returns the entries before a compaction that it keeps, backwards.
    fn kept_entries(&self, compaction: usize) -> Vec<usize> {
        let entry = &self.entries[compaction];
        let PiPayload::Compaction { kept, .. } = &entry.payload else {
            return Vec::new();
        };
        let before = self.branch(entry.before);
        match kept {
            PiFirstKept::Nothing => Vec::new(),
            PiFirstKept::Number(number) => {
                before.take_while(|at| self.entries[*at].number >= *number).collect()
            }
            PiFirstKept::Entry(first) => {
                let kept: Vec<usize> = before.take_while(|at| at >= first).collect();
                // An entry of another branch keeps nothing.
                match kept.last() == Some(first) {
                    true => kept,
                    false => Vec::new(),
                }
            }
        }
    }

    fn push_summary(&self, thread: &mut JournalThread, index: usize, records: &[&[u8]]) {
        let entry = &self.entries[index];
        if let PiPayload::Compaction { summary: Some(literal), .. } = &entry.payload {
            let json = render_user_message(literal.slice(records[entry.at]));
            push_entry(thread, entry, ElementMark::Summary, &json, *literal);
        }
    }

    fn push_message(&self, thread: &mut JournalThread, index: usize, edits: &PiEdits) {
        let entry = &self.entries[index];
        let PiPayload::Message { json, span, .. } = &entry.payload else {
            return;
        };
        let edit = edits.get(&index);
        let json = match edit {
            None => json,
            Some(PiEdit { json: None, .. }) => return,
            Some(PiEdit { json: Some(json), .. }) => json,
        };
        push_entry(thread, entry, ElementMark::Message, json, *span);
        if let Some(edit) = edit {
            thread.add_place(thread.len() - 1, edit.place);
        }
    }

    fn edits_among(&self, live: &PiLiveEntries, records: &[&[u8]]) -> PiEdits {
        let mut edits = PiEdits::new();
        for index in live.messages() {
            let entry = &self.entries[index];
            let PiPayload::Edit { target, content, span } = &entry.payload else {
                continue;
            };
            let edited = content.as_deref().and_then(|content| {
                let tree = JsonTree::new(records[self.entries[*target].at]).ok()?;
                let message = tree.root().get("message").unwrap_or(tree.root());
                render_edited(message, content)
            });
            if content.is_some() && edited.is_none() {
                // The message stays as it is.
                continue;
            }
            let place = EventPlace::new(entry.at, *span);
            edits.insert(*target, PiEdit { json: edited, place });
        }
        edits
    }
}

/// The last edit of each message of a branch, by the index of its entry.
type PiEdits = HashMap<usize, PiEdit>;

struct PiEdit {
    /// The message as it is sent; `None` if it is taken back.
    json: Option<Vec<u8>>,
    place: EventPlace,
}

/// Returns the tools that a system message adds, without the brackets around them.
fn added_tools(entry: &PiEntry, records: &[&[u8]]) -> Option<Vec<u8>> {
    if !entry.payload.is_system() {
        return None;
    }
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
    let id = entry.id.as_deref().map(|id| fill_json(r#""id": $, "#, &[&encode_literal(id)]));
    let number = format!("{{\"entry\": {}, ", entry.number);
    let json = [number.as_bytes(), &id.unwrap_or_default(), json].concat();
    thread.push_element(mark, vec![EventPlace::new(entry.at, span)], &json);
}
