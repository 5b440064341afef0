//! `epitome plan`: what `compact` would do, and why. Writes nothing.

use crate::batch::lines::{LineSink, Lines};
use crate::batch::{Turn, Work, run as run_batch};
use crate::cli::PlanArgs;
use crate::commands::{Ending, inputs};
use crate::compaction::question::with_request;
use crate::conversation::{Conversation, Found, place, read_unit};
use crate::input::{InputSource, InputUnit};
use crate::plan::Plan;
use crate::planner;
use crate::policy::SummarizerKind;
use crate::progress::Progress;
use crate::report::explain::{self, ExplainedPlan};
use crate::report::{ExpectedUsage, ExpectedUsageTotals};
use crate::settings::{self, Settings, to_toml};
use crate::summary::cache::AnswerCache;
use crate::summary::model::{ModelEndpoint, SummaryTask};
use anyhow::Result;

/// Width of the table where stdout is no terminal.
const DEFAULT_WIDTH: usize = 120;

/// Explains.
///
/// # Errors
/// What is wrong with the options or the inputs.
pub fn run(arguments: &PlanArgs) -> Result<Ending> {
    let settings = settings::policy(&arguments.policy)?;
    let mut sink = LineSink::new(Progress::new(crate::cli::When::Never, true, None), true);
    if arguments.policy.print_config {
        sink.finish(&to_toml(&settings.policy))?;
        return Ok(Ending {
            tolerated: true,
            ..Ending::default()
        });
    }
    let run = settings::run(&arguments.run)?;
    let reading = settings::reading(&arguments.input, &settings.policy.summarizer.kind)?;
    let inputs = inputs(&arguments.input.inputs, &[])?;
    let width =
        terminal_size::terminal_size().map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0));
    let target = (settings.policy.summarizer.kind == SummarizerKind::Http)
        .then(|| settings::keyless(&settings.policy))
        .transpose()?;
    let work = Explaining {
        settings: &settings,
        cache: target
            .as_ref()
            .and_then(|target| target.cache.as_deref())
            .map(AnswerCache::existing),
        target: target.as_ref(),
        json: arguments.json,
        verbose: arguments.verbose,
        width,
    };
    let progress = Progress::new(
        run.progress,
        run.quiet,
        inputs.iter().map(|input| input.bytes).sum(),
    );
    let mut sink = run_batch(
        InputSource::new(inputs, reading),
        run.jobs,
        &work,
        LineSink::new(progress, run.quiet),
    )?;
    let cost = target
        .as_ref()
        .map(|target| expected_line(target, &mut sink.expected));
    // With --json stdout holds one object a transcript and nothing else.
    sink.finish(
        &cost
            .as_ref()
            .filter(|_| !arguments.json)
            .map(|line| format!("{line}\n"))
            .unwrap_or_default(),
    )?;
    if let Some(line) = cost.filter(|_| arguments.json && !run.quiet) {
        crate::output::print_message(&line);
    }
    Ok(Ending::new(
        sink.talk.errors,
        run.max_errors,
        sink.over_limit > 0 || (arguments.check && sink.changes > 0),
    ))
}

/// What all summaries are expected to take, priced.
fn expected_line(target: &ModelEndpoint, expected: &mut ExpectedUsageTotals) -> String {
    expected.cost = target
        .price
        .map(|price| price.of(expected.input_tokens, expected.output_tokens));
    expected.summary_line(&target.model, target.max_calls, target.max_cost)
}

struct Explaining<'s> {
    settings: &'s Settings,
    /// The model that is to write summaries, and the answers that it gave before.
    target: Option<&'s ModelEndpoint>,
    cache: Option<AnswerCache>,
    json: bool,
    verbose: bool,
    width: usize,
}

impl Work for Explaining<'_> {
    type Done = Lines;

    fn read<'u>(&self, unit: &'u InputUnit) -> Vec<Found<'u>> {
        read_unit(unit, self.settings)
    }

    fn finish(&self, unit: &InputUnit, found: Vec<Found<'_>>, _: &mut Turn<'_>) -> Lines {
        let mut lines = Lines::default();
        let file = &unit.file.name;
        for one in found {
            match one {
                Found::Bad {
                    line,
                    column,
                    error,
                } => lines
                    .errors
                    .push(format!("{}: {error}", place(file, line, column))),
                Found::Conversation(one) => match one.guarded(|| self.explain(file, &one)) {
                    Ok((text, plan, over, expected)) => {
                        lines.stdout.push_str(&text);
                        lines.expected.extend(expected);
                        lines.transcripts += 1;
                        lines.changes += u64::from(!plan.is_empty());
                        lines.over_limit += u64::from(over);
                    }
                    Err(error) => lines.errors.push(format!("{file}:{}: {error}", one.line())),
                },
            }
        }
        lines
    }
}

impl Explaining<'_> {
    /// The text about one conversation, its plan, whether the result exceeds a limit, and what its summary is expected to take.
    fn explain(
        &self,
        file: &str,
        one: &Conversation<'_>,
    ) -> Result<(String, Plan, bool, Option<ExpectedUsage>), String> {
        let counter = self
            .settings
            .counter(one.model.as_deref(), one.provider.as_deref());
        let ledger = one.ledger(counter);
        let input = one.planning(self.settings, &ledger)?;
        let plan = planner::plan(&input);
        let mut entry = one.entry(file, counter.name());
        let over = planner::over_limit_warning(input.thresholds, &plan.reasons, plan.tokens_after);
        entry.warnings.extend(over.iter().cloned());
        let asks = self
            .target
            .filter(|_| plan.summary().is_some())
            .map(|target| {
                with_request(one, &input, &plan, self.settings, &mut None, |request| {
                    SummaryTask::new(target, request).expected(target, self.cache.as_ref())
                })
            });
        let text = if self.json {
            let explained = ExplainedPlan {
                thread_id: &one.thread_id,
                file,
                line: one.line(),
                format: one.format.name(),
                model: one.model.as_deref(),
                input_limit: one.input_limit,
                counter: counter.name(),
                usage: entry.usage,
                changes: !plan.is_empty(),
                plan: &plan,
                messages: explain::explain_messages(&one.transcript, &one.messages, &plan),
                asks: asks.as_ref(),
                warnings: &entry.warnings,
            };
            serde_json::to_string(&explained).map_err(|error| error.to_string())? + "\n"
        } else {
            explain::render_explanation(
                &entry,
                &plan,
                &one.transcript,
                &one.messages,
                self.width,
                self.verbose,
            )
        };
        Ok((text, plan, over.is_some(), asks))
    }
}
