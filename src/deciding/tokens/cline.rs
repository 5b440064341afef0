//! Cline's estimate: UTF-16 code units of what JavaScript's `JSON.stringify` writes of a message in
//! Anthropic's form, divided by three and rounded up (see `docs/reference/presets.md`).

use crate::deciding::tokens::approx::PER_IMAGE;
use crate::deciding::tokens::counter::TokenCounter;
use crate::deciding::tokens::estimates::{continuation_bytes, extra_units, saturating_count};
use crate::deciding::tokens::rendered::{length, listed};
use crate::reading::json::{encode_literal, json_units, literal_units};
use crate::reading::transcript::Role;
use crate::reading::transcript::view::{ContentPiece, TranscriptView};

/// UTF-16 code units per token.
const PER_TOKEN: u64 = 3;

const USER: &str = r#"{"role":"user","content":[]}"#;
const ASSISTANT: &str = r#"{"role":"assistant","content":[]}"#;
const TEXT: &str = r#"{"type":"text","text":}"#;
const CALL: &str = r#"{"type":"tool_use","id":,"name":,"input":}"#;
const RESULT: &str = r#"{"type":"tool_result","tool_use_id":,"content":}"#;

pub(crate) struct ClineCounter;

impl TokenCounter for ClineCounter {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn count_text(&self, text: &str) -> usize {
        tokens(text.chars().map(|character| character.len_utf16() as u64).sum())
    }

    fn count_message_as(
        &self,
        view: TranscriptView<'_, '_>,
        index: usize,
        pieces: &[ContentPiece<'_>],
        blocks: bool,
    ) -> usize {
        let message = view.message(index);
        let images = pieces.iter().filter(|piece| matches!(piece, ContentPiece::Image)).count();
        let units = if message.role.is_result() {
            result_units(view, index, pieces, blocks)
        } else {
            let calls = (0..message.calls.len()).map(|number| call_units(view, index, number));
            let parts: Vec<u64> = pieces.iter().filter_map(block_units).chain(calls).collect();
            length(frame_of(message.role)) + listed(&parts)
        };
        tokens(units) + images * PER_IMAGE
    }

    fn count_summary(&self, role: Role, text: &str) -> usize {
        tokens(length(frame_of(role)) + length(TEXT) + literal_units(&encode_literal(text)))
    }

    fn count_tools(&self, schemas: &[u8]) -> usize {
        let text = schemas.len() as u64 - continuation_bytes(schemas);
        tokens(text + extra_units(schemas))
    }

    fn scales_with_usage(&self) -> bool {
        false
    }
}

fn frame_of(role: Role) -> &'static str {
    if role == Role::Assistant { ASSISTANT } else { USER }
}

fn tokens(units: u64) -> usize {
    saturating_count(units.div_ceil(PER_TOKEN))
}

/// Returns the units of a piece of content as a block. A picture has a price of its own.
fn block_units(piece: &ContentPiece<'_>) -> Option<u64> {
    match piece {
        // Counted with the calls of the message.
        ContentPiece::Image | ContentPiece::Call(_) => None,
        ContentPiece::Other(json) => Some(json_units(json)),
        ContentPiece::Literal(_) | ContentPiece::Text(_) => Some(length(TEXT) + text_units(piece)),
    }
}

/// Returns the units of a text as a literal.
fn text_units(piece: &ContentPiece<'_>) -> u64 {
    match piece {
        ContentPiece::Literal(literal) => literal_units(literal),
        ContentPiece::Text(text) => literal_units(&encode_literal(text)),
        ContentPiece::Image | ContentPiece::Call(_) | ContentPiece::Other(_) => 0,
    }
}

fn call_units(view: TranscriptView<'_, '_>, index: usize, number: usize) -> u64 {
    let call = &view.message(index).calls[number];
    let logged = [call.id, call.name].into_iter().map(|span| {
        span.map_or(length("\"\""), |span| literal_units(view.transcript.bytes(index, span)))
    });
    length(CALL) + logged.sum::<u64>() + json_units(&view.call_arguments(index, number))
}

/// Returns the units of a result. The results of an answer are blocks of one message.
fn result_units(
    view: TranscriptView<'_, '_>,
    index: usize,
    pieces: &[ContentPiece<'_>],
    blocks: bool,
) -> u64 {
    let follows = index > 0 && view.message(index - 1).role.is_result();
    let frame = if follows { 1 } else { length(USER) };
    let id = view
        .message(index)
        .answers
        .map_or(length("\"\""), |span| literal_units(view.transcript.bytes(index, span)));
    let content = match pieces {
        [piece @ (ContentPiece::Literal(_) | ContentPiece::Text(_))] if !blocks => {
            text_units(piece)
        }
        _ => {
            let parts: Vec<u64> = pieces.iter().filter_map(block_units).collect();
            length("[]") + listed(&parts)
        }
    };
    frame + length(RESULT) + id + content
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_as_the_json_that_cline_stores() {
        // Measured with @cline/core 0.0.86: a message of the user of so many characters.
        let counts = [0, 1, 2, 3, 30]
            .map(|count| ClineCounter.count_summary(Role::User, &"a".repeat(count)));
        assert_eq!(counts, [18, 18, 19, 19, 28]);
        assert_eq!(ClineCounter.count_summary(Role::User, "a\"b\n"), 20);
        assert_eq!(ClineCounter.count_summary(Role::User, "😀😀😀"), 20);
        // A summary may be an answer, whose role is five characters longer.
        assert_eq!(ClineCounter.count_summary(Role::Assistant, "a"), 20);
        assert_eq!(ClineCounter.count_text("abcd"), 2);
    }
}
