//! `epitome audit`: what the compactions that agents made themselves have lost.

use crate::commands::prelude::*;
use crate::files::output::{ReportDestination, ReportFile};
use crate::measuring::audit::page::{TITLE, lay_out_audit};
use crate::measuring::audit::{AuditedCompaction, audit_compaction, rows::AuditRows};
use crate::reporting::report::{kinds::ReportKind, render_html_page, render_markdown_page};
use crate::running::conversation::{AgentCompaction, JournalHistory, catch_panic, read_histories};
use crate::settings::cli::AuditArgs;

/// Audits logs. Fails if an option or an input is wrong.
pub(crate) fn run(arguments: &AuditArgs) -> Result<Ending> {
    let settings = Settings::from_counting_options(&arguments.counting)?;
    let gates = RetentionGate::parse_all(&arguments.fail_under)?;
    let run = settings::resolve_run(&arguments.run)?;
    print_found_configs(&settings, &run);
    let reading = settings::resolve_reading(&arguments.input, &SummarizerKind::Extract);
    let inputs = collect_named_inputs(&arguments.input.named(), &[])?;
    let guard = OverwriteGuard::new(&inputs, arguments.force);
    let access = AccessLimit::of_inputs(&inputs);
    let requests = settings::resolve_reports(&arguments.reports)?;
    let replaced = replaced_paths(&requests);
    guard.check_paths(replaced.iter().chain(&arguments.lost))?;
    let is_silent = requests.iter().any(ReportRequest::is_printed);
    let mut reports = Vec::new();
    for ReportRequest { kind, destination } in &requests {
        reports.push((audit_view(kind)?, ReportFile::create(destination, access)?));
    }
    let stop = Arc::new(StopFlag::default());
    interrupt::listen(&stop)?;
    let receiver = AuditReceiver {
        rows: AuditRows::default(),
        log: RunLog::complete(start_progress(&run, &inputs), &run),
    };
    let work = Auditing { settings: &settings, stop: &stop };
    let source = InputSource::new(inputs, reading);
    let receiver = run_batch(source, run.jobs, &work, receiver)?;
    receiver.log.finish();
    if let Some(cause) = stop.cause() {
        return explain_early_end(cause, "nothing is written", None, false);
    }
    let rows = receiver.rows;
    for (render, file) in reports {
        let published = file.publish_bytes(render(&rows)?.as_bytes());
        published.map_err(RunError::BrokeOff)?;
    }
    if let Some(path) = &arguments.lost {
        write_lost(&rows, path, access)?;
    }
    let text = if arguments.json {
        rows.render_json()?
    } else {
        rows.render_table(table_columns(), arguments.full)
    };
    if !is_silent {
        print_result(&text)?;
    }
    let complaints = gates.iter().filter_map(|gate| rows.complaint(gate));
    let objects = print_complaints(complaints);
    Ok(Ending::new(receiver.log.errors, run.max_errors, objects))
}

/// Writes the lost facts as text for an agent to read. Without any, no file is written.
fn write_lost(rows: &AuditRows, path: &Path, access: AccessLimit) -> Result<()> {
    let Some(text) = rows.lost_text() else {
        print_message(&format!("--lost {}: not written: nothing was lost", path.display()));
        return Ok(());
    };
    let file = ReportFile::create(&ReportDestination::File(path.to_owned()), access)?;
    let published = file.publish_bytes(text.as_bytes());
    Ok(published.map_err(RunError::BrokeOff)?)
}

/// Returns what renders an audit as a report of this kind.
fn audit_view(kind: &ReportKind) -> Result<fn(&AuditRows) -> Result<String>> {
    match kind.name {
        "json" => Ok(|rows| Ok(rows.render_json()?)),
        "md" => Ok(|rows| Ok(render_markdown_page(TITLE, lay_out_audit(rows)))),
        "html" => Ok(|rows| Ok(render_html_page(TITLE, &lay_out_audit(rows)))),
        other => bail!("--report: an audit has no report of the kind {other}"),
    }
}

struct Auditing<'s> {
    settings: &'s Settings,
    stop: &'s StopFlag,
}

struct AuditedUnit {
    compactions: Vec<AuditedCompaction>,
    /// The places of compactions that say nothing, and why.
    skipped: Vec<(String, String)>,
    format: &'static str,
    /// What became of the conversations, without findings.
    read: UnitFindings<()>,
    /// Errors of compactions, with their place.
    errors: Vec<String>,
}

impl AuditedUnit {
    /// Measures the compactions of a journal and adds them.
    fn push_compactions(&mut self, history: &JournalHistory<'_>, file: &str, settings: &Settings) {
        history.visit_compactions(settings, |compaction| match compaction {
            Ok(compaction) => self.push_compaction(&compaction, file, settings),
            Err((line, error)) => {
                let place = source_location(file, line, None);
                self.skipped.push((place, error.reason));
            }
        });
    }

    fn push_compaction(
        &mut self,
        compaction: &AgentCompaction<'_>,
        file: &str,
        settings: &Settings,
    ) {
        let audit = || Ok(audit_compaction(compaction, file, settings));
        match catch_panic::<_, Panicked>(audit) {
            Ok(audited) => self.compactions.push(audited),
            Err(error) => {
                let place = source_location(file, compaction.line, None);
                self.errors.push(format!("{place}: {error}"));
            }
        }
    }
}

impl UnitWork for Auditing<'_> {
    type Output = AuditedUnit;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        read_unit(unit, self.settings)
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        _: &mut WorkerSlot<'_>,
    ) -> AuditedUnit {
        let mut audited = AuditedUnit {
            compactions: Vec::new(),
            skipped: Vec::new(),
            format: unit.file.format.map_or("unknown", |format| format.name()),
            read: UnitFindings::collect(records, |_| Ok::<_, Panicked>(None)),
            errors: Vec::new(),
        };
        let name = &unit.file.name;
        // A panic in a format costs the compactions of this unit only.
        let audit = || {
            for history in &read_histories(unit) {
                audited.push_compactions(history, name, self.settings);
            }
            Ok::<_, Panicked>(())
        };
        if let Err(error) = catch_panic(audit) {
            audited.errors.push(format!("{name}: {error}"));
        }
        audited
    }

    fn has_stopped(&self) -> bool {
        self.stop.cause().is_some()
    }
}

struct AuditReceiver {
    rows: AuditRows,
    log: RunLog,
}

impl ReceiveInOrder<AuditedUnit> for AuditReceiver {
    fn receive(&mut self, unit: &InputUnit, audited: AuditedUnit) -> Result<(), WriteError> {
        self.log.add_unit(unit, &audited.read);
        let name = &unit.file.name;
        audited.errors.iter().for_each(|error| self.log.error_in(name, error));
        self.rows.compactions.extend(audited.compactions);
        let has_compaction =
            self.rows.compactions.last().is_some_and(|compaction| compaction.file == *name);
        let is_silent = !has_compaction && audited.skipped.is_empty();
        self.rows.skipped.extend(audited.skipped);
        let has_errors = !audited.read.failures.is_empty() || !audited.errors.is_empty();
        if unit.is_last && is_silent && !has_errors {
            self.rows.without.push((name.clone(), audited.format));
        }
        Ok(())
    }

    fn log(&mut self) -> &mut RunLog {
        &mut self.log
    }
}
