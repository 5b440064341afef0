//! The history as the reference writes it: prefix lines in a section per
//! summary (spec: deepagents, sections 7 and 8, "Prefix (E4)").

use crate::json::decode_literal_wtf8;
use crate::json::python_value::{parse_python_json, parse_python_object};
use crate::tokens::approx::repr_call;
use crate::tokens::python::{repr, repr_dict};
use crate::transcript::view::TranscriptView;
use crate::transcript::{Role, ToolCall};
use time::OffsetDateTime;

/// Appends a section: what was summarised at one moment. `text` appends the messages.
pub fn push_summarized_section(
    at: OffsetDateTime,
    out: &mut Vec<u8>,
    text: impl FnOnce(&mut Vec<u8>),
) {
    headed("Summarized", at, out, text);
}

/// Appends a section: tool results that were pruned at one moment.
pub fn push_pruned_section(at: OffsetDateTime, out: &mut Vec<u8>, text: impl FnOnce(&mut Vec<u8>)) {
    headed("Pruned", at, out, text);
}

fn headed(what: &str, at: OffsetDateTime, out: &mut Vec<u8>, text: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(format!("## {what} at {}\n\n", iso(at)).as_bytes());
    text(out);
    out.extend_from_slice(b"\n\n");
}

/// Python's `datetime.isoformat()` in UTC: six digits of microseconds, none where they are 0.
fn iso(at: OffsetDateTime) -> String {
    let at = at.to_offset(time::UtcOffset::UTC);
    let micros = at.microsecond();
    let fraction = if micros == 0 {
        String::new()
    } else {
        format!(".{micros:06}")
    };
    let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}{fraction}+00:00",
        at.hour(),
        at.minute(),
        at.second()
    )
}

/// Messages as text, one after the other; `first_text` stands for the text of the first.
#[must_use]
pub fn render_history(
    view: TranscriptView<'_, '_>,
    messages: &[usize],
    first_text: Option<&str>,
) -> String {
    let mut out = Vec::new();
    push_history(view, messages, first_text, &mut out);
    String::from_utf8(out)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Appends what [`render_history`] gives, in UTF-8.
pub fn push_history(
    view: TranscriptView<'_, '_>,
    messages: &[usize],
    first_text: Option<&str>,
    out: &mut Vec<u8>,
) {
    // As text they are hardly longer than as JSON.
    out.reserve(
        messages
            .iter()
            .map(|&index| view.message(index).span)
            .map(|span| span.end - span.start)
            .sum(),
    );
    for (place, &index) in messages.iter().enumerate() {
        if place > 0 {
            out.push(b'\n');
        }
        out.extend_from_slice(prefix(view.message(index).role).as_bytes());
        out.extend_from_slice(b": ");
        match first_text.filter(|_| place == 0) {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None => view.append_text(index, out),
        }
        push_calls(view, index, out);
    }
}

fn prefix(role: Role) -> &'static str {
    match role {
        Role::User => "Human",
        Role::Assistant => "AI",
        Role::System | Role::Developer => "System",
        Role::Tool => "Tool",
        Role::Function => "Function",
    }
}

/// The `repr` of the valid calls; where there are none, that of a legacy call.
fn push_calls(view: TranscriptView<'_, '_>, index: usize, out: &mut Vec<u8>) {
    let calls = &view.message(index).calls;
    let mut written = 0;
    for (number, call) in calls
        .iter()
        .enumerate()
        .filter(|(_, call)| call.valid && !call.legacy)
    {
        let json = view.call_arguments(index, number);
        let Some(entries) = parse_python_object(&json) else {
            continue;
        };
        out.extend_from_slice(if written == 0 { b"[" } else { b", " });
        let wtf8 = |span: Option<_>| {
            span.map(|span| decode_literal_wtf8(view.transcript.bytes(index, span)))
                .unwrap_or_default()
        };
        repr_call(
            &wtf8(call.name),
            &wtf8(call.id),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_python_does() {
        let at = OffsetDateTime::from_unix_timestamp(1_767_225_600).unwrap();
        assert_eq!(iso(at), "2026-01-01T00:00:00+00:00");
        assert_eq!(
            iso(at + time::Duration::microseconds(5)),
            "2026-01-01T00:00:00.000005+00:00"
        );
    }
}
