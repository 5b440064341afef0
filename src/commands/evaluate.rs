//! `epitome evaluate`: how much of what the future needed would a compaction have kept?

use crate::batch::run_log::Talk;
use crate::batch::{Receive, Turn, Work, run as run_batch};
use crate::cli::{EvaluateArgs, PolicyArgs};
use crate::commands::compact::{is_cached, refuse_missing_program, summarizer, told};
use crate::commands::{Ending, inputs, interrupt};
use crate::conversation::{Found, place, read_unit};
use crate::evaluation::rows::Rows;
use crate::evaluation::session::{self, Measured};
use crate::input::{InputSource, InputUnit};
use crate::output::{AtomicFile, OverwriteGuard};
use crate::policy::{Amount, Clause, Keep, SummarizerKind, Trigger};
use crate::progress::Progress;
use crate::report::SummaryUsageTotals;
use crate::retention::{METRICS, RetentionMetric, SEEN_TAIL};
use crate::settings::{self, Settings, to_toml};
use crate::summary::Summarizer;
use crate::summary::stop::StopFlag;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// A policy that is measured.
pub struct Contender {
    pub name: String,
    pub settings: Settings,
    /// Built when the run begins.
    pub summarizer: Option<Box<dyn Summarizer>>,
}

/// Evaluates.
///
/// # Errors
/// What is wrong with the options or the inputs.
pub fn run(arguments: &EvaluateArgs) -> Result<Ending> {
    let first = contender(None, &arguments.policy)?;
    if arguments.policy.print_config {
        std::io::stdout().write_all(to_toml(&first.settings.policy).as_bytes())?;
        return Ok(Ending {
            tolerated: true,
            ..Ending::default()
        });
    }
    let mut contenders = vec![first];
    for file in &arguments.compare {
        let mut policy = PolicyArgs::default();
        policy.counting.config = Some(file.clone());
        contenders.push(contender(Some(file), &policy)?);
    }
    let gates: Result<Vec<Gate>> = arguments.fail_under.iter().map(|text| gate(text)).collect();
    let gates = gates?;
    let run = settings::run(&arguments.run)?;
    let is_slow =
        |kind: &&SummarizerKind| matches!(kind, SummarizerKind::Command(_) | SummarizerKind::Http);
    let slow = contenders
        .iter()
        .map(|one| &one.settings.policy.summarizer.kind)
        .find(is_slow);
    let reading = settings::reading(&arguments.input, slow.unwrap_or(&SummarizerKind::Extract))?;
    let inputs = inputs(&arguments.input.inputs, &[])?;
    let guard = OverwriteGuard::new(&inputs, arguments.force);
    let references = arguments
        .references
        .as_deref()
        .map(|path| {
            guard
                .check_path(path)
                .and_then(|()| AtomicFile::create(path))
        })
        .transpose()?;
    let progress = Progress::new(
        run.progress,
        run.quiet,
        inputs.iter().map(|input| input.bytes).sum(),
    );
    let stop = Arc::new(StopFlag::default());
    for one in &mut contenders {
        one.summarizer = summarizer(&one.settings, &stop)?;
    }
    interrupt::listen(&stop)?;
    let work = Evaluating {
        contenders: &contenders,
        references: references.is_some(),
        stop: &stop,
    };
    let names = contenders.iter().map(|one| one.name.clone()).collect();
    let receiver = Collecting {
        rows: Rows::new(names),
        references,
        talk: Talk::of_all(progress, run.quiet),
        asked: SummaryUsageTotals::default(),
    };
    let mut done = run_batch(InputSource::new(inputs, reading), run.jobs, &work, receiver)?;
    done.talk.finish();
    if done.asked.summaries > 0 && !run.quiet {
        crate::output::print_message(&done.asked.summary_line());
    }
    if let Some(cause) = stop.cause() {
        let is_cached = contenders
            .iter()
            .any(|one| is_cached(&one.settings, one.summarizer.as_deref()));
        return Ok(Ending {
            signal: Some(told(cause, "nothing is written", is_cached)?),
            ..Ending::default()
        });
    }
    if let Some(file) = done.references.take() {
        file.publish()?;
    }
    let text = if arguments.json {
        done.rows.json()?
    } else {
        done.rows.table()
    };
    std::io::stdout().write_all(text.as_bytes())?;
    let mut objection = false;
    for complaint in gates
        .iter()
        .flat_map(|gate| done.rows.below(gate.metric, gate.share))
    {
        crate::output::print_message(&complaint);
        objection = true;
    }
    Ok(Ending::new(done.talk.errors, run.max_errors, objection))
}

