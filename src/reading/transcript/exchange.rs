//! The pairing of tool results with the calls that they answer.
//!
//! Call ids repeat in real logs, so pairing goes by adjacency first and by id
//! second: a result belongs to the nearest assistant message before it that
//! makes a call with its id. Results without an id belong to the message
//! directly before their run of results, if it makes calls without ids.

use crate::reading::transcript::callers::{AdjacentCallers, AnswerRanks, CallPlace, Callers};
use crate::reading::transcript::prelude::*;

/// The number of results, and of calls, that are looked at one after the other.
const SHORT_RUN: usize = 32;

impl<'a> Transcript<'a> {
    /// Returns the index of the message whose call message `index` answers.
    pub(crate) fn caller_of(&self, index: usize) -> Option<usize> {
        let message = &self.messages[index];
        match message.role {
            Role::Tool => {
                let Some(id) = self.answered_id(message) else {
                    return self.adjacent_call(index).map(|caller| caller.message);
                };
                self.all_callers().nearest_before(&id, index).map(|caller| caller.message)
            }
            Role::Function => self.adjacent_call(index).map(|caller| caller.message),
            _ => None,
        }
    }

    /// Returns the indices of the calls of message `index` that have this id.
    pub(crate) fn calls_with_id(&self, index: usize, id: &str) -> Vec<usize> {
        let caller = self.all_callers().nearest_before(id, index + 1);
        let caller = caller.filter(|caller| caller.message == index);
        caller.map_or_else(Vec::new, |caller| caller.calls().collect())
    }

    fn all_callers(&self) -> &Callers {
        self.callers.get_or_init(|| {
            let mut callers = Callers::default();
            (0..self.messages.len()).for_each(|index| self.add_calls_of(index, &mut callers));
            callers
        })
    }

    /// Returns the first call that message `index` may answer, in the message directly before the
    /// run of results that contains it.
    fn adjacent_call(&self, index: usize) -> Option<CallPlace> {
        let role = self.messages[index].role;
        let nearest = (index.saturating_sub(SHORT_RUN)..index)
            .rev()
            .find(|&at| self.messages[at].role != role || self.messages[at].answers.is_some());
        match nearest {
            Some(at) if self.messages[at].calls.len() <= SHORT_RUN => {
                CallPlace::first_of(&self.messages, at, role)
            }
            None if index <= SHORT_RUN => None,
            // Each of many results would look at all of them.
            _ => self
                .all_callers()
                .adjacent
                .get_or_init(|| AdjacentCallers::new(&self.messages))
                .caller_of(index),
        }
    }

    fn add_calls_of(&self, index: usize, callers: &mut Callers) {
        let calls = self.messages[index].calls.iter().enumerate();
        for (call, id) in calls.filter_map(|(at, call)| Some((at, call.id?))) {
            let id = decode_literal(self.bytes(index, id)).into_owned();
            callers.add_call(id, index, call);
        }
    }

    /// Adds message `index`, which was appended, to the index of callers if that was built.
    #[inline]
    pub(crate) fn index_callers(&mut self, index: usize) {
        // Mostly it was not built. The check avoids moving it in and out.
        if self.callers.get().is_some()
            && let Some(mut callers) = self.callers.take()
        {
            self.add_calls_of(index, &mut callers);
            if let Some(adjacent) = callers.adjacent.get_mut() {
                adjacent.push(&self.messages, index);
            }
            if let Some(mut ranks) = callers.ranks.take() {
                self.extend_ranks(&mut ranks, &callers);
                callers.ranks = ranks.into();
            }
            self.callers = callers.into();
        }
    }

    /// Returns the name of the tool whose result message `index` is: from its call, else from the
    /// message itself.
    pub(crate) fn tool_name_of(&self, index: usize) -> Option<Cow<'a, str>> {
        let place = self.call_place_of(index);
        let called = place.and_then(|CallPlace { message, call }| {
            Some((message, self.messages[message].calls[call].name?))
        });
        let own = || Some((index, self.messages[index].name?));
        let (message, name) = called.or_else(own)?;
        Some(decode_literal(self.bytes(message, name)))
    }

    /// Returns the place of the call that message `index` answers.
    pub(crate) fn call_place_of(&self, index: usize) -> Option<CallPlace> {
        let message = &self.messages[index];
        let at = self.caller_of(index)?;
        let calls = &self.messages[at].calls;
        let call = match self.answered_id(message) {
            _ if message.role == Role::Function => self.adjacent_call(index)?.call,
            Some(id) => self.answered_call(index, &id)?,
            // Results without ids are in the order of their calls. A call may have several.
            None => (index - at - 1).min(calls.len().checked_sub(1)?),
        };
        Some(CallPlace { message: at, call })
    }

    /// Returns the id of the call that a tool message answers.
    pub(crate) fn answered_id(&self, message: &Message) -> Option<Cow<'a, str>> {
        message.answers.map(|span| decode_literal(span.slice(self.records[message.record].bytes)))
    }

    /// Returns the index, in its message, of the call with this id that message `index` answers.
    /// If several calls of the message have the id, results answer them in order.
    fn answered_call(&self, index: usize, id: &str) -> Option<usize> {
        let caller = self.all_callers().nearest_before(id, index)?;
        // Nearly always it is the only call with the id.
        if caller.is_single() {
            return Some(caller.nth_call(0));
        }
        let callers = self.all_callers();
        let ranks = callers.ranks.get_or_init(|| {
            let mut ranks = AnswerRanks::default();
            self.extend_ranks(&mut ranks, callers);
            ranks
        });
        Some(caller.nth_call(ranks.rank_of(index)))
    }

    /// Adds to `ranks` the messages that are not in it yet.
    fn extend_ranks(&self, ranks: &mut AnswerRanks, callers: &Callers) {
        for index in ranks.next()..self.messages.len() {
            let id = self.answered_id(&self.messages[index]);
            let answered =
                id.as_deref().and_then(|id| Some((id, callers.nearest_before(id, index)?)));
            ranks.push(answered);
        }
    }
}
