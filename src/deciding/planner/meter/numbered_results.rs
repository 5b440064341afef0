//! The results of a growing list that stage prune counts, and clears by their number.

use crate::deciding::plan::Pruning;
use crate::deciding::strategy::clear::ClearedResults;
use crate::deciding::strategy::observations::{MessageMarks, marks_of};
use crate::reading::transcript::{Role, Transcript};

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
