//! Detection of a file's framing and format from its beginning, never from its name.

use crate::base::names::names;
use crate::files::input::buffer::{BOM, ReadBuffer};
use crate::files::input::{entry::ReadOptions, value_scanner::ValueScanner};
use crate::reading::format::{self, FORMATS, Format, FormatVerdict, Shape};
use crate::reading::json;
use std::io;
use std::ops::Range;

/// The number of bytes at the beginning of a file that detection looks at.
pub(super) const HEAD_BYTES: usize = 1 << 20;

/// Returns the number of bytes that detection reads of one value. Values that are too long to be
/// worked on still show the framing.
fn max_value_bytes(options: ReadOptions) -> usize {
    options.limits.max_record_bytes.max(HEAD_BYTES)
}

/// The way in which a file falls into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FramingKind {
    /// One record per line.
    Lines,
    /// One array, each element a conversation.
    Elements,
    /// Records over several lines, one behind the other.
    Values,
    /// The whole file is one record.
    Document,
}

names!(FramingKind::description: Lines "one record a line",
    Elements "an array, each element a record",
    Values "records over several lines, one after another",
    Document "the whole file is one record");

impl FramingKind {
    /// Returns the shape of records in such a file. Only lines can be single messages: removing an
    /// array element would break the array.
    fn record_shape(self, seen: Option<Shape>) -> Shape {
        seen.filter(|_| matches!(self, Self::Lines | Self::Values)).unwrap_or(Shape::Conversation)
    }
}

