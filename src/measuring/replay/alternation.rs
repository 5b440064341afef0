//! Strict alternation of roles, which some trainers demand: behind the system
//! prompt a user message or results, then an answer, and so on, with an answer at
//! the end. Consecutive results count as a single message.

use crate::reading::json::{Scanner, Span, decode_literal, encode_literal, write_literal};
use crate::reading::transcript::splice::{Splice, apply_splices};
use crate::reading::transcript::{Content, Role, Transcript};

/// One message of a sample.
pub(super) struct SampleMessage {
    pub(super) role: Role,
    /// The message as a JSON object.
    pub(super) bytes: Vec<u8>,
    content: UserContent,
    /// The span of the content in `bytes`, for a user message.
    content_span: Option<Span>,
}

/// The content of a user message, as far as joining needs it.
enum UserContent {
    Text(String),
    Blocks,
    Absent,
}

impl SampleMessage {
    /// Returns effective message `index`, rendered as `bytes`.
    pub(super) fn new(transcript: &Transcript<'_>, index: usize, bytes: Vec<u8>) -> Self {
        let message = &transcript.messages[index];
        if message.role != Role::User {
            return Self {
                role: message.role,
                bytes,
                content: UserContent::Absent,
                content_span: None,
            };
        }
        let content = match message.content {
            Content::Text(span) => {
                let text = decode_literal(transcript.bytes(index, span));
                UserContent::Text(text.into_owned())
            }
            Content::Blocks(_) => UserContent::Blocks,
            Content::Absent => UserContent::Absent,
        };
        let content_span = find_content(&bytes);
        Self {
            role: message.role,
            bytes,
            content,
            content_span,
        }
    }
}

/// Returns the span of the last value of the key `content`.
fn find_content(message: &[u8]) -> Option<Span> {
    let mut content = None;
    Scanner::new(message)
        .read_object(|s, key| {
            let is_content = key == b"content";
            s.peek_kind()?;
            let span = s.skip_value()?;
            if is_content {
                content = Some(span);
            }
            Ok(())
        })
        .ok()?;
    content
}

/// Joins consecutive user messages, for example a summary and the message behind it: the texts of
/// the earlier ones go before the content of the last. A message with more than text is joined only
/// as the last.
pub(super) fn join_user_messages(messages: Vec<SampleMessage>) -> Vec<SampleMessage> {
    let mut joined: Vec<SampleMessage> = Vec::with_capacity(messages.len());
    for message in messages {
        let both = joined.last().and_then(|last| join_pair(last, &message));
        match (both, joined.last_mut()) {
            (Some(both), Some(last)) => *last = both,
            _ => joined.push(message),
        }
    }
    joined
}

/// Joins two user messages. Returns None if they can't be joined.
fn join_pair(first: &SampleMessage, second: &SampleMessage) -> Option<SampleMessage> {
    if first.role != Role::User || second.role != Role::User {
        return None;
    }
    let UserContent::Text(before) = &first.content else {
        return None;
    };
    let span = second.content_span?;
    let (content, bytes) = match &second.content {
        UserContent::Text(text) => {
            let both = format!("{before}\n\n{text}");
            let literal = encode_literal(&both);
            (UserContent::Text(both), literal)
        }
        UserContent::Absent => (UserContent::Text(before.clone()), encode_literal(before)),
        UserContent::Blocks => {
            let list = span.slice(&second.bytes);
            let mut bytes = b"[{\"type\": \"text\", \"text\": ".to_vec();
            write_literal(before, &mut bytes);
            bytes.extend_from_slice(b"}, ");
            bytes.extend_from_slice(&list[1..]);
            (UserContent::Blocks, bytes)
        }
    };
    let content_span = Span {
        start: span.start,
        end: span.start + bytes.len(),
    };
    let mut joined = Vec::with_capacity(second.bytes.len() + bytes.len());
    apply_splices(&second.bytes, &mut [Splice { span, bytes }], &mut joined);
    Some(SampleMessage {
        role: Role::User,
        bytes: joined,
        content,
        content_span: Some(content_span),
    })
}

/// Returns true if the roles of messages alternate and the last is an answer.
pub(super) fn roles_alternate(roles: &[Role]) -> bool {
    let has_prompt = roles.first().is_some_and(|role| role.is_system());
    let roles = &roles[usize::from(has_prompt)..];
    let mut expects_answer = false;
    let mut last = None;
    for &role in roles {
        let continues_results = role.is_result() && last == Some(role);
        let is_answer = role == Role::Assistant;
        if role.is_system() || (!continues_results && is_answer != expects_answer) {
            return false;
        }
        expects_answer = !is_answer;
        last = Some(role);
    }
    !roles.is_empty() && !expects_answer
}
