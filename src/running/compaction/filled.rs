//! A planned conversation whose summary was asked for, and the plan whose hole is filled: with the text
//! that a summarizer gave, or by what the policy says of its failures.

use crate::deciding::policy::OnFailure;
use crate::running::compaction::planned::{
    CompactionError, CompactionNotes, FailedCompaction, Planned,
};
use crate::running::compaction::prelude::*;
use crate::summary::extract::Extract;
use crate::summary::{self, PendingAnswer, SummaryAnswer};

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

/// A conversation whose plan can be carried out.
pub(crate) struct Filled<'c, 'u> {
    pub(super) planned: Planned<'c, 'u>,
    pub(super) notes: CompactionNotes,
    hole: FilledHole,
}

/// A filled plan without its conversation.
pub(crate) struct FilledParts {
    /// The plan as it is carried out.
    pub plan: Plan,
    /// The text of the summary, if there is one.
    pub text: Option<String>,
    /// The notes that were taken on the way.
    pub notes: CompactionNotes,
}

/// The outcome for a plan's hole.
pub(super) enum FilledHole {
    /// The plan has none.
    Empty,
    Text(String),
    /// The summary came out too long: the plan without it.
    Dropped(Box<Plan>),
}

impl<'c, 'u> Filled<'c, 'u> {
    pub(super) fn new(planned: Planned<'c, 'u>, hole: FilledHole, notes: CompactionNotes) -> Self {
        Self { planned, notes, hole }
    }

    pub(crate) fn conversation(&self) -> &'c Conversation<'u> {
        self.planned.conversation
    }

    /// Returns the plan as it is carried out.
    pub(crate) fn plan(&self) -> &Plan {
        match &self.hole {
            FilledHole::Dropped(plan) => plan,
            FilledHole::Empty | FilledHole::Text(_) => &self.planned.plan,
        }
    }

    /// Returns the text of the summary, if there is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.hole {
            FilledHole::Text(text) => Some(text),
            FilledHole::Empty | FilledHole::Dropped(_) => None,
        }
    }

    /// Returns the summary with its text, if there is one.
    pub(crate) fn summary(&self) -> Option<(&Summary, &str)> {
        self.plan().summary().zip(self.text())
    }

    /// Returns the tokens of a model call with the result, the summary's text included.
    pub(crate) fn tokens_after(&self) -> usize {
        match self.summary() {
            Some((summary, text)) => self.planned.tokens_with(self.plan(), summary, text),
            None => self.plan().tokens_after,
        }
    }

    /// Returns the texts that the plan's edits put in place of the original.
    pub(crate) fn overlay(&self) -> Overlay {
        overlay_edits(&self.conversation().transcript, &self.plan().edits)
    }

    /// Lets go of the conversation.
    pub(crate) fn into_parts(self) -> FilledParts {
        let (plan, text) = match self.hole {
            FilledHole::Empty => (self.planned.plan, None),
            FilledHole::Text(text) => (self.planned.plan, Some(text)),
            FilledHole::Dropped(plan) => (*plan, None),
        };
        FilledParts { plan, text, notes: self.notes }
    }

    /// Takes the notes out.
    pub(crate) fn take_notes(&mut self) -> CompactionNotes {
        std::mem::take(&mut self.notes)
    }
}

/// Fills the hole of one plan, and takes notes.
pub(super) struct HoleFiller<'f, 'c, 'u> {
    pub(super) planned: &'f Planned<'c, 'u>,
    /// Ends the run where the policy says that a failure does.
    pub(super) stop: &'f StopFlag,
    /// Names the conversation, as `file:line`.
    pub(super) place: &'f str,
    pub(super) notes: CompactionNotes,
}

impl HoleFiller<'_, '_, '_> {
    /// Fills the hole with the answer of a summarizer.
    pub(super) fn fill(
        &mut self,
        answer: Option<SummaryAnswer>,
    ) -> Result<FilledHole, CompactionError> {
        let planned = self.planned;
        let (Some(summary), Some(SummaryAnswer { text, asked })) = (planned.plan.summary(), answer)
        else {
            return Ok(FilledHole::Empty);
        };
        let mut text = text.map_err(CompactionError::from);
        if let Ok(answered) = &text {
            text = self.clean(answered);
        }
        if let Some(asked) = asked {
            self.notes.warnings.extend(asked.warning.clone());
            self.notes.asked = Some(asked);
            // A summary that was paid for and can't be used is a failure.
            if let Ok(paid) = &text
                && let Err(error) = planned.check_summary(summary, paid)
            {
                text = Err(error.into());
            }
        }
        let text = match text {
            Ok(text) => text,
            Err(error) => self.stand_in(summary, error)?,
        };
        Ok(match planned.check_summary(summary, &text) {
            Ok(()) => FilledHole::Text(text),
            Err(error) => {
                let why = error.to_string();
                let plan = planner::plan_without_summary(&planned.input(), &planned.plan, &why);
                FilledHole::Dropped(Box::new(plan))
            }
        })
    }

    /// Returns the text that stands in for a summary that failed, if the policy wants one.
    fn stand_in(
        &mut self,
        summary: &Summary,
        failure: CompactionError,
    ) -> Result<String, CompactionError> {
        match self.planned.settings.policy.summarizer.on_failure {
            OnFailure::Keep => Err(failure),
            OnFailure::Fail => {
                let cause = format!("{}: {failure} (summarizer.on_failure = fail)", self.place);
                self.stop.set_failure(&cause);
                Err(failure)
            }
            // A run that stops anyway is no reason for lesser summaries.
            OnFailure::Extract if self.stop.cause().is_some() => Err(failure),
            OnFailure::Extract => {
                let question =
                    self.planned.question(summary, |request| Extract::default().summarize(request));
                if let Some(masked) = question.masked {
                    self.notes.redacted.get_or_insert_default().request += masked;
                }
                let text = question.answer?;
                self.notes.warnings.push(format!(
                    "the embedded summarizer wrote the summary, because the other failed: {failure}"
                ));
                self.clean(&text)
            }
        }
    }

    /// Returns a summary as it is used: trimmed, and masked where the policy wants it.
    fn clean(&mut self, text: &str) -> Result<String, CompactionError> {
        let text = summary::clean_summary(text)?;
        let redaction = self.planned.settings.policy.redact;
        if !redaction.is_on() {
            return Ok(text);
        }
        let (masked, count) = redaction.mask(&text);
        self.notes.redacted.get_or_insert_default().summary += count;
        Ok(masked.into_owned())
    }
}
