//! The reports of a command: the files that they replace, the time that the archive sections of a run
//! bear, and the facts that pages show.

use crate::files::archive::REPORT_FILE;
use crate::files::input::{NamedInputs, read_head};
use crate::reporting::report::RunFacts;
use crate::reporting::report::kinds::JSON_REPORT;
use crate::settings::{ReportRequest, Settings, to_toml_without_prompts};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// Returns the paths of the files that reports replace.
pub(super) fn replaced_paths(requests: &[ReportRequest]) -> Vec<PathBuf> {
    let paths = requests.iter().filter_map(|request| request.destination.replaced_path());
    paths.map(Path::to_path_buf).collect()
}

/// The bytes in which a report shows its kind.
const REPORT_HEAD: u64 = 1024;

/// Refuses to replace a file that is no report of an earlier run: a run that is resumed replaces its
/// own.
pub(super) fn refuse_foreign_reports(requests: &[ReportRequest], output: &Path) -> Result<()> {
    let by_itself = output.join(REPORT_FILE);
    let named = requests.iter().filter_map(|request| {
        let path = request.destination.replaced_path()?;
        Some((path, request.kind))
    });
    for (path, kind) in named.chain([(&*by_itself, &JSON_REPORT)]) {
        let is_report =
            || read_head(path, REPORT_HEAD).is_some_and(|head| head.contains(kind.mark));
        if path.exists() && !is_report() {
            bail!(
                "{} exists, and is no report of epitome; remove it, or choose another place",
                path.display()
            );
        }
    }
    Ok(())
}

/// Returns the facts about a run of a command that begins at `now`.
pub(super) fn run_facts(
    command: &str,
    now: OffsetDateTime,
    inputs: &NamedInputs<'_>,
    settings: &Settings,
) -> RunFacts {
    RunFacts {
        command: format!("epitome {command}"),
        time: format!("{}T{:02}:{:02}:{:02}Z", now.date(), now.hour(), now.minute(), now.second()),
        inputs: inputs.paths.iter().map(|path| path.display().to_string()).collect(),
        is_reported: true,
        policy: to_toml_without_prompts(&settings.policy),
    }
}

/// Returns the time in `SOURCE_DATE_EPOCH`, else that of the clock.
pub(super) fn archive_time() -> Result<OffsetDateTime> {
    Ok(source_date()?.unwrap_or_else(OffsetDateTime::now_utc))
}

/// Returns the time in `SOURCE_DATE_EPOCH`; none where it is not set.
pub(super) fn source_date() -> Result<Option<OffsetDateTime>> {
    let epoch = std::env::var_os("SOURCE_DATE_EPOCH").filter(|text| !text.is_empty());
    let Some(text) = epoch else {
        return Ok(None);
    };
    let seconds = text.to_str().and_then(|text| text.trim().parse().ok());
    let Some(seconds) = seconds else {
        bail!("SOURCE_DATE_EPOCH is {}, it must be a number of seconds", text.display());
    };
    let time = OffsetDateTime::from_unix_timestamp(seconds);
    time.map(Some).context("SOURCE_DATE_EPOCH is out of range")
}
