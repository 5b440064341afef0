//! The reports of a plan: what `compact` would do, in the files that it would write.

use crate::commands::prelude::*;
use crate::reporting::report::RunDigest;
use crate::running::compaction::UNREAD_COUNTER;
use crate::running::conversation::RecordFailure;

/// The reports of a plan, while its transcripts come in.
pub(super) struct PlanReports<'k> {
    reports: RunReports,
    kinds: &'k EntryKinds,
    digest: RunDigest,
    /// The name of the counter of records for which there is no plan.
    counter: &'static str,
}

impl<'k> PlanReports<'k> {
    /// Opens the reports that the user named. Returns None if there are none. Fails if a file can't
    /// be written.
    pub(super) fn open(
        requests: &[ReportRequest],
        kinds: &'k EntryKinds,
        facts: RunFacts,
        access: AccessLimit,
        settings: &Settings,
    ) -> Result<Option<Self>> {
        if requests.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            reports: RunReports::open(requests, kinds, None, None, access)?,
            kinds,
            counter: settings.counter(None, None).name(),
            digest: RunDigest { is_plan: true, facts: Some(facts), ..RunDigest::default() },
        }))
    }

    /// Adds the transcripts of a unit, and its records for which there is no plan, in input order.
    /// Fails if a report can't be written.
    pub(super) fn push_unit(
        &mut self,
        input: &InputUnit,
        unit: &UnitFindings<ShownPlan>,
    ) -> Result<(), WriteError> {
        let format = input.file.format.map(Format::name);
        let mut plans: Vec<&ShownPlan> = unit.found.iter().collect();
        plans.sort_by_key(|plan| plan.report.line);
        let mut plans = plans.into_iter().peekable();
        let mut failures: Vec<&RecordFailure> = unit.failures.iter().collect();
        failures.sort_by_key(|failure| failure.line);
        for failure in failures {
            while let Some(plan) = plans.next_if(|plan| plan.report.line < failure.line) {
                self.push_plan(plan)?;
            }
            let (file, error) = (&input.file.name, failure.error.clone());
            self.push_failure(&TranscriptReport {
                column: failure.column,
                ..TranscriptReport::unreadable(file, failure.line, format, self.counter, error)
            })?;
        }
        plans.try_for_each(|plan| self.push_plan(plan))
    }

    /// Adds a file that can't be read to its end. Fails if a report can't be written.
    pub(super) fn push_file_failure(
        &mut self,
        name: &str,
        error: &InputError,
    ) -> Result<(), WriteError> {
        let error = describe_with_causes(error);
        let report = TranscriptReport::unreadable(name, 0, None, UNREAD_COUNTER, error);
        self.push_failure(&report)
    }

    fn push_plan(&mut self, plan: &ShownPlan) -> Result<(), WriteError> {
        self.digest.add_report(&plan.report, plan.is_over_limit);
        self.reports.push(&plan.entry)
    }

    fn push_failure(&mut self, report: &TranscriptReport) -> Result<(), WriteError> {
        self.digest.add_report(report, false);
        self.reports.push(&self.kinds.render_failure(report))
    }

    /// Ends the reports and publishes them. Fails if a report can't be written.
    pub(super) fn publish(mut self) -> Result<(), WriteError> {
        self.reports.finish(&self.digest)?;
        self.reports.publish(&self.digest)
    }
}

pub(super) struct ShownPlan {
    /// The figures, with the whole budget of a summary as its tokens.
    pub(super) report: TranscriptReport,
    /// The plan as JSON, or with its messages. Empty if nobody will see it.
    pub(super) text: String,
    /// The entry in each kind of report. Empty if no report is written.
    pub(super) entry: Vec<Vec<u8>>,
    /// True if the result would exceed its limit.
    pub(super) is_over_limit: bool,
    /// The expected cost of the summary, if a model is to write it.
    pub(super) expected: Option<ExpectedUsage>,
}
