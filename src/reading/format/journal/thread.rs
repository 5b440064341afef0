//! A thread of a journal: a conversation that is written down as a document in the dialect of a
//! model API, and read by the reader of that dialect.

use crate::reading::format::anthropic_blocks::{chat_message, join_blocks};
use crate::reading::format::journal::compactions::JournalPosition;
use crate::reading::format::journal::document::{DocumentElement, ElementList, ElementMark};
use crate::reading::format::tree::{EventPlace, JsonNode};
use crate::reading::transcript::journal::{PromptItem, PromptNote};
use crate::reading::transcript::prelude::*;
use std::collections::BTreeMap;
use std::sync::OnceLock;

type Result<T> = std::result::Result<T, RecordError>;

/// The dialect of a document: the name of its format, and the reader of its conversations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentDialect {
    pub name: &'static str,
    /// The key of its list of messages.
    pub list: &'static str,
    /// Reads a conversation from its one record.
    pub read: for<'a> fn(Vec<Record<'a>>) -> Result<Transcript<'a>>,
}

pub(crate) struct ThreadTranscript<'a> {
    /// The transcript. Its first record is the document.
    pub transcript: Transcript<'a>,
    /// For every other record of the transcript: its index in the journal.
    pub numbers: Vec<usize>,
    /// Elements that could not be read: the index of their record, and why.
    pub left_out: Vec<(usize, RecordError)>,
}

pub(crate) struct JournalThread {
    dialect: DocumentDialect,
    /// The entries before the list.
    head: Vec<u8>,
    elements: ElementList,
    /// The index of the record to which a compaction is appended.
    last: usize,
    /// True if the records hold more than this thread: only the objects of its messages belong to
    /// it.
    is_excerpt: bool,
    pub(crate) id: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) input_limit: Option<u64>,
    pub(crate) write_mode: WriteMode,
    pub(crate) warnings: Vec<String>,
    /// The parts that the document leaves out, by description.
    omitted: BTreeMap<String, OmittedCount>,
    /// Parts of the journal that are left out although they could be read: the index of a record,
    /// and why.
    pub(crate) unread: Vec<(usize, RecordError)>,
    /// The document without elements that cannot be read, built if there are any.
    repaired: OnceLock<RepairedDocument>,
}

struct OmittedCount {
    /// The index of the first record.
    first: usize,
    times: u64,
}

impl JournalThread {
    /// A thread in this dialect. A compaction is appended behind record `last`.
    pub(crate) fn new(dialect: DocumentDialect, write_mode: WriteMode, last: usize) -> Self {
        Self {
            dialect,
            head: Vec::new(),
            elements: ElementList::default(),
            last,
            is_excerpt: false,
            id: None,
            model: None,
            input_limit: None,
            write_mode,
            warnings: Vec::new(),
            omitted: BTreeMap::new(),
            unread: Vec::new(),
            repaired: OnceLock::new(),
        }
    }

    /// The same for a log into which no compaction is written.
    pub(crate) fn new_read_only(dialect: DocumentDialect) -> Self {
        Self::new(dialect, WriteMode::Nowhere, 0)
    }

    /// A thread of a record that may hold other conversations and other branches: of the record only
    /// the objects from which messages are built belong to the thread. What else of it belongs to
    /// the conversation is noted as left out.
    pub(crate) fn new_excerpt(dialect: DocumentDialect) -> Self {
        Self { is_excerpt: true, ..Self::new_read_only(dialect) }
    }

    /// Adds an entry before the list.
    pub(crate) fn add_entry(&mut self, key: &str, json: &[u8]) {
        push_json(&mut self.head, "$: $, ", &[&encode_literal(key), json]);
    }

    /// Adds a list before the list, unless it has no items.
    pub(crate) fn add_list(&mut self, key: &str, items: &[Vec<u8>]) {
        if !items.is_empty() {
            self.add_entry(key, &join_blocks(items));
        }
    }

    /// Appends an element to the list.
    pub(crate) fn push_element(&mut self, mark: ElementMark, places: Vec<EventPlace>, json: &[u8]) {
        self.elements.push(mark, places, json);
    }

    /// Appends a message that was built from the object at `place`.
    pub(crate) fn push_message(&mut self, place: EventPlace, json: &[u8]) {
        self.push_element(ElementMark::Message, vec![place], json);
    }

    /// Appends a message as it is in the journal.
    pub(crate) fn push_node(&mut self, message: JsonNode<'_>) {
        self.push_message(message.place(), message.bytes());
    }

    /// Appends a message of this role by the JSON of its content.
    pub(crate) fn push_said(
        &mut self,
        mark: ElementMark,
        place: EventPlace,
        role: &str,
        content: &[u8],
    ) {
        self.push_element(mark, vec![place], &chat_message(role, content));
    }

