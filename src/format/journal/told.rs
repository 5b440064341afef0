//! One thread of a journal, told as a document in the dialect of a model API,
//! and read by that dialect.

use crate::error::RecordError;
use crate::format::{Format, Shape};
use crate::json::Span;
use crate::json::write_literal;
use crate::transcript::journal::{ElementSource, OmittedRecords, WriteMode};
use crate::transcript::{Record, Role, Transcript};
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

type Result<T> = std::result::Result<T, RecordError>;

/// What an element of a document is, beyond what its dialect says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::format) enum ElementMark {
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
struct ThreadElement {
    span: Span,
    places: Vec<(usize, Span)>,
    mark: ElementMark,
}

/// A thread that is read.
pub struct ThreadTranscript<'a> {
    /// The transcript.
    pub transcript: Transcript<'a>,
    /// The numbers of its records, but for the first: that is the document.
    pub numbers: Vec<usize>,
    /// What is wrong with records that were left out, by number.
    pub left_out: Vec<(usize, RecordError)>,
}

/// One thread of a journal.
pub struct JournalThread {
    dialect: &'static dyn Format,
    list: &'static str,
    head: Vec<u8>,
    /// The elements; when all are there the whole document.
    document: Vec<u8>,
    elements: Vec<ThreadElement>,
    /// The record that is appended to.
    last: usize,
    pub(in crate::format) id: Option<String>,
    pub(in crate::format) model: Option<String>,
    pub(in crate::format) input_limit: Option<u64>,
    pub(in crate::format) writes: WriteMode,
    pub(in crate::format) warnings: Vec<String>,
    /// What is not told: the number of the first record with it, and how often it is there.
    left: BTreeMap<String, (usize, u64)>,
    /// The document without elements that can't be read.
    mended: OnceLock<RepairedDocument>,
}

