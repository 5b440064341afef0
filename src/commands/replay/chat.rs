//! A message of any format as an OpenAI chat message.

use crate::transcript::view::{Piece, View};
use crate::transcript::{BlockKind, Content, Role, text};
use std::borrow::Cow;
use std::collections::VecDeque;

/// Whether a message says more than a chat message of ours can.
pub(super) fn has_more_than_text(view: View<'_, '_>, index: usize) -> bool {
    let message = view.message(index);
    let Content::Blocks(blocks) = &message.content else { return false };
    let is_left_out = |kind| matches!(kind, BlockKind::Image) || (matches!(kind, BlockKind::Other) && !message.role.is_result());
    blocks.iter().any(|block| is_left_out(block.kind))
}

/// What a message says: its text; of a result that is no text its JSON.
fn content(view: View<'_, '_>, index: usize, text: &str) -> String {
    if !text.is_empty() || !view.message(index).role.is_result() {
        return text.to_owned();
    }
    let json = view.pieces(index).into_iter().filter_map(|piece| if let Piece::Other(json) = piece { Some(String::from_utf8_lossy(json)) } else { None });
    json.collect::<Vec<_>>().join("\n")
}

/// What somebody says, as JSON.
pub(super) fn says(role: Role, text: &str) -> Vec<u8> {
    [b"{\"role\": ".as_slice(), &text::literal(role.name()), b", \"content\": ", &text::literal(text), b"}"].concat()
}

/// Ids for calls of formats that have none: results come in the order of their calls.
#[derive(Default)]
pub(super) struct Ids {
    open: VecDeque<String>,
    /// The last answer writes its calls into its text: what answers them is a user's turn.
    in_text: bool,
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
    if turn.role == Role::Assistant {
        ids.open.clear();
        ids.in_text = !turn.text.is_empty() && turn.calls.iter().any(|call| call.legacy);
    }
    let calls = if ids.in_text { &[] } else { turn.calls.as_slice() };
    let mut out = b"{\"role\": ".to_vec();
    match turn.role {
        Role::Tool | Role::Function if ids.in_text => out.extend_from_slice(b"\"user\""),
        Role::Tool | Role::Function => {
            out.extend_from_slice(b"\"tool\", \"tool_call_id\": ");
            text::write_literal(&ids.of_result(view.transcript.answered_id(view.message(index))), &mut out);
        }
        role => text::write_literal(role.name(), &mut out),
    }
    out.extend_from_slice(b", \"content\": ");
    if turn.text.is_empty() && !calls.is_empty() {
        out.extend_from_slice(b"null");
    } else {
        text::write_literal(&content(view, index, &turn.text), &mut out);
    }
    for (number, call) in calls.iter().enumerate() {
        out.extend_from_slice(if number == 0 { b", \"tool_calls\": [{\"id\": " } else { b", {\"id\": " });
        text::write_literal(&ids.of_call(&call.id, index, number), &mut out);
        out.extend_from_slice(b", \"type\": \"function\", \"function\": {\"name\": ");
        text::write_literal(&call.name, &mut out);
        out.extend_from_slice(b", \"arguments\": ");
        out.extend_from_slice(&text::wtf8_literal(&call.arguments));
        out.extend_from_slice(b"}}");
    }
    out.extend_from_slice(if calls.is_empty() { b"}" } else { b"]}" });
    out
}