/// Resolves a policy as it is measured: it acts at every cut.
fn contender(file: Option<&Path>, arguments: &PolicyArgs) -> Result<Contender> {
    let mut settings = settings::policy(arguments)?;
    let policy = &mut settings.policy;
    policy.summarize.trigger = Some(Trigger {
        clauses: vec![Clause(vec![Amount::Messages(1)])],
    });
    // A share of the model's window is more than most sessions have.
    if matches!(
        policy.summarize.keep,
        None | Some(Keep::Last(Amount::Fraction(_)) | Keep::Turns { tokens: None, .. })
    ) {
        policy.summarize.keep = Some(Keep::Last(Amount::Messages(SEEN_TAIL as u64)));
    }
    refuse_missing_program(&policy.summarizer.kind)?;
    let name = match file.and_then(Path::file_stem) {
        Some(stem) => stem.to_string_lossy().into_owned(),
        None => match &policy.summarizer.kind {
            SummarizerKind::Command(line) => line.clone(),
            SummarizerKind::None => "none".to_owned(),
            SummarizerKind::Http => policy
                .summarizer
                .model
                .name
                .clone()
                .or_else(|| policy.model.clone())
                .unwrap_or_else(|| "http".to_owned()),
            SummarizerKind::Extract => "extract".to_owned(),
        },
    };
    Ok(Contender {
        name,
        settings,
        summarizer: None,
    })
}

/// A figure and how high it must be.
struct Gate {
    metric: &'static RetentionMetric,
    share: f64,
}

fn gate(text: &str) -> Result<Gate> {
    let names = || {
        METRICS
            .iter()
            .map(|metric| metric.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (name, share) = text.split_once('=').with_context(|| {
        format!("--fail-under {text}: expected METRIC=SHARE, such as recall=0.9")
    })?;
    let metric = METRICS
        .iter()
        .find(|metric| metric.name == name)
        .with_context(|| {
            format!(
                "--fail-under {text}: no figure is called {name}; there are {}",
                names()
            )
        })?;
    let share = share
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    let Some(share) = share else {
        bail!("--fail-under {text}: the share must be a number from 0 to 1")
    };
    Ok(Gate { metric, share })
}

struct Evaluating<'c> {
    contenders: &'c [Contender],
    references: bool,
    stop: &'c StopFlag,
}

/// What one unit came to.
struct Done {
    data: String,
    sessions: Vec<Measured>,
    errors: Vec<String>,
}

impl Work for Evaluating<'_> {
    type Done = Done;

    fn read<'u>(&self, unit: &'u InputUnit) -> Vec<Found<'u>> {
        read_unit(unit, &self.contenders[0].settings)
    }

    fn finish(&self, unit: &InputUnit, found: Vec<Found<'_>>, turn: &mut Turn<'_>) -> Done {
        let mut done = Done {
            data: unit.file.name.clone(),
            sessions: Vec::new(),
            errors: Vec::new(),
        };
        for one in found {
            match one {
                Found::Bad {
                    line,
                    column,
                    error,
                } => done
                    .errors
                    .push(format!("{}: {error}", place(&done.data, line, column))),
                Found::Conversation(one) => {
                    let session = || {
                        one.guarded(|| {
                            Ok(session::session(
                                &one,
                                self.contenders,
                                self.references,
                                self.stop,
                            ))
                        })
                    };
                    match if self.waits_for() > 0 {
                        turn.aside(session)
                    } else {
                        session()
                    } {
                        Ok(measured) => {
                            let file = &done.data;
                            done.errors.extend(
                                measured
                                    .errors
                                    .iter()
                                    .map(|error| format!("{file}:{}: {error}", one.line())),
                            );
                            done.sessions.push(measured);
                        }
                        Err(error) => {
                            done.errors
                                .push(format!("{}:{}: {error}", done.data, one.line()))
                        }
                    }
                }
            }
        }
        done
    }

    fn waits_for(&self) -> usize {
        self.contenders
            .iter()
            .filter_map(|one| one.summarizer.as_ref())
            .map(|one| one.waits_for())
            .max()
            .unwrap_or(0)
    }

    fn stopped(&self) -> bool {
        self.stop.cause().is_some()
    }
}

struct Collecting {
    rows: Rows,
    references: Option<AtomicFile>,
    talk: Talk,
    asked: SummaryUsageTotals,
}

impl Receive<Done> for Collecting {
    fn receive(&mut self, _: &InputUnit, done: Done) -> Result<()> {
        self.talk.done(done.sessions.len() as u64);
        done.errors.iter().for_each(|error| self.talk.error(error));
        for session in done.sessions {
            self.asked += &session.asked;
            if let Some(file) = &mut self.references {
                file.write_all(session.references.as_bytes())
                    .context("can't write the references")?;
            }
            self.rows.add(&done.data, &session.scores);
        }
        Ok(())
    }

    fn failed(&mut self, _: usize, name: &str, error: &anyhow::Error) -> Result<()> {
        self.talk.failed(name, error);
        Ok(())
    }

    fn progress(&mut self, bytes: u64) {
        self.talk.read(bytes);
    }
}
