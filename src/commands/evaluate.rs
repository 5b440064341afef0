//! `epitome evaluate`: how much of what the future needed a compaction would have kept.

use crate::commands::prelude::*;
use crate::measuring::evaluation::rows::EvaluationRows;
use crate::measuring::evaluation::session::{Contender, MeasuredSession, SessionEvaluation};
use crate::reporting::retention::QuestionFile;
use crate::running::conversation::UnitConversations;
use crate::settings::cli::EvaluateArgs;

/// Evaluates policies. Fails if an option or an input is wrong.
pub(crate) fn run(arguments: &EvaluateArgs) -> Result<Ending> {
    #[cfg(feature = "benching")]
    if let Ok(rules) = std::env::var("EPITOME_ABLATE") {
        crate::summary::extract::mechanisms::switch_off(rules);
    }
    let first = Contender::new(Settings::from_options(&arguments.policy)?, None);
    if arguments.policy.print_config {
        return print_policy(&first.settings.policy);
    }
    let mut contenders = vec![first];
    for file in &arguments.compare {
        let settings = Settings::from_config(file)?;
        contenders.push(Contender::new(settings, Some(file)));
    }
    let kinds = contenders.iter().map(|contender| &contender.settings.policy.summarizer.kind);
    kinds.clone().try_for_each(refuse_missing_program)?;
    let gates = RetentionGate::parse_all(&arguments.fail_under)?;
    let questions = arguments.questions.as_deref().map(read_questions).transpose()?;
    let run = settings::resolve_run(&arguments.run)?;
    print_found_configs(&contenders[0].settings, &run);
    let external = kinds.into_iter().find(|kind| summarizer_entry(kind).is_external);
    let reading =
        settings::resolve_reading(&arguments.input, external.unwrap_or(&SummarizerKind::Extract));
    let inputs = collect_named_inputs(&arguments.input.named(), &[])?;
    let progress = start_progress(&run, &inputs);
    let stop = Arc::new(StopFlag::default());
    for contender in &mut contenders {
        contender.summarizer = build_summarizer(&contender.settings, &stop)?;
    }
    interrupt::listen(&stop)?;
    let work = Evaluating(SessionEvaluation {
        contenders: &contenders,
        questions: questions.as_ref(),
        stop: &stop,
    });
    let names = contenders.iter().map(|contender| contender.name.clone());
    let mut rows = EvaluationRows::new(names.collect(), questions.is_some());
    let mut asked = BTreeSet::new();
    let mut usage = SummaryUsageTotals::default();
    let receiver = FindingsReceiver {
        log: RunLog::complete(progress, &run),
        take: |_: &mut RunLog, unit: &InputUnit, sessions: Vec<MeasuredSession>| {
            for session in sessions {
                usage += &session.usage;
                rows.push_session(&unit.file.name, &session.scores);
                rows.push_answers(session.answers);
                asked.extend(session.asked);
            }
            Ok(())
        },
    };
    let source = InputSource::new(inputs, reading);
    let mut log = run_batch(source, run.jobs, &work, receiver)?.log;
    if let Some(questions) = &questions {
        complain_of_unknown_threads(questions, &asked, &mut log);
    }
    log.finish();
    if usage.summaries > 0 && !run.quiet {
        print_message(&usage.summary_line());
    }
    if let Some(cause) = stop.cause() {
        let keeps_answers = contenders
            .iter()
            .any(|contender| keeps_answers(&contender.settings, contender.summarizer.as_deref()));
        return explain_early_end(cause, "nothing is written", None, keeps_answers);
    }
    let text = if arguments.json {
        rows.render_json()?
    } else {
        rows.render_table(table_columns(), arguments.full)
    };
    print_result(&text)?;
    let objects = print_complaints(gates.iter().flat_map(|gate| rows.complaints(gate)));
    Ok(Ending::new(log.errors, run.max_errors, objects))
}

fn read_questions(path: &Path) -> Result<QuestionFile> {
    let text = settings::read_text(path)?;
    QuestionFile::parse(path.display().to_string(), &text)
}

struct Evaluating<'c>(SessionEvaluation<'c>);

impl UnitWork for Evaluating<'_> {
    type Output = UnitFindings<MeasuredSession>;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        read_unit(unit, &self.0.contenders[0].settings)
    }

    fn finish_unit(
        &self,
        _: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        slot: &mut WorkerSlot<'_>,
    ) -> Self::Output {
        let mut conversations = UnitConversations::new(records);
        let mut sessions = Vec::new();
        while let Some(conversation) = conversations.next_conversation() {
            let measure = || Ok::<_, Panicked>(self.0.measure(&conversation));
            let measured = if self.units_waiting() > 0 {
                slot.wait_without(|| conversations.attempt(&conversation, measure))
            } else {
                conversations.attempt(&conversation, measure)
            };
            let Some(session) = measured else { continue };
            for error in &session.errors {
                conversations.push_error(&conversation, error);
            }
            sessions.push(session);
        }
        conversations.finish(sessions)
    }

    fn units_waiting(&self) -> usize {
        let contenders = self.0.contenders.iter();
        let summarizers = contenders.filter_map(|contender| contender.summarizer.as_ref());
        summarizers.map(|summarizer| summarizer.concurrent_calls()).max().unwrap_or(0)
    }

    fn has_stopped(&self) -> bool {
        self.0.stop.cause().is_some()
    }
}

/// Names the sessions that there are questions on, but that no input holds.
fn complain_of_unknown_threads(
    questions: &QuestionFile,
    asked: &BTreeSet<String>,
    log: &mut RunLog,
) {
    for (thread_id, line) in questions.threads().filter(|(id, _)| !asked.contains(*id)) {
        log.error(&format!(
            "{}:{line}: no transcript of the inputs has the id {thread_id}",
            questions.name
        ));
    }
}
