//! `epitome plan`: what `compact` would do, and why. Writes nothing.

use crate::batch::line_receiver::{LineReceiver, UnitLines};
use crate::batch::{UnitWork, WorkerSlot, run_batch};
use crate::cli::PlanArgs;
use crate::commands::{Ending, collect_named_inputs, print_policy, start_progress};
use crate::compaction::{CompactionError, Planned};
use crate::conversation::{Conversation, UnitRecord, catch_panic, read_unit};
use crate::foreign_text::harmless_json;
use crate::input::{InputSource, InputUnit};
use crate::output::print_message;
use crate::policy::SummarizerKind;
use crate::report::explain::{self, ExplainedPlan, ExplanationStyle};
use crate::report::{ExpectedUsage, ExpectedUsageTotals, TranscriptReport};
use crate::settings::{self, Settings};
use crate::summary::answer_cache::AnswerCache;
use crate::summary::model::{ModelEndpoint, SummaryTask};
use anyhow::Result;

/// Width of the table where stdout is no terminal, in columns.
const DEFAULT_WIDTH: usize = 120;

/// Explains the plans.
///
/// # Errors
/// Fails if an option or an input is wrong.
pub(crate) fn run(arguments: &PlanArgs) -> Result<Ending> {
    let settings = Settings::from_options(&arguments.policy)?;
    if arguments.policy.print_config {
        return print_policy(&settings.policy);
    }
    let run = settings::resolve_run(&arguments.run)?;
    let summarizer = &settings.policy.summarizer.kind;
    let reading = settings::resolve_reading(&arguments.input, summarizer);
    let inputs = collect_named_inputs(arguments.input.named(), &[])?;
    let asks_model = *summarizer == SummarizerKind::Http;
    let endpoint = asks_model
        .then(|| settings::keyless_endpoint(&settings.policy))
        .transpose()?;
    let work = Explaining {
        settings: &settings,
        cache: endpoint.as_ref().and_then(existing_cache),
        endpoint: endpoint.as_ref(),
        json: arguments.json,
        style: ExplanationStyle {
            width: terminal_size::terminal_size()
                .map_or(DEFAULT_WIDTH, |(width, _)| usize::from(width.0)),
            verbose: arguments.verbose,
            redact: settings.policy.redact,
        },
    };
    let receiver = LineReceiver::new(start_progress(&run, &inputs), run.quiet);
    let source = InputSource::new(inputs, reading);
    let mut receiver = run_batch(source, run.jobs, &work, receiver)?;
    let cost = endpoint
        .as_ref()
        .map(|endpoint| expected_cost(endpoint, &mut receiver.expected));
    match cost {
        // With --json stdout holds an object for each transcript and nothing else.
        Some(line) if arguments.json => {
            receiver.finish("")?;
            if !run.quiet {
                print_message(&line);
            }
        }
        Some(line) => receiver.finish(&format!("{line}\n"))?,
        None => receiver.finish("")?,
    }
    let objects = receiver.over_limit > 0 || (arguments.check && receiver.changes > 0);
    Ok(Ending::new(receiver.log.errors, run.max_errors, objects))
}

fn existing_cache(endpoint: &ModelEndpoint) -> Option<AnswerCache> {
    endpoint.cache.as_deref().map(AnswerCache::existing)
}

/// Prices the summaries that a model is expected to write. Returns a line for people.
fn expected_cost(endpoint: &ModelEndpoint, expected: &mut ExpectedUsageTotals) -> String {
    expected.cost = endpoint
        .price
        .map(|price| price.cost(expected.input_tokens, expected.output_tokens));
    expected.summary_line(&endpoint.model, endpoint.max_calls, endpoint.max_cost)
}

struct Explaining<'s> {
    settings: &'s Settings,
    /// The model that is to write summaries.
    endpoint: Option<&'s ModelEndpoint>,
    /// The answers that it gave before.
    cache: Option<AnswerCache>,
    json: bool,
    style: ExplanationStyle,
}

/// The explanation of a conversation's plan.
struct PlanExplanation {
    text: String,
    changes: bool,
    over_limit: bool,
    expected: Option<ExpectedUsage>,
}

impl UnitWork for Explaining<'_> {
    type Output = UnitLines;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        read_unit(unit, self.settings)
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        _: &mut WorkerSlot<'_>,
    ) -> UnitLines {
        let mut lines = UnitLines::default();
        let file = &unit.file.name;
        for record in records {
            let conversation = match record.into_conversation(file) {
                Ok(conversation) => conversation,
                Err(error) => {
                    lines.errors.push(error);
                    continue;
                }
            };
            match catch_panic(|| self.explain(file, &conversation)) {
                Ok(explanation) => {
                    lines.stdout.push_str(&explanation.text);
                    lines.expected.extend(explanation.expected);
                    lines.transcripts += 1;
                    lines.changes += u64::from(explanation.changes);
                    lines.over_limit += u64::from(explanation.over_limit);
                }
                Err(error) => lines.push_error(file, conversation.line(), &error),
            }
        }
        lines
    }
}

impl Explaining<'_> {
    fn explain(
        &self,
        file: &str,
        conversation: &Conversation<'_>,
    ) -> Result<PlanExplanation, CompactionError> {
        let planned = Planned::decide(conversation, self.settings)?;
        let counter = conversation.counter(self.settings);
        let mut report = conversation.report(file, counter.name());
        let over_limit = planned.over_limit(planned.plan.tokens_after);
        report.warnings.extend(over_limit.iter().cloned());
        let expected = self.expected_usage(&planned);
        let text = if self.json {
            render_json(&planned, &report, expected.as_ref())
        } else {
            explain::render_explanation(
                &report,
                &planned.plan,
                &conversation.transcript,
                &conversation.message_tokens,
                self.style,
            )
        };
        Ok(PlanExplanation {
            text,
            changes: !planned.plan.is_empty(),
            over_limit: over_limit.is_some(),
            expected,
        })
    }

    /// Returns the cost of the plan's summary, where a model is to write it.
    fn expected_usage(&self, planned: &Planned<'_, '_>) -> Option<ExpectedUsage> {
        let (endpoint, summary) = (self.endpoint?, planned.plan.summary()?);
        let questioned = planned.question(summary, |request| {
            SummaryTask::new(endpoint, request).expected_usage(endpoint, self.cache.as_ref())
        });
        Some(questioned.answer)
    }
}

/// Renders a plan as a line of JSON.
fn render_json(
    planned: &Planned<'_, '_>,
    report: &TranscriptReport,
    expected: Option<&ExpectedUsage>,
) -> String {
    let (conversation, plan) = (planned.conversation, &planned.plan);
    let tokens = &conversation.message_tokens;
    let explained = ExplainedPlan {
        thread_id: &conversation.thread_id,
        file: &report.file,
        line: report.line,
        format: conversation.format.name(),
        model: conversation.model.as_deref(),
        input_limit: conversation.input_limit,
        counter: report.counter,
        usage: report.usage,
        changes: !plan.is_empty(),
        plan,
        messages: explain::explain_messages(&conversation.transcript, tokens, plan),
        asks: expected,
        warnings: &report.warnings,
    };
    // All of a plan can be spelled as JSON.
    harmless_json(serde_json::to_string(&explained).unwrap_or_default()) + "\n"
}
