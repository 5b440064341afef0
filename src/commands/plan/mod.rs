//! `epitome plan`: what `compact` would do, and why. Writes nothing but the reports that are named.

mod receiver;
mod report;

use crate::commands::plan::receiver::{PlanReceiver, PlanView, choose_palette};
use crate::commands::plan::report::{PlanReports, ShownPlan};
use crate::commands::prelude::*;
use crate::commands::writing_run::{read_for_job, writing_job};
use crate::reporting::report::entry_report::ReportedTranscript;
use crate::reporting::report::plan_details::{
    DetailStyle, ExplainedPlan, explain_messages, render_plan_details,
};
use crate::running::compaction::shown_texts;

/// Explains the plans. Fails if an option or an input is wrong.
pub(crate) fn run(arguments: &PlanArgs) -> Result<Ending> {
    let settings = Settings::from_options(&arguments.policy)?;
    if arguments.policy.print_config {
        return print_policy(&settings.policy);
    }
    print_section_notes(&settings);
    let run = settings::resolve_run(&arguments.run)?;
    print_found_configs(&settings, &run);
    warn_of_large_keep(&settings, &run);
    let summarizer = &settings.policy.summarizer.kind;
    let reading = settings::resolve_reading(&arguments.input, summarizer);
    let job = writing_job(&arguments.to);
    let mut inputs = collect_named_inputs(&arguments.input.named(), &[])?;
    if job.conversion().is_some() {
        inputs = name_outputs_jsonl(inputs)?;
    }
    let asks_model = *summarizer == SummarizerKind::Http;
    let endpoint = asks_model.then(|| settings::keyless_endpoint(&settings.policy)).transpose()?;
    let requests = settings::resolve_reports(&arguments.reports)?;
    let is_silent = requests.iter().any(ReportRequest::is_printed);
    if is_silent && arguments.json {
        bail!("--json and --report -: stdout takes either the plans or a report");
    }
    let entry_kinds = EntryKinds::of_requests(&requests);
    let view = PlanView::from_options(arguments);
    let palette = choose_palette();
    let wants_details = AtomicBool::new(true);
    let names = NameRule::from(arguments.names.unwrap_or_default());
    let work = Explaining {
        names,
        job,
        settings: &settings,
        cache: endpoint
            .as_ref()
            .and_then(|endpoint| Some(AnswerCache::existing(endpoint.cache.as_ref()?))),
        endpoint: endpoint.as_ref(),
        threads: &arguments.thread,
        is_json: arguments.json,
        wants_details: &wants_details,
        entry_kinds: (!requests.is_empty()).then_some(&entry_kinds),
        shows_texts: arguments.report_texts,
        style: DetailStyle {
            width: view.width,
            palette,
            unchanged: arguments.verbose || !arguments.thread.is_empty(),
            unfolded: arguments.full,
            redact: settings.policy.redact,
        },
    };
    let guard = OverwriteGuard::new(&inputs, arguments.force);
    guard.check_paths(&replaced_paths(&requests))?;
    let facts = run_facts("plan", archive_time()?, &arguments.input.named(), &settings);
    let access = AccessLimit::of_inputs(&inputs);
    let reports = PlanReports::open(&requests, &entry_kinds, facts, access, &settings)?;
    let progress = start_progress(&run, &inputs);
    let receiver = PlanReceiver::new(
        view, arguments.changed, &wants_details, progress, &run, is_silent, reports,
    );
    let reading = ReadOptions {
        tells_each_line: names == NameRule::Content,
        opens_containers: job.conversion().is_some(),
        ..reading
    };
    let source = InputSource::new(inputs, reading);
    let mut receiver = run_batch(source, run.jobs, &work, receiver)?;
    if receiver.list.is_empty() && !arguments.thread.is_empty() {
        let threads = arguments.thread.join(", ");
        receiver.log.error(&format!("no transcript has the thread id {threads}"));
    }
    let cost = endpoint.as_ref().map(|endpoint| expected_cost(endpoint, &mut receiver.expected));
    let totals = receiver.list.totals();
    let (errors, over_limit) = (receiver.log.errors, totals.over_limit);
    let is_over = over_limit > 0 && !run.max_errors.tolerates(errors + over_limit);
    let objects =
        is_over || totals.leaves_secrets() || (arguments.check && totals.objections() > 0);
    let ending = Ending::new(receiver.log.errors, run.max_errors, objects);
    if !run.quiet {
        let redacted = totals.redacted.filter(|redacted| redacted.left > 0);
        let left = redacted.map(|redacted| redacted.left_line());
        let check = totals.check_line().filter(|_| arguments.check);
        left.iter().chain(&check).for_each(|line| print_message(line));
    }
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

/// Prices the summaries that a model is expected to write. Returns a line for people.
fn expected_cost(endpoint: &ModelEndpoint, expected: &mut ExpectedUsageTotals) -> String {
    expected.cost =
        endpoint.price.map(|price| price.cost(expected.input_tokens, expected.output_tokens));
    expected.summary_line(&endpoint.model, endpoint.max_calls, endpoint.max_cost)
}

struct Explaining<'s> {
    /// The rule by which archive files are named.
    names: NameRule,
    job: Job,
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
    /// The kinds of entries that reports need. None if there are no reports.
    entry_kinds: Option<&'s EntryKinds>,
    /// Shows the messages before and after in the reports.
    shows_texts: bool,
    style: DetailStyle,
}

