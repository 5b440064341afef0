//! The last model call of each thread, in traces where every call repeats the whole history.

use crate::reading::format::prelude::*;

/// The rank of a call among those of its thread; the greatest is read.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CallRank {
    /// Calls of models have precedence over what is around them.
    pub(crate) is_model: bool,
    /// The time as text, which is ordered as the times are.
    pub(crate) time: String,
}

/// The best call of each thread so far, in the order of the threads.
pub(crate) struct LastCalls<T> {
    calls: Vec<RankedCall<T>>,
    by_thread: HashMap<Option<String>, usize>,
    /// The number of calls that are not the last of their threads, in records that hold more than
    /// the call.
    earlier: u64,
    /// The index of the first record with such a call.
    first_earlier: Option<usize>,
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
        Self { calls: Vec::new(), by_thread: HashMap::new(), earlier: 0, first_earlier: None }
    }
}

impl<T> LastCalls<T> {
    /// Returns true if a call of a thread would be its last. Of calls with the same rank the later
    /// one is.
    pub(crate) fn is_last(&self, thread: &Option<String>, rank: &CallRank) -> bool {
        let known = self.by_thread.get(thread).map(|index| &self.calls[*index]);
        known.is_none_or(|known| known.rank <= *rank)
    }

    /// Adds the last call of a thread so far. The one before it is dropped.
    pub(crate) fn insert(
        &mut self,
        thread: Option<String>,
        rank: CallRank,
        is_alone: bool,
        call: T,
    ) {
        let new = self.calls.len();
        let index = *self.by_thread.entry(thread.clone()).or_insert(new);
        let ranked = RankedCall { thread, rank, is_alone, call };
        match self.calls.get_mut(index) {
            Some(known) => {
                let dropped = std::mem::replace(known, ranked);
                self.note_earlier(dropped.is_alone);
            }
            None => self.calls.push(ranked),
        }
    }

    /// Counts a call that is not the last of its thread.
    fn note_earlier(&mut self, is_alone: bool) {
        self.earlier += u64::from(!is_alone);
    }

    /// Returns the last call of each thread, with the thread.
    pub(crate) fn into_calls(self) -> impl Iterator<Item = (Option<String>, T)> {
        self.calls.into_iter().map(|call| (call.thread, call.call))
    }
}

impl LastCalls<JournalThread> {
    /// Considers a call of record `at`, whose thread is built if it is the last.
    pub(crate) fn offer(
        &mut self,
        at: usize,
        is_alone: bool,
        id: Option<String>,
        rank: CallRank,
        build: impl FnOnce() -> Result<JournalThread>,
    ) -> Result<()> {
        let earlier = self.earlier;
        if self.is_last(&id, &rank) {
            let mut thread = build()?;
            thread.id.clone_from(&id);
            if thread.len() > 0 {
                self.insert(id, rank, is_alone, thread);
            }
        } else {
            self.note_earlier(is_alone);
        }
        if self.earlier > earlier {
            self.first_earlier.get_or_insert(at);
        }
        Ok(())
    }

    /// Returns the threads. The first notes the calls before the last, by this description.
    pub(crate) fn into_threads(self, what: &str) -> Vec<JournalThread> {
        let (earlier, at) = (self.earlier, self.first_earlier);
        let mut threads: Vec<JournalThread> = self.into_calls().map(|(_, thread)| thread).collect();
        if let (Some(first), Some(at)) = (threads.first_mut(), at) {
            (0..earlier).for_each(|_| first.note_left_out(what.to_owned(), at));
        }
        threads
    }
}