    /// Sets the length of the last element as the agent sends it.
    pub(crate) fn set_sent_units(&mut self, units: u64) {
        if let Some(last) = self.elements.elements.last_mut() {
            last.sent_units = Some(units);
        }
    }

    /// Notes what a summarizer reads of a stored message: in place of the elements from index
    /// `element` on if `replaces` is true, else before them.
    pub(crate) fn note_for_summarizer(
        &mut self,
        element: usize,
        replaces: bool,
        items: Vec<PromptItem>,
    ) {
        self.elements.notes.push(PromptNote { element, replaces, items });
    }

    /// Notes that all further elements are newer than the summary, and all others are older.
    pub(crate) fn begin_newer(&mut self) {
        self.elements.first_newer = Some(self.len());
    }

    /// Adds a place from which an element was built.
    pub(crate) fn add_place(&mut self, element: usize, place: EventPlace) {
        self.elements.elements[element].places.push(place);
    }

    /// Notes that a part of record `at` is left out of the document.
    pub(crate) fn note_left_out(&mut self, what: impl Into<String>, at: usize) {
        self.note_all_left_out(what, at, 1);
    }

    /// Notes that so many parts of record `at` are left out of the document.
    pub(crate) fn note_all_left_out(&mut self, what: impl Into<String>, at: usize, times: u64) {
        if times > 0 {
            let count =
                self.omitted.entry(what.into()).or_insert(OmittedCount { first: at, times: 0 });
            count.times += times;
        }
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.elements.elements.len()
    }

    /// Returns the length of its elements in bytes.
    pub(crate) fn json_len(&self) -> usize {
        self.elements.json.len()
    }

    /// Returns the elements, what is special about them, and the numbers of their records, from 1.
    #[cfg(test)]
    pub(crate) fn rendered_elements(&self) -> Vec<String> {
        let rendered = |element: &DocumentElement| {
            let json = String::from_utf8_lossy(element.span.slice(&self.elements.json));
            let mut records: Vec<usize> =
                element.places.iter().map(|place| place.record + 1).collect();
            records.dedup();
            match element.mark {
                ElementMark::Message => format!("{json} of {records:?}"),
                mark => format!("{json} {mark:?} of {records:?}"),
            }
        };
        self.elements.elements.iter().map(rendered).collect()
    }

    /// Returns the thread as the only thread of a journal, or no thread if it has no elements.
    pub(crate) fn into_only_thread(self) -> Vec<Self> {
        if self.len() == 0 { Vec::new() } else { vec![self] }
    }

    /// Returns the indices of the records from which elements were built.
    pub(super) fn source_records(&self) -> impl Iterator<Item = usize> {
        let elements = self.elements.elements.iter();
        elements.flat_map(|element| element.places.iter().map(|place| place.record))
    }

    /// Returns true if an element was built from something at or behind `start` and before `end`.
    pub(crate) fn holds_between(&self, start: JournalPosition, end: JournalPosition) -> bool {
        self.elements.elements.iter().any(|element| {
            let places = element
                .places
                .iter()
                .map(|place| JournalPosition { record: place.record, byte: place.span.start });
            places.max().is_some_and(|last| start <= last && last < end)
        })
    }

    /// Returns the log's id of the thread.
    pub(crate) fn id(&self) -> &Option<String> {
        &self.id
    }

    /// Completes the document.
    pub(super) fn close(mut self) -> Self {
        let before = fill_json(r#"{$"$": ["#, &[&self.head, self.dialect.list.as_bytes()]);
        self.elements.close(&before);
        self
    }

    /// Reads the thread. `records` are all records of the journal. Fails if the document cannot be
    /// read although each of its elements can.
    pub(crate) fn read_transcript<'a>(
        &'a self,
        records: &[Record<'a>],
    ) -> Result<ThreadTranscript<'a>> {
        let first_line = self.source_records().map(|at| records[at].line).min();
        let line = first_line.unwrap_or(1);
        if let Ok(transcript) = self.read_document(&self.elements.json, line) {
            return Ok(self.complete_transcript(transcript, &self.elements, records));
        }
        let repaired = self.repaired.get_or_init(|| self.repair_document());
        let transcript = self.read_document(&repaired.elements.json, line)?;
        let mut thread = self.complete_transcript(transcript, &repaired.elements, records);
        thread.left_out.extend_from_slice(&repaired.bad);
        Ok(thread)
    }

