//! Cuts a file into stretches of whole records.

use crate::format::{Format, Shape};
use crate::input::buffer::{BOM, Buffer, BufferPool, READ_BYTES};
use crate::input::elements::{ArrayElements, ArrayPart};
use crate::input::files::InputEntry;
use crate::input::head::{self, FramingKind};
use crate::input::threads::LastRecordByThread;
use crate::input::{
    InputFault, ReadOptions, UNIT_BYTES, UNTERMINATED, UnitItem, UnitItemKind, compression,
};
use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::ops::Range;

/// What a file turned out to be.
pub(super) struct OpenedFile {
    pub(super) format: Option<&'static dyn Format>,
    pub(super) shape: Shape,
    pub(super) framing: FileFraming,
}

/// A stretch of the file.
#[derive(Default)]
pub(super) struct UnitContents {
    pub(super) bytes: Vec<u8>,
    pub(super) items: Vec<UnitItem>,
    pub(super) faults: Vec<InputFault>,
    pub(super) is_last: bool,
    /// How many records of the file lie before it.
    pub(super) records_before: u64,
}

/// Cuts a file into stretches.
pub(super) struct FileFraming {
    kind: FramingKind,
    buffer: Buffer,
    line: u64,
    /// The bytes of that line before what comes next; lines themselves begin at 0.
    column: u64,
    /// For one message a record: where threads end.
    threads: Option<LastRecordByThread>,
    /// Whether the file is one stretch: a journal.
    whole: bool,
    records: u64,
    /// Inside a line that is too long to be kept.
    oversize: bool,
    elements: ArrayElements,
    at_start: bool,
}

/// Looks at the beginning of a file and decides how to read it.
pub(super) fn open(
    reader: Box<dyn Read + Send>,
    input: &InputEntry,
    reading: ReadOptions,
    spares: BufferPool,
) -> Result<OpenedFile> {
    let mut buffer = Buffer::new(reader, spares);
    let (kind, first) = head::kind(&mut buffer, reading)?;
    let (format, shape) = head::detect(&mut buffer, kind, first, reading)?;
    let elements = ArrayElements::default();
    let mut framing = FileFraming {
        kind,
        buffer,
        line: 1,
        column: 0,
        threads: None,
        whole: kind == FramingKind::Lines && shape == Shape::Journal,
        records: 0,
        oversize: false,
        elements,
        at_start: true,
    };
    if shape == Shape::Message {
        framing.find_threads(input)?;
    }
    Ok(OpenedFile {
        format,
        shape,
        framing,
    })
}

impl FileFraming {
    /// First pass over a file of one message a line. A pipe is copied to a temporary file for it.
    fn find_threads(&mut self, input: &InputEntry) -> Result<()> {
        let again: Box<dyn Read + Send> = if input.is_regular {
            compression::decoder(input.open()?)?.0
        } else {
            let mut spool =
                tempfile::NamedTempFile::new().context("can't make a temporary copy of a pipe")?;
            spool
                .write_all(self.buffer.bytes())
                .context("can't write the temporary copy of a pipe")?;
            std::io::copy(&mut self.buffer.reader, &mut spool)
                .context("can't write the temporary copy of a pipe")?;
            self.buffer.reader = Box::new(spool.reopen()?);
            self.buffer.clear();
            Box::new(spool.reopen()?)
        };
        self.threads = Some(LastRecordByThread::of(again)?);
        Ok(())
    }

    /// The next stretch of the file.
    pub(super) fn next(&mut self, reading: ReadOptions) -> Result<UnitContents> {
        match self.kind {
            FramingKind::Lines => self.next_lines(reading),
            FramingKind::Elements => self.next_elements(reading),
            FramingKind::Document => self.document(reading),
        }
    }

    /// Whole lines, until there are enough bytes or records, or all threads seen have ended.
    fn next_lines(&mut self, reading: ReadOptions) -> Result<UnitContents> {
        let mut stretch = UnitContents {
            records_before: self.records,
            ..UnitContents::default()
        };
        let mut at = 0;
        let mut taken = 0;
        let mut open_until = 0;
        // A message must not get lost in the middle of its thread: there any length is read.
        let most = if self.whole || self.threads.is_some() {
            usize::MAX
        } else {
            reading.max_record_bytes
        };
        loop {
            let end = match self.buffer.line_end(at, most)? {
                Some(end) => end,
                None if self.buffer.eof || at > 0 => break,
                None => self.buffer.bytes().len(),
            };
            let had_records = self.records;
            self.line_items(at..end, most, &mut stretch, &mut open_until);
            at = end;
            taken += usize::from(self.records > had_records);
            let whole_threads = self.threads.is_none() || self.records > open_until;
            if whole_threads
                && !self.whole
                && (at >= UNIT_BYTES || taken >= reading.records_per_unit)
            {
                break;
            }
        }
        Ok(self.handed_out(stretch, at))
    }

    fn handed_out(&mut self, mut stretch: UnitContents, length: usize) -> UnitContents {
        stretch.bytes = self.buffer.take(length);
        stretch.is_last = self.buffer.eof && self.buffer.bytes().is_empty();
        stretch
    }

