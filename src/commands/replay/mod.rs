//! `epitome replay`: what the live agent would have sent at each model call,
//! under one policy or several, and the training data that follows from it.

mod receiver;

use crate::archive::REPORT_FILE;
use crate::batch::run_log::RunLog;
use crate::batch::{RunBrokeOff, UnitWork, WorkerSlot, run_batch};
use crate::cli::{PolicyArgs, ReplayArgs};
use crate::commands::archive_time::archive_time;
use crate::commands::early_end::explain_early_end;
use crate::commands::summarizers::{
    build_summarizer, is_external, keeps_answers, refuse_missing_program,
};
use crate::commands::{Ending, collect_named_inputs, interrupt, start_progress};
use crate::conversation::{Conversation, Panicked, UnitRecord, catch_panic, read_unit};
use crate::input::{InputSource, InputUnit};
use crate::model::Prices;
use crate::output::OutputTree;
use crate::policy::{PRESETS, SummarizerKind};
use crate::replay::report::Entry;
use crate::replay::samples::Training;
use crate::replay::table;
use crate::replay::walk::{Setting, Walked, walk};
use crate::settings::{self, Settings, to_toml};
use crate::summary::Summarizer;
use crate::summary::stop::StopFlag;
use anyhow::{Context, Result, bail};
use receiver::{CALLS, Done, Part, Receiver, SEGMENTS, TOO_LONG};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use time::OffsetDateTime;

/// How the only policy of a run is called, where it has no name.
const ONLY: &str = "policy";

/// Replays.
///
/// # Errors
/// What is wrong with the options or the inputs, or what can't be written.
pub fn run(arguments: &ReplayArgs) -> Result<Ending> {
    let mut policies = policies(arguments)?;
    let Some(output) = arguments
        .output
        .as_ref()
        .filter(|_| !arguments.policy.print_config)
    else {
        let mut stdout = std::io::stdout().lock();
        for (place, policy) in policies.iter().enumerate() {
            let title = if arguments.policies.is_empty() {
                String::new()
            } else {
                format!("{}# {}\n", if place > 0 { "\n" } else { "" }, policy.name)
            };
            stdout.write_all((title + &to_toml(&policy.settings.policy)).as_bytes())?;
        }
        return Ok(Ending::success());
    };
    let run = settings::resolve_run(&arguments.run)?;
    for policy in &policies {
        refuse_missing_program(&policy.settings.policy.summarizer.kind)?;
    }
    let kinds = policies.iter().map(NamedPolicy::summarizer_kind);
    let external = kinds.clone().find(|kind| is_external(kind));
    let reading =
        settings::resolve_reading(&arguments.input, external.unwrap_or(&SummarizerKind::None));
    let training = training(arguments)?;
    let prices = prices(arguments.prices.as_deref())?;
    let now = archive_time()?;
    let inputs = collect_named_inputs(&arguments.input.inputs, &[output.as_path()])?;
    let results = [
        Some(CALLS),
        training.as_ref().map(|_| SEGMENTS),
        training.as_ref().map(|_| TOO_LONG),
        Some(REPORT_FILE),
    ];
    let written = || results.iter().flatten().map(PathBuf::from);
    let trees = policies.iter().map(|policy| {
        let directory = if policies.len() > 1 {
            output.join(&policy.name)
        } else {
            output.clone()
        };
        Ok((
            policy.name.clone(),
            OutputTree::for_results(&directory, written(), &inputs, arguments.force)?,
        ))
    });
    let trees: Vec<(String, OutputTree)> = trees.collect::<Result<_>>()?;
    let progress = start_progress(&run, &inputs);
    let stop = Arc::new(StopFlag::default());
    for policy in &mut policies {
        policy.summarizer = build_summarizer(&policy.settings, &stop)?;
    }
    interrupt::listen(&stop)?;
    let receiver = Receiver::open(
        &trees,
        training.is_some(),
        RunLog::beside_report(progress, run.quiet),
    )?;
    let training = training.as_ref();
    let work = Replaying {
        policies: &policies,
        trees: &trees,
        training,
        prices: &prices,
        cache_life: arguments.cache_life,
        now,
        stop: &stop,
    };
    let receiver = run_batch(InputSource::new(inputs, reading), run.jobs, &work, receiver)?;
    if let Some(cause) = stop.cause() {
        drop(receiver);
        let is_cached = policies
            .iter()
            .any(|policy| keeps_answers(&policy.settings, policy.summarizer.as_deref()));
        return Ok(Ending {
            signal: Some(explain_early_end(
                cause,
                "no result is written but archives",
                is_cached,
            )?),
            ..Ending::default()
        });
    }
    let finished = receiver.finish().context(RunBrokeOff)?;
    if !run.quiet {
        std::io::stdout()
            .lock()
            .write_all(table::render(&finished).as_bytes())?;
    }
    let failed = finished.iter().map(|(_, totals)| totals.failed).sum();
    let refused = finished.iter().any(|(_, totals)| totals.refused_calls > 0);
    let too_long = finished
        .iter()
        .any(|(_, totals)| totals.samples_too_long > 0);
    Ok(Ending::new(
        failed,
        run.max_errors,
        too_long || (arguments.check && refused),
    ))
}