    fn read_document<'a>(&self, bytes: &'a [u8], line: u64) -> Result<Transcript<'a>> {
        let transcript = (self.dialect.read)(vec![Record { bytes, line }])?;
        // The element is then left out, and its record is named.
        match transcript.unread.first() {
            Some(unread) => Err(unread.error.clone()),
            None => Ok(transcript),
        }
    }

    /// Builds the document from the elements that can be read separately.
    fn repair_document(&self) -> RepairedDocument {
        let elements = &self.elements.elements;
        let json = &self.elements.json;
        let end = elements.first().map_or(0, |first| first.span.start);
        let mut repaired = RepairedDocument {
            elements: ElementList { json: json[..end].to_vec(), ..ElementList::default() },
            bad: Vec::new(),
        };
        let mut index_after = Vec::with_capacity(elements.len() + 1);
        for element in elements {
            index_after.push(repaired.elements.elements.len());
            let bytes = element.span.slice(json);
            let alone = fill_json(r#"{"$": [$]}"#, &[self.dialect.list.as_bytes(), bytes]);
            match self.read_document(&alone, 1) {
                // The offset in the record is unknown; the reason names the field.
                Err(error) => {
                    let next = repaired.elements.elements.len();
                    repaired.elements.behind_unread.get_or_insert(next);
                    let first = element.places.first();
                    let error = RecordError::new(error.reason);
                    repaired.bad.extend(first.map(|place| (place.record, error)));
                }
                Ok(_) => {
                    repaired.elements.push(element.mark, element.places.clone(), bytes);
                    if let Some(last) = repaired.elements.elements.last_mut() {
                        last.sent_units = element.sent_units;
                    }
                }
            }
        }
        index_after.push(repaired.elements.elements.len());
        repaired.elements.first_newer = self.elements.first_newer.map(|at| index_after[at]);
        repaired.elements.notes = self.elements.notes.clone();
        for note in &mut repaired.elements.notes {
            note.element = index_after[note.element];
        }
        repaired.elements.json.extend_from_slice(b"]}");
        repaired
    }

    /// Adds to a transcript of the document what only the journal knows.
    fn complete_transcript<'a>(
        &self,
        mut transcript: Transcript<'a>,
        elements: &ElementList,
        records: &[Record<'a>],
    ) -> ThreadTranscript<'a> {
        // This was noticed in the document, but searches look at the journal's records.
        transcript.noticed = None;
        // Agents send their own turns; none is merged for them.
        transcript.alternates = false;
        transcript.thread_id.clone_from(&self.id);
        transcript.model.clone_from(&self.model);
        transcript.input_limit = self.input_limit;
        transcript.write_mode = self.write_mode;
        transcript.warnings.clone_from(&self.warnings);
        transcript.dialect = Some(self.dialect.name);
        transcript.omitted = self
            .omitted
            .iter()
            .map(|(what, count)| OmittedRecords {
                what: what.clone(),
                line: records[count.first].line,
                times: count.times,
            })
            .collect();
        elements.apply_marks(&mut transcript);
        elements.apply_notes(&mut transcript);
        let mut numbers = RecordNumbers::default();
        let sources = elements.elements.iter();
        transcript.sources = sources.map(|it| numbers.source_of(it, self.is_excerpt)).collect();
        let mut sources = numbers.sources;
        if !self.is_excerpt && self.write_mode != WriteMode::Nowhere {
            // The last record of the transcript is the one to which a compaction is appended.
            sources.push(EventPlace::new(self.last, Span::default()));
        }
        transcript.records.extend(sources.iter().map(|source| {
            let record = records[source.record];
            let object = self.is_excerpt.then(|| source.span.slice(record.bytes));
            Record { bytes: object.unwrap_or(record.bytes), ..record }
        }));
        ThreadTranscript {
            transcript,
            numbers: sources.iter().map(|source| source.record).collect(),
            left_out: self.unread.clone(),
        }
    }
}

/// The records of a thread in the order of their first use: objects of an excerpt, else whole
/// records, without a span.
#[derive(Default)]
struct RecordNumbers {
    sources: Vec<EventPlace>,
    /// Index in the transcript by source.
    in_transcript: HashMap<EventPlace, usize>,
}

impl RecordNumbers {
    /// Returns the origin of an element. If the thread is an excerpt, each object is a record.
    fn source_of(&mut self, element: &DocumentElement, is_excerpt: bool) -> ElementSource {
        let places = element.places.iter();
        let places = places.map(|place| {
            let end = place.span.end - place.span.start;
            let (object, span) = match is_excerpt {
                true => (place.span, Span { start: 0, end }),
                false => (Span::default(), place.span),
            };
            (self.index_of(EventPlace::new(place.record, object)), span)
        });
        ElementSource {
            element: element.span,
            sent_units: element.sent_units,
            places: places.collect(),
        }
    }

    /// Returns the index of a source in the transcript, behind the document.
    fn index_of(&mut self, source: EventPlace) -> usize {
        *self.in_transcript.entry(source).or_insert_with(|| {
            self.sources.push(source);
            self.sources.len()
        })
    }
}

/// A document without elements that cannot be read.
struct RepairedDocument {
    elements: ElementList,
    bad: Vec<(usize, RecordError)>,
}
