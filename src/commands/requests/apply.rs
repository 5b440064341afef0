//! `epitome requests apply`: the compaction that was exported, with its results.

use super::{ExportSettings, export_settings};
use crate::commands::prelude::*;
use crate::commands::writing_run::{WritingRun, writing_job};
use crate::files::input::line_files::{LineFiles, files_with_prefixes};
use crate::reading::format::format_by_name;
use crate::running::requests::manifest::{INDEX, IndexLine, MANIFEST};
use crate::running::requests::results::RequestResults;
use crate::settings::cli::ApplyArgs;
use std::sync::PoisonError;

/// The prefixes of the files that `fetch` writes.
pub(super) const RESULTS: &str = "results-";
pub(super) const ERRORS: &str = "errors-";

pub(super) fn run(arguments: &ApplyArgs) -> Result<Ending> {
    let directory = export_directory(&arguments.results)?;
    let manifest = Manifest::read(directory)?;
    let files = result_files(&arguments.results, directory)?;
    let ExportSettings { settings, is_own } =
        export_settings(directory, &manifest, &arguments.set)?;
    if !is_own {
        check_inputs_below(Path::new("."), &manifest.inputs)?;
        if manifest.paths.follow_links {
            bail!("the export is not yours, and follows links in its inputs: export again");
        }
    }
    let job = writing_job(&arguments.to);
    let format = exported_format(&manifest, directory)?;
    let limits = ReadLimits {
        max_record_bytes: arguments.max_record_bytes.unwrap_or(manifest.max_record_bytes),
    };
    let summarizer = &settings.policy.summarizer.kind;
    let endpoint = settings::keyless_endpoint(&settings.policy)?;
    let results = RequestResults::open(files, limits.max_record_bytes, endpoint)?;
    let (used, tally, ids) = (results.usage(), results.tally, results.ids());
    let run = WritingRun {
        job,
        settings: &settings,
        inputs: NamedInputs { paths: &manifest.inputs, rules: manifest.paths.clone() },
        reading: settings::resolve_reading_of(format, limits, summarizer),
        output: &arguments.output,
        archive: arguments.archive.as_deref(),
        writing: &arguments.writing,
        run: &arguments.run,
        check: arguments.check,
        measures_retention: false,
        names: NameRule::Order,
    };
    let ending = run.execute(|_| Ok(Some(Box::new(results))))?;
    let used = used.lock().unwrap_or_else(PoisonError::into_inner);
    let unused: Vec<&String> = ids.iter().filter(|id| !used.asked.contains(*id)).collect();
    let UnusedResults { stale, foreign } =
        sort_unused(&unused, directory, limits.max_record_bytes)?;
    if !arguments.run.quiet || foreign + stale + tally.malformed > 0 {
        print_message(&format!(
            "{}: {} written, {} failed, {} missing; {}, {stale} of requests that no longer occur, {foreign} foreign, {}",
            count_nouns(tally.results, "result"),
            count_nouns(used.summaries, "summary"),
            used.failed,
            used.missing,
            count_nouns(tally.duplicates, "duplicate"),
            count_nouns(tally.malformed, "malformed line")
        ));
    }
    if stale > 0 {
        print_message(
            "the input has changed since the export: export again to ask for what is missing",
        );
    }
    Ok(ending)
}

/// Results that no conversation asked for.
#[derive(Default)]
struct UnusedResults {
    /// Results of requests that the export holds.
    stale: u64,
    /// Results of other requests.
    foreign: u64,
}

/// Returns the export directory: the first directory among the results that is one, else that of the
/// first results.
fn export_directory(results: &[PathBuf]) -> Result<&Path> {
    let is_export = |path: &Path| path.join(MANIFEST).is_file();
    if let Some(export) = results.iter().find(|path| is_export(path)) {
        return Ok(export);
    }
    let parent = results[0].parent().unwrap_or(Path::new(""));
    let beside = match parent {
        _ if results[0].is_dir() => &results[0],
        parent if parent == Path::new("") => Path::new("."),
        parent => parent,
    };
    if !is_export(beside) {
        bail!(
            "where is the export? {} has no {MANIFEST}; name the directory of `epitome requests export`, too",
            beside.display()
        );
    }
    Ok(beside)
}

/// Returns the files of results: those that are named, and those that `fetch` wrote to the
/// directories that are. Beside other results the export names no results, but what they answer.
fn result_files(results: &[PathBuf], export: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in results {
        if path == export && results.len() > 1 {
            continue;
        }
        if path.is_dir() {
            files.extend(files_with_prefixes(path, &[RESULTS, ERRORS])?);
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        bail!(
            "there are no results in {}: `epitome requests fetch` gets them, or name the result files",
            results[0].display()
        );
    }
    Ok(files)
}

/// Checks that all inputs lie below a directory, wherever links on the way to them lead. A manifest
/// that somebody else made names any file of the user.
fn check_inputs_below(root: &Path, inputs: &[PathBuf]) -> Result<()> {
    let real = |path: &Path| {
        let real = path.canonicalize();
        real.with_context(|| format!("{} can't be read", path.display()))
    };
    let root = real(root)?;
    for input in inputs {
        if !real(input)?.starts_with(&root) {
            bail!(
                "the export is not yours, and its input {} lies outside of {}: run this in a directory above it, or export again",
                input.display(),
                root.display()
            );
        }
    }
    Ok(())
}

/// Sorts results that no conversation asked for: those of this export, and those of others.
fn sort_unused(
    unused: &[&String],
    directory: &Path,
    max_line_bytes: usize,
) -> Result<UnusedResults> {
    if unused.is_empty() {
        return Ok(UnusedResults::default());
    }
    let mut ours = HashSet::new();
    LineFiles::below(directory, INDEX, max_line_bytes)?.visit_lines(|_, bytes| {
        if let Ok(line) = serde_json::from_slice::<IndexLine>(bytes) {
            ours.insert(line.custom_id);
        }
    })?;
    let stale = unused.iter().filter(|id| ours.contains(id.as_str())).count() as u64;
    Ok(UnusedResults { stale, foreign: unused.len() as u64 - stale })
}

/// Returns the format that the export was read as, if the user named it.
fn exported_format(manifest: &Manifest, directory: &Path) -> Result<Option<&'static dyn Format>> {
    let Some(name) = &manifest.format else {
        return Ok(None);
    };
    let format = format_by_name(name).with_context(|| {
        let manifest = directory.join(MANIFEST);
        format!("{}: the format {name:?} is not known", manifest.display())
    })?;
    Ok(Some(format))
}
