//! `epitome compact`: the main job. Plans each conversation, fills the hole,
//! writes the archive, then the compacted bytes.

pub(super) mod execute;
mod receiver;

use crate::cli::CompactArgs;
use crate::commands::Ending;
use crate::input::{Source, Unit, collect};
use crate::output::{AtomicFile, Tree};
use crate::policy::SummarizerKind;
use crate::progress::Progress;
use crate::report::{markdown, table};
use crate::run::{Found, Work, read_unit, run as run_batch};
use crate::settings::{self, Settings, to_toml};
use crate::summary::command::External;
use crate::summary::{self, Summarizer};
use anyhow::{Context, Result, bail};
use execute::Execution;
pub(super) use execute::fill;
use receiver::{Done, Receiver, Reports};
use std::io::Write;
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// Compacts.
///
/// # Errors
/// What is wrong with the options or the inputs, or what can't be written.
pub fn run(arguments: &CompactArgs) -> Result<Ending> {
    let settings = settings::policy(&arguments.policy)?;
    // Only --print-config goes without an output.
    let Some(output) = arguments.output.as_ref().filter(|_| !arguments.policy.print_config) else {
        std::io::stdout().write_all(to_toml(&settings.policy).as_bytes())?;
        return Ok(Ending { tolerated: true, ..Ending::default() });
    };
    let run = settings::run(&arguments.run)?;
    let reading = settings::reading(&arguments.input, &settings.policy.summarizer.kind)?;
    refuse_missing_program(&settings.policy.summarizer.kind)?;
    let now = now()?;
    let endings = Reports::check(&arguments.report)?;
    let written: Vec<&Path> = [Some(output.as_path()), arguments.archive.as_deref()].into_iter().flatten().collect();
    let inputs = collect(&arguments.input.inputs, &written)?;
    let tree = Tree::new(output, arguments.archive.as_deref(), &inputs, &arguments.report, arguments.force)?;
    let progress = Progress::new(run.progress, run.quiet, inputs.iter().map(|input| input.bytes).sum());
    let summarizer = summary::build(&settings.policy.summarizer.kind);
    let work = Compacting { settings: &settings, summarizer, tree: &tree, now, measure: !arguments.report.is_empty() };
    let reports = Reports::open(&tree, endings.json)?;
    let digests: Result<Vec<AtomicFile>> = endings.markdown.into_iter().map(AtomicFile::create).collect();
    let digests = digests?;
    let receiver = Receiver::new(&tree, reports, progress, run.quiet);
    let finished = run_batch(Source::new(inputs, reading), run.jobs, &work, receiver)?.finish()?;
    for mut digest in digests {
        digest.write_all(markdown::render(&finished.digest).as_bytes())?;
        digest.publish()?;
    }
    if !run.quiet {
        crate::output::say(table::render(&finished.digest).trim_end());
        if tree.is_stdout() && finished.archived {
            crate::output::say(&format!("archives in {}", tree.archive_directory().display()));
        }
    }
    let totals = &finished.digest.totals;
    let objection = totals.over_limit > 0 || (arguments.check && totals.compacted > 0);
    Ok(Ending::new(totals.failed, run.max_errors, objection))
}

/// A program that is not there would fail every transcript: better said before anything is read.
pub(super) fn refuse_missing_program(kind: &SummarizerKind) -> Result<()> {
    let SummarizerKind::Command(line) = kind else { return Ok(()) };
    let path: Vec<PathBuf> = std::env::var_os("PATH").iter().flat_map(std::env::split_paths).collect();
    if !External::new(line).exists(&path) {
        bail!("--summarizer command:{line}: there is no such program");
    }
    Ok(())
}

/// The time of this run's archive sections: `SOURCE_DATE_EPOCH`, else the clock.
pub(super) fn now() -> Result<OffsetDateTime> {
    let Some(text) = std::env::var_os("SOURCE_DATE_EPOCH").filter(|text| !text.is_empty()) else { return Ok(OffsetDateTime::now_utc()) };
    let seconds = text.to_str().and_then(|text| text.trim().parse().ok());
    let Some(seconds) = seconds else { bail!("SOURCE_DATE_EPOCH is {}, it must be a number of seconds", text.display()) };
    OffsetDateTime::from_unix_timestamp(seconds).context("SOURCE_DATE_EPOCH is out of range")
}

struct Compacting<'s> {
    settings: &'s Settings,
    summarizer: Option<Box<dyn Summarizer>>,
    tree: &'s Tree,
    now: OffsetDateTime,
    /// Whether a report was asked for: measuring reads every summarised transcript once more.
    measure: bool,
}

impl Work for Compacting<'_> {
    type Done = Done;

    fn read<'u>(&self, unit: &'u Unit) -> Vec<Found<'u>> {
        read_unit(unit, self.settings)
    }

    fn finish(&self, unit: &Unit, found: Vec<Found<'_>>) -> Done {
        let mut execution = Execution::new(unit, self.measure);
        for one in found {
            match one {
                Found::Bad { line, column, error } => execution.bad(line, column, &error, self.settings.counter(None, None).name()),
                Found::Conversation(one) => execution.carry_out(&one, self.settings, self.summarizer.as_deref(), self.tree, self.now),
            }
        }
        execution.done()
    }
}
