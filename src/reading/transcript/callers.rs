//! Indexes of the messages that make calls. They are built when they are first needed, and grow
//! with the transcript.

use crate::reading::transcript::prelude::*;
use std::sync::OnceLock;

/// The messages that make a call with an id, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Callers {
    by_id: HashMap<String, Vec<Caller>>,
    /// Built for results in long runs.
    pub(super) adjacent: OnceLock<AdjacentCallers>,
    /// Built for results of which several may answer calls with one id.
    pub(super) ranks: OnceLock<AnswerRanks>,
}

/// A message that makes calls with one id.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// Index of the message.
    pub(super) message: usize,
    /// Index of the first of these calls.
    first: usize,
    /// Indices of the others, in order.
    others: Vec<usize>,
}

impl Caller {
    /// Returns the indices of these calls, in order.
    pub(super) fn calls(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// Returns true if the message makes only one call with the id.
    pub(super) fn is_single(&self) -> bool {
        self.others.is_empty()
    }

    /// Returns the index of the call that comes after `number` others with the same id, or of the
    /// last one.
    pub(super) fn nth_call(&self, number: usize) -> usize {
        let last = self.others.len();
        match number.min(last).checked_sub(1) {
            Some(other) => self.others[other],
            None => self.first,
        }
    }
}

impl Callers {
    /// Adds a call of message `message`. Messages must come in order.
    pub(super) fn add_call(&mut self, id: String, message: usize, call: usize) {
        let callers = self.by_id.entry(id).or_default();
        match callers.last_mut() {
            // A message that was indexed before is added again when it grows.
            Some(caller) if caller.message == message => {
                if call > *caller.others.last().unwrap_or(&caller.first) {
                    caller.others.push(call);
                }
            }
            _ => callers.push(Caller { message, first: call, others: Vec::new() }),
        }
    }

    /// Returns the nearest message before `index` that makes a call with this id.
    pub(super) fn nearest_before(&self, id: &str, index: usize) -> Option<&Caller> {
        let callers = self.by_id.get(id)?;
        let before = callers.partition_point(|caller| caller.message < index);
        before.checked_sub(1).map(|nearest| &callers[nearest])
    }
}

/// Returns true if a result of this role without an id may answer a call.
fn is_answered_by_place(role: Role, call: &ToolCall) -> bool {
    match role {
        Role::Tool => !call.legacy && call.id.is_none(),
        Role::Function => call.legacy,
        _ => false,
    }
}

/// The message directly before the run of results that each message belongs to.
#[derive(Debug, Clone, Default)]
pub(super) struct AdjacentCallers {
    /// The message before the run, with the first of its calls that results of the run may answer.
    runs: Vec<Option<CallPlace>>,
}

/// The place of a call: its message, and its index among the calls of that message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallPlace {
    pub message: usize,
    pub call: usize,
}

impl CallPlace {
    /// Returns the first call of `message` that results of this role may answer by their place.
    pub(super) fn first_of(messages: &[Message], message: usize, role: Role) -> Option<Self> {
        let mut calls = messages[message].calls.iter();
        let call = calls.position(|call| is_answered_by_place(role, call))?;
        Some(Self { message, call })
    }
}

impl AdjacentCallers {
    pub(super) fn new(messages: &[Message]) -> Self {
        let mut adjacent = Self::default();
        for index in 0..messages.len() {
            adjacent.push(messages, index);
        }
        adjacent
    }

    /// Adds message `index`, or adds it again.
    pub(super) fn push(&mut self, messages: &[Message], index: usize) {
        self.runs.truncate(index);
        let role = messages[index].role;
        let before = index.checked_sub(1);
        let run = match before {
            Some(before) if messages[before].role == role && messages[before].answers.is_none() => {
                self.runs[before]
            }
            _ => before.and_then(|before| CallPlace::first_of(messages, before, role)),
        };
        self.runs.push(run);
    }

    /// Returns the first call that message `index` may answer, in the message before the run.
    pub(super) fn caller_of(&self, index: usize) -> Option<CallPlace> {
        self.runs[index]
    }
}

