//! The parameters of a run, apart from the policy: threads, failures, progress, and how
//! inputs are read.

use super::error::SettingsError;
use crate::convert::{Conversion, ConversionTarget, MergeRule};
use crate::deciding::policy::SummarizerKind;
use crate::files::input::{ReadLimits, ReadOptions};
use crate::reading::format::Format;
use crate::settings::cli::{AnnotationStyle, InputArgs, MaxErrors, RunArgs, When};
use crate::summary::summarizer_entry;

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
    /// When to show progress.
    pub progress: When,
}

/// Resolves the options of a run. Fails if there are no threads, or too many.
pub(crate) fn resolve_run(arguments: &RunArgs) -> Result<RunSettings, SettingsError> {
    let jobs = resolve_jobs(arguments.jobs)?;
    Ok(RunSettings {
        jobs,
        max_errors: arguments.max_errors,
        quiet: arguments.quiet,
        annotations: arguments.annotations,
        progress: arguments.progress,
    })
}

/// Resolves the number of threads: by default that of the cores. Fails if there are no threads, or
/// too many.
pub(crate) fn resolve_jobs(wanted: Option<usize>) -> Result<usize, SettingsError> {
    match wanted {
        Some(0) => Err(SettingsError::NoThreads),
        Some(jobs) if jobs > MAX_JOBS => Err(SettingsError::TooManyThreads(jobs)),
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
