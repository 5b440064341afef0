//! The reference's approximate counter, `count_tokens_approximately`: code points
//! divided by a constant (see `docs/reference/deepagents.md`).
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): division of floats
//! takes 4.1 times as long.

use crate::deciding::tokens::counter::TokenCounter;
use crate::deciding::tokens::python::{
    CodePointCount, CodePointSink, dumps, repr, repr_dict, repr_str,
};
use crate::reading::json::python_parser::{parse_python_json, parse_python_object};
use crate::reading::json::python_value::PythonValue;
use crate::reading::json::{count_literal_points, count_utf8_points, decode_literal_wtf8};
use crate::reading::transcript::Role;
use crate::reading::transcript::view::{ContentPiece, TranscriptView};

/// Tokens of a message beyond its characters.
const PER_MESSAGE: usize = 3;
/// Tokens of an image of any size.
pub(super) const PER_IMAGE: usize = 85;

/// A counter of code points at a fixed price.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ApproxCounter {
    /// Code points per token: 4.0, or 3.3 for Anthropic models.
    pub chars_per_token: f64,
    /// Leaves out calls whose arguments are no object, as the reference does.
    pub valid_only: bool,
}

impl ApproxCounter {
    /// Returns the tokens of a number of code points.
    pub(crate) fn to_tokens(self, chars: usize) -> usize {
        // The usual price. Integer division rounds the same here and is faster.
        if self.chars_per_token == 4.0 {
            return chars.div_ceil(4);
        }
        // f64 division and ceil, as in Python. Lengths are far below 2^53.
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        let tokens = (chars as f64 / self.chars_per_token).ceil() as usize;
        tokens
    }
}

impl TokenCounter for ApproxCounter {
    fn name(&self) -> &'static str {
        if self.valid_only { "langchain" } else { "approx" }
    }

    fn count_text(&self, text: &str) -> usize {
        self.to_tokens(count_utf8_points(text.as_bytes()))
    }

    fn count_points(&self, points: usize) -> Option<usize> {
        Some(self.to_tokens(points))
    }

    fn count_message(&self, view: TranscriptView<'_, '_>, index: usize) -> usize {
        match view.message(index).code_points.filter(|_| !view.overlay.results.contains_key(&index))
        {
            Some(points) => {
                let beyond = count_beyond_content(view, index, false, self.valid_only);
                self.to_tokens(points + beyond) + PER_MESSAGE
            }
            None => self.count_message_as(
                view,
                index,
                &view.content_pieces(index),
                view.has_blocks(index),
            ),
        }
    }

    fn count_message_as(
        &self,
        view: TranscriptView<'_, '_>,
        index: usize,
        pieces: &[ContentPiece<'_>],
        blocks: bool,
    ) -> usize {
        let (mut chars, mut images) =
            (count_beyond_content(view, index, blocks, self.valid_only), 0);
        for piece in pieces {
            match *piece {
                ContentPiece::Literal(literal) => chars += count_literal_points(literal),
                ContentPiece::Text(text) => chars += count_utf8_points(text.as_bytes()),
                ContentPiece::Image => images += PER_IMAGE,
                ContentPiece::Call(json) | ContentPiece::Other(json) => {
                    chars += json_repr_length(json);
                }
            }
        }
        self.to_tokens(chars) + PER_MESSAGE + images
    }

    fn count_summary(&self, role: Role, text: &str) -> usize {
        self.to_tokens(count_utf8_points(text.as_bytes()) + role.name().len()) + PER_MESSAGE
    }

    fn count_tools(&self, schemas: &[u8]) -> usize {
        let Some(PythonValue::Array(tools)) = parse_python_json(schemas) else {
            return 0;
        };
        let mut length = CodePointCount::default();
        tools.iter().for_each(|tool| dumps(tool, &mut length));
        self.to_tokens(length.0)
    }

    fn scales_with_usage(&self) -> bool {
        true
    }
}

/// Returns the code points of a message beyond its content: its role, calls, ids and names.
#[inline(always)]
fn count_beyond_content(
    view: TranscriptView<'_, '_>,
    index: usize,
    blocks: bool,
    valid_only: bool,
) -> usize {
    let message = view.message(index);
    let role = message.role.name().len();
    if message.calls.is_empty() && message.answers.is_none() && message.name.is_none() {
        role
    } else {
        role + count_calls_and_names(view, index, blocks, valid_only)
    }
}

