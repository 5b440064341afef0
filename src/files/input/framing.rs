//! Cutting a file into stretches of whole records.

use crate::files::input::buffer::{BOM, BufferPool, READ_BYTES, ReadBuffer};
use crate::files::input::entry::{InputEntry, ReadOptions};
use crate::files::input::foreign_file::{recognize_foreign_file, recognize_signature};
use crate::files::input::head::{self, DetectedFormat, FramingKind};
use crate::files::input::unit::{
    InputFault, LastRecordByThread, UnitContents, UnitItem, UnitItemKind,
};
use crate::files::input::value_scanner::{ScannedPart, ValueScanner};
use crate::files::input::{compression::decode, error::FramingError};
use crate::reading::format::Shape;
use std::io::{Read, Write};
use std::ops::Range;

/// The size in bytes that a unit aims at: large enough that handing it out is cheap, and small
/// enough that it is still in the processor's cache when it is worked on.
const UNIT_BYTES: usize = 256 << 10;

/// A possible cause of a file that ends too early, to be appended to a message.
pub(crate) const UNTERMINATED: &str = " (unterminated; the file may still be written)";

/// A file whose framing and format were detected.
pub(super) struct OpenedFile {
    pub(super) detected: DetectedFormat,
    pub(super) framing: FileFraming,
}

/// The state of reading one file.
pub(super) struct FileFraming {
    pub(super) kind: FramingKind,
    buffer: ReadBuffer,
    /// The line where the next item begins, from 1.
    line: u64,
    /// The number of bytes before the next item in that line. Not used for lines, which begin at 0.
    column: u64,
    /// The ends of threads, if each record is one message.
    threads: Option<LastRecordByThread>,
    /// True if the whole file is one unit, as for a journal.
    is_single_unit: bool,
    records: u64,
    /// True within a line that is too long to be kept in memory.
    in_oversize_line: bool,
    scanner: ValueScanner,
    at_start: bool,
}

/// Detects framing and format of a file and prepares to read it.
pub(super) fn open(
    reader: Box<dyn Read + Send>,
    input: &InputEntry,
    options: ReadOptions,
    pool: BufferPool,
) -> Result<OpenedFile, FramingError> {
    let mut buffer = ReadBuffer::new(reader, pool.clone());
    let blank_start = if head::is_blank(&mut buffer)? {
        Some(reopen_twice(&mut buffer, input, options)?)
    } else {
        None
    };
    let mut behind_blanks;
    let head = match blank_start {
        Some([again, ahead]) => {
            buffer.restart(again);
            behind_blanks = ReadBuffer::new(ahead, pool);
            behind_blanks.skip_blanks()?;
            &mut behind_blanks
        }
        None => &mut buffer,
    };
    let (kind, first) = head::detect_framing(head, options)?;
    let detected = head::detect_format(head, kind, first, options)?;
    let foreign = if detected.has_known_records {
        recognize_signature(head.bytes())
    } else {
        recognize_foreign_file(head.bytes())
    };
    if let Some(file) = foreign {
        return Err(FramingError::Foreign(file));
    }
    let shape = detected.shape;
    if kind == FramingKind::Values && shape != Shape::Conversation {
        return Err(FramingError::MessagesOverLines);
    }
    let mut framing = FileFraming {
        kind,
        buffer,
        line: 1,
        column: 0,
        threads: None,
        is_single_unit: kind == FramingKind::Lines && shape == Shape::Journal,
        records: 0,
        in_oversize_line: false,
        scanner: if kind == FramingKind::Values {
            ValueScanner::of_stream()
        } else {
            ValueScanner::of_array()
        },
        at_start: true,
    };
    if shape == Shape::Message {
        framing.find_thread_ends(input, options)?;
    }
    Ok(OpenedFile { detected, framing })
}

/// Opens a file two more times at its beginning. The rest of a pipe is copied to a temporary file
/// for it, behind the bytes in `buffer`.
fn reopen_twice(
    buffer: &mut ReadBuffer,
    input: &InputEntry,
    options: ReadOptions,
) -> Result<[Box<dyn Read + Send>; 2], FramingError> {
    if input.is_regular {
        return Ok([
            decode(input.open()?, options)?.reader,
            decode(input.open()?, options)?.reader,
        ]);
    }
    let mut copy = tempfile::NamedTempFile::new().map_err(FramingError::CreatePipeCopy)?;
    copy.write_all(buffer.bytes()).map_err(FramingError::WritePipeCopy)?;
    std::io::copy(&mut buffer.reader, &mut copy).map_err(FramingError::WritePipeCopy)?;
    Ok([Box::new(copy.reopen()?), Box::new(copy.reopen()?)])
}

