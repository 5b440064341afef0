//! Journals: what agents append to while they work, one line an event. The
//! live conversation is rebuilt from all of them, as the agent itself would
//! see it: one or more threads, each told anew as a document in one of the
//! dialects of model APIs, which that dialect then reads.
//!
//! Nothing that stands in a journal is rewritten. Where the agent has a record
//! for it, a compaction is appended, and reads as what was planned.

use crate::error::RecordError;
use crate::format::tree::{Node, Tree};
use crate::format::{Entry, Format, Hit, Place, Shape};
use crate::transcript::digest::Digest;
use crate::transcript::journal::{Beside, Source, Writes};
use crate::transcript::json::{Kind, Span};
use crate::transcript::splice::Splice;
use crate::transcript::{Record, Role, Transcript, text};
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

type Result<T> = std::result::Result<T, RecordError>;

/// One journal format.
pub trait Journal: Sync {
    /// The name for `--format` and reports.
    fn name(&self) -> &'static str;

    /// One line for `epitome formats`.
    fn about(&self) -> &'static str;

    /// How it takes a compaction in.
    fn writes(&self) -> Writes;

    /// Whether a record is of this format, and what it is then.
    fn recognise(&self, record: Node<'_>) -> Option<Hit>;

    /// Begins to read a journal.
    fn reader(&self) -> Box<dyn Reader>;

    /// What is appended for a summary with this text: splices of the journal's records. Only asked for where it [writes](Self::writes) one.
    fn append(&self, _: &Transcript<'_>, _: &Place<'_>, _: &str) -> Vec<(usize, Splice)> {
        Vec::new()
    }

    /// The splices that mark the result in message `index` as cleared. Only asked for where it can.
    fn clear(&self, _: &Transcript<'_>, _: usize) -> Vec<(usize, Splice)> {
        Vec::new()
    }
}

/// Reads one journal, record by record.
pub trait Reader {
    /// Looks at the next record; `at` is its number.
    ///
    /// # Errors
    /// What is wrong with it: it is then left out.
    fn see(&mut self, at: usize, record: Node<'_>) -> Result<()>;

    /// The threads, when all records were seen.
    fn threads(self: Box<Self>, records: &[&[u8]]) -> Vec<Thread>;
}

/// A journal as a format of the table.
pub(super) struct Kept<J>(pub(super) J);

impl<J: Journal> Format for Kept<J> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn about(&self) -> &'static str {
        self.0.about()
    }

    fn recognise(&self, record: Node<'_>) -> Option<Hit> {
        self.0.recognise(record)
    }

    fn journal(&self) -> Option<&dyn Journal> {
        Some(&self.0)
    }

    fn writes(&self) -> Writes {
        self.0.writes()
    }

    /// What is read of a journal is a document that lives as long as the journal: [`rebuild`] makes it, [`Thread::read`] reads it.
    fn read<'a>(&self, _: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        Err(RecordError::new(format!("{} is a journal: it is rebuilt as a whole", self.name())))
    }

    fn place_summary(&self, transcript: &Transcript<'_>, place: &Place<'_>, text: &str) -> Entry {
        Entry { message: None, splices: self.0.append(transcript, place, text), leaves_list: true }
    }

    fn place_messages(&self, transcript: &Transcript<'_>, place: &Place<'_>, messages: &[(Role, String)], _: &[u8]) -> Entry {
        // The question is the journal's own; the answer is the summary.
        self.place_summary(transcript, place, messages.last().map_or("", |(_, text)| text))
    }

    fn message(&self, _: &Transcript<'_>, _: &Place<'_>, _: Role, text: &str) -> Vec<u8> {
        text::literal(text)
    }

    fn clear_result(&self, transcript: &Transcript<'_>, index: usize, _: &str) -> Vec<(usize, Splice)> {
        self.0.clear(transcript, index)
    }
}

/// What an element of a document is, beyond what its dialect says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mark {
    /// A message.
    #[default]
    Message,
    /// The summary of an earlier compaction.
    Summary,
    /// What the agent puts before all that is said: it is never summarised.
    Pinned,
    /// It goes with the one before it: the journal has one record for both.
    Joined,
}

