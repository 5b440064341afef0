//! The calls that have no result when the user speaks again. See `docs/reference/deepagents.md`.

use crate::deciding::policy::PatchedCalls;
use crate::reading::json::decode_literal;
use crate::reading::transcript::{Role, ToolCall, Transcript};
use std::collections::{BTreeMap, BTreeSet};

/// A call without a result.
pub(super) struct UnansweredCall {
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
pub(super) fn find_unanswered(
    transcript: &Transcript<'_>,
    policy: PatchedCalls,
) -> Vec<UnansweredCall> {
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
