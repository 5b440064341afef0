//! Strict alternation, as some trainers want it: after the system prompt user
//! or tool on odd places, assistant on even ones, consecutive results as one,
//! an answer at the end (spec: services, "Fine-tuning data").

use crate::json::Span;
use crate::json::{decode_literal, encode_literal, write_literal};
use crate::transcript::splice::{Splice, apply_splices};
use crate::transcript::{Content, Role, Transcript};
use std::borrow::Cow;

/// One message of a sample.
pub(crate) struct Part {
    pub(crate) role: Role,
    pub(crate) bytes: Vec<u8>,
    /// What it says, of a user.
    said: Said,
    /// Where that stands in `bytes`.
    place: Option<Span>,
}

/// What a user says, as far as turns can be joined.
enum Said {
    Text(String),
    Blocks,
    Nothing,
}

impl Part {
    /// Effective message `index` as `bytes` have it.
    pub(crate) fn new(transcript: &Transcript<'_>, index: usize, bytes: Vec<u8>) -> Self {
        let message = &transcript.messages[index];
        if message.role != Role::User {
            return Self {
                role: message.role,
                bytes,
                said: Said::Nothing,
                place: None,
            };
        }
        let said = match message.content {
            Content::Text(span) => {
                Said::Text(decode_literal(transcript.bytes(index, span)).into_owned())
            }
            Content::Blocks(_) => Said::Blocks,
            Content::Absent => Said::Nothing,
        };
        let place = content_of(&bytes);
        Self {
            role: message.role,
            bytes,
            said,
            place,
        }
    }
}

/// The last value of the key `content`.
fn content_of(message: &[u8]) -> Option<Span> {
    let mut found = None;
    let mut scanner = crate::json::Scanner::new(message);
    scanner
        .read_object(|s, key| {
            let is_content = key == b"content";
            s.peek_kind()?;
            let span = s.skip_value()?;
            if is_content {
                found = Some(span);
            }
            Ok(())
        })
        .ok()?;
    found
}

/// Joins consecutive user turns, a summary and the turn behind it among them: the texts of the first ones go before
/// what the last one says. A turn with more than text is joined only as the last.
pub(crate) fn join_users(parts: &mut Vec<Part>) {
    let mut joined: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts.drain(..) {
        match joined.pop() {
            Some(last) if last.role == Role::User && part.role == Role::User => {
                match join(&last, &part) {
                    Some(both) => joined.push(both),
                    None => joined.extend([last, part]),
                }
            }
            Some(last) => joined.extend([last, part]),
            None => joined.push(part),
        }
    }
    *parts = joined;
}

fn join(first: &Part, last: &Part) -> Option<Part> {
    let Said::Text(before) = &first.said else {
        return None;
    };
    let place = last.place?;
    let (said, bytes) = match &last.said {
        Said::Text(text) => {
            let both = format!("{before}\n\n{text}");
            let literal = encode_literal(&both);
            (Said::Text(both), literal)
        }
        Said::Nothing => (Said::Text(before.clone()), encode_literal(before)),
        Said::Blocks => {
            let list = Cow::Borrowed(place.slice(&last.bytes));
            let mut bytes = b"[{\"type\": \"text\", \"text\": ".to_vec();
            write_literal(before, &mut bytes);
            bytes.extend_from_slice(b"}, ");
            bytes.extend_from_slice(&list[1..]);
            (Said::Blocks, bytes)
        }
    };
    let end = place.start + bytes.len();
    let mut out = Vec::with_capacity(last.bytes.len() + bytes.len());
    apply_splices(&last.bytes, &mut [Splice { span: place, bytes }], &mut out);
    Some(Part {
        role: Role::User,
        bytes: out,
        said,
        place: Some(Span {
            start: place.start,
            end,
        }),
    })
}

/// Whether the speakers of messages alternate.
pub(crate) fn alternate(roles: &[Role]) -> bool {
    let conversation = &roles[usize::from(roles.first().is_some_and(|role| role.is_system()))..];
    let mut wants_answer = false;
    let mut last = None;
    for &role in conversation {
        let goes_on = role.is_result() && last == Some(role);
        let is_answer = role == Role::Assistant;
        if role.is_system() || (!goes_on && is_answer != wants_answer) {
            return false;
        }
        wants_answer = !is_answer;
        last = Some(role);
    }
    !conversation.is_empty() && !wants_answer
}
