//! The stretches of a thread while it is replayed, and the training samples made
//! of them.

use crate::deciding::plan::Edit;
use crate::measuring::replay::call_edits::CallEdits;
use crate::measuring::replay::samples::CallStretch;
use crate::measuring::replay::thread::ThreadReplay;

impl ThreadReplay<'_, '_> {
    /// Adds a call to the stretch if it only adds to the previous call (`extends_previous`), and
    /// begins a new stretch otherwise.
    pub(super) fn continue_stretch(&mut self, edits: &CallEdits, extends_previous: bool) {
        let continues = extends_previous
            && self
                .stretch
                .as_ref()
                .is_some_and(|stretch| self.shows_full_answers(stretch.context_end, edits));
        match &mut self.stretch {
            // Results that no earlier call showed read as the last call shows them.
            Some(stretch) if continues => stretch.edits.clone_from(edits),
            _ => {
                self.end_stretch();
                self.stretch = Some(CallStretch {
                    context_end: self.list.messages.len(),
                    edits: edits.clone(),
                    answers_end: 0,
                });
            }
        }
    }

    /// Returns true if no answer from message `first` on is truncated. A sample must not train on
    /// truncated answers.
    fn shows_full_answers(&self, first: usize, edits: &CallEdits) -> bool {
        let end = edits.reach.truncated_before.max(first);
        if self.list.meter.first_cut(first..end).is_some() {
            return false;
        }
        if self.list.meter.clears_call_from(first, &edits.reach) {
            return false;
        }
        let mut edits = edits.single.iter().flat_map(|edits| edits.iter());
        !edits.any(|edit| match edit {
            Edit::Truncate(truncation) => truncation.message >= first,
            Edit::Prune(pruning) => {
                pruning.inputs.as_ref().is_some_and(|inputs| inputs.message >= first)
            }
            Edit::Evict(_) | Edit::Summarize(_) => false,
        })
    }

    /// Ends the answer to a call: its last message is the last of the list.
    pub(super) fn end_answer(&mut self) {
        let end = self.list.messages.len();
        if let Some(stretch) = &mut self.stretch {
            stretch.answers_end = end;
        }
        if let (Some(training), Some(stretch)) = (self.setting.training, &self.stretch)
            && training.per_call
        {
            let (context_end, edits) = match &self.sent {
                Some(sent) => (sent.len, &sent.edits),
                None => (0, &stretch.edits),
            };
            self.samples.add_sample(training, &self.list, context_end..end, edits, self.tree);
        }
    }

    /// Ends the stretch and makes a sample of it, unless each call makes its own.
    pub(super) fn end_stretch(&mut self) {
        let Some(stretch) = self.stretch.take() else {
            return;
        };
        if let Some(training) = self.setting.training
            && !training.per_call
            && stretch.answers_end > stretch.context_end
        {
            let answers = stretch.context_end..stretch.answers_end;
            self.samples.add_sample(training, &self.list, answers, &stretch.edits, self.tree);
        }
    }
}
