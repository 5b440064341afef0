//! The calls that have no result when the user speaks again, and their answers as the live agent
//! adds them. See `docs/reference/deepagents.md`.

use crate::deciding::policy::PatchedCalls;
use crate::deciding::tokens::TokenCounter;
use crate::reading::json::{Span, decode_literal, encode_literal};
use crate::reading::transcript::view::TranscriptView;
use crate::reading::transcript::{Content, Message, Record, Role, ToolCall, Transcript};
use crate::reporting::report::numbers::count_nouns;
use crate::running::conversation::Conversation;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// An answer that is added.
struct PatchedAnswer {
    /// The message that it follows.
    after: usize,
    id: String,
    name: String,
    text: String,
}

impl PatchedAnswer {
    fn new(after: usize, call: UnansweredCall, policy: PatchedCalls) -> Self {
        let UnansweredCall { id, mut name, valid, .. } = call;
        if name.is_empty() && policy == PatchedCalls::V07 {
            "unknown".clone_into(&mut name);
        }
        let end = match (policy, valid) {
            (PatchedCalls::V07, true) => {
                "did not complete - no result was recorded. It may have been cancelled or interrupted."
            }
            (PatchedCalls::V07, false) => {
                "could not be executed - arguments were malformed or truncated."
            }
            (PatchedCalls::V04 | PatchedCalls::Off, _) => {
                "was cancelled - another message came in before it could be completed."
            }
        };
        let text = format!("Tool call {name} with id {id} {end}");
        Self { after, id, name, text }
    }
}

/// The answers that are added to a conversation: their JSON, one behind the other.
#[derive(Default)]
pub(super) struct PatchedAnswers {
    answers: Vec<PatchedAnswer>,
    json: Vec<u8>,
    /// Where the parts of each answer lie in the JSON.
    spans: Vec<AnswerSpans>,
}

#[derive(Clone, Copy)]
struct AnswerSpans {
    message: Span,
    id: Span,
    name: Span,
    content: Span,
}

impl PatchedAnswers {
    /// Finds the calls without an answer behind which the user speaks again.
    pub(super) fn find(transcript: &Transcript<'_>, policy: PatchedCalls) -> Self {
        let mut patched = Self::default();
        let messages = &transcript.messages;
        for call in find_unanswered(transcript, policy) {
            let mut after = call.message;
            while messages.get(after + 1).is_some_and(|next| {
                next.joined
                    && next.role == Role::Assistant
                    && messages[call.message].role == next.role
            }) {
                after += 1;
            }
            patched.answers.push(PatchedAnswer::new(after, call, policy));
        }
        patched.render();
        patched
    }

    /// Returns the number of answers.
    pub(super) fn len(&self) -> usize {
        self.answers.len()
    }

    /// Says how many answers there are.
    pub(super) fn describe(&self) -> String {
        let calls = count_nouns(self.len(), "call");
        format!("{calls} without an answer got the one that the live agent adds ([patch] calls)")
    }

    fn render(&mut self) {
        for answer in &self.answers {
            let start = self.json.len();
            let mut push = |before: &str, value: &str| {
                self.json.extend_from_slice(before.as_bytes());
                let start = self.json.len();
                self.json.extend_from_slice(&encode_literal(value));
                let end = self.json.len();
                Span { start, end }
            };
            let id = push("{\"role\": \"tool\", \"tool_call_id\": ", &answer.id);
            let name = push(", \"name\": ", &answer.name);
            let content = push(", \"content\": ", &answer.text);
            self.json.push(b'}');
            let end = self.json.len();
            self.spans.push(AnswerSpans { message: Span { start, end }, id, name, content });
        }
    }

    /// Inserts the answers into a conversation. Returns their places in it, in order.
    pub(super) fn insert_into<'u>(
        &'u self,
        conversation: &mut Conversation<'u>,
        counter: &dyn TokenCounter,
    ) -> Vec<usize> {
        if self.answers.is_empty() {
            return Vec::new();
        }
        let transcript = &mut conversation.transcript;
        transcript.callers = OnceLock::new();
        let record = transcript.records.len();
        let line = transcript.records.first().map_or(0, |record| record.line);
        transcript.records.push(Record { bytes: &self.json, line });
        let mut by_place: BTreeMap<usize, Vec<Message>> = BTreeMap::new();
        for (answer, spans) in self.answers.iter().zip(&self.spans) {
            let mut message = Message::new(record, spans.message, Role::Tool);
            message.content = Content::Text(spans.content);
            message.content_span = Some(spans.content);
            message.answers = Some(spans.id);
            message.name = Some(spans.name).filter(|_| !answer.name.is_empty());
            message.incomplete = true;
            by_place.entry(answer.after).or_default().push(message);
        }
        let mut places = Vec::new();
        let mut new_index = Vec::new();
        let mut tokens = std::mem::take(&mut conversation.message_tokens).into_iter();
        let old = std::mem::take(&mut transcript.messages);
        for (index, message) in old.into_iter().enumerate() {
            new_index.push(transcript.messages.len());
            transcript.messages.push(message);
            conversation.message_tokens.extend(tokens.next());
            for message in by_place.remove(&index).unwrap_or_default() {
                let place = transcript.messages.len();
                transcript.messages.push(message);
                let view = TranscriptView::logged(transcript);
                conversation.message_tokens.push(counter.count_message(view, place));
                places.push(place);
            }
        }
        for candidate in &mut conversation.candidates {
            candidate.message = new_index[candidate.message];
        }
        places
    }
}