impl UnitWork for Explaining<'_> {
    type Output = UnitFindings<ShownPlan>;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        read_for_job(unit, self.settings, self.job)
    }

    fn name_rule(&self) -> Option<NameRule> {
        Some(self.names)
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        _: &mut WorkerSlot<'_>,
    ) -> Self::Output {
        UnitFindings::collect(records, |conversation| self.explain(&unit.file.name, conversation))
    }
}

impl Explaining<'_> {
    fn explain(
        &self,
        file: &str,
        conversation: &Conversation<'_>,
    ) -> Result<Option<ShownPlan>, CompactionError> {
        if !self.threads.is_empty() && !self.threads.contains(&conversation.thread_id) {
            return Ok(None);
        }
        let mut planned = Planned::decide(conversation, self.settings)?;
        let (report, is_over_limit) = planned.expected_report(self.job, file);
        let plan = &planned.plan;
        let expected = self.expected_usage(&planned);
        let text = if self.is_json {
            render_json(&planned, &report, expected.as_ref())
        } else if self.wants_details.load(Ordering::Relaxed) {
            let (transcript, tokens) = (&conversation.transcript, &conversation.message_tokens);
            render_plan_details(&report, plan, transcript, tokens, self.style)
        } else {
            String::new()
        };
        let entry = self.report_entry(&planned, &report, is_over_limit);
        Ok(Some(ShownPlan { report, text, entry, is_over_limit, expected }))
    }

    /// Renders the entry of a plan in each kind of report.
    fn report_entry(
        &self,
        planned: &Planned<'_, '_>,
        report: &TranscriptReport,
        is_over_limit: bool,
    ) -> Vec<Vec<u8>> {
        let Some(kinds) = self.entry_kinds else {
            return Vec::new();
        };
        let texts = self.shows_texts.then(|| {
            let policy = &self.settings.policy;
            let (plan, overlay) = (&planned.plan, planned.overlay());
            shown_texts(planned.conversation, plan, &overlay, None, policy)
        });
        kinds.render(ReportedTranscript { report, is_over_limit, texts: texts.as_ref() })
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
        report: TranscriptReport { tokens_after: plan.tokens_after, ..report.clone() },
        edits: &plan.edits,
        messages: explain_messages(&conversation.transcript, tokens, plan),
        asks: expected,
    };
    // All of a plan can be spelled as JSON.
    harmless_json(serde_json::to_string(&explained).unwrap_or_default()) + "\n"
}