/// The number of results before each result that answer a call with the same id of the same
/// message. Only results of calls that share their id are listed.
#[derive(Debug, Clone, Default)]
pub(super) struct AnswerRanks {
    ranks: HashMap<usize, usize>,
    /// The results that were seen last for each id.
    counts: HashMap<String, AnswerCount>,
    /// The index of the next message.
    next: usize,
}

#[derive(Debug, Clone, Copy)]
struct AnswerCount {
    caller: usize,
    results: usize,
}

impl AnswerRanks {
    /// Returns the index of the message that is to be added next.
    pub(super) fn next(&self) -> usize {
        self.next
    }

    /// Adds the next message, which answers a call of `caller` with this id, or none.
    pub(super) fn push(&mut self, answered: Option<(&str, &Caller)>) {
        let index = self.next;
        self.next += 1;
        let Some((id, caller)) = answered else { return };
        if caller.is_single() {
            return;
        }
        let caller = caller.message;
        let count = self.counts.entry(id.to_owned()).or_insert(AnswerCount { caller, results: 0 });
        if count.caller != caller {
            *count = AnswerCount { caller, results: 0 };
        }
        self.ranks.insert(index, count.results);
        count.results += 1;
    }

    /// Returns the number of results before result `index` that answer calls with its id.
    pub(super) fn rank_of(&self, index: usize) -> usize {
        self.ranks.get(&index).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: Role, calls: &[&str]) -> Message {
        let mut message = Message::new(0, Span::default(), role);
        message.calls = calls
            .iter()
            .map(|id| ToolCall { id: (!id.is_empty()).then(Span::default), ..ToolCall::default() })
            .collect();
        message
    }

    #[test]
    fn calls_with_one_id_are_counted_in_order() {
        let mut callers = Callers::default();
        for (message, call, id) in [(1, 0, "a"), (1, 1, "b"), (1, 2, "a"), (4, 0, "a")] {
            callers.add_call(id.to_owned(), message, call);
        }
        // A message that grows is added again.
        callers.add_call("a".to_owned(), 4, 0);
        callers.add_call("a".to_owned(), 4, 3);
        let caller = |id, index| callers.nearest_before(id, index).unwrap();
        assert!(caller("b", 4).is_single() && !caller("a", 5).is_single());
        assert_eq!([0, 1, 2, 9].map(|number| caller("a", 4).nth_call(number)), [0, 2, 2, 2]);
        assert_eq!([0, 1, 2].map(|number| caller("a", 5).nth_call(number)), [0, 3, 3]);
        assert!(callers.nearest_before("a", 1).is_none());
    }

    #[test]
    fn ranks_begin_again_with_each_caller() {
        let mut callers = Callers::default();
        for (message, call) in [(0, 0), (0, 1), (3, 0), (3, 1)] {
            callers.add_call("a".to_owned(), message, call);
        }
        let mut ranks = AnswerRanks::default();
        for index in 0..7 {
            let is_result = ![0, 3].contains(&index);
            let caller = callers.nearest_before("a", index).filter(|_| is_result);
            ranks.push(caller.map(|caller| ("a", caller)));
        }
        let found: Vec<usize> = (0..7).map(|index| ranks.rank_of(index)).collect();
        assert_eq!(found, [0, 0, 1, 0, 0, 1, 2]);
    }

    #[test]
    fn runs_of_results_belong_to_the_message_before_them() {
        let mut messages = vec![
            message(Role::Assistant, &["c", ""]),
            message(Role::Tool, &[]),
            message(Role::Tool, &[]),
            message(Role::User, &[]),
            message(Role::Tool, &[]),
        ];
        let adjacent = AdjacentCallers::new(&messages);
        let found: Vec<Option<(usize, usize)>> = (0..5)
            .map(|index| adjacent.caller_of(index).map(|found| (found.message, found.call)))
            .collect();
        assert_eq!(found[1..], [Some((0, 1)), Some((0, 1)), None, None]);
        // A result with an id ends the run, and a message that is added again replaces itself.
        messages[1].answers = Some(Span::default());
        let mut adjacent = AdjacentCallers::new(&messages[..3]);
        assert!(adjacent.caller_of(2).is_none());
        messages[1].answers = None;
        adjacent.push(&messages, 1);
        adjacent.push(&messages, 2);
        assert!(adjacent.caller_of(2).is_some());
    }
}