    fn line_items(
        &mut self,
        span: Range<usize>,
        most: usize,
        stretch: &mut UnitContents,
        open_until: &mut u64,
    ) {
        let line = self.line;
        let bytes = &self.buffer.bytes()[span.clone()];
        let ends = bytes.last() == Some(&b'\n');
        let line_start = span.start;
        let mut item = |span: Range<usize>, kind| {
            if !span.is_empty() {
                let column = (span.start - line_start) as u64;
                stretch.items.push(UnitItem {
                    span,
                    line,
                    column,
                    kind,
                });
            }
        };
        if self.oversize || span.len() > most {
            item(span, UnitItemKind::Between);
            if !self.oversize {
                stretch.faults.push(InputFault {
                    line,
                    column: None,
                    reason: too_long(most),
                });
            }
            self.oversize = !ends;
            self.line += u64::from(ends);
            return;
        }
        let mut start = span.start;
        if std::mem::take(&mut self.at_start) && bytes.starts_with(BOM) {
            item(start..start + BOM.len(), UnitItemKind::Dropped);
            start += BOM.len();
        }
        let mut end = span.end - usize::from(ends);
        let returned = ends && end > start && self.buffer.bytes()[end - 1] == b'\r';
        end -= usize::from(returned);
        let record = &self.buffer.bytes()[start..end];
        if record.trim_ascii().is_empty() {
            item(start..end, UnitItemKind::Between);
        } else {
            item(start..end, UnitItemKind::Record);
            if let Some(threads) = &self.threads {
                *open_until = threads.last_of(record.trim_ascii()).max(*open_until);
            }
            self.records += 1;
        }
        if returned {
            item(end..end + 1, UnitItemKind::Dropped);
        }
        item(
            span.end - usize::from(ends)..span.end,
            UnitItemKind::Between,
        );
        self.line += u64::from(ends);
    }

    /// Whole elements of the array that the document is, and what stands between them.
    fn next_elements(&mut self, reading: ReadOptions) -> Result<UnitContents> {
        let most = reading.max_record_bytes;
        let mut stretch = UnitContents {
            records_before: self.records,
            ..UnitContents::default()
        };
        let mut records = 0;
        let mut at = 0;
        if std::mem::take(&mut self.at_start) && self.buffer.bytes().starts_with(BOM) {
            at = BOM.len();
            self.add_item(0..at, UnitItemKind::Dropped, &mut stretch);
        }
        while at < UNIT_BYTES && records < reading.records_per_unit {
            let rest = &self.buffer.bytes()[at..];
            let Some(ArrayPart {
                length,
                is_element,
                fault,
            }) = self.elements.next(rest, self.buffer.eof)
            else {
                if self.buffer.eof {
                    break;
                }
                // How much of it happens to be read is not to decide.
                if rest.len() > most.max(head::HEAD_BYTES) {
                    bail!(
                        "line {}: an element of the array is {}",
                        self.line,
                        longer_than(most)
                    );
                }
                let wanted = at + (rest.len() * 2).max(READ_BYTES);
                self.buffer.fill_to(wanted)?;
                continue;
            };
            let long = is_element && length > most;
            let reasons = fault
                .map(str::to_owned)
                .into_iter()
                .chain(long.then(|| too_long(most)));
            stretch
                .faults
                .extend(reasons.map(|reason| self.fault(reason)));
            let kind = if is_element && !long {
                UnitItemKind::Record
            } else {
                UnitItemKind::Between
            };
            self.add_item(at..at + length, kind, &mut stretch);
            at += length;
            records += usize::from(is_element);
            self.records += u64::from(is_element);
        }
        let mut stretch = self.handed_out(stretch, at);
        if stretch.is_last && self.elements.is_open() {
            stretch
                .faults
                .push(self.fault(format!("the array is not closed{UNTERMINATED}")));
        }
        Ok(stretch)
    }

    /// Adds what comes next where lines are not looked at; what follows it begins at its end.
    fn add_item(&mut self, span: Range<usize>, kind: UnitItemKind, stretch: &mut UnitContents) {
        let bytes = &self.buffer.bytes()[span.clone()];
        let item = UnitItem {
            span,
            line: self.line,
            column: self.column,
            kind,
        };
        let (line, column) = item.place(bytes, bytes.len());
        (self.line, self.column) = (line, column - 1);
        stretch.items.push(item);
    }

    /// What is wrong at the place of what comes next.
    fn fault(&self, reason: String) -> InputFault {
        InputFault {
            line: self.line,
            column: Some(self.column + 1),
            reason,
        }
    }

    /// The whole file as one record.
    fn document(&mut self, reading: ReadOptions) -> Result<UnitContents> {
        self.buffer.fill_to(usize::MAX)?;
        let count = self.buffer.bytes().len();
        if count > reading.max_record_bytes {
            bail!("the document is {}", longer_than(reading.max_record_bytes));
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
        let mut stretch = UnitContents::default();
        items
            .into_iter()
            .filter(|(span, _)| !span.is_empty())
            .for_each(|(span, kind)| self.add_item(span, kind, &mut stretch));
        Ok(self.handed_out(stretch, count))
    }
}

fn longer_than(most: usize) -> String {
    format!("longer than {most} bytes (--max-record-bytes)")
}

fn too_long(most: usize) -> String {
    format!("{}, left as it is", longer_than(most))
}
