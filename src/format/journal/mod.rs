//! Journals: what agents append to while they work, one line an event. The
//! live conversation is rebuilt from all of them, as the agent itself would
//! see it: one or more threads, each told anew as a document in one of the
//! dialects of model APIs, which that dialect then reads.
//!
//! Nothing that stands in a journal is rewritten. Where the agent has a record
//! for it, a compaction is appended, and reads as what was planned.

mod append;
mod told;

use crate::error::RecordError;
use crate::format::tree::{JsonNode, JsonTree};
use crate::format::{Format, Recognition, Shape, SummaryInsertion, SummaryPlace};
use crate::json::JsonKind;
use crate::json::{decode_literal, encode_literal};
use crate::transcript::journal::WriteMode;
use crate::transcript::splice::Splice;
use crate::transcript::{Record, Role, Transcript};
use std::collections::HashMap;

pub(super) use append::{append_elements, append_lines, digest, uuid};
pub(super) use told::ElementMark;
pub use told::{JournalThread, ThreadTranscript};

type Result<T> = std::result::Result<T, RecordError>;

/// One journal format.
pub trait Journal: Sync {
    /// The name for `--format` and reports.
    fn name(&self) -> &'static str;

    /// One line for `epitome formats`.
    fn help_line(&self) -> &'static str;

    /// How it takes a compaction in.
    fn write_mode(&self) -> WriteMode;

    /// Whether a record is of this format, and what it is then.
    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition>;

    /// Begins to read a journal.
    fn new_reader(&self) -> Box<dyn JournalReader>;

    /// What is appended for a summary with this text: splices of the journal's records. Only asked for where it [writes](Self::write_mode) one.
    fn append_summary(
        &self,
        _: &Transcript<'_>,
        _: &SummaryPlace<'_>,
        _: &str,
    ) -> Vec<(usize, Splice)> {
        Vec::new()
    }

    /// The splices that mark the result in message `index` as cleared. Only asked for where it can.
    fn mark_cleared(&self, _: &Transcript<'_>, _: usize) -> Vec<(usize, Splice)> {
        Vec::new()
    }
}

/// Reads one journal, record by record.
pub trait JournalReader {
    /// Looks at the next record; `at` is its number.
    ///
    /// # Errors
    /// What is wrong with it: it is then left out.
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<()>;

    /// The threads, when all records were seen.
    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread>;
}

/// A journal as a format of the table.
pub(super) struct JournalFormat<J>(pub(super) J);

impl<J: Journal> Format for JournalFormat<J> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn help_line(&self) -> &'static str {
        self.0.help_line()
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        self.0.recognize_record(record)
    }

    fn as_journal(&self) -> Option<&dyn Journal> {
        Some(&self.0)
    }

    fn write_mode(&self) -> WriteMode {
        self.0.write_mode()
    }

    /// What is read of a journal is a document that lives as long as the journal: [`rebuild_journal`] makes it, [`JournalThread::read`] reads it.
    fn read_transcript<'a>(&self, _: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        Err(RecordError::new(format!(
            "{} is a journal: it is rebuilt as a whole",
            self.name()
        )))
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        SummaryInsertion {
            message: None,
            splices: self.0.append_summary(transcript, place, text),
            leaves_list: true,
        }
    }

    fn place_messages(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        messages: &[(Role, String)],
        _: &[u8],
    ) -> SummaryInsertion {
        // The question is the journal's own; the answer is the summary.
        self.place_summary(
            transcript,
            place,
            messages.last().map_or("", |(_, text)| text),
        )
    }

    fn render_message(
        &self,
        _: &Transcript<'_>,
        _: &SummaryPlace<'_>,
        _: Role,
        text: &str,
    ) -> Vec<u8> {
        encode_literal(text)
    }

    fn clear_result(
        &self,
        transcript: &Transcript<'_>,
        index: usize,
        _: &str,
    ) -> Vec<(usize, Splice)> {
        self.0.mark_cleared(transcript, index)
    }
}

/// What became of a journal.
pub struct RebuiltJournal {
    /// Its threads.
    pub threads: Vec<JournalThread>,
    /// Records that could not be read, by number.
    pub bad: Vec<(usize, RecordError)>,
}

/// Rebuilds the threads of a journal. A bad record costs that record.
#[must_use]
pub fn rebuild_journal(journal: &dyn Journal, records: &[&[u8]]) -> RebuiltJournal {
    let mut reader = journal.new_reader();
    let (mut bad, mut kinds) = (Vec::new(), RecordKinds::default());
    for (at, bytes) in records.iter().enumerate() {
        let seen = JsonTree::new(bytes)
            .inspect_err(|_| kinds.skip())
            .and_then(|tree| {
                let root = tree.root();
                kinds.note(root);
                // A list is the journal itself, as one document.
                let is_journal =
                    root.is(JsonKind::Object) || (root.is(JsonKind::Array) && records.len() == 1);
                if is_journal {
                    reader.observe_record(at, root)
                } else {
                    Err(root.wrong("the record", "an object"))
                }
            });
        bad.extend(seen.err().map(|error| (at, error)));
    }
    let mut threads = reader.into_threads(records);
    kinds.leave(&mut threads);
    RebuiltJournal {
        threads: threads.into_iter().map(JournalThread::close).collect(),
        bad,
    }
}

/// What kind of record each is: only few differ.
#[derive(Default)]
struct RecordKinds {
    names: Vec<String>,
    by_name: HashMap<String, usize>,
    of_record: Vec<usize>,
}

impl RecordKinds {
    fn note(&mut self, record: JsonNode<'_>) {
        let kind = |path: &[&str]| {
            record
                .at(path)
                .and_then(JsonNode::text)
                .filter(|kind| !kind.is_empty())
        };
        let name = match (
            kind(&["type"]),
            kind(&["subtype"]).or_else(|| kind(&["payload", "type"])),
        ) {
            (Some(kind), Some(more)) => format!("records of type {kind} ({more})"),
            (Some(kind), None) => format!("records of type {kind}"),
            (None, _) => record.entries().next().map_or_else(
                || "records".to_owned(),
                |(key, _)| {
                    format!(
                        "records with {}",
                        decode_literal(key.slice(record.record()))
                    )
                },
            ),
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
    fn leave(self, threads: &mut [JournalThread]) {
        let mut told = vec![false; self.of_record.len()];
        let records = threads.iter().flat_map(JournalThread::records);
        records.for_each(|at| {
            told.iter_mut()
                .skip(at)
                .take(1)
                .for_each(|told| *told = true)
        });
        let Some(first) = threads.first_mut() else {
            return;
        };
        for (at, &kind) in self
            .of_record
            .iter()
            .enumerate()
            .filter(|(at, kind)| !told[*at] && **kind < self.names.len())
        {
            first.leave(self.names[kind].clone(), at);
        }
    }
}
