//! Which result answers which call.
//!
//! ToolCall ids repeat in real logs, so pairing goes by adjacency first and by id
//! second: a result belongs to the nearest assistant message before it that
//! makes a call with its id. Results without an id belong to the message
//! directly before their run of results, if it makes calls without ids.

use crate::json::decode_literal;
use crate::transcript::callers::{Caller, Callers};
use crate::transcript::document::Transcript;
use crate::transcript::message::{Message, ToolCall};
use crate::transcript::role::Role;
use std::borrow::Cow;

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
        self.callers
            .get_or_init(|| self.find_callers())
            .nearest_before(id, index)
    }

    /// The message directly before the run of results that message `index` stands in, if it makes such a call.
    fn call_before(&self, index: usize, wanted: impl Fn(&ToolCall) -> bool) -> Option<usize> {
        let role = self.messages[index].role;
        let at = (0..index)
            .rev()
            .find(|&at| self.messages[at].role != role || self.messages[at].answers.is_some())?;
        self.messages[at].calls.iter().any(wanted).then_some(at)
    }

    fn find_callers(&self) -> Callers {
        let mut callers = Callers::default();
        (0..self.messages.len()).for_each(|index| self.add_calls_of(index, &mut callers));
        callers
    }

    /// Adds the calls of message `index` to the index.
    fn add_calls_of(&self, index: usize, callers: &mut Callers) {
        let calls = self.messages[index].calls.iter().enumerate();
        for (call, id) in calls.filter_map(|(at, call)| Some((at, call.id?))) {
            let id = decode_literal(self.bytes(index, id)).into_owned();
            callers.add_call(id, index, call);
        }
    }

    /// Keeps up with a message that was added at the end, where somebody has asked for callers.
    #[inline]
    pub fn index_callers(&mut self, index: usize) {
        // Mostly nobody has, and to take nothing still moves it.
        if self.callers.get().is_some()
            && let Some(mut callers) = self.callers.take()
        {
            self.add_calls_of(index, &mut callers);
            self.callers = callers.into();
        }
    }

    /// The name of the tool whose result message `index` is: from its call, else from the message itself.
    #[must_use]
    pub fn tool_name_of(&self, index: usize) -> Option<Cow<'a, str>> {
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
                .map(|name| decode_literal(self.bytes(at, name)))
        };
        by_call().or_else(|| {
            message
                .name
                .map(|name| decode_literal(self.bytes(index, name)))
        })
    }

    /// The id of the call that a tool message answers.
    #[must_use]
    pub fn answered_id(&self, message: &Message) -> Option<Cow<'a, str>> {
        message
            .answers
            .map(|span| decode_literal(span.slice(self.records[message.record].bytes)))
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
        let has_id = |span| decode_literal(self.bytes(at, span)) == id;
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
