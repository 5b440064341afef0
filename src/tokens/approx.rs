//! The reference's approximate counter: code points divided by a constant
//! (`count_tokens_approximately`; spec: deepagents, section 2).

use crate::json::python_parser::{parse_python_json, parse_python_object};
use crate::json::python_value::PythonValue;
use crate::json::{count_literal_points, count_utf8_points, decode_literal_wtf8};
use crate::tokens::TokenCounter;
use crate::tokens::python::{CodePointCount, CodePointSink, dumps, repr, repr_dict, repr_str};
use crate::tokens::schemas;
use crate::transcript::Role;
use crate::transcript::view::{ContentPiece, TranscriptView};

/// Tokens that every message costs beyond its characters.
const PER_MESSAGE: usize = 3;
/// Tokens of an image, whatever its size.
pub(super) const PER_IMAGE: usize = 85;

/// Counts code points at a fixed price.
#[derive(Debug, Clone, Copy)]
pub struct ApproxCounter {
    /// Code points per token: 4.0, or 3.3 for Anthropic models.
    pub chars_per_token: f64,
}

impl ApproxCounter {
    fn to_tokens(self, chars: usize) -> usize {
        // The usual price: four a token need no division, and none rounds otherwise.
        if self.chars_per_token == 4.0 {
            return chars.div_ceil(4);
        }
        // f64 division and ceil, as Python does it; lengths are far below 2^53.
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
        "approx"
    }

    fn count_text(&self, text: &str) -> usize {
        self.to_tokens(count_utf8_points(text.as_bytes()))
    }

    fn count_message(&self, view: TranscriptView<'_, '_>, index: usize) -> usize {
        match view
            .message(index)
            .points
            .filter(|_| !view.overlay.results.contains_key(&index))
        {
            Some(points) => self.to_tokens(points + around(view, index, false)) + PER_MESSAGE,
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
        let (mut chars, mut images) = (around(view, index, blocks), 0);
        for piece in pieces {
            match *piece {
                ContentPiece::Literal(literal) => chars += count_literal_points(literal),
                ContentPiece::Text(text) => chars += count_utf8_points(text.as_bytes()),
                ContentPiece::Image => images += PER_IMAGE,
                ContentPiece::Other(json) => chars += repr_length(json),
            }
        }
        self.to_tokens(chars) + PER_MESSAGE + images
    }

    fn count_summary(&self, role: Role, text: &str) -> usize {
        self.to_tokens(count_utf8_points(text.as_bytes()) + role.name().len()) + PER_MESSAGE
    }

    fn count_tools(&self, schemas: &[u8]) -> usize {
        if let Some(points) = schemas::points(schemas) {
            return self.to_tokens(points);
        }
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

/// Code points that a message counts beyond its content: its role, and what else it has.
#[inline(always)]
fn around(view: TranscriptView<'_, '_>, index: usize, blocks: bool) -> usize {
    let message = view.message(index);
    let role = message.role.name().len();
    if message.calls.is_empty() && message.answers.is_none() && message.name.is_none() {
        role
    } else {
        role + beside(view, index, blocks)
    }
}

/// Calls, ids, names.
// Most messages have none: what they need not stays out of their way.
#[inline(never)]
fn beside(view: TranscriptView<'_, '_>, index: usize, blocks: bool) -> usize {
    let message = view.message(index);
    // The calls of a list of blocks stand in it already.
    let calls = if blocks || message.calls.is_empty() {
        0
    } else {
        calls(view, index)
    };
    let literals = message.answers.into_iter().chain(message.name);
    calls
        + literals
            .map(|span| count_literal_points(view.transcript.bytes(index, span)))
            .sum::<usize>()
}

/// Code points of `repr(json.loads(json))`.
fn repr_length(json: &[u8]) -> usize {
    let mut length = CodePointCount::default();
    if let Some(value) = parse_python_json(json) {
        repr(&value, &mut length);
    }
    length.0
}

/// Code points that the calls of a message add: the `repr` of the list of
/// valid ones, and name, id and raw arguments of each invalid one.
fn calls(view: TranscriptView<'_, '_>, index: usize) -> usize {
    let mut list = CodePointCount::default();
    let (mut valid, mut invalid) = (0, 0);
    for (number, call) in view.message(index).calls.iter().enumerate() {
        if call.legacy {
            continue; // the reference does not see them
        }
        let wtf8 = |span: Option<_>| {
            span.map(|span| decode_literal_wtf8(view.transcript.bytes(index, span)))
                .unwrap_or_default()
        };
        let (name, id) = (wtf8(call.name), wtf8(call.id));
        match arguments_points(view, index, number) {
            Ok(points) => {
                list.push_ascii(if valid > 0 { ", " } else { "" });
                repr_call(&name, &id, call.id.is_some(), &mut list, |list| {
                    list.0 += points
                });
                valid += 1;
            }
            Err(points) => invalid += points + count_utf8_points(&name) + count_utf8_points(&id),
        }
    }
    invalid + if valid > 0 { list.0 + "[]".len() } else { 0 }
}

/// Code points of the `repr` of a call's arguments; of the raw arguments, as an error, where they are no object.
fn arguments_points(
    view: TranscriptView<'_, '_>,
    index: usize,
    number: usize,
) -> Result<usize, usize> {
    let call = &view.message(index).calls[number];
    if let Some(points) = call
        .repr_points
        .filter(|_| !view.overlay.arguments.contains_key(&(index, number)))
    {
        return Ok(points);
    }
    let json = view.call_arguments(index, number);
    let entries = call
        .valid
        .then(|| parse_python_object(&json))
        .flatten()
        .ok_or_else(|| count_utf8_points(&json))?;
    let mut length = CodePointCount::default();
    repr_dict(&entries, &mut length);
    Ok(length.0)
}

/// `{'name': …, 'args': …, 'id': …, 'type': 'tool_call'}`.
pub fn repr_call<S: CodePointSink>(
    name: &[u8],
    id: &[u8],
    has_id: bool,
    out: &mut S,
    arguments: impl FnOnce(&mut S),
) {
    out.push_ascii("{'name': ");
    repr_str(name, out);
    out.push_ascii(", 'args': ");
    arguments(out);
    out.push_ascii(", 'id': ");
    if has_id {
        repr_str(id, out)
    } else {
        out.push_ascii("None")
    }
    out.push_ascii(", 'type': 'tool_call'}");
}
