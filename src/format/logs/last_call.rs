//! The last model call of each thread, in traces where every call repeats the whole history.

use std::collections::HashMap;

/// The rank of a call among those of its thread; the greatest is read.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::format) struct CallRank {
    /// Calls of models have precedence over what stands around them.
    pub(in crate::format) is_model: bool,
    /// The time as text, which is ordered as the times are.
    pub(in crate::format) time: String,
}

/// The best call of each thread so far, in the order of the threads.
pub(in crate::format) struct LastCalls<T> {
    calls: Vec<RankedCall<T>>,
    by_thread: HashMap<Option<String>, usize>,
    /// The number of calls that are not the last of their threads, in records that hold more than
    /// the call.
    pub(in crate::format) earlier: u64,
}

struct RankedCall<T> {
    thread: Option<String>,
    rank: CallRank,
    /// True if the call is all that its record holds.
    is_alone: bool,
    call: T,
}

impl<T> Default for LastCalls<T> {
    fn default() -> Self {
        Self {
            calls: Vec::new(),
            by_thread: HashMap::new(),
            earlier: 0,
        }
    }
}

impl<T> LastCalls<T> {
    /// Returns true if a call of a thread would be its last. Of calls with the same rank the later
    /// one is.
    pub(in crate::format) fn is_last(&self, thread: &Option<String>, rank: &CallRank) -> bool {
        let known = self.by_thread.get(thread).map(|index| &self.calls[*index]);
        known.is_none_or(|known| known.rank <= *rank)
    }

    /// Adds the last call of a thread so far. The one before it is dropped.
    pub(in crate::format) fn insert(
        &mut self,
        thread: Option<String>,
        rank: CallRank,
        is_alone: bool,
        call: T,
    ) {
        let new = self.calls.len();
        let index = *self.by_thread.entry(thread.clone()).or_insert(new);
        let ranked = RankedCall {
            thread,
            rank,
            is_alone,
            call,
        };
        match self.calls.get_mut(index) {
            Some(known) => {
                let dropped = std::mem::replace(known, ranked);
                self.note_earlier(dropped.is_alone);
            }
            None => self.calls.push(ranked),
        }
    }

    /// Counts a call that is not the last of its thread.
    pub(in crate::format) fn note_earlier(&mut self, is_alone: bool) {
        self.earlier += u64::from(!is_alone);
    }

    /// Returns the last call of each thread, with the thread.
    pub(in crate::format) fn into_calls(self) -> impl Iterator<Item = (Option<String>, T)> {
        self.calls.into_iter().map(|call| (call.thread, call.call))
    }
}
