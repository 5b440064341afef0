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
#[derive(Default)]
pub(crate) struct LastCalls {
    calls: Vec<RankedCall>,
    by_thread: HashMap<Option<String>, usize>,
    /// The number of calls that are not the last of their threads, in records that hold more than
    /// the call.
    earlier: u64,
    /// The index of the first record with such a call.
    first_earlier: Option<usize>,
}

struct RankedCall {
    rank: CallRank,
    /// True if the call is all that its record holds.
    is_alone: bool,
    thread: JournalThread,
}

impl LastCalls {
    /// Considers a call, whose thread is built if it is the last: of calls with the
    /// same rank the later one is. The one before it is dropped.
    pub(crate) fn offer(
        &mut self,
        is_alone: bool,
        id: Option<String>,
        rank: CallRank,
        build: impl FnOnce() -> Result<JournalThread>,
        call: JsonNode<'_>,
    ) -> Result<()> {
        let known = self.by_thread.get(&id).map(|index| &mut self.calls[*index]);
        let mut is_dropped_alone = is_alone;
        if known.as_ref().is_none_or(|known| known.rank <= rank) {
            let mut thread = build()?;
            thread.id.clone_from(&id);
            let ranked = RankedCall { rank, is_alone, thread };
            match known {
                _ if ranked.thread.len() == 0 => return Ok(()),
                Some(known) => is_dropped_alone = std::mem::replace(known, ranked).is_alone,
                None => {
                    self.by_thread.insert(id, self.calls.len());
                    self.calls.push(ranked);
                    return Ok(());
                }
            }
        }
        if !is_dropped_alone {
            self.earlier += 1;
            self.first_earlier.get_or_insert(call.record_index());
        }
        Ok(())
    }

    /// Returns the threads. The first notes the calls before the last, by this description.
    pub(crate) fn into_threads(self, what: &str) -> Vec<JournalThread> {
        let mut threads: Vec<JournalThread> =
            self.calls.into_iter().map(|call| call.thread).collect();
        if let (Some(first), Some(at)) = (threads.first_mut(), self.first_earlier) {
            first.note_all_left_out(what, at, self.earlier);
        }
        threads
    }
}
