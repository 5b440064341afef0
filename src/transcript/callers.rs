//! An index of the messages that make calls, by call id.

use std::collections::HashMap;

/// The messages that make a call with an id, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Callers {
    by_id: HashMap<String, Vec<Caller>>,
}

/// A message that makes calls with one id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller {
    /// Index of the message.
    pub(super) message: usize,
    /// Index of the first of these calls.
    pub(super) first: usize,
    /// Index of the last of these calls.
    pub(super) last: usize,
}

impl Callers {
    /// Adds a call of message `message`. Messages must come in order.
    pub(super) fn add_call(&mut self, id: String, message: usize, call: usize) {
        let callers = self.by_id.entry(id).or_default();
        match callers.last_mut() {
            // A message that was indexed before is added again when it grows.
            Some(caller) if caller.message == message => caller.last = caller.last.max(call),
            _ => callers.push(Caller {
                message,
                first: call,
                last: call,
            }),
        }
    }

    /// Returns the nearest message before `index` that makes a call with this id.
    pub(super) fn nearest_before(&self, id: &str, index: usize) -> Option<Caller> {
        let callers = self.by_id.get(id)?;
        let before = callers.partition_point(|caller| caller.message < index);
        before.checked_sub(1).map(|nearest| callers[nearest])
    }
}