#[derive(Debug, Clone)]
struct Element {
    span: Span,
    places: Vec<(usize, Span)>,
    mark: Mark,
}

/// A thread that is read.
pub struct Told<'a> {
    /// The transcript.
    pub transcript: Transcript<'a>,
    /// The numbers of its records, but for the first: that is the document.
    pub numbers: Vec<usize>,
    /// What is wrong with records that were left out, by number.
    pub left_out: Vec<(usize, RecordError)>,
}

/// One thread of a journal.
pub struct Thread {
    dialect: &'static dyn Format,
    list: &'static str,
    head: Vec<u8>,
    /// The elements; when all are there the whole document.
    document: Vec<u8>,
    elements: Vec<Element>,
    /// The record that is appended to.
    last: usize,
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) input_limit: Option<u64>,
    pub(super) writes: Writes,
    pub(super) warnings: Vec<String>,
    /// What is not told: the number of the first record with it, and how often it is there.
    left: BTreeMap<String, (usize, u64)>,
    /// The document without elements that can't be read.
    mended: OnceLock<Mended>,
}

impl Thread {
    /// A thread that is told in `dialect`, its messages in a list under a key; what is appended goes behind record `last`.
    pub(super) fn new(dialect: &'static dyn Format, list: &'static str, writes: Writes, last: usize) -> Self {
        Self {
            dialect,
            list,
            writes,
            last,
            head: Vec::new(),
            document: Vec::new(),
            elements: Vec::new(),
            id: None,
            model: None,
            input_limit: None,
            warnings: Vec::new(),
            left: BTreeMap::new(),
            mended: OnceLock::new(),
        }
    }

    /// Adds a key beside the list.
    pub(super) fn key(&mut self, name: &str, json: &[u8]) {
        text::write_literal(name, &mut self.head);
        self.head.extend_from_slice(b": ");
        self.head.extend_from_slice(json);
        self.head.extend_from_slice(b", ");
    }

    /// Adds an element to the list.
    pub(super) fn push(&mut self, mark: Mark, places: Vec<(usize, Span)>, json: &[&[u8]]) {
        add(&mut self.document, &mut self.elements, mark, places, json);
    }

    /// An element was told from this, too.
    pub(super) fn also(&mut self, element: usize, place: (usize, Span)) {
        self.elements[element].places.push(place);
    }

    /// Notes what is not told of record `at`.
    pub(super) fn leave(&mut self, what: String, at: usize) {
        self.left.entry(what).or_insert((at, 0)).1 += 1;
    }

    /// How many elements it has.
    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    /// Writes what stands around the elements.
    fn close(mut self) -> Self {
        let before = [b"{".as_slice(), &self.head, b"\"", self.list.as_bytes(), b"\": ["].concat();
        self.document.splice(0..0, before.iter().copied());
        self.document.extend_from_slice(b"]}");
        for element in &mut self.elements {
            element.span = Span { start: element.span.start + before.len(), end: element.span.end + before.len() };
        }
        self
    }

