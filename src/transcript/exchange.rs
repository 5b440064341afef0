//! Which result answers which call.
//!
//! Call ids repeat in real logs, so pairing goes by adjacency first and by id
//! second: a result belongs to the nearest assistant message before it that
//! makes a call with its id. Results without an id belong to the message
//! directly before their run of results, if it makes calls without ids.

use crate::json::text;
use crate::transcript::{Call, Message, Role, Transcript};
use std::borrow::Cow;
use std::collections::HashMap;

/// The messages that make a call with an id, in order. One walk over the transcript.
#[derive(Debug, Clone, Default)]
pub struct Callers {
    by_id: HashMap<String, Vec<Caller>>,
}

/// A message that makes calls with an id.
#[derive(Debug, Clone, Copy)]
struct Caller {
    message: usize,
    /// The first and the last of these calls.
    first: usize,
    last: usize,
}

impl Callers {
    fn add(&mut self, transcript: &Transcript<'_>, index: usize) {
        let calls = transcript.messages[index].calls.iter().enumerate();
        for (call, id) in calls.filter_map(|(at, call)| Some((at, call.id?))) {
            let callers = self
                .by_id
                .entry(text::decode(transcript.bytes(index, id)).into_owned())
                .or_default();
            match callers.last_mut() {
                // A message that was there when somebody asked is seen again.
                Some(caller) if caller.message == index => caller.last = caller.last.max(call),
                _ => callers.push(Caller {
                    message: index,
                    first: call,
                    last: call,
                }),
            }
        }
    }
}

impl<'a> Transcript<'a> {
    /// The index of the message whose call message `index` answers, if there is one.
    #[must_use]
    pub fn caller_of(&self, index: usize) -> Option<usize> {
        let message = &self.messages[index];
        match message.role {
            Role::Tool => {
                let Some(id) = self.answered_id(message) else {
                    return self.call_before(index, |call| !call.legacy && call.id.is_none());
                };
                self.nearest_caller(&id, index).map(|caller| caller.message)
            }
            Role::Function => self.call_before(index, |call| call.legacy),
            _ => None,
        }
    }

    /// The nearest message before `index` that makes a call with this id.
    fn nearest_caller(&self, id: &str, index: usize) -> Option<Caller> {
        let callers = self
            .callers
            .get_or_init(|| self.find_callers())
            .by_id
            .get(id)?;
        let before = callers.partition_point(|caller| caller.message < index);
        before.checked_sub(1).map(|nearest| callers[nearest])
    }

    /// The message directly before the run of results that message `index` stands in, if it makes such a call.
    fn call_before(&self, index: usize, wanted: impl Fn(&Call) -> bool) -> Option<usize> {
        let role = self.messages[index].role;
        let at = (0..index)
            .rev()
            .find(|&at| self.messages[at].role != role || self.messages[at].answers.is_some())?;
        self.messages[at].calls.iter().any(wanted).then_some(at)
    }

    fn find_callers(&self) -> Callers {
        let mut callers = Callers::default();
        (0..self.messages.len()).for_each(|index| callers.add(self, index));
        callers
    }

    /// Keeps up with a message that was added at the end, where somebody has asked for callers.
    #[inline]
    pub fn see_caller(&mut self, index: usize) {
        // Mostly nobody has, and to take nothing still moves it.
        if self.callers.get().is_some()
            && let Some(mut callers) = self.callers.take()
        {
            callers.add(self, index);
            self.callers = callers.into();
        }
    }

    /// The name of the tool whose result message `index` is: from its call, else from the message itself.
    #[must_use]
    pub fn tool_of(&self, index: usize) -> Option<Cow<'a, str>> {
        let message = &self.messages[index];
        let by_call = || {
            let at = self.caller_of(index)?;
            let call = match self.answered_id(message) {
                _ if message.role == Role::Function => self.messages[at]
                    .calls
                    .iter()
                    .position(|call| call.legacy)?,
                Some(id) => self.call_with_id(index, &id)?,
                // Without ids results come in the order of their calls; one may answer several.
                None => (index - at - 1).min(self.messages[at].calls.len().checked_sub(1)?),
            };
            self.messages[at].calls[call]
                .name
                .map(|name| text::decode(self.bytes(at, name)))
        };
        by_call().or_else(|| {
            message
                .name
                .map(|name| text::decode(self.bytes(index, name)))
        })
    }

    /// The id of the call that a tool message answers.
    #[must_use]
    pub fn answered_id(&self, message: &Message) -> Option<Cow<'a, str>> {
        message
            .answers
            .map(|span| text::decode(span.of(self.records[message.record].bytes)))
    }

    /// The call with this id that message `index` answers. Where several of one message have it, results come in their order.
    fn call_with_id(&self, index: usize, id: &str) -> Option<usize> {
        let Caller {
            message: at,
            first,
            last,
        } = self.nearest_caller(id, index)?;
        // Nearly always it is the only one.
        if first == last {
            return Some(first);
        }
        let has_id = |span| text::decode(self.bytes(at, span)) == id;
        let mut calls = self.messages[at]
            .calls
            .iter()
            .enumerate()
            .filter(|(_, call)| call.id.is_some_and(has_id))
            .map(|(place, _)| place);
        let answered = self.messages[at + 1..index]
            .iter()
            .filter(|message| {
                self.answered_id(message)
                    .is_some_and(|answered| answered == id)
            })
            .count();
        let most = calls.clone().count().checked_sub(1)?;
        calls.nth(answered.min(most))
    }
}
