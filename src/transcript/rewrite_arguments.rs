//! New values for string arguments of a call, in every place that holds the
//! call: some formats store it up to three times.

use crate::json::python_value::{PythonValue, parse_python_object, replace_values};
use crate::json::{Span, decode_literal_wtf8, encode_wtf8_literal};
use crate::transcript::document::Transcript;
use crate::transcript::message::{BlockKind, Content, ToolCall};
use crate::transcript::overlay::NewArguments;
use crate::transcript::splice::{Splice, apply_splices};
use std::borrow::Cow;

/// Gives top-level arguments (by their place among the entries) new values.
#[must_use]
pub fn rewrite_call_arguments(
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
        span: written_span(call)?,
        bytes: spelled(transcript.bytes(index, call.arguments?), call.inside, &json),
    }];
    for &copy in &call.copies {
        let stored = transcript.bytes(index, copy);
        let raw = if stored.first() == Some(&b'"') {
            decode_literal_wtf8(stored)
        } else {
            Cow::Borrowed(stored)
        };
        // A copy has its copied spacing and order of keys: only the values are put in.
        let Some(copied) = parse_python_object(&raw) else {
            continue;
        };
        let place = |key: &[u8]| {
            copied
                .iter()
                .position(|entry| entry.key == key && matches!(entry.value, PythonValue::String(_)))
        };
        let values: Vec<(usize, &str)> = values
            .iter()
            .filter_map(|(at, value)| Some((place(&entries[*at].key)?, *value)))
            .collect();
        if !values.is_empty() {
            splices.push(Splice {
                span: copy,
                bytes: spelled(stored, false, &replace_values(&raw, &copied, &values)),
            });
        }
    }
    let block = match &message.content {
        Content::Blocks(blocks) => blocks
            .iter()
            .find(|block| block.kind == BlockKind::Call(number))
            .map(|block| block.span),
        Content::Absent | Content::Text(_) => None,
    };
    let block = block.map(|block| {
        let inside = splices
            .iter()
            .filter(|splice| block.start <= splice.span.start && splice.span.end <= block.end);
        let shifted = |splice: &Splice| Splice {
            span: splice.span.relative_to(block.start),
            bytes: splice.bytes.clone(),
        };
        let mut bytes = Vec::new();
        apply_splices(
            transcript.bytes(index, block),
            &mut inside.map(shifted).collect::<Vec<_>>(),
            &mut bytes,
        );
        bytes
    });
    Some(NewArguments {
        json,
        splices,
        block,
    })
}

/// What is replaced where the arguments are: inside a literal that is without the bytes around them.
fn written_span(call: &ToolCall) -> Option<Span> {
    let Span { start, end } = call.arguments?;
    Some(if call.inside {
        Span {
            start: start + 1,
            end: end - 1,
        }
    } else {
        Span { start, end }
    })
}

/// New JSON as the old is spelled: a literal, a part of one, or as it is.
fn spelled(old: &[u8], inside: bool, json: &[u8]) -> Vec<u8> {
    if !inside && old.first() != Some(&b'"') {
        return json.to_vec();
    }
    let literal = encode_wtf8_literal(json);
    if inside {
        literal[1..literal.len() - 1].to_vec()
    } else {
        literal
    }
}
