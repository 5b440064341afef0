//! The summarizer of a run: built by its policy, checked before anything is read.

use crate::policy::{CachePlace, SummarizerKind};
use crate::settings::{self, Settings};
use crate::summary::command::CommandSummarizer;
use crate::summary::http::HttpSummarizer;
use crate::summary::stop::StopFlag;
use crate::summary::{self, Summarizer};
use anyhow::{Result, anyhow, bail};
use std::path::PathBuf;
use std::sync::Arc;

/// Builds the summarizer that the policy names; none where it names none.
pub(super) fn build_summarizer(
    settings: &Settings,
    stop: &Arc<StopFlag>,
) -> Result<Option<Box<dyn Summarizer>>> {
    let policy = &settings.policy;
    let ask_model = || {
        let endpoint = settings::resolve_endpoint(policy)?;
        HttpSummarizer::new(endpoint, Arc::clone(stop)).map_err(|error| anyhow!(error))
    };
    summary::build_summarizer(&policy.summarizer.kind, ask_model)
}

/// Refuses a summarizer program that does not exist: it would fail every transcript.
pub(super) fn refuse_missing_program(kind: &SummarizerKind) -> Result<()> {
    let SummarizerKind::Command(line) = kind else {
        return Ok(());
    };
    let path_variable = std::env::var_os("PATH");
    let directories = path_variable.iter().flat_map(std::env::split_paths);
    let directories: Vec<PathBuf> = directories.collect();
    if !CommandSummarizer::new(line).exists(&directories) {
        bail!("--summarizer command:{line}: there is no such program");
    }
    Ok(())
}

/// Returns true if a program or a server writes summaries. That may take minutes, so transcripts
/// are handed out a transcript at a time.
pub(super) fn is_external(kind: &SummarizerKind) -> bool {
    matches!(kind, SummarizerKind::Command(_) | SummarizerKind::Http)
}

/// Returns true if the answers of a model are kept.
pub(super) fn keeps_answers(settings: &Settings, summarizer: Option<&dyn Summarizer>) -> bool {
    let asks_model = summarizer.is_some_and(|summarizer| summarizer.waits_for() > 0);
    asks_model && settings.policy.summarizer.model.cache != CachePlace::Off
}
