//! The parameters of a run, apart from the policy: threads, failures, progress, how inputs are read,
//! and the reports.

use crate::convert::{Conversion, ConversionTarget, MergeRule};
use crate::deciding::policy::SummarizerKind;
use crate::files::input::{ReadLimits, ReadOptions};
use crate::files::output::{ReportDestination, STDOUT};
use crate::reading::format::Format;
use crate::reporting::report::kinds::{
    MARKDOWN_REPORT, REPORT_KINDS, ReportKind, report_kind_by_name, report_kind_of_ending,
};
use crate::settings::cli::{AnnotationStyle, InputArgs, MaxErrors, ReportArgs, RunArgs, When};
use crate::summary::summarizer_entry;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// The most threads: more of them only take memory.
const MAX_JOBS: usize = 1024;

/// The parameters of a run, apart from the policy.
pub(crate) struct RunSettings {
    /// The number of threads.
    pub jobs: usize,
    /// The number of failures that are tolerated.
    pub max_errors: MaxErrors,
    /// Prints only errors and warnings.
    pub quiet: bool,
    /// The CI server whose annotations errors are to be.
    pub annotations: Option<AnnotationStyle>,
    pub progress: When,
}

/// Resolves the options of a run. Fails if there are no threads, or too many.
pub(crate) fn resolve_run(arguments: &RunArgs) -> Result<RunSettings> {
    Ok(RunSettings {
        jobs: resolve_jobs(arguments.jobs)?,
        max_errors: arguments.max_errors,
        quiet: arguments.quiet,
        annotations: arguments.annotations,
        progress: arguments.progress,
    })
}

/// Resolves the number of threads: by default that of the cores. Fails if there are no threads, or
/// too many.
pub(crate) fn resolve_jobs(wanted: Option<usize>) -> Result<usize> {
    match wanted {
        Some(0) => {
            bail!("--jobs 0: at least one thread is needed; leave the option out to use every core")
        }
        Some(jobs) if jobs > MAX_JOBS => {
            bail!("--jobs {jobs}: at most {MAX_JOBS} threads; more threads than cores gain nothing")
        }
        Some(jobs) => Ok(jobs),
        None => Ok(std::thread::available_parallelism().map_or(1, std::num::NonZero::get)),
    }
}

/// The records that a unit has at most: an entry of the report is ten times as long as a tiny record,
/// and the entries of a unit wait in memory until it is their turn.
const UNIT_RECORDS: usize = 500;

/// Resolves how inputs are read for a summarizer.
pub(crate) fn resolve_reading(arguments: &InputArgs, summarizer: &SummarizerKind) -> ReadOptions {
    let limits = ReadLimits { max_record_bytes: arguments.max_record_bytes };
    resolve_reading_of(arguments.format, limits, summarizer)
}

/// Resolves how inputs are read for a summarizer: as this format, else by their content, within
/// these limits.
pub(crate) fn resolve_reading_of(
    format: Option<&'static dyn Format>,
    limits: ReadLimits,
    summarizer: &SummarizerKind,
) -> ReadOptions {
    ReadOptions {
        format,
        limits,
        records_per_unit: if summarizer_entry(summarizer).is_external { 1 } else { UNIT_RECORDS },
        tells_each_line: false,
        opens_containers: true,
    }
}

/// Resolves how transcripts are converted.
pub(crate) fn conversion(target: &'static ConversionTarget, merge_users: bool) -> Conversion {
    Conversion {
        target,
        merge: if merge_users { MergeRule::Users } else { MergeRule::Never },
        texts_only: false,
    }
}

/// The variable with the file that holds the summary of a step of GitHub's workflows.
const STEP_SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// A report that the user asked for.
pub(crate) struct ReportRequest {
    pub kind: &'static ReportKind,
    /// The place where it goes.
    pub destination: ReportDestination,
}

/// Resolves the reports that the user named. Fails if the kind of a report is not known, or several
/// go to stdout.
pub(crate) fn resolve_reports(arguments: &ReportArgs) -> Result<Vec<ReportRequest>> {
    let step_summary = std::env::var_os(STEP_SUMMARY).filter(|path| !path.is_empty());
    let step_summary = step_summary.as_deref().map(Path::new);
    let mut reports = Vec::new();
    for text in &arguments.report {
        let (named, path) = named_kind(text);
        if path.as_os_str().is_empty() {
            let text = text.display();
            bail!("--report {text}: name the file, or - for stdout, after the kind");
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
            .with_context(|| unknown_ending(path))?;
        reports.push(ReportRequest { kind, destination });
    }
    let printed = reports.iter().filter(|report| report.is_printed()).count();
    if printed > 1 {
        bail!("--report -: stdout takes only one report");
    }
    Ok(reports)
}

fn unknown_ending(path: &Path) -> String {
    let endings = REPORT_KINDS.map(|kind| format!(".{}", kind.ending));
    let [others @ .., last] = &endings;
    let (path, others) = (path.display(), others.join(", "));
    format!(
        "--report {path}: its ending must be {others} or {last}; or write its kind before it, such as json:{path}"
    )
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
