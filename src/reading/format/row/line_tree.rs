//! Lines that hang on each other: the live ones are those on the way from the last line to the first.

use crate::reading::transcript::prelude::*;

struct LinkedLine {
    /// The index of the line that it is attached to.
    parent: Option<usize>,
    /// For a summary, the index of the last line that it stands for.
    summarized: Option<usize>,
}

/// The lines of a log by their ids.
#[derive(Default)]
pub(super) struct LineTree {
    lines: Vec<LinkedLine>,
    by_id: HashMap<String, usize>,
}

impl LineTree {
    /// Adds a line. One whose parent is not in the log follows the line before it. `up_to` is there
    /// for a summary: the id of the last line that it stands for, or all lines before it.
    pub(super) fn push(
        &mut self,
        id: Option<String>,
        parent: Option<Cow<'_, str>>,
        up_to: Option<Option<Cow<'_, str>>>,
    ) {
        let before = self.lines.len().checked_sub(1);
        let index_of = |id: Option<Cow<'_, str>>| self.by_id.get(id?.as_ref()).copied();
        let line = LinkedLine {
            parent: index_of(parent).or(before),
            summarized: up_to.and_then(|id| index_of(id).or(before)),
        };
        if let Some(id) = id {
            self.by_id.insert(id, self.lines.len());
        }
        self.lines.push(line);
    }

    /// Returns the lines from the first to the last, without branches that were left.
    pub(super) fn live_path(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut next = self.lines.len().checked_sub(1);
        // A parent always comes before its line.
        while let Some(index) = next {
            path.push(index);
            next = self.lines[index].parent;
        }
        path.reverse();
        path
    }

    /// Returns the last summary of a path, if it has any, and the lines that it does not stand for.
    pub(super) fn after_summary(&self, path: Vec<usize>) -> Vec<usize> {
        let is_summary = |index: &usize| self.lines[*index].summarized.is_some();
        let Some(summary) = path.iter().copied().rfind(is_summary) else {
            return path;
        };
        let summarized = self.lines[summary].summarized;
        let kept = path.into_iter().filter(|index| Some(*index) > summarized && !is_summary(index));
        std::iter::once(summary).chain(kept).collect()
    }
}
