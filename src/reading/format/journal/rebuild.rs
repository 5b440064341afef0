//! Rebuilding the threads of a journal from its records.

use crate::base::foreign_text::shorten_value;
use crate::reading::format::journal::compactions::JournalPosition;
use crate::reading::format::journal::interface::{Journal, JournalReader};
use crate::reading::format::journal::thread::JournalThread;
use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::transcript::prelude::*;
use std::collections::BTreeMap;

/// The levels of a record that are searched for words.
const MAX_DEPTH: usize = 6;
/// The fewest words of a text.
const MIN_WORDS: usize = 3;

/// The result of rebuilding a journal.
pub(crate) struct RebuiltJournal {
    pub threads: Vec<JournalThread>,
    /// Records that could not be read, by index, and why.
    pub bad: Vec<(usize, RecordError)>,
    /// Indices of the records that no thread contains and that are no events of this journal.
    pub strangers: Vec<usize>,
}

/// Rebuilds the threads of a journal. A record that cannot be read is left out and reported.
pub(crate) fn rebuild_journal(journal: &dyn Journal, records: &[&[u8]]) -> RebuiltJournal {
    let mut reading = JournalReading::new(journal);
    reading.read_on(records, records.len());
    let JournalReading { reader, kinds, bad, mut strangers, .. } = reading;
    let mut threads = reader.into_threads(records);
    let is_used = used_records(&threads, records.len());
    strangers.retain(|&at| !is_used[at]);
    kinds.note_left_out(&is_used, &mut threads);
    RebuiltJournal {
        threads: threads.into_iter().map(JournalThread::close).collect(),
        bad,
        strangers,
    }
}

/// The states of a journal, one behind the other. Each record is read once, however many states are
/// asked for. They have no warnings and no notes.
pub(crate) struct JournalStates<'j> {
    records: &'j [&'j [u8]],
    reading: JournalReading<'j>,
    /// The record that is read in parts.
    divided: Option<(usize, JsonTree<'j>)>,
    threads: Vec<JournalThread>,
    /// The indices of the threads by their ids.
    by_id: HashMap<Option<String>, usize>,
}

impl<'j> JournalStates<'j> {
    /// Begins before the first record.
    pub(crate) fn new(journal: &'j dyn Journal, records: &'j [&'j [u8]]) -> Self {
        Self {
            records,
            reading: JournalReading::new(journal),
            divided: None,
            threads: Vec::new(),
            by_id: HashMap::new(),
        }
    }

    /// Reads on to a later position, or to the end. Returns the threads that grew, as they are there.
    pub(crate) fn read_on(&mut self, place: Option<JournalPosition>) -> Vec<JournalThread> {
        let end = place.map_or(self.records.len(), |place| place.record);
        self.reading.reader.forget();
        self.reading.read_on(&self.records[..end], self.records.len());
        let byte = place.map_or(0, |place| place.byte);
        if byte > 0 {
            self.read_beginning(end, byte);
        }
        let read = end + usize::from(byte > 0);
        let threads = self.reading.reader.threads_so_far(&self.records[..read]);
        threads.into_iter().map(JournalThread::close).collect()
    }

    fn read_beginning(&mut self, at: usize, byte: usize) {
        if self.divided.as_ref().is_none_or(|(divided, _)| *divided != at) {
            let tree = JsonTree::of_record(self.records[at], at).ok();
            self.divided = tree.map(|tree| (at, tree));
        }
        if let Some((_, tree)) = &self.divided {
            // A record that can't be read has no compaction.
            let _ = self.reading.reader.observe_beginning(tree.root(), byte);
        }
    }

    /// Returns the thread with an id, or else the last one, as it was before the last threads that
    /// grew were [kept](Self::keep).
    pub(crate) fn thread_before(&self, id: &Option<String>) -> Option<&JournalThread> {
        let same = self.by_id.get(id).map(|index| &self.threads[*index]);
        same.or(self.threads.last())
    }

    /// Puts the threads that grew in the place of what they were.
    pub(crate) fn keep(&mut self, grown: Vec<JournalThread>) {
        for thread in grown {
            let index = *self.by_id.entry(thread.id.clone()).or_insert(self.threads.len());
            match self.threads.get_mut(index) {
                Some(before) => *before = thread,
                None => self.threads.push(thread),
            }
        }
    }
}

/// A journal whose first records are read.
struct JournalReading<'j> {
    journal: &'j dyn Journal,
    reader: Box<dyn JournalReader>,
    kinds: RecordKinds,
    bad: Vec<(usize, RecordError)>,
    strangers: Vec<usize>,
    /// Index of the record that is read next.
    next: usize,
}

