//! The results of a growing list that stage prune counts, and clears by their number.
//!
//! The order in which stage prune scans: that of the list, or that in which OpenCode stores the
//! messages. There a summary comes after the messages that it kept, and those that it replaced
//! stay where they were.

use crate::deciding::planner::prelude::*;
use crate::deciding::strategy::clear::{ClearedResults, MessageMarks, marks_of};
use crate::deciding::strategy::prune::PruneFinding;

/// The results of a list that count, and those of them that may be cleared.
#[derive(Debug, Default)]
pub(super) struct NumberedResults {
    /// The number of messages looked at.
    observed: usize,
    /// The results that count, in order. None stands for one that stays in any case.
    pub(super) counted: Vec<Option<usize>>,
    /// The number of them of which it is known whether they may be cleared.
    pub(super) decided: usize,
    /// Those that may be cleared.
    pub(super) clearable: ClearedResults,
    /// True if a message says of which type it is.
    is_typed: bool,
    /// True if a result was seen.
    has_result: bool,
    /// True if other results than the oldest are cleared, or others than before: sums don't say.
    pub(super) is_irregular: bool,
}

impl NumberedResults {
    /// Returns the edits of the results that may be cleared.
    pub(super) fn prunings(&self) -> &[Pruning] {
        &self.clearable.prunings
    }

    /// Looks at the messages behind those that were looked at.
    pub(super) fn observe(&mut self, transcript: &Transcript<'_>, by_marks: bool) {
        while self.observed < transcript.messages.len() {
            let index = self.observed;
            self.observed += 1;
            if !by_marks {
                let is_result = transcript.messages[index].role == Role::Tool;
                self.counted.extend(is_result.then_some(Some(index)));
                continue;
            }
            let marks = marks_of(transcript, index);
            if marks.typed && !self.is_typed {
                // From now on only what is marked counts.
                self.is_irregular |= self.decided > 0;
                self.is_typed = true;
                self.counted.clear();
                for earlier in 0..index {
                    self.add_marked(earlier, marks_of(transcript, earlier));
                }
            }
            if self.is_typed {
                self.add_marked(index, marks);
            } else {
                self.add_unmarked(transcript, index);
            }
        }
    }

    fn add_marked(&mut self, index: usize, marks: MessageMarks) {
        self.is_irregular |= marks.observation && marks.removes;
        if marks.observation && !marks.demo {
            self.counted.push((!marks.keeps).then_some(index));
        }
    }

    /// Adds a message where none is marked: a result, or the user's task before all results.
    fn add_unmarked(&mut self, transcript: &Transcript<'_>, index: usize) {
        let role = transcript.messages[index].role;
        if role.is_result() {
            self.has_result = true;
            self.counted.push(Some(index));
        } else if role == Role::User && !self.has_result && self.counted.is_empty() {
            self.counted.push(None);
        }
    }
}

/// The positions of stored messages.
#[derive(Debug, Clone, Default)]
pub(super) struct ScanOrder {
    /// The index in the list of each stored message. None for a message that is not in the list
    /// any more.
    indices: Vec<Option<usize>>,
    /// No message before this position is in the list any more.
    gone: usize,
    /// The positions of the user messages.
    users: Vec<usize>,
}

impl ScanOrder {
    pub(super) fn push(&mut self, index: usize, is_user: bool) {
        if is_user {
            self.users.push(self.indices.len());
        }
        self.indices.push(Some(index));
    }

    /// Changes the list to which the positions point.
    pub(super) fn renumber(&mut self, new_index: &dyn Fn(usize) -> Option<usize>) {
        for index in &mut self.indices[self.gone..] {
            *index = index.and_then(new_index);
        }
        let left = self.indices[self.gone..].iter();
        self.gone += left.take_while(|index| index.is_none()).count();
    }

    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    /// Returns the index in the list of the message at a position.
    pub(super) fn index_at(&self, position: usize) -> Option<usize> {
        self.indices.get(position).copied().flatten()
    }

    pub(super) fn users(&self) -> &[usize] {
        &self.users
    }

    /// Removes all messages from list index `end` on, which are the newest.
    pub(super) fn truncate(&mut self, end: usize) {
        let is_older = |index: &Option<usize>| index.is_none_or(|index| index < end);
        let left = self.indices[self.gone..].iter();
        let len = self.gone + left.take_while(|index| is_older(index)).count();
        self.indices.truncate(len);
        let users = self.users.partition_point(|position| *position < len);
        self.users.truncate(users);
    }
}

/// The way from one list to the next, in which a summary replaced messages.
pub(crate) struct ListChange<'c> {
    /// The end of the messages in the earlier list that were decided on.
    pub decided: usize,
    /// Returns the index in the new list of a message of the earlier list.
    pub new_index: &'c dyn Fn(usize) -> Option<usize>,
    /// The messages of the summary in the new list.
    pub summary: Range<usize>,
    /// The first message in the new list that is newer than the summary.
    pub first_newer: usize,
}

