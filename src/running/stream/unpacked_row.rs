//! A row as the unit that it was made of, so that it is written as a run writes it.

use crate::files::archive::originals::RemovedBytes;
use crate::files::input::{InputFile, InputUnit, UnitContents};
use crate::files::output::{OutputTree, StagedName};
use crate::reading::transcript::splice::SplicedOutput;
use crate::reporting::report::{json::report_entry, report_entry::ReportEntry};
use crate::running::compaction::{CompactedUnit, UnitReport};
use crate::running::stream::row::{RemovedFile, StreamRow};
use crate::running::stream::row_reader::{RowBytes, StreamRowError};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::sync::Arc;

/// A row as the unit that it was made of.
pub(crate) struct UnpackedRow {
    /// The unit before.
    pub unit: InputUnit,
    /// The unit after.
    pub compacted: CompactedUnit,
}

impl StreamRow {
    /// Makes the unit of a row, which is line `line` of `file`. Its archive files are staged in
    /// `tree`. Fails if the row does not hold everything that a run writes, or a file can't be
    /// written.
    pub(crate) fn unpack(
        mut self,
        file: &Arc<InputFile>,
        line: u64,
        tree: &OutputTree,
    ) -> Result<UnpackedRow, StreamRowError> {
        let bytes = self.take_bytes()?;
        let removed = self.removed.take().ok_or(StreamRowError::NoRemoved)?;
        let archive_files = removed.into_iter().map(|removed| stage_file(removed, tree));
        let archive_files = archive_files.collect::<Result<Vec<_>, StreamRowError>>()?;
        let (leaving, originals) = splice_row(&bytes, line, self.thread_id.as_deref());
        let contents = UnitContents {
            bytes: bytes.restore(),
            records_before: line - 1,
            ..UnitContents::default()
        };
        let unit = InputUnit::new(Arc::clone(file), contents);
        let compacted = CompactedUnit {
            bytes: leaving,
            archived: !originals.is_empty(),
            originals,
            reports: self.unit_reports(&file.name, line)?,
            archive_files,
            ..CompactedUnit::default()
        };
        Ok(UnpackedRow { unit, compacted })
    }

    fn unit_reports(&mut self, file: &str, line: u64) -> Result<Vec<UnitReport>, StreamRowError> {
        let entries = self.report.take().into_iter();
        let entries = entries.chain(std::mem::take(&mut self.more_reports));
        let (column, over_limit) = (self.column, self.over_limit);
        let reports = entries.map(|entry| {
            let has_failed = !entry["error"].is_null();
            let column = column.filter(|_| has_failed);
            let placed = place_entry(&entry, file, line, column);
            let read =
                serde_json::from_value::<ReportEntry>(entry).map_err(StreamRowError::NoRow)?;
            Ok(UnitReport {
                report: read.into_report(file, line, column),
                over_limit,
                entry: vec![report_entry(&placed)],
            })
        });
        reports.collect()
    }
}

/// Returns a unit without bytes, which ends its file.
pub(crate) fn last_unit(file: &Arc<InputFile>, lines: u64) -> UnpackedRow {
    let contents = UnitContents { is_last: true, records_before: lines, ..UnitContents::default() };
    UnpackedRow {
        unit: InputUnit::new(Arc::clone(file), contents),
        compacted: CompactedUnit::default(),
    }
}

/// Puts the place of a record into an entry, behind the thread id.
fn place_entry(entry: &Value, file: &str, line: u64, column: Option<u64>) -> Value {
    let mut placed = Map::new();
    for (key, value) in entry.as_object().into_iter().flatten() {
        placed.insert(key.clone(), value.clone());
        if key == "thread_id" {
            placed.insert("file".to_owned(), json!(file));
            placed.insert("line".to_owned(), json!(line));
            placed.insert("column".to_owned(), json!(column));
        }
    }
    Value::Object(placed)
}

fn stage_file(removed: RemovedFile, tree: &OutputTree) -> Result<StagedName, StreamRowError> {
    let bytes = removed.text.into_bytes().ok_or(StreamRowError::NoBase64)?;
    let write = |out: &mut dyn Write| out.write_all(&bytes);
    let staged = tree.write_archive_file(removed.name.as_path(), true, write);
    staged.map_err(StreamRowError::Write)
}

/// Returns the record as ranges of the input and new bytes, and what was removed.
fn splice_row(
    row: &RowBytes,
    line: u64,
    thread_id: Option<&str>,
) -> (SplicedOutput, Vec<RemovedBytes>) {
    let mut leaving = SplicedOutput::default();
    let mut originals = Vec::new();
    // Offsets in the record and in the input.
    let (mut at, mut original) = (0, 0);
    let mut line = line;
    for undo in &row.undo {
        let kept = undo.at - at;
        leaving.keep_range(original..original + kept);
        line += count_lines(&row.record[at..undo.at]);
        original += kept;
        at = undo.at + undo.len;
        let range = original..original + undo.bytes.len();
        original = range.end;
        // Bytes that no stage removed belong to no thread.
        let is_dropped =
            undo.len == 0 && (undo.bytes == b"\r" || undo.bytes == "\u{feff}".as_bytes());
        originals.push(RemovedBytes {
            undo: leaving.replace_range(range, row.record[undo.at..at].to_vec()),
            line,
            thread_id: thread_id.filter(|_| !is_dropped).map(str::to_owned),
        });
        line += count_lines(&undo.bytes);
    }
    leaving.keep_range(original..original + row.record.len() - at);
    (leaving, originals)
}

fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
