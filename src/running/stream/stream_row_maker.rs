//! Makes the row of a piece of the stream.

use crate::base::error::describe_with_causes;
use crate::base::sha256::Sha256;
use crate::base::stop_flag::StopFlag;
use crate::files::archive::history::SectionClock;
use crate::files::input::{InputUnit, LineUnits, ReadOptions, UnitItemKind, units_in_memory};
use crate::reading::format::{self, Format, Shape};
use crate::reporting::report::token_counts::{CountRow, TokenCounts};
use crate::reporting::report::{ReportedUsage, TranscriptReport};
use crate::running::compaction::{
    Archive, ArchivePlace, CompactedUnit, CompactionError, EntryKinds, Job, KeptFile, Planned,
    UnitCompaction, UnitCompactor,
};
use crate::running::conversation::{
    Conversation, UnitRecord, catch_panic, claim_content_names, read_unit,
};
use crate::running::stream::piece_reader::{InputPiece, PieceKind};
use crate::running::stream::row::{
    InputPlace, ROW_VERSION, RemovedFile, RowReport, RowUndo, StreamRow, remove_place,
};
use crate::settings::Settings;
use crate::settings::cli::{StreamJob, StreamUndo};
use crate::summary::Summarizer;
use std::cell::LazyCell;
use std::ops::Range;

/// The name of the stream in errors.
const STREAM: &str = "stdin";

pub(crate) struct StreamRowMaker<'s> {
    pub(crate) settings: &'s Settings,
    pub(crate) summarizer: Option<&'s dyn Summarizer>,
    pub(crate) clock: SectionClock,
    pub(crate) reading: ReadOptions,
    pub(crate) lines: &'s LineUnits,
    pub(crate) kind: PieceKind,
    pub(crate) job: StreamJob,
    pub(crate) undo: StreamUndo,
    /// Rows hold the archive files of what was removed.
    pub(crate) keeps_removed: bool,
    pub(crate) stop: &'s StopFlag,
}

/// The contents of a row while the units of its piece are worked on.
#[derive(Default)]
struct RowParts {
    /// The bytes of the units before.
    input: u64,
    record: Vec<u8>,
    undo: Vec<RowUndo>,
    removed: Vec<KeptFile>,
    reports: Vec<RowReport>,
    /// The originals in the bytes of the unit that `undo` holds.
    originals: Vec<Original>,
}

/// The bytes of a unit that an undo puts back.
struct Original {
    /// The index of the undo.
    undo: usize,
    place: Range<usize>,
}

impl RowParts {
    /// Stores the originals of a unit. The longest takes the memory of the unit: there is none for
    /// a second copy of a long message.
    fn store_originals(&mut self, mut unit: Vec<u8>) {
        let mut originals = std::mem::take(&mut self.originals);
        originals.sort_by_key(|original| original.place.len());
        let Some(longest) = originals.pop() else {
            return;
        };
        for Original { undo, place } in originals {
            self.undo[undo].bytes = Some(unit[place].to_vec().into());
        }
        unit.truncate(longest.place.end);
        unit.drain(..longest.place.start);
        self.undo[longest.undo].bytes = Some(unit.into());
    }
}

