//! The Markdown history of removed messages, as the reference implementation writes it.
//!
//! Each compaction appends a section: a heading with the time, then the messages as lines of
//! `Human: ...`, `AI: ...` and so on, or as XML. See `docs/reference/deepagents.md`.

use crate::deciding::policy::{ArchivePolicy, HistoryForm};
use crate::deciding::tokens::approx::repr_call;
use crate::deciding::tokens::python::{repr, repr_dict};
use crate::files::archive::history_xml::{media_in, push_element};
use crate::files::archive::{MEDIA_DIR, inline_media::InlineMedia};
use crate::reading::json::python_parser::{parse_python_json, parse_python_object};
use crate::reading::json::{Span, decode_literal_wtf8};
use crate::reading::transcript::{Role, ToolCall, Transcript};
use crate::reading::transcript::{message_time::LastTime, view::TranscriptView};
use std::borrow::Cow;
use std::io::{self, Write};
use time::OffsetDateTime;

/// Appends a section of messages that were summarized or pruned, as the title says.
pub(crate) fn push_section(
    title: &str,
    at: Option<OffsetDateTime>,
    view: TranscriptView<'_, '_>,
    messages: &[usize],
    policy: &ArchivePolicy,
    out: &mut impl HistorySink,
) {
    let heading = match at {
        Some(at) => format!("## {title} at {}\n\n", iso_timestamp(at)),
        None => format!("## {title}\n\n"),
    };
    out.buffer().extend_from_slice(heading.as_bytes());
    push_history(view, messages, None, policy, out);
    out.buffer().extend_from_slice(b"\n\n");
}

/// Formats a time as Python's `datetime.isoformat()` does in UTC.
///
/// Microseconds have six digits and are left out if they are 0.
fn iso_timestamp(at: OffsetDateTime) -> String {
    let at = at.to_offset(time::UtcOffset::UTC);
    let micros = at.microsecond();
    let fraction = if micros == 0 { String::new() } else { format!(".{micros:06}") };
    let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}{fraction}+00:00",
        at.hour(),
        at.minute(),
        at.second()
    )
}

/// Returns messages as text, in the policy's form.
///
/// `first_text` replaces the text of the first message.
pub(crate) fn render_history(
    view: TranscriptView<'_, '_>,
    messages: &[usize],
    first_text: Option<&str>,
    policy: &ArchivePolicy,
) -> String {
    // A message is hardly longer as text than as JSON.
    let spans = messages.iter().map(|&index| view.message(index).span);
    let mut out = Vec::with_capacity(spans.map(|span| span.end - span.start).sum());
    push_history(view, messages, first_text, policy, &mut out);
    String::from_utf8(out)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Appends what [`render_history`] returns.
fn push_history(
    view: TranscriptView<'_, '_>,
    messages: &[usize],
    first_text: Option<&str>,
    policy: &ArchivePolicy,
    out: &mut impl HistorySink,
) {
    let media = format!("{}/{MEDIA_DIR}", policy.prefix);
    for (place, &index) in messages.iter().enumerate() {
        let first_text = first_text.filter(|_| place == 0);
        if place > 0 {
            out.buffer().push(b'\n');
        }
        match policy.form {
            HistoryForm::Lines => push_message(view, index, first_text, out.buffer()),
            HistoryForm::Xml => push_element(view, index, first_text, &media, out.buffer()),
        }
        out.end_message();
    }
}

/// Returns the media that a history of these messages names files for, in order.
pub(crate) fn media_files(
    view: TranscriptView<'_, '_>,
    messages: &[usize],
    policy: &ArchivePolicy,
) -> Vec<InlineMedia> {
    match policy.form {
        HistoryForm::Lines => Vec::new(),
        HistoryForm::Xml => media_in(view, messages),
    }
}

fn push_message(view: TranscriptView<'_, '_>, index: usize, text: Option<&str>, out: &mut Vec<u8>) {
    out.extend_from_slice(role_prefix(view.message(index).role).as_bytes());
    out.extend_from_slice(b": ");
    match text {
        Some(text) => out.extend_from_slice(text.as_bytes()),
        None => view.append_text(index, out),
    }
    push_calls(view, index, out);
}

fn role_prefix(role: Role) -> &'static str {
    match role {
        Role::User => "Human",
        Role::Assistant => "AI",
        Role::System | Role::Developer => "System",
        Role::Tool => "Tool",
        Role::Function => "Function",
    }
}