/// A call without a result.
struct UnansweredCall {
    /// The message that makes it.
    pub(super) message: usize,
    pub(super) id: String,
    pub(super) name: String,
    /// False if its arguments can't be parsed.
    pub(super) valid: bool,
}

/// Where each call id stands, in order.
#[derive(Default)]
struct IdPlaces {
    calls: BTreeMap<String, Vec<usize>>,
    results: BTreeMap<String, Vec<usize>>,
}

impl IdPlaces {
    fn find(transcript: &Transcript<'_>) -> Self {
        let mut places = Self::default();
        for (index, message) in transcript.messages.iter().enumerate() {
            for id in message.calls.iter().filter_map(|call| call_id(transcript, index, call)) {
                places.calls.entry(id).or_default().push(index);
            }
            if message.role == Role::Tool
                && let Some(id) = transcript.answered_id(message)
            {
                let results = places.results.entry(id.into_owned()).or_default();
                results.push(index);
            }
        }
        places
    }

    /// Returns true if a result with this id is in `from..end`.
    fn has_result(&self, id: &str, from: usize, end: usize) -> bool {
        let Some(results) = self.results.get(id) else {
            return false;
        };
        let first = results.partition_point(|place| *place < from);
        results.get(first).is_some_and(|place| *place < end)
    }

    /// Returns true if a result comes after the call of message `index`, before any other message
    /// makes a call with this id. It is that call's own, however late it comes.
    fn has_own_result(&self, id: &str, index: usize) -> bool {
        let calls = self.calls.get(id).map_or(&[][..], Vec::as_slice);
        let next = calls.partition_point(|place| *place <= index);
        let end = calls.get(next).copied().unwrap_or(usize::MAX);
        self.has_result(id, index, end)
    }
}

/// Finds the calls that the live agent answers itself, in the order of these answers: each time that
/// the user speaks it looks at the calls before.
fn find_unanswered(transcript: &Transcript<'_>, policy: PatchedCalls) -> Vec<UnansweredCall> {
    let mut found = Vec::new();
    if policy == PatchedCalls::Off {
        return found;
    }
    let places = IdPlaces::find(transcript);
    let mut answered: BTreeSet<String> = BTreeSet::new();
    let mut first = 0;
    let messages = transcript.messages.iter().enumerate();
    for (user, _) in messages.filter(|(_, message)| message.role == Role::User) {
        let known = found.len();
        for index in first..user {
            let calls = transcript.messages[index].calls.iter();
            let calls = calls.filter_map(|call| unanswered_call(transcript, index, call));
            let mut calls: Vec<UnansweredCall> = calls
                .filter(|call| !places.has_own_result(&call.id, index))
                .filter(|call| match policy {
                    PatchedCalls::Off => false,
                    PatchedCalls::V04 => call.valid && !places.has_result(&call.id, index, user),
                    PatchedCalls::V07 => {
                        !places.has_result(&call.id, 0, user) && !answered.contains(&call.id)
                    }
                })
                .collect();
            // The valid calls of a message are answered first.
            calls.sort_by_key(|call| !call.valid);
            found.extend(calls);
        }
        answered.extend(found[known..].iter().map(|call| call.id.clone()));
        first = user;
    }
    found
}

fn unanswered_call(
    transcript: &Transcript<'_>,
    index: usize,
    call: &ToolCall,
) -> Option<UnansweredCall> {
    let name = call.name.map(|name| decode_literal(transcript.bytes(index, name)).into_owned());
    Some(UnansweredCall {
        message: index,
        id: call_id(transcript, index, call)?,
        name: name.unwrap_or_default(),
        valid: call.valid,
    })
}

/// Returns the id of a call, unless it is one of the old form, which has none.
fn call_id(transcript: &Transcript<'_>, index: usize, call: &ToolCall) -> Option<String> {
    let id = call.id.filter(|_| !call.legacy)?;
    Some(decode_literal(transcript.bytes(index, id)).into_owned())
}
