//! A planned conversation whose summary was asked for.

use crate::base::stop_flag::StopFlag;
use crate::reporting::report::RedactionCounts;
use crate::running::compaction::error::FailedCompaction;
use crate::running::compaction::filled::{Filled, HoleFiller};
use crate::running::compaction::planned::{CompactionNotes, Planned};
use crate::running::conversation::catch_panic;
use crate::summary::{PendingAnswer, Summarizer};

/// A planned conversation whose summary was asked for, or that needs none.
pub(crate) struct Asked<'c, 'u> {
    planned: Planned<'c, 'u>,
    summary: Option<PendingAnswer<'c>>,
    notes: CompactionNotes,
}

impl<'c, 'u> Planned<'c, 'u> {
    /// Asks `summarizer` for the summary that the plan has a hole for. Does not wait for it.
    pub(crate) fn ask(self, summarizer: Option<&'c dyn Summarizer>) -> Asked<'c, 'u> {
        let mut notes = CompactionNotes::default();
        let mut pending = None;
        if let (Some(summary), Some(summarizer)) = (self.plan.summary(), summarizer) {
            let questioned = self.question(summary, |request| summarizer.begin(request));
            notes.redacted = questioned
                .masked
                .map(|request| RedactionCounts { request, ..RedactionCounts::default() });
            pending = Some(questioned.answer);
        }
        Asked { planned: self, summary: pending, notes }
    }
}

impl<'c, 'u> Asked<'c, 'u> {
    /// Returns the plan that the summary is asked for.
    pub(crate) fn planned(&self) -> &Planned<'c, 'u> {
        &self.planned
    }

    /// Waits for the summary.
    pub(crate) fn wait(mut self) -> Self {
        let pending = self.summary.take();
        self.summary = pending.map(|pending| PendingAnswer::Ready(pending.wait()));
        self
    }

    /// Fills the plan's hole, as the policy says where there is no good summary. `place` names the
    /// conversation where a failure ends the run, which `stop` does. Fails if there is no summary,
    /// and the policy keeps the conversation then.
    pub(crate) fn fill(
        self,
        stop: &StopFlag,
        place: &str,
    ) -> Result<Filled<'c, 'u>, Box<FailedCompaction<'c, 'u>>> {
        let Self { planned, summary, notes } = self;
        let answer = summary.map(PendingAnswer::wait);
        let mut filler = HoleFiller { planned: &planned, stop, place, notes };
        let hole = catch_panic(|| filler.fill(answer));
        let notes = filler.notes;
        match hole {
            Ok(hole) => Ok(Filled::new(planned, hole, notes)),
            Err(error) => Err(Box::new(FailedCompaction { planned, notes, error })),
        }
    }
}