impl JournalThread {
    /// A thread that is told in `dialect`, its messages in a list under a key; what is appended goes behind record `last`.
    pub(in crate::format) fn new(
        dialect: &'static dyn Format,
        list: &'static str,
        writes: WriteMode,
        last: usize,
    ) -> Self {
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
    pub(in crate::format) fn key(&mut self, name: &str, json: &[u8]) {
        write_literal(name, &mut self.head);
        self.head.extend_from_slice(b": ");
        self.head.extend_from_slice(json);
        self.head.extend_from_slice(b", ");
    }

    /// Adds an element to the list.
    pub(in crate::format) fn push(
        &mut self,
        mark: ElementMark,
        places: Vec<(usize, Span)>,
        json: &[&[u8]],
    ) {
        add(&mut self.document, &mut self.elements, mark, places, json);
    }

    /// An element was told from this, too.
    pub(in crate::format) fn also(&mut self, element: usize, place: (usize, Span)) {
        self.elements[element].places.push(place);
    }

    /// Notes what is not told of record `at`.
    pub(in crate::format) fn leave(&mut self, what: String, at: usize) {
        self.left.entry(what).or_insert((at, 0)).1 += 1;
    }

    /// How many elements it has.
    pub(in crate::format) fn len(&self) -> usize {
        self.elements.len()
    }

    /// The numbers of the records that its elements were told from.
    pub(super) fn records(&self) -> impl Iterator<Item = usize> {
        self.elements
            .iter()
            .flat_map(|element| &element.places)
            .map(|(at, _)| *at)
    }

    /// Writes what stands around the elements.
    pub(super) fn close(mut self) -> Self {
        let before = [
            b"{".as_slice(),
            &self.head,
            b"\"",
            self.list.as_bytes(),
            b"\": [",
        ]
        .concat();
        self.document.splice(0..0, before.iter().copied());
        self.document.extend_from_slice(b"]}");
        for element in &mut self.elements {
            element.span = Span {
                start: element.span.start + before.len(),
                end: element.span.end + before.len(),
            };
        }
        self
    }

    /// Reads the thread; `records` are those that it was rebuilt from.
    ///
    /// # Errors
    /// If the document can't be read, though each of its elements can.
    pub fn read_transcript<'a>(&'a self, records: &[Record<'a>]) -> Result<ThreadTranscript<'a>> {
        let line = self.records().map(|at| records[at].line).min().unwrap_or(1);
        let read = |document: &'a [u8]| {
            self.dialect.read_transcript(
                vec![Record {
                    bytes: document,
                    line,
                }],
                Shape::Conversation,
            )
        };
        if let Ok(transcript) = read(&self.document) {
            let (transcript, numbers) = self.finish(transcript, &self.elements, records);
            return Ok(ThreadTranscript {
                transcript,
                numbers,
                left_out: Vec::new(),
            });
        }
        let mended = self.mended.get_or_init(|| self.mend());
        let (transcript, numbers) = self.finish(read(&mended.document)?, &mended.elements, records);
        Ok(ThreadTranscript {
            transcript,
            numbers,
            left_out: mended.bad.clone(),
        })
    }

    /// The document of those elements that can be read by themselves.
    fn mend(&self) -> RepairedDocument {
        let end = self.elements.first().map_or(0, |first| first.span.start);
        let mut mended = RepairedDocument {
            document: self.document[..end].to_vec(),
            elements: Vec::new(),
            bad: Vec::new(),
        };
        for ThreadElement { span, places, mark } in &self.elements {
            let bytes = span.slice(&self.document);
            let alone = [b"{\"", self.list.as_bytes(), b"\": [", bytes, b"]}"].concat();
            match self.dialect.read_transcript(
                vec![Record {
                    bytes: &alone,
                    line: 1,
                }],
                Shape::Conversation,
            ) {
                // Where it stands in the record is not known: the reason names the field.
                Err(error) => mended.bad.extend(
                    places
                        .first()
                        .map(|(at, _)| (*at, RecordError::new(error.reason))),
                ),
                Ok(_) => add(
                    &mut mended.document,
                    &mut mended.elements,
                    *mark,
                    places.clone(),
                    &[bytes],
                ),
            }
        }
        mended.document.extend_from_slice(b"]}");
        mended
    }

    fn finish<'a>(
        &self,
        mut transcript: Transcript<'a>,
        elements: &[ThreadElement],
        records: &[Record<'a>],
    ) -> (Transcript<'a>, Vec<usize>) {
        // Of the document: the records are others.
        transcript.noticed = None;
        // Agents send their own turns: none is merged for them.
        transcript.alternates = false;
        transcript.thread_id.clone_from(&self.id);
        transcript.model.clone_from(&self.model);
        transcript.input_limit = self.input_limit;
        transcript.write_mode = self.writes;
        transcript.warnings.clone_from(&self.warnings);
        transcript.dialect = Some(self.dialect.name());
        let beside = |(what, (at, times)): (&String, &(usize, u64))| OmittedRecords {
            what: what.clone(),
            line: records[*at].line,
            times: *times,
        };
        transcript.omitted = self.left.iter().map(beside).collect();
        let mut numbers: Vec<usize> = Vec::new();
        let mut indices: HashMap<usize, usize> = HashMap::new();
        let mut index_of = |number: usize| {
            *indices.entry(number).or_insert_with(|| {
                numbers.push(number);
                numbers.len()
            })
        };
        let marks: HashMap<usize, ElementMark> = elements
            .iter()
            .map(|element| (element.span.start, element.mark))
            .collect();
        for message in &mut transcript.messages {
            let mark = marks.get(&message.span.start).copied().unwrap_or_default();
            message.earlier_summary = mark == ElementMark::Summary;
            message.joined |= mark == ElementMark::Joined;
            if mark == ElementMark::Pinned {
                message.logged_role = Some(std::mem::replace(&mut message.role, Role::Developer));
            }
        }
        let source = |element: &ThreadElement| ElementSource {
            element: element.span,
            places: element
                .places
                .iter()
                .map(|(at, span)| (index_of(*at), *span))
                .collect(),
        };
        transcript.sources = elements.iter().map(source).collect();
        // The last record of the transcript is the one that is appended to.
        numbers.push(self.last);
        transcript
            .records
            .extend(numbers.iter().map(|number| records[*number]));
        (transcript, numbers)
    }
}

/// A document without elements that can't be read.
struct RepairedDocument {
    document: Vec<u8>,
    elements: Vec<ThreadElement>,
    bad: Vec<(usize, RecordError)>,
}

fn add(
    document: &mut Vec<u8>,
    elements: &mut Vec<ThreadElement>,
    mark: ElementMark,
    places: Vec<(usize, Span)>,
    json: &[&[u8]],
) {
    if !elements.is_empty() {
        document.extend_from_slice(b", ");
    }
    let start = document.len();
    json.iter()
        .for_each(|part| document.extend_from_slice(part));
    elements.push(ThreadElement {
        span: Span {
            start,
            end: document.len(),
        },
        places,
        mark,
    });
}