/// Sums over all results before one message.
#[derive(Debug, Clone, Copy, Default)]
struct ResultSum {
    /// The index of the message.
    message: usize,
    /// Tokens of the results' texts.
    tokens: u64,
    /// Tokens saved if all clearable results were cleared.
    saved: i64,
    /// The number of results that can be cleared.
    clearable: usize,
}

/// A result that can be cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClearableResult {
    /// The index of its message.
    pub(super) message: usize,
    /// Tokens of its text.
    pub(super) tokens: u64,
    /// Tokens that its message loses when it is cleared.
    pub(super) saved: i64,
}

/// The running sums over the results of a list.
#[derive(Debug, Clone, Default)]
pub(super) struct ResultSums {
    /// The number of messages observed.
    observed: usize,
    /// The sums before each result that counts.
    before_results: Vec<ResultSum>,
    /// The sums over all results so far.
    all: ResultSum,
    /// The messages at which a scan stops.
    stops: Vec<usize>,
    /// All results before this message are cleared, or never will be.
    cleared_before: usize,
    /// The tokens that a scan counts before `cleared_before`.
    tokens_before_cleared: u64,
}

impl ResultSums {
    /// Returns the number of messages observed.
    pub(super) fn observed(&self) -> usize {
        self.observed
    }

    /// Forgets that messages from this one on were observed. None of them is a result.
    pub(super) fn forget_from(&mut self, message: usize) {
        self.observed = self.observed.min(message);
    }

    /// Adds the finding at the next message, and the tokens that clearing it would save.
    pub(super) fn push_finding(&mut self, finding: PruneFinding, saved: i64) {
        let message = self.observed;
        self.observed += 1;
        match finding {
            PruneFinding::Nothing => {}
            PruneFinding::Stop(_) => self.stops.push(message),
            PruneFinding::Result { tokens, cleared } => {
                self.before_results.push(ResultSum { message, ..self.all });
                self.all.tokens += tokens;
                self.all.saved += if cleared { 0 } else { saved };
                self.all.clearable += usize::from(!cleared);
            }
        }
    }

    /// Returns the range of messages before `end` whose results are cleared next, the same as
    /// [`scan_results`](crate::deciding::strategy::prune::scan_results) finds. Returns None if nothing is to
    /// be cleared.
    pub(super) fn next_cleared_range(&self, policy: &Prune, end: usize) -> Option<Range<usize>> {
        let stops_before = self.stops.partition_point(|stop| *stop < end);
        let start = stops_before
            .checked_sub(1)
            .map_or(0, |last| self.stops[last] + 1)
            .max(self.cleared_before);
        let (at_start, at_end) = (self.sums_before(start), self.sums_before(end));
        // The newest results stay, as long as they and all results after them are within the
        // protected tokens.
        let old = self.before_results.partition_point(|sums| {
            sums.message < end && at_end.tokens - sums.tokens > policy.protect
        });
        let last = self.before_results[..old].last().filter(|last| last.message >= start)?;
        let behind = self.sums_before(last.message + 1);
        let mut tokens = behind.tokens - at_start.tokens;
        if start == self.cleared_before {
            tokens += self.tokens_before_cleared;
        }
        let clears = behind.clearable > at_start.clearable && tokens > policy.minimum;
        clears.then_some(start..last.message + 1)
    }

    /// Returns the clearable results in a range of messages.
    pub(super) fn clearable_in(
        &self,
        messages: Range<usize>,
    ) -> impl Iterator<Item = ClearableResult> {
        let first = self.before_results.partition_point(|sums| sums.message < messages.start);
        let before = &self.before_results[first..];
        let behind = before.iter().skip(1).chain([&self.all]);
        before
            .iter()
            .zip(behind)
            .take_while(move |(sums, _)| sums.message < messages.end)
            .filter(|(sums, behind)| behind.clearable > sums.clearable)
            .map(|(sums, behind)| ClearableResult {
                message: sums.message,
                tokens: behind.tokens - sums.tokens,
                saved: behind.saved - sums.saved,
            })
    }

    /// Marks all clearable results of a range returned by [`ResultSums::next_cleared_range`] as
    /// cleared. Later scans count `placeholder_tokens` for each.
    pub(super) fn mark_cleared(&mut self, messages: Range<usize>, placeholder_tokens: u64) {
        let at_start = self.sums_before(messages.start);
        let at_end = self.sums_before(messages.end);
        let cleared: u64 = self.clearable_in(messages.clone()).map(|result| result.tokens).sum();
        let placeholders = (at_end.clearable - at_start.clearable) as u64;
        self.tokens_before_cleared +=
            at_end.tokens - at_start.tokens - cleared + placeholders * placeholder_tokens;
        self.cleared_before = messages.end;
    }

    /// Returns the sums over all results before a message.
    fn sums_before(&self, message: usize) -> ResultSum {
        let at = self.before_results.partition_point(|sums| sums.message < message);
        self.before_results.get(at).copied().unwrap_or(self.all)
    }
}