/// A policy with its name.
struct NamedPolicy {
    name: String,
    settings: Settings,
    /// Built when the run begins.
    summarizer: Option<Box<dyn Summarizer>>,
}

impl NamedPolicy {
    fn summarizer_kind(&self) -> &SummarizerKind {
        &self.settings.policy.summarizer.kind
    }

    fn waits_for(&self) -> usize {
        self.summarizer.as_ref().map_or(0, |one| one.waits_for())
    }

    fn build(name: Option<&str>, arguments: &PolicyArgs) -> Result<Self> {
        let settings = Settings::from_options(arguments);
        let settings = match name {
            Some(name) => settings.with_context(|| format!("--policy {name}"))?,
            None => settings?,
        };
        let from_file = arguments.counting.config.as_ref().map(|_| ONLY);
        let name = name
            .or(arguments.preset.map(|preset| preset.name))
            .or(from_file)
            .unwrap_or(settings.policy.preset)
            .to_owned();
        Ok(Self {
            name,
            settings,
            summarizer: None,
        })
    }
}

/// The policies to replay under, in the order in which they were named.
fn policies(arguments: &ReplayArgs) -> Result<Vec<NamedPolicy>> {
    if arguments.policies.is_empty() {
        return Ok(vec![NamedPolicy::build(None, &arguments.policy)?]);
    }
    let mut policies: Vec<NamedPolicy> = Vec::new();
    for text in &arguments.policies {
        let mut own = arguments.policy.clone();
        let name = match text.split_once('=') {
            Some((name, file)) => {
                own.counting.config = Some(PathBuf::from(file));
                name
            }
            None => {
                let Some(preset) = PRESETS.iter().find(|preset| preset.name == text) else {
                    let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
                    bail!(
                        "--policy {text}: neither NAME=FILE nor a preset ({})",
                        presets.join(", ")
                    );
                };
                own.preset = Some(preset);
                text
            }
        };
        let is_safe = !name.is_empty()
            && !name.starts_with('.')
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
        if !is_safe {
            bail!(
                "--policy {text}: the name becomes a directory; use letters, digits, '.', '_' and '-'"
            );
        }
        if policies
            .iter()
            .any(|policy| policy.name.eq_ignore_ascii_case(name))
        {
            bail!(
                "--policy {text}: there is another policy {name}; give one of them another name, NAME=FILE"
            );
        }
        policies.push(NamedPolicy::build(Some(name), &own)?);
    }
    Ok(policies)
}

fn training(arguments: &ReplayArgs) -> Result<Option<Training>> {
    if !(arguments.segments || arguments.per_call) {
        let given = [
            ("--alternate", arguments.alternate),
            ("--train-key", arguments.train_key.is_some()),
        ];
        if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
            bail!("{option} is about training data: give --segments or --per-call, too");
        }
        return Ok(None);
    }
    if let Some(key) = arguments.train_key.as_deref().filter(|key| {
        key.is_empty()
            || [
                "role",
                "content",
                "tool_calls",
                "tool_call_id",
                "name",
                "function_call",
            ]
            .contains(key)
    }) {
        bail!("--train-key {key:?}: messages use that key for something else");
    }
    Ok(Some(Training {
        per_call: arguments.per_call,
        alternate: arguments.alternate,
        key: arguments.train_key.clone(),
        max_tokens: arguments
            .policy
            .max_tokens
            .and_then(|tokens| usize::try_from(tokens).ok()),
    }))
}

