//! New values for string arguments of a call, in every place that holds the
//! call. Some formats store it up to three times.

use crate::reading::json::python_parser::parse_python_object;
use crate::reading::json::python_value::{PythonEntry, PythonValue, replace_values};
use crate::reading::transcript::overlay::NewArguments;
use crate::reading::transcript::prelude::*;

/// Gives top-level arguments of a call new values, by the indices of their entries. Returns `None`
/// if the arguments are not an object.
pub(crate) fn rewrite_call_arguments(
    transcript: &Transcript<'_>,
    index: usize,
    number: usize,
    values: &[(usize, &str)],
) -> Option<NewArguments> {
    let message = &transcript.messages[index];
    let call = &message.calls[number];
    let raw = transcript.logged_arguments(index, call);
    let entries = parse_python_object(&raw)?;
    let json = replace_values(&raw, &entries, values);
    let mut splices = vec![Splice {
        span: arguments_content(call)?,
        bytes: respell_json(transcript.bytes(index, call.arguments?), call.inside, &json),
    }];
    for &copy in &call.copies {
        let stored = transcript.bytes(index, copy);
        if let Some(bytes) = rewrite_copy(stored, &entries, values) {
            splices.push(Splice { span: copy, bytes });
        }
    }
    let block = block_of_call(message, number)
        .map(|block| splice_block(transcript.bytes(index, block), block, &splices));
    Some(NewArguments { json, splices, block })
}

/// Replaces the arguments of a call by an empty object. Returns `None` if the call has none.
pub(crate) fn clear_call_arguments(
    transcript: &Transcript<'_>,
    index: usize,
    number: usize,
) -> Option<NewArguments> {
    let message = &transcript.messages[index];
    let call = &message.calls[number];
    let empty = |stored: Span, inside| respell_json(transcript.bytes(index, stored), inside, b"{}");
    let mut splices =
        vec![Splice { span: arguments_content(call)?, bytes: empty(call.arguments?, call.inside) }];
    splices
        .extend(call.copies.iter().map(|&copy| Splice { span: copy, bytes: empty(copy, false) }));
    let block = block_of_call(message, number)
        .map(|block| splice_block(transcript.bytes(index, block), block, &splices));
    Some(NewArguments { json: b"{}".to_vec(), splices, block })
}

/// Returns a copy of the arguments with the new values. The copy keeps its own spacing and order
/// of keys. Returns `None` if it holds none of the values.
fn rewrite_copy(
    stored: &[u8],
    entries: &[PythonEntry<'_>],
    values: &[(usize, &str)],
) -> Option<Vec<u8>> {
    let raw = if stored.first() == Some(&b'"') {
        decode_literal_wtf8(stored)
    } else {
        Cow::Borrowed(stored)
    };
    let copied = parse_python_object(&raw)?;
    let strings = strings_by_key(&copied);
    let values: Vec<(usize, &str)> = values
        .iter()
        .filter_map(|(at, value)| Some((*strings.get(entries[*at].key.as_ref())?, *value)))
        .collect();
    (!values.is_empty())
        .then(|| respell_json(stored, false, &replace_values(&raw, &copied, &values)))
}

/// Returns the index of the first string with each key.
fn strings_by_key<'e>(entries: &'e [PythonEntry<'_>]) -> HashMap<&'e [u8], usize> {
    let mut strings = HashMap::new();
    for (at, entry) in entries.iter().enumerate() {
        if matches!(entry.value, PythonValue::String(_)) {
            strings.entry(entry.key.as_ref()).or_insert(at);
        }
    }
    strings
}

/// Returns the content block that holds a call.
fn block_of_call(message: &Message, number: usize) -> Option<Span> {
    let mut blocks = message.content.blocks().iter();
    blocks.find(|block| block.kind == BlockKind::Call(number)).map(|block| block.span)
}

/// Returns the bytes of a block with those splices that are inside it.
fn splice_block(bytes: &[u8], block: Span, splices: &[Splice]) -> Vec<u8> {
    let mut inside: Vec<Splice> = splices
        .iter()
        .filter(|splice| block.start <= splice.span.start && splice.span.end <= block.end)
        .map(|splice| Splice {
            span: splice.span.relative_to(block.start),
            bytes: splice.bytes.clone(),
        })
        .collect();
    let mut spliced = Vec::new();
    apply_splices(bytes, &mut inside, &mut spliced);
    spliced
}

/// Returns the span to replace for new arguments. Inside a literal it excludes the bytes around
/// the arguments.
fn arguments_content(call: &ToolCall) -> Option<Span> {
    let Span { start, end } = call.arguments?;
    Some(if call.inside { Span { start: start + 1, end: end - 1 } } else { Span { start, end } })
}

/// Spells new JSON as the old is spelled: as a literal, a part of a literal, or plain JSON.
fn respell_json(old: &[u8], is_inside: bool, json: &[u8]) -> Vec<u8> {
    if !is_inside && old.first() != Some(&b'"') {
        return json.to_vec();
    }
    let literal = encode_wtf8_literal(json);
    if is_inside { literal[1..literal.len() - 1].to_vec() } else { literal }
}
