//! The results of a growing list that stage prune counts, and clears by their number.
//!
//! The order in which stage prune scans: that of the list, or that in which OpenCode stores the
//! messages. There a summary comes after the messages that it kept, and those that it replaced
//! stay where they were.

use crate::deciding::plan::Pruning;
use crate::deciding::strategy::clear::{ClearedResults, MessageMarks, marks_of};
use crate::reading::transcript::{Role, Transcript};
use std::ops::Range;

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