fn prices(path: Option<&Path>) -> Result<Prices> {
    let Some(path) = path else {
        return Ok(Prices::default());
    };
    let text = settings::read_text(path)?;
    Prices::parse(&text).map_err(|error| anyhow::anyhow!("--prices {}: {error}", path.display()))
}

struct Replaying<'s> {
    policies: &'s [NamedPolicy],
    trees: &'s [(String, OutputTree)],
    training: Option<&'s Training>,
    prices: &'s Prices,
    cache_life: u32,
    now: OffsetDateTime,
    stop: &'s StopFlag,
}

impl UnitWork for Replaying<'_> {
    type Output = Done;

    /// Each conversation is read once; each policy sees it in its turn.
    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        let first = &self.policies[0].settings;
        let under = |found: UnitRecord<'u>| match found {
            UnitRecord::Conversation(one) => {
                let others = self.policies.iter().enumerate().skip(1);
                let others: Vec<UnitRecord<'u>> = others
                    .map(|(realm, policy)| {
                        UnitRecord::Conversation(Box::new(one.under(
                            first,
                            &policy.settings,
                            realm,
                        )))
                    })
                    .collect();
                std::iter::once(UnitRecord::Conversation(one))
                    .chain(others)
                    .collect()
            }
            bad => vec![bad],
        };
        let mut found = read_unit(unit, first);
        found.iter_mut().for_each(UnitRecord::allow_all_edits);
        found.into_iter().flat_map(under).collect()
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        found: Vec<UnitRecord<'_>>,
        slot: &mut WorkerSlot<'_>,
    ) -> Done {
        let mut parts: Vec<Part> = self.policies.iter().map(|_| Part::default()).collect();
        for one in found {
            match one {
                UnitRecord::Unreadable {
                    line,
                    column,
                    error,
                } => {
                    let format = unit.file.format.map(crate::format::Format::name);
                    for (part, policy) in parts.iter_mut().zip(self.policies) {
                        let counter = policy.settings.counter(None, None).name();
                        part.entries.push(Entry::unreadable(
                            &unit.file.name,
                            line,
                            column,
                            format,
                            counter,
                            error.clone(),
                        ));
                    }
                }
                UnitRecord::Conversation(one) => {
                    let part = &mut parts[one.realm()];
                    let waits = self.policies[one.realm()].waits_for() > 0;
                    let walk = || self.walk(*one, &unit.file.name);
                    let Walked {
                        mut entry,
                        calls,
                        samples,
                    } = if waits {
                        slot.wait_without(walk)
                    } else {
                        walk()
                    };
                    entry.close(self.prices);
                    part.calls.push(calls);
                    let [short, long] = samples;
                    part.samples.extend(short);
                    part.long.extend(long);
                    part.entries.push(entry);
                }
            }
        }
        Done { parts }
    }

    fn units_waiting(&self) -> usize {
        self.policies
            .iter()
            .map(NamedPolicy::waits_for)
            .max()
            .unwrap_or(0)
    }

    fn has_stopped(&self) -> bool {
        self.stop.cause().is_some()
    }
}

impl Replaying<'_> {
    /// Walks one conversation; a panic costs this conversation only.
    fn walk(&self, one: Conversation<'_>, file: &str) -> Walked {
        let policy = &self.policies[one.realm()];
        let setting = Setting {
            settings: &policy.settings,
            summarizer: policy.summarizer.as_deref(),
            training: self.training,
            cache_life: self.cache_life,
            now: self.now,
            stop: self.stop,
        };
        let mut failed = Entry::of(
            &one,
            file,
            policy
                .settings
                .counter(one.model.as_deref(), one.provider.as_deref())
                .name(),
        );
        let tree = &self.trees[one.realm()].1;
        catch_panic::<_, Panicked>(|| Ok(walk(one, file, &setting, tree))).unwrap_or_else(|error| {
            failed.fail(error.to_string());
            Walked {
                entry: failed,
                calls: Vec::new(),
                samples: [None, None],
            }
        })
    }
}
