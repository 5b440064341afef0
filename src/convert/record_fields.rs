//! Reads what is beside the messages of a record: tools and further fields.

use crate::convert::converted_values::ConvertedValues;
use crate::convert::prelude::*;
use crate::convert::tools::read_tools;

/// Reads the tools of a transcript, and notes what of them has no place in the target.
pub(super) fn read_transcript_tools(
    transcript: &Transcript<'_>,
    target: &ConversionTarget,
    converted: &mut ConvertedValues,
    left_out: &mut ConversionNotes,
) -> Vec<ToolSchema> {
    let (Some(span), Some(schemas)) = (transcript.tools, transcript.tool_schemas()) else {
        return Vec::new();
    };
    converted.add_span(0, span);
    if schemas.trim_ascii().is_empty() {
        return Vec::new();
    }
    let line = transcript.records.first().map_or(0, |record| record.line);
    let list = read_tools(&schemas, target.accepts_tool);
    for what in list.left_out {
        let why = format!("{} has no place for it", target.name);
        left_out.add_note(what, why, NotePlace { line, message: None });
    }
    list.tools
}

/// Reads the further fields of a record in the target's format, as keys and JSON values.
///
/// A transcript of several records has none, and neither has another format with
/// the same messages, because its record has keys of its own.
pub(super) fn read_record_fields(
    source: &ConversionSource<'_, '_>,
    rules: &ConversionTarget,
    converted: &mut ConvertedValues,
) -> Vec<(EscapedText, Vec<u8>)> {
    let transcript = source.view.transcript;
    let [record] = transcript.records.as_slice() else {
        return Vec::new();
    };
    if rules.same_formats.first() != Some(&source.format) || transcript.message_per_record {
        return Vec::new();
    }
    let Ok(tree) = JsonTree::new(record.bytes) else {
        return Vec::new();
    };
    let mut message_starts: Vec<usize> =
        transcript.messages.iter().map(|message| message.span.start).collect();
    message_starts.sort_unstable();
    let mut fields = Vec::new();
    for (key, value) in tree.root().entries() {
        let key = EscapedText::from_literal(key.slice(record.bytes));
        let is_converted = value.is_kind(JsonKind::String) && converted.has_literal(value.bytes());
        if !is_converted
            && !contains_message(&message_starts, value.span())
            && !rules.record_keys.contains(&key.decoded().as_ref())
        {
            converted.add_span(0, value.span());
            fields.push((key, embed_json(value.bytes())));
        }
    }
    fields
}

/// Returns true if the span of a value contains a message. `starts` are those of all messages, in
/// order; a message that begins within a value ends within it.
fn contains_message(starts: &[usize], span: Span) -> bool {
    let next = starts.partition_point(|start| *start < span.start);
    starts.get(next).is_some_and(|start| *start < span.end)
}

/// Returns a name for a record without any converted value.
pub(super) fn record_label(record: &[u8]) -> String {
    let tree = JsonTree::new(record).ok();
    let kind = tree.as_ref().and_then(|tree| tree.root().get_text("type"));
    kind.map_or_else(|| "a whole record".to_owned(), |kind| format!("records of type {kind}"))
}