/// Returns the code points of the calls, ids and names of a message.
// Not inlined: most messages have none.
#[inline(never)]
fn count_calls_and_names(
    view: TranscriptView<'_, '_>,
    index: usize,
    blocks: bool,
    valid_only: bool,
) -> usize {
    let message = view.message(index);
    // Content blocks include the calls.
    let calls =
        if blocks || message.calls.is_empty() { 0 } else { count_calls(view, index, valid_only) };
    let literals = message.answers.into_iter().chain(message.name);
    calls
        + literals
            .map(|span| count_literal_points(view.transcript.bytes(index, span)))
            .sum::<usize>()
}

/// Returns the code points of `repr(json.loads(json))`.
fn json_repr_length(json: &[u8]) -> usize {
    let mut length = CodePointCount::default();
    if let Some(value) = parse_python_json(json) {
        repr(&value, &mut length);
    }
    length.0
}

/// Returns the code points of the calls of a message: the `repr` of the list of valid calls, and
/// name, id and raw arguments of each invalid call, unless only valid ones count.
fn count_calls(view: TranscriptView<'_, '_>, index: usize, valid_only: bool) -> usize {
    let mut list = CodePointCount::default();
    let (mut valid, mut invalid) = (0, 0);
    for (number, call) in view.message(index).calls.iter().enumerate() {
        if call.legacy {
            continue; // the reference ignores them
        }
        let wtf8 = |span: Option<_>| {
            span.map(|span| decode_literal_wtf8(view.transcript.bytes(index, span)))
                .unwrap_or_default()
        };
        let (name, id) = (wtf8(call.name), wtf8(call.id));
        match count_arguments(view, index, number) {
            Ok(points) => {
                list.push_ascii(if valid > 0 { ", " } else { "" });
                repr_call(&name, &id, call.id.is_some(), &mut list, |list| list.0 += points);
                valid += 1;
            }
            Err(_) if valid_only => {}
            Err(points) => invalid += points + count_utf8_points(&name) + count_utf8_points(&id),
        }
    }
    invalid + if valid > 0 { list.0 + "[]".len() } else { 0 }
}

/// Returns the code points of the `repr` of a call's arguments. If they are not an object, the
/// error is the code points of the raw arguments.
fn count_arguments(
    view: TranscriptView<'_, '_>,
    index: usize,
    number: usize,
) -> Result<usize, usize> {
    let call = &view.message(index).calls[number];
    if let Some(points) =
        call.repr_points.filter(|_| !view.overlay.arguments.contains_key(&(index, number)))
    {
        return Ok(points);
    }
    let json = view.call_arguments(index, number);
    let entries = if call.valid { parse_python_object(&json) } else { None };
    let entries = entries.ok_or_else(|| count_utf8_points(&json))?;
    let mut length = CodePointCount::default();
    repr_dict(&entries, &mut length);
    Ok(length.0)
}

/// Writes `{'name': …, 'args': …, 'id': …, 'type': 'tool_call'}`. `write_arguments` writes the
/// arguments.
pub(crate) fn repr_call<S: CodePointSink>(
    name: &[u8],
    id: &[u8],
    has_id: bool,
    out: &mut S,
    write_arguments: impl FnOnce(&mut S),
) {
    out.push_ascii("{'name': ");
    repr_str(name, out);
    out.push_ascii(", 'args': ");
    write_arguments(out);
    out.push_ascii(", 'id': ");
    if has_id {
        repr_str(id, out)
    } else {
        out.push_ascii("None")
    }
    out.push_ascii(", 'type': 'tool_call'}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_count_as_python_writes_them() {
        let counter = ApproxCounter { chars_per_token: 1.0, valid_only: false };
        // Each length is that of json.dumps in CPython, summed over the list.
        for (schemas, points) in [
            ("[]", 0),
            (r#"[{"n":[1,-2,true,null,"\u00e9\u00e9"]}]"#, 42),
            ("[\"\u{7f}\\/\", {}, [] , [[ ]]]", 17),
            ("[1.5, -0]", 4),
            (r#"[{"a":1,"a":2}]"#, 8),
            ("{}", 0),
            ("[1", 0),
        ] {
            assert_eq!(counter.count_tools(schemas.as_bytes()), points, "{schemas}");
        }
    }
}
