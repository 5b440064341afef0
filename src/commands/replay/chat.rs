//! A message of any format as an OpenAI chat message.

use crate::transcript::text;
use crate::transcript::view::{Piece, View};

/// Whether a message says more than a chat message of ours can.
pub(super) fn has_more_than_text(view: View<'_, '_>, index: usize) -> bool {
    view.pieces(index).iter().any(|piece| matches!(piece, Piece::Image | Piece::Other(_)))
}

/// What a user says, as JSON.
pub(super) fn user(text: &str) -> Vec<u8> {
    [b"{\"role\": \"user\", \"content\": ".as_slice(), &text::literal(text), b"}"].concat()
}

/// The message as JSON.
pub(super) fn message(view: View<'_, '_>, index: usize) -> Vec<u8> {
    let turn = view.turn(index);
    let mut out = format!("{{\"role\": \"{}\", ", turn.role.name()).into_bytes();
    if turn.role.is_result() {
        let id = view.transcript.answered_id(view.message(index)).unwrap_or_default();
        out.extend_from_slice(b"\"tool_call_id\": ");
        text::write_literal(&id, &mut out);
        out.extend_from_slice(b", ");
    }
    out.extend_from_slice(b"\"content\": ");
    if turn.text.is_empty() && !turn.calls.is_empty() {
        out.extend_from_slice(b"null");
    } else {
        text::write_literal(&turn.text, &mut out);
    }
    for (number, call) in turn.calls.iter().enumerate() {
        out.extend_from_slice(if number == 0 { b", \"tool_calls\": [{\"id\": " } else { b", {\"id\": " });
        text::write_literal(&call.id, &mut out);
        out.extend_from_slice(b", \"type\": \"function\", \"function\": {\"name\": ");
        text::write_literal(&call.name, &mut out);
        out.extend_from_slice(b", \"arguments\": ");
        out.extend_from_slice(&text::wtf8_literal(&call.arguments));
        out.extend_from_slice(b"}}");
    }
    out.extend_from_slice(if turn.calls.is_empty() { b"}" } else { b"]}" });
    out
}