impl FileFraming {
    /// Makes the first pass over a file of one message per line.
    fn find_thread_ends(
        &mut self,
        input: &InputEntry,
        options: ReadOptions,
    ) -> Result<(), FramingError> {
        let [again, first_pass] = reopen_twice(&mut self.buffer, input, options)?;
        self.buffer.restart(again);
        let limit = max_unit_bytes(options);
        self.threads = Some(LastRecordByThread::scan_lines(first_pass, limit)?);
        Ok(())
    }

    /// Returns the next unit of the file.
    pub(super) fn next_unit(&mut self, options: ReadOptions) -> Result<UnitContents, FramingError> {
        match self.kind {
            FramingKind::Lines => self.next_lines(options),
            FramingKind::Elements | FramingKind::Values => self.next_values(options),
            FramingKind::Document => self.read_document(options),
        }
    }

    /// Returns whole lines until there are enough bytes or records, and all threads in the unit
    /// have ended.
    fn next_lines(&mut self, options: ReadOptions) -> Result<UnitContents, FramingError> {
        let mut contents = UnitContents { records_before: self.records, ..UnitContents::default() };
        let mut at = 0;
        let mut unit_records = 0;
        let mut open_until = 0;
        // A message must not get lost in the middle of its thread: there the limit is on all lines
        // together.
        let unit_limit =
            (self.is_single_unit || self.threads.is_some()).then(|| max_unit_bytes(options));
        let limit = unit_limit.unwrap_or(options.limits.max_record_bytes);
        loop {
            let end = match self.buffer.line_end(at, limit)? {
                Some(end) => end,
                None if self.buffer.eof => break,
                None if unit_limit.is_some() => return Err(self.unit_too_long(limit)),
                None if at > 0 => break,
                None => self.buffer.bytes().len(),
            };
            let had_records = self.records;
            open_until = self.push_line(at..end, limit, &mut contents).max(open_until);
            at = end;
            if unit_limit.is_some_and(|limit| at > limit) {
                return Err(self.unit_too_long(limit));
            }
            unit_records += usize::from(self.records > had_records);
            let threads_ended = self.threads.is_none() || self.records > open_until;
            if threads_ended
                && !self.is_single_unit
                && (at >= UNIT_BYTES || unit_records >= options.records_per_unit)
            {
                break;
            }
        }
        Ok(self.finish_unit(contents, at))
    }

    /// Returns the error that lines which belong together exceed the limit.
    fn unit_too_long(&self, limit: usize) -> FramingError {
        if self.is_single_unit {
            FramingError::JournalTooLong { limit }
        } else {
            FramingError::ThreadsTooLong { line: self.line, limit }
        }
    }

    /// Moves the first `length` bytes of the buffer into the unit.
    fn finish_unit(&mut self, mut contents: UnitContents, length: usize) -> UnitContents {
        contents.bytes = self.buffer.take_front(length);
        contents.is_last = self.buffer.eof && self.buffer.bytes().is_empty();
        contents
    }

    /// Adds the items of a line. Returns the index of the last record in the line's thread, or 0 if
    /// records are not single messages.
    fn push_line(&mut self, span: Range<usize>, limit: usize, contents: &mut UnitContents) -> u64 {
        let line = self.line;
        let bytes = &self.buffer.bytes()[span.clone()];
        let ends = bytes.last() == Some(&b'\n');
        let line_start = span.start;
        if self.in_oversize_line || span.len() > limit {
            contents.push_line_item(span, line, line_start, UnitItemKind::Between);
            if !self.in_oversize_line {
                contents.faults.push(InputFault {
                    line,
                    column: None,
                    reason: oversize_reason(limit),
                });
            }
            self.in_oversize_line = !ends;
            self.line += u64::from(ends);
            return 0;
        }
        let drops_bom = std::mem::take(&mut self.at_start);
        let record = contents.push_line(self.buffer.bytes(), span, line, drops_bom);
        let mut open_until = 0;
        if let Some(record) = record {
            let record = &self.buffer.bytes()[record];
            if let Some(threads) = &self.threads {
                open_until = threads.last_index(record.trim_ascii());
            }
            self.records += 1;
        }
        self.line += u64::from(ends);
        open_until
    }

