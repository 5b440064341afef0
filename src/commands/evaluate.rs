//! `epitome evaluate`: how much of what the future needed a compaction would have kept.

use crate::base::stop_flag::StopFlag;
use crate::commands::ending::{explain_early_end, print_complaints};
use crate::commands::summarizers::{build_summarizer, keeps_answers, refuse_missing_program};
use crate::commands::terminal_width::table_columns;
use crate::commands::{
    Ending, collect_named_inputs, interrupt, print_found_configs, print_policy, start_progress,
};
use crate::deciding::policy::SummarizerKind;
use crate::files::input::{InputSource, InputUnit};
use crate::files::output::{WriteError, print_message, print_result};
use crate::measuring::evaluation::gate::RetentionGate;
use crate::measuring::evaluation::rows::EvaluationRows;
use crate::measuring::evaluation::session::{Contender, MeasuredSession, SessionEvaluation};
use crate::reporting::report::SummaryUsageTotals;
use crate::reporting::retention::QuestionFile;
use crate::running::batch::run_log::RunLog;
use crate::running::batch::{ReceiveInOrder, UnitWork, WorkerSlot, run_batch};
use crate::running::conversation::{Panicked, UnitConversations, UnitRecord, read_unit};
use crate::settings::cli::EvaluateArgs;
use crate::settings::{self, Settings};
use crate::summary::summarizer_entry;
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

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
    let kinds = contenders.iter().map(Contender::summarizer_kind);
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
    let receiver = EvaluationReceiver {
        rows: EvaluationRows::new(names.collect(), questions.is_some()),
        asked: BTreeSet::new(),
        log: RunLog::complete(progress, &run),
        usage: SummaryUsageTotals::default(),
    };
    let source = InputSource::new(inputs, reading);
    let mut receiver = run_batch(source, run.jobs, &work, receiver)?;
    if let Some(questions) = &questions {
        receiver.complain_of_unknown_threads(questions);
    }
    receiver.log.finish();
    if receiver.usage.summaries > 0 && !run.quiet {
        print_message(&receiver.usage.summary_line());
    }
    if let Some(cause) = stop.cause() {
        let keeps_answers = contenders
            .iter()
            .any(|contender| keeps_answers(&contender.settings, contender.summarizer.as_deref()));
        let signal = explain_early_end(cause, "nothing is written", None, keeps_answers)?;
        return Ok(Ending::signalled(signal));
    }
    let text = if arguments.json {
        receiver.rows.render_json()?
    } else {
        receiver.rows.render_table(table_columns(), arguments.full)
    };
    print_result(&text)?;
    let rows = &receiver.rows;
    let objects = print_complaints(gates.iter().flat_map(|gate| rows.complaints(gate)));
    Ok(Ending::new(receiver.log.errors, run.max_errors, objects))
}

fn read_questions(path: &Path) -> Result<QuestionFile> {
    let text = settings::read_text(path)?;
    Ok(QuestionFile::parse(path.display().to_string(), &text)?)
}

struct Evaluating<'c>(SessionEvaluation<'c>);

/// The sessions of a unit.
struct EvaluatedUnit {
    file: String,
    sessions: Vec<MeasuredSession>,
    /// Errors, as `file:line: error`.
    errors: Vec<String>,
}

impl UnitWork for Evaluating<'_> {
    type Output = EvaluatedUnit;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        read_unit(unit, &self.0.contenders[0].settings)
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        slot: &mut WorkerSlot<'_>,
    ) -> EvaluatedUnit {
        let mut conversations = UnitConversations::new(&unit.file.name, records);
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
        EvaluatedUnit {
            file: unit.file.name.clone(),
            sessions,
            errors: conversations.into_errors(),
        }
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

struct EvaluationReceiver {
    rows: EvaluationRows,
    /// The ids of sessions that questions were asked on.
    asked: BTreeSet<String>,
    log: RunLog,
    usage: SummaryUsageTotals,
}

impl EvaluationReceiver {
    /// Names the sessions that there are questions on, but that no input holds.
    fn complain_of_unknown_threads(&mut self, questions: &QuestionFile) {
        for (thread_id, line) in questions.threads() {
            if !self.asked.contains(thread_id) {
                self.log.error(&format!(
                    "{}:{line}: no transcript of the inputs has the id {thread_id}",
                    questions.name
                ));
            }
        }
    }
}

impl ReceiveInOrder<EvaluatedUnit> for EvaluationReceiver {
    fn receive(&mut self, unit: &InputUnit, evaluated: EvaluatedUnit) -> Result<(), WriteError> {
        self.log.add_unit(unit, evaluated.sessions.len() as u64, &evaluated.errors);
        for session in evaluated.sessions {
            self.usage += &session.usage;
            self.rows.push_session(&evaluated.file, &session.scores);
            self.rows.push_answers(session.answers);
            self.asked.extend(session.asked);
        }
        Ok(())
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.log
    }
}
