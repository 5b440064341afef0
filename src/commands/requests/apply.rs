//! `epitome requests apply`: the compaction that was exported, with its results.

use crate::cli::{ApplyArgs, CompactArgs, CountingArgs, InputArgs, PolicyArgs};
use crate::commands::{Ending, compact};
use crate::format::format_by_name;
use crate::input::line_files::{LineFiles, files_with_prefixes};
use crate::requests::manifest::{INDEX, IndexLine, MANIFEST, Manifest, POLICY};
use crate::requests::results::Results;
use crate::settings;
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

/// How `fetch` names what it gets.
pub(super) const RESULTS: &str = "results-";
pub(super) const ERRORS: &str = "errors-";

pub(super) fn run(arguments: &ApplyArgs) -> Result<Ending> {
    let directory = export_directory(arguments)?;
    let manifest = Manifest::read(&directory)?;
    let mut files = Vec::new();
    for path in &arguments.results {
        if path.is_dir() {
            let found = files_with_prefixes(path, &[RESULTS, ERRORS])?;
            if found.is_empty() {
                bail!(
                    "there are no results in {}: `epitome requests fetch` gets them, or name the result files",
                    path.display()
                );
            }
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    let format = match &manifest.format {
        None => None,
        Some(name) => Some(format_by_name(name).with_context(|| {
            format!(
                "{}: the format {name:?} is not known",
                directory.join(MANIFEST).display()
            )
        })?),
    };
    let compacting = CompactArgs {
        input: InputArgs {
            inputs: manifest.inputs,
            format,
            max_record_bytes: manifest.max_record_bytes,
        },
        output: Some(arguments.output.clone()),
        archive: arguments.archive.clone(),
        writing: arguments.writing.clone(),
        policy: PolicyArgs {
            counting: CountingArgs {
                config: Some(directory.join(POLICY)),
                ..CountingArgs::default()
            },
            on_failure: arguments.on_failure,
            ..PolicyArgs::default()
        },
        run: arguments.run.clone(),
        check: arguments.check,
        to: arguments.to.clone(),
    };
    let settings = settings::policy(&compacting.policy)?;
    let results = Results::open(files, settings::keyless(&settings.policy)?)?;
    let (used, tally, ids) = (results.used(), results.tally, results.ids());
    let ending = compact::carry_out(&compacting, &settings, &arguments.output, |_| {
        Ok(Some(Box::new(results)))
    })?;
    let used = used.lock().unwrap_or_else(PoisonError::into_inner);
    let unused: Vec<&String> = ids.iter().filter(|id| !used.was_asked(id)).collect();
    let (stale, foreign) = told_apart(&unused, &directory)?;
    if !arguments.run.quiet || foreign + stale + tally.malformed > 0 {
        crate::output::print_message(&format!(
            "{} results: {} summaries written, {} failed, {} missing; {} duplicates, {stale} of requests that no longer occur, {foreign} foreign, {} malformed lines",
            tally.results,
            used.summaries,
            used.failed,
            used.missing,
            tally.duplicates,
            tally.malformed
        ));
    }
    if stale > 0 {
        crate::output::print_message(
            "the input has changed since the export: export again to ask for what is missing",
        );
    }
    Ok(ending)
}

/// The directory that `--requests` names, else that of the first results.
fn export_directory(arguments: &ApplyArgs) -> Result<PathBuf> {
    if let Some(directory) = &arguments.requests {
        return Ok(directory.clone());
    }
    let first = &arguments.results[0];
    let parent = first
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or_else(|| Path::new("."));
    let directory = if first.is_dir() {
        first.as_path()
    } else {
        parent
    };
    if !directory.join(MANIFEST).is_file() {
        bail!(
            "where is the export? {} has no {MANIFEST}; name the directory with --requests",
            directory.display()
        );
    }
    Ok(directory.to_path_buf())
}

/// Of results that nobody asked for: those of our own requests, and those of others.
fn told_apart(unused: &[&String], directory: &Path) -> Result<(u64, u64)> {
    if unused.is_empty() {
        return Ok((0, 0));
    }
    let mut ours = HashSet::new();
    LineFiles::new(vec![directory.join(INDEX)]).visit_lines(|_, bytes| {
        if let Ok(line) = serde_json::from_slice::<IndexLine>(bytes) {
            ours.insert(line.custom_id);
        }
    })?;
    let stale = unused
        .iter()
        .filter(|id| ours.contains(id.as_str()))
        .count() as u64;
    Ok((stale, unused.len() as u64 - stale))
}