    /// Reads the thread; `records` are those that it was rebuilt from.
    ///
    /// # Errors
    /// If the document can't be read, though each of its elements can.
    pub fn read<'a>(&'a self, records: &[Record<'a>]) -> Result<Told<'a>> {
        let line = self.elements.iter().flat_map(|element| &element.places).map(|(at, _)| records[*at].line).min().unwrap_or(1);
        let read = |document: &'a [u8]| self.dialect.read(vec![Record { bytes: document, line }], Shape::Conversation);
        if let Ok(transcript) = read(&self.document) {
            let (transcript, numbers) = self.finish(transcript, &self.elements, records);
            return Ok(Told { transcript, numbers, left_out: Vec::new() });
        }
        let mended = self.mended.get_or_init(|| self.mend());
        let (transcript, numbers) = self.finish(read(&mended.document)?, &mended.elements, records);
        Ok(Told { transcript, numbers, left_out: mended.bad.clone() })
    }

    /// The document of those elements that can be read by themselves.
    fn mend(&self) -> Mended {
        let end = self.elements.first().map_or(0, |first| first.span.start);
        let mut mended = Mended { document: self.document[..end].to_vec(), elements: Vec::new(), bad: Vec::new() };
        for Element { span, places, mark } in &self.elements {
            let bytes = span.of(&self.document);
            let alone = [b"{\"", self.list.as_bytes(), b"\": [", bytes, b"]}"].concat();
            match self.dialect.read(vec![Record { bytes: &alone, line: 1 }], Shape::Conversation) {
                // Where it stands in the record is not known: the reason names the field.
                Err(error) => mended.bad.extend(places.first().map(|(at, _)| (*at, RecordError::new(error.reason)))),
                Ok(_) => add(&mut mended.document, &mut mended.elements, *mark, places.clone(), &[bytes]),
            }
        }
        mended.document.extend_from_slice(b"]}");
        mended
    }

    fn finish<'a>(&self, mut transcript: Transcript<'a>, elements: &[Element], records: &[Record<'a>]) -> (Transcript<'a>, Vec<usize>) {
        // Of the document: the records are others.
        transcript.noticed = None;
        // Agents send their own turns: none is merged for them.
        transcript.alternates = false;
        transcript.thread_id.clone_from(&self.id);
        transcript.model.clone_from(&self.model);
        transcript.input_limit = self.input_limit;
        transcript.writes = self.writes;
        transcript.warnings.clone_from(&self.warnings);
        transcript.dialect = Some(self.dialect.name());
        let beside = |(what, (at, times)): (&String, &(usize, u64))| Beside { what: what.clone(), line: records[*at].line, times: *times };
        transcript.beside = self.left.iter().map(beside).collect();
        let mut numbers: Vec<usize> = Vec::new();
        let mut indices: HashMap<usize, usize> = HashMap::new();
        let mut index_of = |number: usize| {
            *indices.entry(number).or_insert_with(|| {
                numbers.push(number);
                numbers.len()
            })
        };
        let marks: HashMap<usize, Mark> = elements.iter().map(|element| (element.span.start, element.mark)).collect();
        for message in &mut transcript.messages {
            let mark = marks.get(&message.span.start).copied().unwrap_or_default();
            message.earlier_summary = mark == Mark::Summary;
            message.joined |= mark == Mark::Joined;
            if mark == Mark::Pinned {
                message.logged_role = Some(std::mem::replace(&mut message.role, Role::Developer));
            }
        }
        let source = |element: &Element| Source { element: element.span, places: element.places.iter().map(|(at, span)| (index_of(*at), *span)).collect() };
        transcript.sources = elements.iter().map(source).collect();
        // The last record of the transcript is the one that is appended to.
        numbers.push(self.last);
        transcript.records.extend(numbers.iter().map(|number| records[*number]));
        (transcript, numbers)
    }
}

/// A document without elements that can't be read.
struct Mended {
    document: Vec<u8>,
    elements: Vec<Element>,
    bad: Vec<(usize, RecordError)>,
}

fn add(document: &mut Vec<u8>, elements: &mut Vec<Element>, mark: Mark, places: Vec<(usize, Span)>, json: &[&[u8]]) {
    if !elements.is_empty() {
        document.extend_from_slice(b", ");
    }
    let start = document.len();
    json.iter().for_each(|part| document.extend_from_slice(part));
    elements.push(Element { span: Span { start, end: document.len() }, places, mark });
}

/// What became of a journal.
pub struct Rebuilt {
    /// Its threads.
    pub threads: Vec<Thread>,
    /// Records that could not be read, by number.
    pub bad: Vec<(usize, RecordError)>,
}

/// Rebuilds the threads of a journal. A bad record costs that record.
#[must_use]
pub fn rebuild(journal: &dyn Journal, records: &[&[u8]]) -> Rebuilt {
    let mut reader = journal.reader();
    let (mut bad, mut kinds) = (Vec::new(), Kinds::default());
    for (at, bytes) in records.iter().enumerate() {
        let seen = Tree::new(bytes).inspect_err(|_| kinds.skip()).and_then(|tree| {
            let root = tree.root();
            kinds.note(root);
            // A list is the journal itself, as one document.
            let is_journal = root.is(Kind::Object) || (root.is(Kind::Array) && records.len() == 1);
            if is_journal { reader.see(at, root) } else { Err(root.wrong("the record", "an object")) }
        });
        bad.extend(seen.err().map(|error| (at, error)));
    }
    let mut threads = reader.threads(records);
    kinds.leave(&mut threads);
    Rebuilt { threads: threads.into_iter().map(Thread::close).collect(), bad }
}

/// What kind of record each is: only few differ.
#[derive(Default)]
struct Kinds {
    names: Vec<String>,
    by_name: HashMap<String, usize>,
    of_record: Vec<usize>,
}

impl Kinds {
    fn note(&mut self, record: Node<'_>) {
        let kind = |path: &[&str]| record.at(path).and_then(Node::text).filter(|kind| !kind.is_empty());
        let name = match (kind(&["type"]), kind(&["subtype"]).or_else(|| kind(&["payload", "type"]))) {
            (Some(kind), Some(more)) => format!("records of type {kind} ({more})"),
            (Some(kind), None) => format!("records of type {kind}"),
            (None, _) => {
                record.entries().next().map_or_else(|| "records".to_owned(), |(key, _)| format!("records with {}", text::decode(key.of(record.record()))))
            }
        };
        let number = *self.by_name.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() - 1
        });
        self.of_record.push(number);
    }

    /// A record that is no JSON: it is an error of its own.
    fn skip(&mut self) {
        self.of_record.push(usize::MAX);
    }

    /// Notes in the first thread which records none tells of.
    fn leave(self, threads: &mut [Thread]) {
        let mut told = vec![false; self.of_record.len()];
        let places = threads.iter().flat_map(|thread| &thread.elements).flat_map(|element| &element.places);
        places.for_each(|(at, _)| told.iter_mut().skip(*at).take(1).for_each(|told| *told = true));
        let Some(first) = threads.first_mut() else { return };
        for (at, &kind) in self.of_record.iter().enumerate().filter(|(at, kind)| !told[*at] && **kind < self.names.len()) {
            first.leave(self.names[kind].clone(), at);
        }
    }
}

