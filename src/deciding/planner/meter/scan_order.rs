//! The order in which stage prune scans: that of the list, or that in which OpenCode stores the
//! messages. There a summary comes after the messages that it kept, and those that it replaced
//! stay where they were.

use std::ops::Range;

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
