//! `epitome compact`: the main job. Plans each conversation, fills the hole,
//! writes the archive, then the compacted bytes.

use crate::batch::run_log::Talk;
use crate::batch::{BrokeOff, Turn, Work, run as run_batch};
use crate::cli::CompactArgs;
use crate::commands::{Ending, inputs, interrupt};
use crate::compaction::receiver::{Done, Receiver, Reports};
use crate::compaction::unit::{Begun, Execution};
use crate::conversation::{Found, read_unit};
use crate::convert::Conversion;
use crate::input::{InputSource, InputUnit, name_outputs_jsonl};
use crate::output::{AtomicFile, OutputTree};
use crate::policy::{CachePlace, SummarizerKind};
use crate::progress::Progress;
use crate::report::{render_conversion_table, render_run_table};
use crate::settings::{self, Settings, to_toml};
use crate::summary::command::CommandSummarizer;
use crate::summary::http::HttpSummarizer;
use crate::summary::stop::{StopCause, StopFlag};
use crate::summary::{self, Summarizer};
use anyhow::{Context, Result, anyhow, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use time::OffsetDateTime;

/// Compacts.
///
/// # Errors
/// What is wrong with the options or the inputs, or what can't be written.
pub fn run(arguments: &CompactArgs) -> Result<Ending> {
    let settings = settings::policy(&arguments.policy)?;
    // Only --print-config goes without an output.
    let Some(output) = arguments
        .output
        .as_ref()
        .filter(|_| !arguments.policy.print_config)
    else {
        std::io::stdout().write_all(to_toml(&settings.policy).as_bytes())?;
        return Ok(Ending {
            tolerated: true,
            ..Ending::default()
        });
    };
    refuse_missing_program(&settings.policy.summarizer.kind)?;
    carry_out(arguments, &settings, output, |stop| {
        summarizer(&settings, stop)
    })
}

/// The summarizer that the policy names.
pub fn summarizer(
    settings: &Settings,
    stop: &Arc<StopFlag>,
) -> Result<Option<Box<dyn Summarizer>>> {
    let http = || {
        HttpSummarizer::new(settings::target(&settings.policy)?, Arc::clone(stop))
            .map_err(|error| anyhow!(error))
    };
    summary::build_summarizer(&settings.policy.summarizer.kind, http)
}

/// Compacts with this policy; `build` makes the summarizer.
pub fn carry_out(
    arguments: &CompactArgs,
    settings: &Settings,
    output: &Path,
    build: impl FnOnce(&Arc<StopFlag>) -> Result<Option<Box<dyn Summarizer>>>,
) -> Result<Ending> {
    let conversion = arguments
        .to
        .to
        .map(|target| settings::conversion(target, arguments.to.merge_user));
    write_out(
        arguments,
        settings,
        output,
        Writing {
            conversion,
            plans: true,
        },
        build,
    )
}

/// What becomes of transcripts.
#[derive(Clone, Copy)]
pub struct Writing {
    /// The format that they leave in, if it is not their own.
    pub conversion: Option<Conversion>,
    /// Whether they are compacted.
    pub plans: bool,
}

/// Reads, works and writes.
pub fn write_out(
    arguments: &CompactArgs,
    settings: &Settings,
    output: &Path,
    writing: Writing,
    build: impl FnOnce(&Arc<StopFlag>) -> Result<Option<Box<dyn Summarizer>>>,
) -> Result<Ending> {
    let run = settings::run(&arguments.run)?;
    let reading = settings::reading(&arguments.input, &settings.policy.summarizer.kind)?;
    let now = now()?;
    let endings = Reports::check(&arguments.writing.report)?;
    let written: Vec<&Path> = [Some(output), arguments.archive.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    let mut inputs = inputs(&arguments.input.inputs, &written)?;
    if writing.conversion.is_some() {
        inputs = name_outputs_jsonl(inputs)?;
    }
    let tree = OutputTree::new(
        output,
        arguments.archive.as_deref(),
        &inputs,
        &arguments.writing.report,
        arguments.writing.force,
    )?;
    let progress = Progress::new(
        run.progress,
        run.quiet,
        inputs.iter().map(|input| input.bytes).sum(),
    );
    let stop = Arc::new(StopFlag::default());
    let summarizer = build(&stop)?;
    interrupt::listen(&stop)?;
    let work = Compacting {
        settings,
        summarizer,
        tree: &tree,
        now,
        writing,
        measure: !arguments.writing.report.is_empty(),
        stop: &stop,
    };
    let reports = Reports::open(&tree, endings.json)?;
    let digests: Result<Vec<_>> = endings
        .views
        .into_iter()
        .map(|(view, path)| Ok((view, AtomicFile::create(path)?)))
        .collect();
    let digests = digests?;
    let receiver = Receiver::new(
        &tree,
        reports,
        Talk::beside_report(progress, run.quiet),
        &stop,
    );
    let mut receiver = run_batch(InputSource::new(inputs, reading), run.jobs, &work, receiver)?;
    if let Some(cause) = stop.cause() {
        receiver.stopped(cause).context(BrokeOff)?;
    }
    let finished = receiver.finish().context(BrokeOff)?;
    for (view, mut file) in digests {
        file.write_all((view.render)(&finished.digest).as_bytes())
            .context(BrokeOff)?;
        file.publish().context(BrokeOff)?;
    }
    if !run.quiet {
        let told = if writing.plans {
            render_run_table(&finished.digest)
        } else {
            render_conversion_table(&finished.digest)
        };
        crate::output::print_message(told.trim_end());
        if tree.is_stdout() && finished.archived {
            crate::output::print_message(&format!(
                "archives in {}",
                tree.archive_directory().display()
            ));
        }
    }
    let signal = match stop.cause() {
        None => None,
        Some(cause) => Some(told(
            cause,
            "files that were whole are written",
            is_cached(settings, work.summarizer.as_deref()),
        )?),
    };
    let totals = &finished.digest.totals;
    let found = if writing.plans {
        totals.compacted
    } else {
        totals
            .converted
            .as_ref()
            .map_or(0, |converted| converted.left_out)
    };
    let objection = totals.over_limit > 0 || (arguments.check && found > 0);
    Ok(Ending {
        signal,
        ..Ending::new(totals.failed, run.max_errors, objection)
    })
}

/// Whether what a model answers is kept.
pub fn is_cached(settings: &Settings, summarizer: Option<&dyn Summarizer>) -> bool {
    summarizer.is_some_and(|one| one.waits_for() > 0)
        && settings.policy.summarizer.model.cache != CachePlace::Off
}

/// Says why the run ended early and how to go on; the signal that did it.
///
/// # Errors
/// The cause, where it was no signal.
pub fn told(cause: StopCause<'_>, written: &str, is_cached: bool) -> Result<usize> {
    let kept = if is_cached {
        "; summaries that were answered are in the cache and will not be asked for again"
    } else {
        ""
    };
    let on = format!("{written}. To go on, run the same command again with --force{kept}");
    match cause {
        StopCause::Signal(signal) => {
            crate::output::print_message(&format!("epitome: interrupted; {on}"));
            Ok(signal)
        }
        StopCause::Failed(why) => Err(anyhow!("stopped early: {why}\n{on}")),
    }
}

/// A program that is not there would fail every transcript: better said before anything is read.
pub fn refuse_missing_program(kind: &SummarizerKind) -> Result<()> {
    let SummarizerKind::Command(line) = kind else {
        return Ok(());
    };
    let path: Vec<PathBuf> = std::env::var_os("PATH")
        .iter()
        .flat_map(std::env::split_paths)
        .collect();
    if !CommandSummarizer::new(line).exists(&path) {
        bail!("--summarizer command:{line}: there is no such program");
    }
    Ok(())
}

/// The time of this run's archive sections: `SOURCE_DATE_EPOCH`, else the clock.
pub fn now() -> Result<OffsetDateTime> {
    let Some(text) = std::env::var_os("SOURCE_DATE_EPOCH").filter(|text| !text.is_empty()) else {
        return Ok(OffsetDateTime::now_utc());
    };
    let seconds = text.to_str().and_then(|text| text.trim().parse().ok());
    let Some(seconds) = seconds else {
        bail!(
            "SOURCE_DATE_EPOCH is {}, it must be a number of seconds",
            text.display()
        )
    };
    OffsetDateTime::from_unix_timestamp(seconds).context("SOURCE_DATE_EPOCH is out of range")
}

pub struct Compacting<'s> {
    pub settings: &'s Settings,
    pub summarizer: Option<Box<dyn Summarizer>>,
    pub tree: &'s OutputTree,
    pub now: OffsetDateTime,
    pub writing: Writing,
    /// Whether a report was asked for: measuring reads every summarised transcript once more.
    pub measure: bool,
    pub stop: &'s StopFlag,
}

impl Work for Compacting<'_> {
    type Done = Done;

    fn read<'u>(&self, unit: &'u InputUnit) -> Vec<Found<'u>> {
        let mut found = read_unit(unit, self.settings);
        if self.writing.conversion.is_some() {
            found.iter_mut().for_each(Found::leaves_its_log);
        }
        found
    }

    fn finish(&self, unit: &InputUnit, found: Vec<Found<'_>>, turn: &mut Turn<'_>) -> Done {
        let mut execution = Execution::new(unit, self);
        if self.waits_for() == 0 {
            // One after the other: what one took is free before the next.
            for one in &found {
                let begun = execution.begin(one);
                execution.carry_out(begun);
            }
            return execution.done();
        }
        // All summaries of the unit are asked for before any is waited for.
        let begun: Vec<_> = found.iter().map(|one| execution.begin(one)).collect();
        let asked: Vec<_> = turn.aside(|| begun.into_iter().map(Begun::wait).collect());
        asked.into_iter().for_each(|one| execution.carry_out(one));
        execution.done()
    }

    fn waits_for(&self) -> usize {
        self.summarizer.as_ref().map_or(0, |one| one.waits_for())
    }

    fn stopped(&self) -> bool {
        self.stop.cause().is_some()
    }
}
