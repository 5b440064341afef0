//! The reports of a run: their kinds, and where they go.

use super::error::SettingsError;
use crate::files::output::{ReportDestination, STDOUT};
use crate::reporting::report::kinds::{MARKDOWN_REPORT, ReportKind, report_kind_of_ending};
use crate::settings::cli::ReportArgs;
use std::path::Path;

/// The variable with the file that holds the summary of a step of GitHub's workflows.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// A report that the user asked for.
pub(crate) struct ReportRequest {
    /// The kind.
    pub kind: &'static ReportKind,
    /// The place where it goes.
    pub destination: ReportDestination,
}

/// Resolves the reports that the user named.
///
/// # Errors
/// Fails if the kind of a report is not known, or several go to stdout.
pub(crate) fn resolve_reports(arguments: &ReportArgs) -> Result<Vec<ReportRequest>, SettingsError> {
    let step_summary = std::env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty());
    let step_summary = step_summary.as_deref().map(Path::new);
    let mut reports = Vec::new();
    for path in &arguments.report {
        let destination = if path.as_os_str() == STDOUT {
            ReportDestination::Stdout
        } else if Some(path.as_path()) == step_summary {
            ReportDestination::Appended(path.clone())
        } else {
            ReportDestination::File(path.clone())
        };
        let ending = path.extension().and_then(|ending| ending.to_str());
        let by_default = destination
            .replaced_path()
            .is_none()
            .then_some(&MARKDOWN_REPORT);
        let kind = ending
            .and_then(report_kind_of_ending)
            .or(arguments.report_format)
            .or(by_default)
            .ok_or_else(|| SettingsError::UnknownReportEnding(path.clone()))?;
        reports.push(ReportRequest { kind, destination });
    }
    let printed = reports.iter().filter(|report| report.is_printed()).count();
    if printed > 1 {
        return Err(SettingsError::SeveralPrintedReports);
    }
    Ok(reports)
}

impl ReportRequest {
    /// Returns true if the report goes to stdout.
    pub(crate) fn is_printed(&self) -> bool {
        self.destination == ReportDestination::Stdout
    }
}