    /// Returns whole elements of the array, or records of the stream, with the text between them.
    fn next_values(&mut self, options: ReadOptions) -> Result<UnitContents, FramingError> {
        let limit = options.limits.max_record_bytes;
        let mut contents = UnitContents { records_before: self.records, ..UnitContents::default() };
        let mut unit_records = 0;
        let mut at = 0;
        if std::mem::take(&mut self.at_start) && self.buffer.bytes().starts_with(BOM) {
            at = BOM.len();
            self.push_item(0..at, UnitItemKind::Dropped, &mut contents);
        }
        while at < UNIT_BYTES && unit_records < options.records_per_unit {
            let rest = &self.buffer.bytes()[at..];
            let Some(part) = self.scanner.next_part(rest, self.buffer.eof) else {
                if self.buffer.eof {
                    break;
                }
                // The comparison must not depend on how much happens to be read.
                if rest.len() > limit.max(head::HEAD_BYTES) {
                    return Err(FramingError::RecordTooLong { line: self.line, limit });
                }
                let most = limit.max(2 * head::HEAD_BYTES).saturating_add(1);
                let wanted = (rest.len() * 2).max(READ_BYTES).min(most);
                self.buffer.fill_to(at + wanted)?;
                continue;
            };
            self.push_scanned_part(at, part, limit, &mut contents);
            at += part.length;
            unit_records += usize::from(part.is_element);
            self.records += u64::from(part.is_element);
        }
        let mut contents = self.finish_unit(contents, at);
        if contents.is_last && self.scanner.is_open() {
            contents.faults.push(self.fault_here(format!("the array is not closed{UNTERMINATED}")));
        }
        Ok(contents)
    }

    /// Adds a part that begins at `at`, with its faults. An element above the limit is
    /// copied without being parsed.
    fn push_scanned_part(
        &mut self,
        at: usize,
        part: ScannedPart,
        limit: usize,
        contents: &mut UnitContents,
    ) {
        let is_oversize = part.is_element && part.length > limit;
        let reasons = part
            .fault
            .map(str::to_owned)
            .into_iter()
            .chain(is_oversize.then(|| oversize_reason(limit)));
        contents.faults.extend(reasons.map(|reason| self.fault_here(reason)));
        let kind = if part.is_element && !is_oversize {
            UnitItemKind::Record
        } else {
            UnitItemKind::Between
        };
        self.push_item(at..at + part.length, kind, contents);
    }

    /// Adds an item of a file that is not read by lines, and moves `line` and `column` to its end.
    fn push_item(&mut self, span: Range<usize>, kind: UnitItemKind, contents: &mut UnitContents) {
        let bytes = &self.buffer.bytes()[span.clone()];
        let item = UnitItem { span, line: self.line, column: self.column, kind };
        let (line, column) = item.place(bytes, bytes.len());
        (self.line, self.column) = (line, column - 1);
        contents.items.push(item);
    }

    /// Returns a fault at the place of the next item.
    fn fault_here(&self, reason: String) -> InputFault {
        InputFault { line: self.line, column: Some(self.column + 1), reason }
    }

    /// Returns the whole file as one record.
    fn read_document(&mut self, options: ReadOptions) -> Result<UnitContents, FramingError> {
        let limit = options.limits.max_record_bytes;
        self.buffer.fill_to(limit.saturating_add(1))?;
        let count = self.buffer.bytes().len();
        if count > limit {
            return Err(FramingError::DocumentTooLong { limit });
        }
        let bytes = self.buffer.bytes();
        let bom = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let start = bom + bytes[bom..].len() - bytes[bom..].trim_ascii_start().len();
        let end = bytes.trim_ascii_end().len().max(start);
        let items = [
            (0..bom, UnitItemKind::Dropped),
            (bom..start, UnitItemKind::Between),
            (start..end, UnitItemKind::Record),
            (end..count, UnitItemKind::Between),
        ];
        let mut contents = UnitContents::default();
        items
            .into_iter()
            .filter(|(span, _)| !span.is_empty())
            .for_each(|(span, kind)| self.push_item(span, kind, &mut contents));
        Ok(self.finish_unit(contents, count))
    }
}

/// Returns the fault of a record that is copied without being parsed, because it exceeds the limit.
pub(super) fn oversize_reason(limit: usize) -> String {
    format!("longer than {limit} bytes (--max-record-bytes), left unchanged")
}

/// Returns the number of bytes that a unit of lines which belong together may have.
fn max_unit_bytes(options: ReadOptions) -> usize {
    options.limits.max_record_bytes.max(head::HEAD_BYTES)
}