/// The framing and the format that were detected at the beginning of a file.
pub(crate) struct DetectionReport {
    pub framing: &'static str,
    /// The format and shape that reading the file would use; none if no format knows any of the
    /// first records.
    pub decided: Option<(&'static dyn Format, Shape)>,
    /// The votes of the first records.
    pub verdict: FormatVerdict,
}

/// Returns true if a file begins with more blanks than detection looks at.
pub(super) fn is_blank(buffer: &mut ReadBuffer) -> io::Result<bool> {
    Ok(buffer.first_byte(HEAD_BYTES)?.is_none() && !buffer.eof)
}

/// Detects the framing. Also returns the vote of the first line if that is a record, because the
/// line can be the whole file and should be parsed once.
pub(super) fn detect_framing(
    buffer: &mut ReadBuffer,
    options: ReadOptions,
) -> io::Result<(FramingKind, FormatVerdict)> {
    let mut first = FormatVerdict::new(FORMATS);
    let is_array = buffer.first_byte(HEAD_BYTES)? == Some(b'[');
    if is_array && holds_conversations(buffer, options)? {
        return Ok((FramingKind::Elements, first));
    }
    let Some(line) = buffer.first_line(HEAD_BYTES, max_value_bytes(options))? else {
        return Ok((FramingKind::Lines, first));
    };
    let text = buffer.bytes()[line.clone()].trim_ascii();
    // No votes are needed if the user names the format.
    let is_json = if options.format.is_some() {
        json::validate_json(text).is_ok()
    } else {
        first.observe_record(text)
    };
    let kind = if is_json { FramingKind::Lines } else { detect_document(buffer, line, options)? };
    Ok((kind, first))
}

/// Returns the number of bytes to look at next: twice as many, up to the limit for a value.
fn more_bytes(buffer: &ReadBuffer, options: ReadOptions) -> usize {
    let length = buffer.bytes().len();
    (length * 2).min(length.max(max_value_bytes(options)).saturating_add(1))
}

/// Detects the framing of a file whose first line is not a JSON value.
fn detect_document(
    buffer: &mut ReadBuffer,
    line: Range<usize>,
    options: ReadOptions,
) -> io::Result<FramingKind> {
    let text = buffer.bytes()[line.clone()].trim_ascii();
    let opens_only = matches!(text, b"{" | b"[");
    // A value over several lines is read as a whole later, so the search may go on until the answer
    // is certain. A value that the end of the file cuts is a bad line, unless its first line is a
    // lone bracket, as only documents have.
    let mut wanted = line.start + HEAD_BYTES;
    loop {
        buffer.fill_to(wanted)?;
        let head = &buffer.bytes()[line.start..];
        if json::validate_json(head).is_ok() {
            return Ok(FramingKind::Document);
        }
        if !json::is_unfinished_json(head) {
            return Ok(if begins_with_value_and_another(head) {
                FramingKind::Values
            } else {
                FramingKind::Lines
            });
        }
        if buffer.eof || head.len() > max_value_bytes(options) {
            return Ok(if !buffer.eof || opens_only {
                FramingKind::Document
            } else {
                FramingKind::Lines
            });
        }
        wanted = more_bytes(buffer, options);
    }
}

/// Returns true if a file whose first line is no JSON value begins with an object over several
/// lines, behind which another one begins.
fn begins_with_value_and_another(head: &[u8]) -> bool {
    let first = ValueScanner::of_stream().complete(head).next();
    first.is_some_and(|value| {
        value.starts_with(b"{")
            && json::validate_json(value).is_ok()
            && head[value.len()..].trim_ascii_start().starts_with(b"{")
    })
}

/// Returns true if the elements of an array are conversations. The first element that a format
/// knows decides.
fn holds_conversations(buffer: &mut ReadBuffer, options: ReadOptions) -> io::Result<bool> {
    loop {
        let known = ValueScanner::of_array()
            .complete(buffer.bytes())
            .find_map(|element| format::detect_format([element.trim_ascii()]));
        if let Some((_, shape)) = known {
            return Ok(shape == Shape::Conversation);
        }
        let enough = ValueScanner::of_array().complete(buffer.bytes()).next().is_some()
            && buffer.bytes().len() >= HEAD_BYTES;
        if buffer.eof || enough || buffer.bytes().len() > max_value_bytes(options) {
            return Ok(false);
        }
        buffer.fill_to(more_bytes(buffer, options))?;
    }
}

/// The format of a file, as its first records show it.
pub(super) struct DetectedFormat {
    /// The format of at least half of the records, or the one that the user named.
    pub format: Option<&'static dyn Format>,
    /// The kind of content that each record holds.
    pub shape: Shape,
    /// True if some format knows at least one of the first records.
    pub has_known_records: bool,
}

/// Detects the format by the first records. `first` is the vote of the first record if it was taken
/// already. If no format knows half of the first records, the format is none and each record is
/// looked at by itself later.
pub(super) fn detect_format(
    buffer: &mut ReadBuffer,
    kind: FramingKind,
    first: FormatVerdict,
    options: ReadOptions,
) -> io::Result<DetectedFormat> {
    let records = first_records(buffer, kind, options)?;
    // A record that is foreign to the named format may still be a message of another.
    let named_shape = options
        .format
        .and_then(|named| records.iter().find_map(|record| format::shape_in_format(named, record)));
    if named_shape.is_some() {
        return Ok(DetectedFormat {
            format: options.format,
            shape: kind.record_shape(named_shape),
            has_known_records: true,
        });
    }
    let verdict = count_votes(first, &records);
    let winner = verdict.winner();
    let winner_shape = winner.as_ref().map(|(_, hit)| hit.shape);
    Ok(DetectedFormat {
        format: options.format.or(winner.map(|(format, _)| format)),
        shape: kind.record_shape(winner_shape),
        has_known_records: verdict.has_known_records(),
    })
}

/// Adds the votes of the records that `first` does not hold yet.
fn count_votes(mut first: FormatVerdict, records: &[&[u8]]) -> FormatVerdict {
    let counted = first.records;
    first.observe_records(records.iter().copied().skip(counted));
    first
}

/// Detects framing and format, with the votes behind the decision.
pub(super) fn explain_votes(
    buffer: &mut ReadBuffer,
    options: ReadOptions,
) -> io::Result<DetectionReport> {
    let (kind, first) = detect_framing(buffer, options)?;
    let verdict = count_votes(first, &first_records(buffer, kind, options)?);
    let decided =
        verdict.winner().map(|(format, hit)| (format, kind.record_shape(Some(hit.shape))));
    Ok(DetectionReport { framing: kind.description(), decided, verdict })
}

/// Returns the records at the beginning of a file that are not blank.
fn first_records(
    buffer: &mut ReadBuffer,
    kind: FramingKind,
    options: ReadOptions,
) -> io::Result<Vec<&[u8]>> {
    buffer.fill_to(if kind == FramingKind::Document {
        // A longer document is an error when it is read.
        max_value_bytes(options).saturating_add(1)
    } else {
        HEAD_BYTES
    })?;
    let bytes = buffer.bytes();
    let records: Vec<&[u8]> = match kind {
        FramingKind::Document => vec![bytes],
        FramingKind::Elements => ValueScanner::of_array().complete(bytes).collect(),
        FramingKind::Values => ValueScanner::of_stream().complete(bytes).collect(),
        FramingKind::Lines => {
            let mut start = 0;
            let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
            ends.map(|end| &bytes[std::mem::replace(&mut start, end + 1)..end]).collect()
        }
    };
    let bare =
        records.into_iter().map(|record| record.strip_prefix(BOM).unwrap_or(record).trim_ascii());
    Ok(bare.filter(|record| !record.is_empty()).collect())
}
