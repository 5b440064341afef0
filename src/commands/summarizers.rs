//! Builds the summarizer of a run and checks it before any input is read.

use crate::base::stop_flag::StopFlag;
use crate::deciding::policy::{CachePlace, SummarizerKind};
use crate::settings::{self, Settings};
use crate::summary::command::CommandSummarizer;
use crate::summary::extract::{Extract, choose::Weights};
use crate::summary::http::HttpSummarizer;
use crate::summary::{self, Summarizer};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::sync::Arc;

/// Builds the summarizer that the policy names. Returns `None` if the policy has no summarizer.
pub(super) fn build_summarizer(
    settings: &Settings,
    stop: &Arc<StopFlag>,
) -> Result<Option<Box<dyn Summarizer>>> {
    let policy = &settings.policy;
    if let (SummarizerKind::Extract, Some(path)) =
        (&policy.summarizer.kind, &policy.summarizer.weights)
    {
        let name = || format!("[summarizer] weights: {}", path.display());
        let text = settings::read_text(path).with_context(name)?;
        let weights = Weights::parse(&text).with_context(name)?;
        return Ok(Some(Box::new(Extract::with_weights(weights))));
    }
    let ask_model = || {
        let endpoint = settings::resolve_endpoint(policy)?;
        HttpSummarizer::new(endpoint, Arc::clone(stop))
    };
    let environment = || settings::program_environment(&policy.summarizer);
    summary::build_summarizer(&policy.summarizer.kind, environment, ask_model)
}

/// Fails if the summarizer is a program that does not exist, because every summary would fail.
pub(super) fn refuse_missing_program(kind: &SummarizerKind) -> Result<()> {
    let Some(line) = kind.command_line() else {
        return Ok(());
    };
    let path_variable = std::env::var_os("PATH");
    let directories = path_variable.iter().flat_map(std::env::split_paths);
    let directories: Vec<PathBuf> = directories.collect();
    if !CommandSummarizer::new(line, Vec::new()).exists(&directories) {
        bail!("--summarizer command:{line}: no such program");
    }
    Ok(())
}

/// Returns true if the answers of a model are cached.
pub(super) fn keeps_answers(settings: &Settings, summarizer: Option<&dyn Summarizer>) -> bool {
    let asks_model = summarizer.is_some_and(|summarizer| summarizer.asks_model());
    asks_model && settings.policy.summarizer.model.cache != CachePlace::Off
}