impl<'j> JournalReading<'j> {
    fn new(journal: &'j dyn Journal) -> Self {
        Self {
            journal,
            reader: journal.new_reader(),
            kinds: RecordKinds::default(),
            bad: Vec::new(),
            strangers: Vec::new(),
            next: 0,
        }
    }

    /// Reads further records; the journal has `all`.
    fn read_on(&mut self, records: &[&[u8]], all: usize) {
        for (at, bytes) in records.iter().enumerate().skip(self.next) {
            let result = match JsonTree::of_record(bytes, at) {
                Ok(tree) => {
                    let root = tree.root();
                    self.kinds.add_record(root, self.journal.known_types());
                    if self.journal.recognize_event(root).is_none() {
                        self.strangers.push(at);
                    }
                    observe_root(&mut *self.reader, root, all)
                }
                Err(error) => {
                    // It is reported as an error.
                    self.kinds.of_record.push(usize::MAX);
                    Err(error)
                }
            };
            self.bad.extend(result.err().map(|error| (at, error)));
        }
        self.next = records.len();
    }
}

/// Returns for each record whether a thread contains it.
fn used_records(threads: &[JournalThread], records: usize) -> Vec<bool> {
    let mut is_used = vec![false; records];
    for at in threads.iter().flat_map(JournalThread::source_records) {
        if let Some(is_used) = is_used.get_mut(at) {
            *is_used = true;
        }
    }
    is_used
}

/// Passes a record to the reader if it is an event, or a list that is the whole journal.
fn observe_root(
    reader: &mut dyn JournalReader,
    root: JsonNode<'_>,
    records: usize,
) -> Result<(), RecordError> {
    if root.is_kind(JsonKind::Object) || (root.is_kind(JsonKind::Array) && records == 1) {
        reader.observe_record(root)
    } else {
        Err(root.wrong_kind("the record", "an object"))
    }
}

/// The kind of each record of a journal. Few kinds differ, so that each is stored once.
#[derive(Default)]
struct RecordKinds {
    names: Vec<String>,
    by_name: HashMap<String, usize>,
    /// Index of the name for each record; `usize::MAX` for a record that is not JSON.
    of_record: Vec<usize>,
    /// The number of records of each unknown kind that hold words.
    unknown: BTreeMap<usize, usize>,
}

impl RecordKinds {
    fn add_record(&mut self, record: JsonNode<'_>, known: &str) {
        let is_known = known.is_empty()
            || record
                .non_empty_text("type")
                .is_none_or(|kind| known.split('|').any(|name| name == kind));
        let number = *self.by_name.entry(kind_name(record)).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() - 1
        });
        self.of_record.push(number);
        if !is_known && holds_words(record, MAX_DEPTH) {
            *self.unknown.entry(number).or_default() += 1;
        }
    }

    /// Notes in the first thread the records that no thread contains.
    fn note_left_out(&self, is_used: &[bool], threads: &mut [JournalThread]) {
        let Some(first) = threads.first_mut() else {
            return;
        };
        for (&kind, times) in &self.unknown {
            let name = shorten_value(&self.names[kind]);
            first.warnings.push(format!(
                "{times} {name} hold words and are not read: whether they are sent is not known"
            ));
        }
        for (at, &kind) in self.of_record.iter().enumerate() {
            if let Some(name) = self.names.get(kind).filter(|_| !is_used[at]) {
                first.note_left_out(name.clone(), at);
            }
        }
    }
}

