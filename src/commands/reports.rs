//! The reports of a command: the files that they replace, and the facts that their pages show.

use crate::files::input::NamedInputs;
use crate::reporting::report::RunFacts;
use crate::settings::{ReportRequest, Settings, to_toml_without_prompts};
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// Returns the paths of the files that reports replace.
pub(super) fn replaced_paths(requests: &[ReportRequest]) -> Vec<PathBuf> {
    let paths = requests
        .iter()
        .filter_map(|request| request.destination.replaced_path());
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
        time: format!(
            "{}T{:02}:{:02}:{:02}Z",
            now.date(),
            now.hour(),
            now.minute(),
            now.second()
        ),
        inputs: inputs
            .paths
            .iter()
            .map(|path| path.display().to_string())
            .collect(),
        is_reported: true,
        policy: to_toml_without_prompts(&settings.policy),
    }
}
