//! Running sums over the tool results of a list that grows: what stage prune
//! clears next, found without a look at what was there before.

use crate::policy::Prune;
use crate::strategy::prune::Found;
use std::ops::Range;

/// What a scan met up to some message, as sums over all that count.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    /// The message that it was met at.
    message: usize,
    /// Before that message: tokens of the texts, tokens that clearing them would save, and how many could be cleared.
    tokens: u64,
    saved: i64,
    clearable: usize,
}

/// A result that is to be cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clearable {
    /// Its message.
    pub(super) message: usize,
    /// Tokens of its text.
    pub(super) tokens: u64,
    /// Tokens that its message has less then.
    pub(super) saved: i64,
}

/// The results of a list.
#[derive(Debug, Clone, Default)]
pub(super) struct Results {
    /// How many messages were looked at.
    seen: usize,
    counted: Vec<Sums>,
    /// The sums behind the last of them.
    all: Sums,
    /// Messages at which a scan ends.
    ends: Vec<usize>,
    /// Before this message all is cleared that ever will be.
    done: usize,
    /// Tokens that a scan counts before it.
    done_tokens: u64,
}

impl Results {
    /// How many messages were looked at.
    pub(super) fn seen(&self) -> usize {
        self.seen
    }

    /// Adds what a scan finds at the next message, and what clearing it would save.
    pub(super) fn push(&mut self, found: Found, saved: i64) {
        let message = self.seen;
        self.seen += 1;
        match found {
            Found::Nothing => {}
            Found::End(_) => self.ends.push(message),
            Found::Result { tokens, cleared } => {
                self.counted.push(Sums {
                    message,
                    ..self.all
                });
                self.all.tokens += tokens;
                self.all.saved += if cleared { 0 } else { saved };
                self.all.clearable += usize::from(!cleared);
            }
        }
    }

    /// The messages between which results are cleared next, of those before `until`: as [`scan`](crate::strategy::prune::scan)
    /// finds it. None where there is nothing to clear.
    pub(super) fn clearable(&self, policy: &Prune, until: usize) -> Option<Range<usize>> {
        let ends_before = self.ends.partition_point(|end| *end < until);
        let from = ends_before
            .checked_sub(1)
            .map_or(0, |last| self.ends[last] + 1)
            .max(self.done);
        let (begin, end) = (self.before(from), self.before(until));
        // The newest that stay: those whose tokens, and those of all after them, are protected.
        let stays = self.counted.partition_point(|sums| {
            sums.message < until && end.tokens - sums.tokens > policy.protect
        });
        let last = self.counted[..stays]
            .last()
            .filter(|last| last.message >= from)?;
        let behind = self.before(last.message + 1);
        let tokens = behind.tokens - begin.tokens
            + if from == self.done {
                self.done_tokens
            } else {
                0
            };
        let clears = behind.clearable > begin.clearable && tokens > policy.minimum;
        clears.then_some(from..last.message + 1)
    }

    /// The results in a range that can be cleared.
    pub(super) fn within(&self, messages: Range<usize>) -> impl Iterator<Item = Clearable> {
        let first = self
            .counted
            .partition_point(|sums| sums.message < messages.start);
        let behind = self.counted.iter().skip(1).chain([&self.all]).skip(first);
        let pairs = self.counted[first..]
            .iter()
            .zip(behind)
            .take_while(move |(sums, _)| sums.message < messages.end);
        let of = |(sums, behind): (&Sums, &Sums)| Clearable {
            message: sums.message,
            tokens: behind.tokens - sums.tokens,
            saved: behind.saved - sums.saved,
        };
        pairs
            .filter(|(sums, behind)| behind.clearable > sums.clearable)
            .map(of)
    }

    /// All in a range that [`Results::clearable`] told is cleared now; `placeholder` are the tokens that each counts in
    /// later scans.
    pub(super) fn clear(&mut self, messages: Range<usize>, placeholder: u64) {
        let (begin, end) = (self.before(messages.start), self.before(messages.end));
        let left: u64 = end.tokens
            - begin.tokens
            - self
                .within(messages.clone())
                .map(|one| one.tokens)
                .sum::<u64>();
        self.done_tokens += left + (end.clearable - begin.clearable) as u64 * placeholder;
        self.done = messages.end;
    }

    /// The sums over all before a message.
    fn before(&self, message: usize) -> Sums {
        let at = self.counted.partition_point(|sums| sums.message < message);
        self.counted.get(at).map_or(self.all, |sums| *sums)
    }
}
