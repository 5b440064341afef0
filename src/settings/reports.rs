//! The reports of a run: their kinds, and where they go.

use super::error::SettingsError;
use crate::files::output::{ReportDestination, STDOUT};
use crate::reporting::report::kinds::{
    MARKDOWN_REPORT, ReportKind, report_kind_by_name, report_kind_of_ending,
};
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

/// Resolves the reports that the user named. Fails if the kind of a report is not known, or several
/// go to stdout.
pub(crate) fn resolve_reports(arguments: &ReportArgs) -> Result<Vec<ReportRequest>, SettingsError> {
    let step_summary = std::env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty());
    let step_summary = step_summary.as_deref().map(Path::new);
    let mut reports = Vec::new();
    for text in &arguments.report {
        let (named, path) = named_kind(text);
        if path.as_os_str().is_empty() {
            return Err(SettingsError::ReportWithoutFile(text.clone()));
        }
        let destination = if path.as_os_str() == STDOUT {
            ReportDestination::Stdout
        } else if Some(path) == step_summary {
            ReportDestination::Appended(path.to_owned())
        } else {
            ReportDestination::File(path.to_owned())
        };
        let ending = path.extension().and_then(|ending| ending.to_str());
        let by_default = destination.replaced_path().is_none().then_some(&MARKDOWN_REPORT);
        let kind = named
            .or_else(|| ending.and_then(report_kind_of_ending))
            .or(by_default)
            .ok_or_else(|| SettingsError::UnknownReportEnding(path.to_owned()))?;
        reports.push(ReportRequest { kind, destination });
    }
    let printed = reports.iter().filter(|report| report.is_printed()).count();
    if printed > 1 {
        return Err(SettingsError::SeveralPrintedReports);
    }
    Ok(reports)
}

/// Splits `KIND:FILE` into the kind and the path. Any other text is a path.
fn named_kind(text: &Path) -> (Option<&'static ReportKind>, &Path) {
    let named = text.to_str().and_then(|text| text.split_once(':'));
    let named = named.and_then(|(kind, path)| Some((report_kind_by_name(kind)?, path)));
    match named {
        Some((kind, path)) => (Some(kind), Path::new(path)),
        None => (None, text),
    }
}

impl ReportRequest {
    /// Returns true if the report goes to stdout.
    pub(crate) fn is_printed(&self) -> bool {
        self.destination == ReportDestination::Stdout
    }
}