/// Appends the Python `repr` of a message's valid calls, or of its legacy call if it has none.
fn push_calls(view: TranscriptView<'_, '_>, index: usize, out: &mut Vec<u8>) {
    let calls = &view.message(index).calls;
    let mut written = 0;
    for (number, call) in calls.iter().enumerate().filter(|(_, call)| call.valid && !call.legacy) {
        let json = view.call_arguments(index, number);
        let Some(entries) = parse_python_object(&json) else {
            continue;
        };
        out.extend_from_slice(if written == 0 { b"[" } else { b", " });
        repr_call(
            &decode_optional(view, index, call.name),
            &decode_optional(view, index, call.id),
            call.id.is_some(),
            out,
            |out| repr_dict(&entries, out),
        );
        written += 1;
    }
    if written > 0 {
        out.push(b']');
    } else if let Some(ToolCall { span, .. }) = calls.iter().find(|call| call.legacy)
        && let Some(value) = parse_python_json(view.transcript.bytes(index, *span))
    {
        repr(&value, out);
    }
}

/// Decodes a string literal of a message to WTF-8. An absent literal is an empty string.
fn decode_optional<'v>(
    view: TranscriptView<'v, '_>,
    index: usize,
    literal: Option<Span>,
) -> Cow<'v, [u8]> {
    literal.map(|span| decode_literal_wtf8(view.transcript.bytes(index, span))).unwrap_or_default()
}

/// A text is written out when it is this long, in bytes.
const PIECE_BYTES: usize = 256 << 10;

/// A receiver of the text of a history.
pub(crate) trait HistorySink {
    /// Returns the buffer that the text is appended to.
    fn buffer(&mut self) -> &mut Vec<u8>;

    /// Takes note that a message is complete.
    fn end_message(&mut self) {}
}

impl HistorySink for Vec<u8> {
    fn buffer(&mut self) -> &mut Vec<u8> {
        self
    }
}

/// A history that is written out in pieces: only one message of a long record is in memory twice.
pub(crate) struct StreamedHistory<'w> {
    buffer: Vec<u8>,
    out: &'w mut dyn Write,
    /// The first failure. Nothing is written after it.
    result: io::Result<()>,
}

impl<'w> StreamedHistory<'w> {
    /// Makes a sink that writes into `out`.
    pub(crate) fn new(out: &'w mut dyn Write) -> Self {
        Self { buffer: Vec::new(), out, result: Ok(()) }
    }

    /// Writes the last piece. Fails if any piece could not be written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.write_piece();
        self.result
    }

    fn write_piece(&mut self) {
        if self.result.is_ok() {
            self.result = self.out.write_all(&self.buffer);
        }
        self.buffer.clear();
    }
}

impl HistorySink for StreamedHistory<'_> {
    fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    fn end_message(&mut self) {
        if self.buffer.len() >= PIECE_BYTES {
            self.write_piece();
        }
    }
}

/// The source of the time that the sections of a history bear.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SectionClock {
    Run(OffsetDateTime),
    /// The time of the conversation's last message that has one, else this time, if there is one.
    Record(Option<OffsetDateTime>),
}

impl SectionClock {
    /// Returns the time of the sections of a conversation; none if nothing dates it.
    pub(crate) fn time_of(self, transcript: &Transcript<'_>) -> Option<OffsetDateTime> {
        match self {
            Self::Run(time) => Some(time),
            Self::Record(fallback) => last_message_time(transcript).or(fallback),
        }
    }
}

fn last_message_time(transcript: &Transcript<'_>) -> Option<OffsetDateTime> {
    if !transcript.may_have_times() {
        return None;
    }
    let mut times = LastTime::default();
    let messages = transcript.messages.iter().rev();
    let seconds = messages.filter_map(|message| times.time_of(transcript, message)).next()?;
    // Logs have microseconds at most, and a 64-bit float has hardly more.
    #[expect(clippy::cast_possible_truncation)]
    let micros = (seconds * 1e6).round() as i128;
    OffsetDateTime::from_unix_timestamp_nanos(micros * 1000).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_python_does() {
        let at = OffsetDateTime::from_unix_timestamp(1_767_225_600).unwrap();
        assert_eq!(iso_timestamp(at), "2026-01-01T00:00:00+00:00");
        assert_eq!(
            iso_timestamp(at + time::Duration::microseconds(5)),
            "2026-01-01T00:00:00.000005+00:00"
        );
    }

    fn write_messages(disk: &mut dyn Write) -> io::Result<()> {
        let mut sink = StreamedHistory::new(disk);
        for _ in 0..10 {
            sink.buffer().resize(PIECE_BYTES / 2, b'x');
            sink.end_message();
            assert!(sink.buffer.len() < PIECE_BYTES);
        }
        sink.finish()
    }

    #[test]
    fn pieces_are_the_whole_text_and_a_full_disk_is_an_error() {
        let mut written = Vec::new();
        write_messages(&mut written).unwrap();
        assert_eq!(written.len(), PIECE_BYTES / 2);
        for room in [0, 10, PIECE_BYTES / 2 - 1] {
            // A slice takes as many bytes as it has.
            let error = write_messages(&mut &mut vec![0; room][..]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::WriteZero);
        }
    }
}
