//! What a file is, told by its beginning and never by its name: lines, the
//! elements of an array, or one document; and of which format.

use crate::format::{self, Format, FormatVerdict, Shape};
use crate::input::buffer::{BOM, Buffer};
use crate::input::elements::ArrayElements;
use crate::input::{DetectionReport, ReadOptions};
use crate::json;
use anyhow::Result;
use std::ops::Range;

/// How far the beginning is looked at.
pub(super) const HEAD_BYTES: usize = 1 << 20;

/// How far one value is looked at: shorter ones tell what the file is, also where they are too long to be worked on.
fn most(reading: ReadOptions) -> usize {
    reading.max_record_bytes.max(HEAD_BYTES)
}

/// How a file falls into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FramingKind {
    /// One record a line.
    Lines,
    /// The elements of the one array that the document is, each a conversation.
    Elements,
    /// The whole file is one record.
    Document,
}

impl FramingKind {
    /// What records are in such a file: only lines can be one message each, an element can't go without breaking the array around it.
    fn shape(self, seen: Option<Shape>) -> Shape {
        seen.filter(|_| self == Self::Lines)
            .unwrap_or(Shape::Conversation)
    }
}

/// How a file falls into records; and what its first line says, if that is one: it can be the whole file, and is read once.
pub(super) fn kind(
    buffer: &mut Buffer,
    reading: ReadOptions,
) -> Result<(FramingKind, FormatVerdict)> {
    let mut first = FormatVerdict::default();
    let is_array = buffer.first_byte()? == Some(b'[');
    if is_array && holds_conversations(buffer, reading)? {
        return Ok((FramingKind::Elements, first));
    }
    let Some(line) = buffer.first_line(most(reading))? else {
        return Ok((FramingKind::Lines, first));
    };
    let text = buffer.bytes()[line.clone()].trim_ascii();
    // Where the user names the format nobody votes.
    let is_json = if reading.format.is_some() {
        json::validate_json(text).is_ok()
    } else {
        first.observe_record(text)
    };
    let kind = if is_json {
        FramingKind::Lines
    } else {
        kind_of_lines(buffer, line, reading)?
    };
    Ok((kind, first))
}

/// How a file falls into records whose first line is none.
fn kind_of_lines(
    buffer: &mut Buffer,
    line: Range<usize>,
    reading: ReadOptions,
) -> Result<FramingKind> {
    let text = buffer.bytes()[line.clone()].trim_ascii();
    let opens_only = matches!(text, b"{" | b"[");
    // A value over several lines is read whole anyway, so it is looked at until it is certain. What the end of the
    // file cuts is a bad line, unless it opens as only documents do.
    let mut looked_at = line.start + HEAD_BYTES;
    loop {
        buffer.fill_to(looked_at)?;
        let head = &buffer.bytes()[line.start..];
        if json::validate_json(head).is_ok() {
            return Ok(FramingKind::Document);
        }
        if !json::is_unfinished_json(head) {
            return Ok(FramingKind::Lines);
        }
        if buffer.eof || head.len() > most(reading) {
            return Ok(if !buffer.eof || opens_only {
                FramingKind::Document
            } else {
                FramingKind::Lines
            });
        }
        looked_at = buffer.bytes().len() * 2;
    }
}

/// Whether the elements of an array are conversations of their own: the first that any format knows tells.
fn holds_conversations(buffer: &mut Buffer, reading: ReadOptions) -> Result<bool> {
    loop {
        let known = ArrayElements::default()
            .complete(buffer.bytes())
            .find_map(|element| format::detect_format([element.trim_ascii()]));
        if let Some((_, shape)) = known {
            return Ok(shape == Shape::Conversation);
        }
        let enough = ArrayElements::default()
            .complete(buffer.bytes())
            .next()
            .is_some()
            && buffer.bytes().len() >= HEAD_BYTES;
        if buffer.eof || enough || buffer.bytes().len() > most(reading) {
            return Ok(false);
        }
        buffer.fill_to(buffer.bytes().len() * 2)?;
    }
}

/// The format of the first records that any format knows; `first` is what the first one says. Where none does, each record is
/// looked at by itself later.
pub(super) fn detect(
    buffer: &mut Buffer,
    kind: FramingKind,
    first: FormatVerdict,
    reading: ReadOptions,
) -> Result<(Option<&'static dyn Format>, Shape)> {
    let records = first_records(buffer, kind)?;
    // What the named format does not know for its own may still be a message: others tell.
    let own = reading.format.and_then(|named| {
        records
            .iter()
            .find_map(|record| format::shape_in_format(named, record))
    });
    if own.is_some() {
        return Ok((reading.format, kind.shape(own)));
    }
    let winner = heard(first, &records).winner();
    let told = winner.as_ref().map(|(_, hit)| hit.shape);
    Ok((
        reading.format.or(winner.map(|(format, _)| format)),
        kind.shape(told),
    ))
}

/// What the first records say, the first of which may have been heard.
fn heard(mut first: FormatVerdict, records: &[&[u8]]) -> FormatVerdict {
    let further = first.records;
    first.observe_records(records.iter().copied().skip(further));
    first
}

/// What the first records say, and what follows from it.
pub(super) fn explain(buffer: &mut Buffer, reading: ReadOptions) -> Result<DetectionReport> {
    let (kind, first) = kind(buffer, reading)?;
    let verdict = heard(first, &first_records(buffer, kind)?);
    let decided = verdict
        .winner()
        .map(|(format, hit)| (format, kind.shape(Some(hit.shape))));
    let framing = match kind {
        FramingKind::Lines => "one record a line",
        FramingKind::Elements => "an array, each element a record",
        FramingKind::Document => "the whole file is one record",
    };
    Ok(DetectionReport {
        framing,
        decided,
        verdict,
    })
}

/// The records at the beginning of a file that are not blank.
fn first_records(buffer: &mut Buffer, kind: FramingKind) -> Result<Vec<&[u8]>> {
    buffer.fill_to(if kind == FramingKind::Document {
        usize::MAX
    } else {
        HEAD_BYTES
    })?;
    let bytes = buffer.bytes();
    let records: Vec<&[u8]> = match kind {
        FramingKind::Document => vec![bytes],
        FramingKind::Elements => ArrayElements::default().complete(bytes).collect(),
        FramingKind::Lines => {
            let mut start = 0;
            let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
            ends.map(|end| &bytes[std::mem::replace(&mut start, end + 1)..end])
                .collect()
        }
    };
    let bare = records
        .into_iter()
        .map(|record| record.strip_prefix(BOM).unwrap_or(record).trim_ascii());
    Ok(bare.filter(|record| !record.is_empty()).collect())
}