/// Lines behind the last record of a transcript.
pub(super) fn append_lines(transcript: &Transcript<'_>, lines: &[Vec<u8>]) -> Vec<(usize, Splice)> {
    let Some(last) = transcript.records.len().checked_sub(1) else { return Vec::new() };
    let end = transcript.records[last].bytes.len();
    let bytes = lines.iter().flat_map(|line| [b"\n".as_slice(), line].concat()).collect();
    vec![(last, Splice { span: Span { start: end, end }, bytes })]
}

/// The splice that appends elements to the list that stands at `list` in record `record`, with the separator it has elsewhere.
pub(super) fn append_elements(list: Node<'_>, record: usize, elements: &[Vec<u8>]) -> Vec<(usize, Splice)> {
    let items: Vec<Span> = list.items().map(Node::span).collect();
    let (at, separator): (usize, &[u8]) = match items.as_slice() {
        [.., before, last] => (last.end, &list.record()[before.end..last.start]),
        [only] => (only.end, b", "),
        [] => (list.span().start + 1, b", "),
    };
    let mut bytes = Vec::new();
    for (number, element) in elements.iter().enumerate() {
        if number > 0 || !items.is_empty() {
            bytes.extend_from_slice(separator);
        }
        bytes.extend_from_slice(element);
    }
    vec![(record, Splice { span: Span { start: at, end: at }, bytes })]
}

/// An id that no other record has, made of what it stands for: 32 hex digits.
pub(super) fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Digest::default();
    for part in parts {
        hash.add(part);
        hash.add(b"\0");
    }
    hash.hex(32)
}

/// The same, spelled as a random UUID is.
pub(super) fn uuid(parts: &[&[u8]]) -> String {
    let hex = digest(parts);
    format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}
