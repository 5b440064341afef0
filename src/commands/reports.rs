//! The reports of a command: the files that they replace, the time that the archive sections of a run
//! bear, and the facts that pages show.

use crate::files::input::NamedInputs;
use crate::reporting::report::RunFacts;
use crate::settings::{ReportRequest, Settings, to_toml_without_prompts};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// Returns the paths of the files that reports replace.
pub(super) fn replaced_paths(requests: &[ReportRequest]) -> Vec<PathBuf> {
    let paths = requests.iter().filter_map(|request| request.destination.replaced_path());
    paths.map(Path::to_path_buf).collect()
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