/// Returns true if a value holds a text of several words.
fn holds_words(value: JsonNode<'_>, depth: usize) -> bool {
    let mut below = value.items().chain(value.members().map(|(_, entry)| entry));
    match value.kind() {
        JsonKind::String => {
            value.as_text().is_some_and(|text| text.split_whitespace().nth(MIN_WORDS - 1).is_some())
        }
        _ => depth > 0 && below.any(|inner| holds_words(inner, depth - 1)),
    }
}

/// Describes the kind of a record by its type and what says more of it, or by its first key.
fn kind_name(record: JsonNode<'_>) -> String {
    let Some(kind) = record.non_empty_text("type") else {
        let first = record.members().next();
        let key = first.map(|(key, _)| decode_literal(key.slice(record.record_bytes())));
        return key.map_or_else(|| "records".to_owned(), |key| format!("records with {key}"));
    };
    let inner = || record.get("payload")?.non_empty_text("type");
    match record.non_empty_text("subtype").or_else(inner) {
        Some(subtype) => format!("records of type {kind} ({subtype})"),
        None => format!("records of type {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::format::format_by_name;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// A step of a session: how many lines back its parent is, and what it is.
    type LineStep = (usize, usize);

    /// The lines of each agent by their kinds. One that is empty is the last, as are all further.
    const CLAUDE: &[&str] = &[
        r#"{"uuid": "l$at", "parentUuid": null, "sessionId": "s", "type": "system", "subtype": "compact_boundary", "compactMetadata": {"preservedMessages": {"anchorUuid": "l$next", "uuids": [$further, $back]}}}"#,
        r#"{"uuid": "l$at", "parentUuid": $before, "sessionId": "s", "type": "user", "isCompactSummary": true, "message": {"role": "user", "content": "All so far"}}"#,
        r#"{"uuid": "l$at", "parentUuid": $back, "sessionId": "s", "type": "user", "isSidechain": true, "agentId": "a", "message": {"role": "user", "content": "Aside"}}"#,
        r#"{"uuid": "l$at", "parentUuid": $back, "sessionId": "s", "type": "assistant", "message": {"role": "assistant", "id": "m$half", "content": [{"type": "text", "text": "Yes"}]}}"#,
        r#"{"uuid": "l$at", "parentUuid": $back, "sessionId": "s", "type": "user", "message": {"role": "user", "content": "Go on"}}"#,
        "",
        r#"{"uuid": "l$at", "parentUuid": $back, "sessionId": "s", "type": "user", "isSidechain": true, "message": {"role": "user", "content": "Aside"}}"#,
        r#"{"uuid": "l$at", "parentUuid": $before, "sessionId": "s", "type": "user", "message": {"role": "user", "content": "Go on"}}"#,
    ];
    const CODEX: &[&str] = &[
        r#"{"timestamp": "t", "type": "compacted", "payload": {"message": "All so far"}}"#,
        r#"{"timestamp": "t", "type": "compacted", "payload": {"message": "All", "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "$at"}]}]}}"#,
        r#"{"timestamp": "t", "type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": $turns}}"#,
        r#"{"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "input_text", "text": "$at"}]}}"#,
        r#"{"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "$at"}]}}"#,
    ];
    const PI: &[&str] = &[
        r#"{"id": "l$at", "parentId": $before, "timestamp": "t", "type": "compaction", "summary": "So far", "firstKeptEntryId": $back}"#,
        r#"{"id": "l$at", "parentId": $before, "timestamp": "t", "type": "model_change", "modelId": "m"}"#,
        r#"{"id": "l$at", "parentId": $before, "timestamp": "t", "type": "context_edit", "targetId": $back}"#,
        r#"{"id": "l$at", "parentId": $before, "timestamp": "t", "type": "message", "message": {"role": "assistant", "content": "Go on $at"}}"#,
        r#"{"id": "l$at", "parentId": $back, "timestamp": "t", "type": "message", "message": {"role": "user", "content": "Go on $at"}}"#,
        r#"{"id": "l$at", "parentId": $before, "timestamp": "t", "type": "message", "message": {"role": "user", "content": "Go on $at"}}"#,
    ];
    const GEMINI: &[&str] = &[
        r#"{"$set": {"messages": [{"id": "m$at", "timestamp": "t", "type": "user", "content": [{"text": "Go on $at"}]}, {"id": "m$from", "timestamp": "t", "type": "user", "content": [{"text": "Go on $from"}]}]}}"#,
        "",
        r#"{"$rewindTo": "m$to"}"#,
        r#"{"id": "m$from", "timestamp": "t", "type": "user", "content": [{"text": "Go on $from"}]}"#,
        r#"{"id": "m$at", "timestamp": "t", "type": "user", "content": [{"text": "Go on $at"}]}"#,
    ];

    /// Writes the line with this number as its pattern tells.
    fn line(patterns: &[&str], at: usize, (back, kind): LineStep) -> String {
        let id = |steps| {
            let line = at.checked_sub(steps);
            line.map_or("null".to_owned(), |line| format!("\"l{line}\""))
        };
        let pattern = patterns.get(kind).filter(|pattern| !pattern.is_empty());
        let mut line = pattern.or(patterns.last()).unwrap().to_string();
        for (name, value) in [
            ("$at", at.to_string()),
            ("$before", id(1)),
            ("$back", id(back + 1)),
            ("$further", id(back + 2)),
            ("$next", (at + 1).to_string()),
            ("$half", (at / 2).to_string()),
            ("$turns", (back % 3).to_string()),
            ("$from", at.saturating_sub(back).to_string()),
            ("$to", at.saturating_sub(back + 1).to_string()),
        ] {
            line = line.replace(name, &value);
        }
        line
    }

    /// Returns what tells a thread from others, and from what it was.
    type Outline = (Option<String>, Vec<usize>);

    fn outline(thread: &JournalThread) -> Outline {
        (thread.id.clone(), thread.source_records().collect())
    }

    proptest! {
        #[test]
        fn the_states_of_a_journal_are_those_of_its_beginnings(
            steps in proptest::collection::vec((0..6usize, 0..14usize), 1..90),
            places in proptest::collection::vec(0..90usize, 1..12),
            agent in 0..4usize,
        ) {
            let name = ["claude-code", "codex", "pi", "gemini-cli"][agent];
            let journal = format_by_name(name).unwrap().as_journal().unwrap();
            let patterns = [CLAUDE, CODEX, PI, GEMINI][agent];
            let mut steps = steps;
            for at in 1..steps.len() {
                // A summary follows its boundary, and nothing else is one.
                let is_behind_boundary = steps[at - 1].1 == 0;
                steps[at].1 = if is_behind_boundary { 1 } else if steps[at].1 == 1 { 5 } else { steps[at].1 };
            }
            let lines: Vec<String> = steps.iter().enumerate().map(|(at, step)| line(patterns, at, *step)).collect();
            let records: Vec<&[u8]> = lines.iter().map(|line| line.as_bytes()).collect();
            let mut places: Vec<usize> = places.into_iter().map(|at| at.min(records.len())).collect();
            places.retain(|at| *at == 0 || steps[at - 1].1 != 0);
            places.sort_unstable();
            let mut states = JournalStates::new(journal, &records);
            let mut since = 0;
            for record in places {
                let grown = states.read_on(Some(JournalPosition { record, byte: 0 }));
                states.keep(grown);
                let whole = rebuild_journal(journal, &records[..record]).threads;
                let known: BTreeSet<Outline> = states.threads.iter().map(outline).collect();
                for thread in &whole {
                    let is_new = thread.source_records().any(|at| at >= since);
                    prop_assert!(!is_new || known.contains(&outline(thread)), "before {}: {:?} of {:?}", record, outline(thread), known);
                }
                since = record;
            }
        }
    }
}
