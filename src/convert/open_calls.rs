//! The calls of a turn that no result has answered yet.
//!
//! Each lookup takes a call from the front of a queue. Calls that were answered in another way are
//! passed over there once, so that all results of a turn take time in proportion to its calls.

use crate::convert::chat::ChatCall;
use crate::convert::escaped_text::EscapedText;
use std::collections::{HashMap, VecDeque};

/// The calls of one turn that have no result, by their numbers.
pub(super) struct OpenCalls<'c> {
    calls: &'c [ChatCall],
    is_answered: Vec<bool>,
    by_id: HashMap<&'c str, VecDeque<usize>>,
    /// All calls, and those without an id.
    queues: [CallQueue<'c>; 2],
}

/// Calls in their order, and the same calls by their names.
#[derive(Default)]
struct CallQueue<'c> {
    numbers: VecDeque<usize>,
    by_name: HashMap<&'c EscapedText, VecDeque<usize>>,
    /// The number of open calls.
    open: usize,
}

impl<'c> CallQueue<'c> {
    fn push(&mut self, number: usize, call: &'c ChatCall) {
        self.numbers.push_back(number);
        self.by_name.entry(&call.name).or_default().push_back(number);
        self.open += 1;
    }
}

impl<'c> OpenCalls<'c> {
    /// Returns the calls of a turn, all of them open.
    pub(super) fn new(calls: &'c [ChatCall]) -> Self {
        let mut open = Self {
            calls,
            is_answered: vec![false; calls.len()],
            by_id: HashMap::new(),
            queues: Default::default(),
        };
        for (number, call) in calls.iter().enumerate() {
            open.queues[0].push(number, call);
            match &call.id {
                Some(id) => open.by_id.entry(id).or_default().push_back(number),
                None => open.queues[1].push(number, call),
            }
        }
        open
    }

    /// Returns the first open call with this id.
    pub(super) fn first_with_id(&mut self, id: &str) -> Option<usize> {
        first_open(self.by_id.get_mut(id)?, &self.is_answered)
    }

    /// Returns the first open call of a tool; only one without an id if `only_without_id`.
    pub(super) fn first_with_name(
        &mut self,
        name: &EscapedText,
        only_without_id: bool,
    ) -> Option<usize> {
        let queue = &mut self.queues[usize::from(only_without_id)];
        first_open(queue.by_name.get_mut(name)?, &self.is_answered)
    }

    /// Returns the first open call; only one without an id if `only_without_id`.
    pub(super) fn first(&mut self, only_without_id: bool) -> Option<usize> {
        let queue = &mut self.queues[usize::from(only_without_id)];
        first_open(&mut queue.numbers, &self.is_answered)
    }

    /// Returns the number of open calls; only of those without an id if `only_without_id`.
    pub(super) fn count(&self, only_without_id: bool) -> usize {
        self.queues[usize::from(only_without_id)].open
    }

    /// Answers an open call.
    pub(super) fn answer(&mut self, number: usize) {
        self.is_answered[number] = true;
        self.queues[0].open -= 1;
        self.queues[1].open -= usize::from(self.calls[number].id.is_none());
    }

    /// Answers up to `count` open calls, the first ones; only those without an id if
    /// `only_without_id`.
    pub(super) fn answer_first(&mut self, count: usize, only_without_id: bool) -> Vec<usize> {
        let mut answered = Vec::new();
        while answered.len() < count
            && let Some(number) = self.first(only_without_id)
        {
            self.answer(number);
            answered.push(number);
        }
        answered
    }

    /// Returns true for each call that is answered.
    pub(super) fn into_answered(self) -> Vec<bool> {
        self.is_answered
    }
}

/// Returns the first call of a queue that is open. Those before it leave the queue.
fn first_open(queue: &mut VecDeque<usize>, is_answered: &[bool]) -> Option<usize> {
    while let Some(&number) = queue.front() {
        if !is_answered[number] {
            return Some(number);
        }
        queue.pop_front();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: Option<&str>, name: &str) -> ChatCall {
        ChatCall {
            message: 0,
            id: id.map(str::to_owned),
            name: name.into(),
            arguments: Vec::new(),
            is_object: false,
            is_custom: false,
        }
    }

    #[test]
    fn calls_are_found_by_id_by_name_and_by_order() {
        let calls = [
            call(Some("a"), "read"),
            call(Some("a"), "read"),
            call(None, "write"),
            call(None, "read"),
        ];
        let mut open = OpenCalls::new(&calls);
        assert_eq!((open.count(false), open.count(true)), (4, 2));
        open.answer(0);
        assert_eq!(open.first_with_id("a"), Some(1));
        assert_eq!(open.first_with_id("b"), None);
        assert_eq!(open.first_with_name(&"read".into(), false), Some(1));
        assert_eq!(open.first_with_name(&"read".into(), true), Some(3));
        assert_eq!(open.answer_first(2, true), [2, 3]);
        assert_eq!(open.answer_first(2, false), [1]);
        assert_eq!((open.count(false), open.first(false)), (0, None));
    }

    /// Each lookup passes over the answered calls before it, but over each of them only once.
    #[test]
    fn answered_calls_leave_the_queues() {
        let calls: Vec<ChatCall> = (0..1000).map(|_| call(Some("a"), "read")).collect();
        let mut open = OpenCalls::new(&calls);
        for number in 0..1000 {
            assert_eq!(open.first_with_id("a"), Some(number));
            open.answer(number);
            assert!(open.by_id["a"].len() <= 1000 - number);
        }
        assert_eq!(open.first(false), None);
        assert!(open.queues[0].numbers.is_empty());
    }
}