impl StreamRowMaker<'_> {
    /// Makes the row of a piece. Whatever goes wrong, it is a row.
    pub(crate) fn make_row(&self, piece: InputPiece) -> StreamRow {
        let InputPiece { line, lines, bytes } = piece;
        let mut parts = RowParts::default();
        match self.cut_units(bytes, line) {
            Ok(units) => {
                for unit in units {
                    self.add_unit(&unit, line, &mut parts);
                    parts.store_originals(unit.bytes);
                }
            }
            Err(unreadable) => {
                parts.record = unreadable.bytes;
                parts.reports.push(self.failed_report(line, unreadable.error));
            }
        }
        self.finish_row(parts, line, lines)
    }

    /// Cuts a piece into units.
    fn cut_units(&self, bytes: Vec<u8>, line: u64) -> Result<Vec<InputUnit>, UnreadablePiece> {
        let document = match self.kind {
            PieceKind::Line => return Ok(vec![self.lines.unit(bytes, line)]),
            PieceKind::Thread => bytes,
            PieceKind::Document => match serde_json::from_slice::<String>(&bytes) {
                Ok(text) => text.into_bytes(),
                Err(error) => {
                    let mut bytes = bytes;
                    remove_line_end(&mut bytes);
                    let error = format!("it is not a JSON string that holds a file: {error}");
                    return Err(UnreadablePiece { bytes, error });
                }
            },
        };
        let units = units_in_memory(STREAM, document.clone(), self.reading);
        units.map_err(|error| UnreadablePiece {
            error: describe_with_causes(&error),
            bytes: document,
        })
    }

    fn add_unit(&self, unit: &InputUnit, line: u64, parts: &mut RowParts) {
        let mut records = read_unit(unit, self.settings);
        if self.kind == PieceKind::Line {
            name_format_of_lines(unit, &mut records);
        }
        claim_content_names(&mut records);
        match self.job {
            StreamJob::Compact => self.add_compacted(unit, &records, parts),
            StreamJob::Plan => {
                let plans = records.iter().map(|record| self.plan(record, line));
                parts.reports.extend(plans);
            }
            StreamJob::Count => {
                let counts = records.iter().map(|record| self.count(record, line));
                parts.reports.extend(counts);
            }
        }
        parts.input += unit.bytes.len() as u64;
    }

    fn add_compacted(&self, unit: &InputUnit, records: &[UnitRecord<'_>], parts: &mut RowParts) {
        let kinds = EntryKinds::none();
        let mut compaction = UnitCompaction::new(
            unit,
            UnitCompactor {
                settings: self.settings,
                summarizer: self.summarizer,
                job: Job::Compact,
                archive: Archive { place: ArchivePlace::Memory, clock: self.clock },
                measures_retention: false,
                entry_kinds: &kinds,
                shows_texts: false,
                stop: self.stop,
            },
        );
        for record in records {
            let begun = compaction.begin(record);
            compaction.finish_conversation(begun);
        }
        let compacted = compaction.finish();
        self.add_undo(unit, &compacted, parts);
        // Writing into memory can't fail.
        let _ = compacted.bytes.write_to(&unit.bytes, &mut parts.record);
        if self.keeps_removed {
            parts.removed.extend(compacted.kept_files);
        }
        for reported in &compacted.reports {
            let (report, over_limit) = (&reported.report, reported.over_limit);
            let report = RowReport::from_transcript(report, over_limit);
            parts.reports.push(report);
        }
    }

    fn add_undo(&self, unit: &InputUnit, compacted: &CompactedUnit, parts: &mut RowParts) {
        let base = parts.record.len() as u64;
        for removed in &compacted.originals {
            let original = &removed.undo.original;
            let bytes = &unit.bytes[original.clone()];
            let mut input = None;
            match self.undo {
                StreamUndo::Bytes => parts
                    .originals
                    .push(Original { undo: parts.undo.len(), place: original.clone() }),
                StreamUndo::Reference => {
                    input = Some(InputPlace {
                        at: parts.input + original.start as u64,
                        len: bytes.len() as u64,
                        sha256: Sha256::from_bytes(bytes).hex_prefix(64),
                    });
                }
                StreamUndo::None => return,
            }
            parts.undo.push(RowUndo {
                at: base + removed.undo.at,
                len: removed.undo.len,
                bytes: None,
                input,
            });
        }
    }

    fn plan(&self, record: &UnitRecord<'_>, line: u64) -> RowReport {
        self.report_conversation(record, line, |conversation| {
            let mut planned = Planned::decide(conversation, self.settings)?;
            let (report, is_over_limit) = planned.expected_report(Job::Compact, STREAM);
            Ok(RowReport::from_transcript(&report, is_over_limit))
        })
    }

    fn count(&self, record: &UnitRecord<'_>, line: u64) -> RowReport {
        self.report_conversation(record, line, |conversation| {
            let counter = conversation.counter(self.settings);
            let ledger = conversation.ledger(counter);
            let row = CountRow {
                thread_id: &conversation.thread_id,
                file: STREAM,
                line,
                model: conversation.model.as_deref(),
                input_limit: conversation.input_limit,
                counter: counter.name(),
                counts: &TokenCounts::from_ledger(&conversation.transcript, &ledger),
                usage: ReportedUsage::from_transcript(
                    &conversation.transcript, &conversation.message_tokens,
                    conversation.tool_tokens,
                ),
                compared: None,
            };
            let mut entry = row.to_json(false);
            remove_place(&mut entry);
            Ok(RowReport {
                thread_id: Some(conversation.thread_id.clone()),
                format: Some(conversation.format.name()),
                entry,
                ..RowReport::default()
            })
        })
    }

    /// Reports a conversation, or the error that it can't be read or looked at.
    fn report_conversation(
        &self,
        record: &UnitRecord<'_>,
        line: u64,
        report: impl FnOnce(&Conversation<'_>) -> Result<RowReport, CompactionError>,
    ) -> RowReport {
        match record {
            UnitRecord::Conversation(conversation) => {
                let reported = catch_panic(|| report(conversation));
                reported.unwrap_or_else(|error: CompactionError| {
                    let counter = conversation.counter(self.settings);
                    let mut report = conversation.report(STREAM, counter.name());
                    report.error = Some(error.to_string());
                    RowReport::from_transcript(&report, false)
                })
            }
            UnitRecord::Unreadable(failure) => RowReport {
                column: failure.column,
                ..self.failed_report(line, failure.error.clone())
            },
        }
    }

    fn failed_report(&self, line: u64, error: String) -> RowReport {
        let counter = self.settings.counter(None, None).name();
        let format = self.reading.format.map(Format::name);
        let report = TranscriptReport::unreadable(STREAM, line, format, counter, error);
        RowReport::from_transcript(&report, false)
    }

    fn finish_row(&self, parts: RowParts, line: u64, lines: u64) -> StreamRow {
        let RowParts { mut record, undo, removed, reports, .. } = parts;
        if self.kind == PieceKind::Line {
            remove_line_end(&mut record);
        }
        let carries_out = self.job == StreamJob::Compact;
        let removed = removed
            .into_iter()
            .map(|file| RemovedFile { name: file.name, text: file.bytes.into() });
        let statuses = reports.iter().map(|report| report.status);
        let failed = reports.iter().find(|report| report.error.is_some());
        let mut row = StreamRow {
            v: ROW_VERSION,
            line,
            lines,
            unit: self.kind,
            // That of its conversations which matters most.
            status: statuses.max().unwrap_or_default(),
            thread_id: reports.iter().find_map(|report| report.thread_id.clone()),
            format: reports.iter().find_map(|report| report.format.map(str::to_owned)),
            record: carries_out.then(|| record.into()),
            removed: (carries_out && self.keeps_removed).then(|| removed.collect()),
            undo: (carries_out && self.undo != StreamUndo::None).then_some(undo),
            report: None,
            more_reports: Vec::new(),
            column: failed.and_then(|report| report.column),
            error: failed.and_then(|report| report.error.clone()),
            over_limit: reports.iter().any(|report| report.over_limit),
        };
        let mut entries = reports.into_iter().map(|report| report.entry);
        row.report = entries.next();
        row.more_reports = entries.collect();
        row
    }
}

/// A piece that is not read at all.
struct UnreadablePiece {
    bytes: Vec<u8>,
    error: String,
}

fn remove_line_end(bytes: &mut Vec<u8>) {
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
}

/// Names the format of a line that is part of a conversation over several lines, and what reads it.
fn name_format_of_lines(unit: &InputUnit, records: &mut [UnitRecord<'_>]) {
    if unit.file.is_format_named {
        return;
    }
    // Each message that can't be read is such a record: the format of the line is asked for once.
    let detected = LazyCell::new(|| {
        let mut items = unit.items.iter();
        let item = items.find(|item| item.kind == UnitItemKind::Record)?;
        format::detect_format([unit.bytes[item.span.clone()].trim_ascii()])
    });
    for record in records {
        if let UnitRecord::Unreadable(failure) = record
            && let Some((format, Shape::Message | Shape::Journal)) = *detected
        {
            failure.error = format!(
                "a line of {}, whose conversations take several lines: --thread-key KEY takes lines \
                 that belong together, --document whole files",
                format.name()
            );
        }
    }
}
