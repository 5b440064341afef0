//! The calls of a turn that no result has answered yet.

use crate::convert::prelude::*;
use std::collections::BTreeSet;

/// What an open call is looked up by.
#[derive(PartialEq, Eq, Hash)]
enum CallKey<'c> {
    Id(&'c str),
    /// The order of all calls, or of those without an id; of one tool, or of any.
    Order {
        only_without_id: bool,
        name: Option<&'c EscapedText>,
    },
}

/// Returns all keys by which a call is found.
fn keys_of(call: &ChatCall) -> Vec<CallKey<'_>> {
    let orders = |only_without_id| {
        [None, Some(&call.name)].map(|name| CallKey::Order { only_without_id, name })
    };
    let by_id: Vec<CallKey<'_>> = match &call.id {
        Some(id) => vec![CallKey::Id(id)],
        None => orders(true).into(),
    };
    by_id.into_iter().chain(orders(false)).collect()
}

/// The calls of one turn that have no result, by their numbers.
pub(super) struct OpenCalls<'c> {
    calls: &'c [ChatCall],
    numbers: HashMap<CallKey<'c>, BTreeSet<usize>>,
}

impl<'c> OpenCalls<'c> {
    /// Returns the calls of a turn, all of them open.
    pub(super) fn new(calls: &'c [ChatCall]) -> Self {
        let mut numbers: HashMap<CallKey<'c>, BTreeSet<usize>> = HashMap::new();
        for (number, call) in calls.iter().enumerate() {
            for key in keys_of(call) {
                numbers.entry(key).or_default().insert(number);
            }
        }
        Self { calls, numbers }
    }

    fn first_by(&self, key: &CallKey<'_>) -> Option<usize> {
        self.numbers.get(key)?.first().copied()
    }

    /// Returns the first open call with this id.
    pub(super) fn first_with_id(&self, id: &str) -> Option<usize> {
        self.first_by(&CallKey::Id(id))
    }

    /// Returns the first open call, of a tool if it is named; only one without an id if
    /// `only_without_id`.
    pub(super) fn first(&self, name: Option<&EscapedText>, only_without_id: bool) -> Option<usize> {
        self.first_by(&CallKey::Order { only_without_id, name })
    }

    /// Returns the number of open calls; only of those without an id if `only_without_id`.
    pub(super) fn count(&self, only_without_id: bool) -> usize {
        let numbers = self.numbers.get(&CallKey::Order { only_without_id, name: None });
        numbers.map_or(0, BTreeSet::len)
    }

    /// Answers an open call.
    pub(super) fn answer(&mut self, number: usize) {
        for key in keys_of(&self.calls[number]) {
            self.numbers.entry(key).or_default().remove(&number);
        }
    }

    /// Answers up to `count` open calls, the first ones; only those without an id if
    /// `only_without_id`.
    pub(super) fn answer_first(&mut self, count: usize, only_without_id: bool) -> Vec<usize> {
        let mut answered = Vec::new();
        while answered.len() < count
            && let Some(number) = self.first(None, only_without_id)
        {
            self.answer(number);
            answered.push(number);
        }
        answered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: Option<&str>, name: &str) -> ChatCall {
        ChatCall { id: id.map(str::to_owned), ..ChatCall::new(0, name.into(), Vec::new()) }
    }

    #[test]
    fn calls_are_found_by_id_by_name_and_by_order() {
        let named = call(Some("a"), "read");
        let calls = [named.clone(), named, call(None, "write"), call(None, "read")];
        let mut open = OpenCalls::new(&calls);
        assert_eq!((open.count(false), open.count(true)), (4, 2));
        open.answer(0);
        assert_eq!(open.first_with_id("a"), Some(1));
        assert_eq!(open.first_with_id("b"), None);
        assert_eq!(open.first(Some(&"read".into()), false), Some(1));
        assert_eq!(open.first(Some(&"read".into()), true), Some(3));
        assert_eq!(open.answer_first(2, true), [2, 3]);
        assert_eq!(open.answer_first(2, false), [1]);
        assert_eq!((open.count(false), open.first(None, false)), (0, None));
    }
}
