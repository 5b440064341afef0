//! `epitome plan`: what `compact` would do, and why. Writes nothing but the reports that are named.

mod receiver;
mod report;
mod unit_plans;
mod view;

use crate::batch::{UnitWork, WorkerSlot, run_batch};
use crate::cli::PlanArgs;
use crate::commands::plan::receiver::PlanReceiver;
use crate::commands::plan::report::PlanReports;
use crate::commands::plan::unit_plans::{ShownPlan, UnitPlans};
use crate::commands::plan::view::{PlanView, choose_palette};
use crate::commands::{Ending, collect_named_inputs, print_policy, start_progress};
use crate::compaction::{CompactionError, Planned};
use crate::conversation::{Conversation, UnitConversations, UnitRecord, read_unit};
use crate::foreign_text::harmless_json;
use crate::input::{InputSource, InputUnit};
use crate::output::{AccessLimit, OverwriteGuard, print_message};
use crate::policy::SummarizerKind;
use crate::report::explain::{self, ExplainedPlan};
use crate::report::plan_details::{DetailStyle, render_plan_details};
use crate::report::{ExpectedUsage, ExpectedUsageTotals, TranscriptReport};
use crate::settings::{self, Settings};
use crate::summary::answer_cache::AnswerCache;
use crate::summary::model::{ModelEndpoint, SummaryTask};
use anyhow::Result;
use std::sync::atomic::{AtomicBool, Ordering};

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
    let inputs = collect_named_inputs(&arguments.input.named(), &[])?;
    let asks_model = *summarizer == SummarizerKind::Http;
    let endpoint = asks_model
        .then(|| settings::keyless_endpoint(&settings.policy))
        .transpose()?;
    let view = PlanView::from_options(arguments);
    let palette = choose_palette(arguments.color);
    let wants_details = AtomicBool::new(true);
    let work = Explaining {
        settings: &settings,
        cache: endpoint.as_ref().and_then(existing_cache),
        endpoint: endpoint.as_ref(),
        threads: &arguments.thread,
        is_json: arguments.json,
        wants_details: &wants_details,
        style: DetailStyle {
            width: view.width,
            palette,
            unchanged: arguments.verbose || !arguments.thread.is_empty(),
            unfolded: arguments.full,
            redact: settings.policy.redact,
        },
    };
    let guard = OverwriteGuard::new(&inputs, arguments.force);
    for path in &arguments.report {
        guard.check_path(path)?;
    }
    let reports = PlanReports::open(&arguments.report, AccessLimit::of_inputs(&inputs))?;
    let progress = start_progress(&run, &inputs);
    let receiver = PlanReceiver::new(
        view,
        arguments.changed,
        &wants_details,
        progress,
        run.quiet,
        reports,
    );
    let source = InputSource::new(inputs, reading);
    let mut receiver = run_batch(source, run.jobs, &work, receiver)?;
    if receiver.transcripts() == 0 && !arguments.thread.is_empty() {
        let threads = arguments.thread.join(", ");
        receiver
            .log
            .error(&format!("no transcript has the thread id {threads}"));
    }
    let cost = endpoint
        .as_ref()
        .map(|endpoint| expected_cost(endpoint, &mut receiver.expected));
    let objects = receiver.over_limit() > 0 || (arguments.check && receiver.changes() > 0);
    let ending = Ending::new(receiver.log.errors, run.max_errors, objects);
    match cost {
        // With --json stdout holds an object for each transcript and nothing else.
        Some(line) if arguments.json => {
            receiver.finish(palette, "")?;
            if !run.quiet {
                print_message(&line);
            }
        }
        Some(line) => receiver.finish(palette, &format!("{line}\n"))?,
        None => receiver.finish(palette, "")?,
    }
    Ok(ending)
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
    /// The thread ids that are shown. All, if there are none.
    threads: &'s [String],
    is_json: bool,
    /// False once nobody will see plans with their messages.
    wants_details: &'s AtomicBool,
    style: DetailStyle,
}

impl UnitWork for Explaining<'_> {
    type Output = UnitPlans;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        read_unit(unit, self.settings)
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        _: &mut WorkerSlot<'_>,
    ) -> UnitPlans {
        let file = &unit.file.name;
        let mut conversations = UnitConversations::new(file, records);
        let mut plans = Vec::new();
        while let Some(conversation) = conversations.next_conversation() {
            if !self.threads.is_empty() && !self.threads.contains(&conversation.thread_id) {
                continue;
            }
            let explain = || self.explain(file, &conversation);
            plans.extend(conversations.attempt(&conversation, explain));
        }
        UnitPlans {
            plans,
            failures: conversations.into_failures(),
            counter: self.settings.counter(None, None).name(),
        }
    }
}

impl Explaining<'_> {
    fn explain(
        &self,
        file: &str,
        conversation: &Conversation<'_>,
    ) -> Result<ShownPlan, CompactionError> {
        let planned = Planned::decide(conversation, self.settings)?;
        let plan = &planned.plan;
        let counter = conversation.counter(self.settings);
        let mut report = conversation.report(file, counter.name());
        let over_limit = planned.over_limit(plan.tokens_after);
        report.warnings.extend(over_limit.iter().cloned());
        report.record_applied(plan);
        // At most: the text of the summary is not known.
        report.tokens_after += plan.summary().map_or(0, |summary| summary.hole.budget);
        let expected = self.expected_usage(&planned);
        let text = if self.is_json {
            render_json(&planned, &report, expected.as_ref())
        } else if self.wants_details.load(Ordering::Relaxed) {
            let (transcript, tokens) = (&conversation.transcript, &conversation.message_tokens);
            render_plan_details(&report, plan, transcript, tokens, self.style)
        } else {
            String::new()
        };
        Ok(ShownPlan {
            report,
            text,
            is_over_limit: over_limit.is_some(),
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
