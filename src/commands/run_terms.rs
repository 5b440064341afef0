//! The terms on which a command writes into directories, the times that it bears, and the facts about
//! its run that reports show.

use crate::files::archive::REPORT_FILE;
use crate::files::input::{NamedInputs, is_report_of};
use crate::files::output::{AccessLimit, LockMode, RunIdentity, WritingTerms};
use crate::reporting::report::{RunFacts, kinds::JSON_REPORT};
use crate::settings::cli::WhenLocked;
use crate::settings::{
    ReportRequest, Settings, key_directories, state_directory, to_toml_without_prompts,
};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// Returns the terms of a command. Without `--lock` it waits for another run.
pub(super) fn writing_terms(
    command: &'static str,
    force: bool,
    lock: Option<WhenLocked>,
) -> WritingTerms {
    // `SOURCE_DATE_EPOCH` does not count: this is for people who wait.
    let now = OffsetDateTime::now_utc();
    let time = format!("{:02}:{:02}:{:02} UTC", now.hour(), now.minute(), now.second());
    WritingTerms {
        force,
        resumes: false,
        lock: lock.map_or(LockMode::Wait, LockMode::from),
        access: AccessLimit::UMASK,
        identity: RunIdentity { command, started: format!("{} {time}", now.date()) },
        key_directories: key_directories(),
    }
}

/// Returns a new directory below the user's own for what a run takes out of its input: a pipe leaves
/// nothing in the working directory. None if the user has no directory.
pub(super) fn stdout_archive() -> Option<PathBuf> {
    let now = OffsetDateTime::now_utc();
    let name = format!(
        "{}-{:02}{:02}{:02}-{:08x}",
        now.date(),
        now.hour(),
        now.minute(),
        now.second(),
        fastrand::u32(..)
    );
    Some(state_directory()?.join("archives").join(name))
}

/// Returns the line that names such an archive at the end of a run.
pub(super) fn archive_line(archive: &Path) -> String {
    format!("what was removed is in {} (--archive)", archive.display())
}

/// Returns the paths of the files that reports replace.
pub(super) fn replaced_paths(requests: &[ReportRequest]) -> Vec<PathBuf> {
    let paths = requests.iter().filter_map(|request| request.destination.replaced_path());
    paths.map(Path::to_path_buf).collect()
}

/// Refuses to replace a file that is no report of an earlier run: a run that is resumed replaces its
/// own.
pub(super) fn refuse_foreign_reports(requests: &[ReportRequest], output: &Path) -> Result<()> {
    let by_itself = output.join(REPORT_FILE);
    let named = requests.iter().filter_map(|request| {
        let path = request.destination.replaced_path()?;
        Some((path, request.kind))
    });
    for (path, kind) in named.chain([(&*by_itself, &JSON_REPORT)]) {
        let holds_anything = path.metadata().is_ok_and(|metadata| metadata.len() > 0);
        if holds_anything && !is_report_of(kind, path) {
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
