//! The reports of a plan: what `compact` would do, in the files that it would write.

use crate::commands::plan::unit_plans::UnitPlans;
use crate::compaction::{JsonReports, ReportPaths, UNREAD_COUNTER, ViewReports};
use crate::error::describe_with_causes;
use crate::format::Format;
use crate::input::{InputError, InputUnit};
use crate::output::{AccessLimit, WriteError};
use crate::report::{RunDigest, TranscriptReport, json};
use anyhow::Result;
use std::path::PathBuf;

/// The reports of a plan, while its transcripts come in.
pub(super) struct PlanReports {
    json: JsonReports,
    views: ViewReports,
    digest: RunDigest,
}

impl PlanReports {
    /// Opens the reports that the user named. Returns None if there are none.
    ///
    /// # Errors
    /// Fails if a name has no known ending, or a file can't be written.
    pub(super) fn open(paths: &[PathBuf], access: AccessLimit) -> Result<Option<Self>> {
        if paths.is_empty() {
            return Ok(None);
        }
        let paths = ReportPaths::new(paths)?;
        Ok(Some(Self {
            json: paths.open_json(access, None)?,
            views: paths.open_views(access)?,
            digest: RunDigest {
                is_plan: true,
                ..RunDigest::default()
            },
        }))
    }

    /// Adds the transcripts of a unit, and its records for which there is no plan, in input order.
    ///
    /// # Errors
    /// Fails if a report can't be written.
    pub(super) fn push_unit(
        &mut self,
        input: &InputUnit,
        unit: &UnitPlans,
    ) -> Result<(), WriteError> {
        let format = input.file.format.map(Format::name);
        let failed: Vec<TranscriptReport> = unit
            .failures
            .iter()
            .map(|failure| {
                let (file, error) = (&input.file.name, failure.error.clone());
                let mut report =
                    TranscriptReport::unreadable(file, failure.line, format, unit.counter, error);
                report.column = failure.column;
                report
            })
            .collect();
        let planned = unit.plans.iter();
        let planned = planned.map(|plan| (&plan.report, plan.is_over_limit));
        let mut reports: Vec<_> = failed
            .iter()
            .map(|report| (report, false))
            .chain(planned)
            .collect();
        reports.sort_by_key(|(report, _)| report.line);
        reports
            .into_iter()
            .try_for_each(|(report, is_over_limit)| self.push(report, is_over_limit))
    }

    /// Adds a file that can't be read to its end.
    ///
    /// # Errors
    /// Fails if a report can't be written.
    pub(super) fn push_file_failure(
        &mut self,
        name: &str,
        error: &InputError,
    ) -> Result<(), WriteError> {
        let error = describe_with_causes(error);
        let report = TranscriptReport::unreadable(name, 0, None, UNREAD_COUNTER, error);
        self.push(&report, false)
    }

    fn push(&mut self, report: &TranscriptReport, is_over_limit: bool) -> Result<(), WriteError> {
        self.digest.add_report(report, is_over_limit);
        self.json.push(&json::report_entry(report))
    }

    /// Ends the reports and publishes them.
    ///
    /// # Errors
    /// Fails if a report can't be written.
    pub(super) fn publish(mut self) -> Result<(), WriteError> {
        self.json.finish(&self.digest)?;
        self.json.publish()?;
        self.views.publish(&self.digest)
    }
}
