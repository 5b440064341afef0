//! A message of any format as an OpenAI chat message.

use crate::transcript::text;
use crate::transcript::view::{Piece, View};
use std::borrow::Cow;
use std::collections::VecDeque;

/// Whether a message says more than a chat message of ours can.
pub(super) fn has_more_than_text(view: View<'_, '_>, index: usize) -> bool {
    view.pieces(index).iter().any(|piece| matches!(piece, Piece::Image | Piece::Other(_)))
}

/// What a user says, as JSON.
pub(super) fn user(text: &str) -> Vec<u8> {
    [b"{\"role\": \"user\", \"content\": ".as_slice(), &text::literal(text), b"}"].concat()
}

/// Ids for calls of formats that have none: results come in the order of their calls.
#[derive(Default)]
pub(super) struct Ids {
    open: VecDeque<String>,
}

impl Ids {
    fn of_call(&mut self, id: &str, index: usize, number: usize) -> String {
        let id = if id.is_empty() { format!("call_{index}_{number}") } else { id.to_owned() };
        self.open.push_back(id.clone());
        id
    }

    fn of_result(&mut self, answered: Option<Cow<'_, str>>) -> String {
        match answered.filter(|id| !id.is_empty()) {
            Some(id) => id.into_owned(),
            None => self.open.pop_front().unwrap_or_default(),
        }
    }
}

/// The message as JSON.
pub(super) fn message(view: View<'_, '_>, index: usize, ids: &mut Ids) -> Vec<u8> {
    let turn = view.turn(index);
    let mut out = b"{\"role\": ".to_vec();
    if turn.role.is_result() {
        out.extend_from_slice(b"\"tool\", \"tool_call_id\": ");
        text::write_literal(&ids.of_result(view.transcript.answered_id(view.message(index))), &mut out);
    } else {
        text::write_literal(turn.role.name(), &mut out);
    }
    out.extend_from_slice(b", \"content\": ");
    if turn.text.is_empty() && !turn.calls.is_empty() {
        out.extend_from_slice(b"null");
    } else {
        text::write_literal(&turn.text, &mut out);
    }
    if !turn.calls.is_empty() {
        ids.open.clear();
    }
    for (number, call) in turn.calls.iter().enumerate() {
        out.extend_from_slice(if number == 0 { b", \"tool_calls\": [{\"id\": " } else { b", {\"id\": " });
        text::write_literal(&ids.of_call(&call.id, index, number), &mut out);
        out.extend_from_slice(b", \"type\": \"function\", \"function\": {\"name\": ");
        text::write_literal(&call.name, &mut out);
        out.extend_from_slice(b", \"arguments\": ");
        out.extend_from_slice(&text::wtf8_literal(&call.arguments));
        out.extend_from_slice(b"}}");
    }
    out.extend_from_slice(if turn.calls.is_empty() { b"}" } else { b"]}" });
    out
}
