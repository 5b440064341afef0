//! `epitome audit`: what the compactions that agents made themselves have lost.

use crate::audit::page::{TITLE, lay_out_audit};
use crate::audit::rows::AuditRows;
use crate::audit::{AuditedCompaction, audit_compaction};
use crate::batch::run_log::RunLog;
use crate::batch::{ReceiveInOrder, UnitWork, WorkerSlot, run_batch};
use crate::cli::AuditArgs;
use crate::commands::{Ending, collect_named_inputs, start_progress};
use crate::conversation::{
    Panicked, UnitRecord, catch_panic, read_histories, read_unit, source_location,
};
use crate::evaluation::gate::RetentionGate;
use crate::input::{InputError, InputSource, InputUnit};
use crate::output::{AtomicFile, OverwriteGuard, WriteError, print_message};
use crate::policy::SummarizerKind;
use crate::report::{render_html_page, render_markdown_page};
use crate::settings::{self, Settings};
use anyhow::{Result, bail};
use std::io::Write;
use std::path::Path;

/// Audits logs.
///
/// # Errors
/// Fails if an option or an input is wrong.
pub(crate) fn run(arguments: &AuditArgs) -> Result<Ending> {
    let settings = Settings::from_counting_options(&arguments.counting)?;
    let gates = RetentionGate::parse_all(&arguments.fail_under)?;
    let run = settings::resolve_run(&arguments.run)?;
    let reading = settings::resolve_reading(&arguments.input, &SummarizerKind::Extract);
    let inputs = collect_named_inputs(&arguments.input.inputs, &[])?;
    let guard = OverwriteGuard::new(&inputs, arguments.force);
    let mut reports = Vec::new();
    for path in &arguments.report {
        let view = AuditView::of_path(path)?;
        guard.check_path(path)?;
        reports.push((view, AtomicFile::create(path)?));
    }
    let receiver = AuditReceiver {
        rows: AuditRows::default(),
        log: RunLog::complete(start_progress(&run, &inputs), run.quiet),
    };
    let work = Auditing {
        settings: &settings,
    };
    let source = InputSource::new(inputs, reading);
    let receiver = run_batch(source, run.jobs, &work, receiver)?;
    receiver.log.finish();
    let rows = receiver.rows;
    for (view, mut file) in reports {
        file.write_all(view.render(&rows)?.as_bytes())?;
        file.publish()?;
    }
    let text = if arguments.json {
        rows.render_json()?
    } else {
        rows.render_table()
    };
    std::io::stdout().write_all(text.as_bytes())?;
    let complaints: Vec<String> = gates
        .iter()
        .filter_map(|gate| rows.complaint(gate))
        .collect();
    complaints
        .iter()
        .for_each(|complaint| print_message(complaint));
    let objects = !complaints.is_empty();
    Ok(Ending::new(receiver.log.errors, run.max_errors, objects))
}

/// A kind of report, chosen by the ending of its file.
#[derive(Debug, Clone, Copy)]
enum AuditView {
    Json,
    Markdown,
    Html,
}

impl AuditView {
    fn of_path(path: &Path) -> Result<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        Ok(match ending {
            Some("json") => Self::Json,
            Some("md") => Self::Markdown,
            Some("html") => Self::Html,
            _ => bail!(
                "--report {}: its ending must be .json, .md or .html",
                path.display()
            ),
        })
    }

    fn render(self, rows: &AuditRows) -> Result<String> {
        Ok(match self {
            Self::Json => rows.render_json()?,
            Self::Markdown => render_markdown_page(TITLE, lay_out_audit(rows)),
            Self::Html => render_html_page(TITLE, &lay_out_audit(rows)),
        })
    }
}

struct Auditing<'s> {
    settings: &'s Settings,
}

/// The compactions of a unit.
struct AuditedUnit {
    compactions: Vec<AuditedCompaction>,
    /// The places of compactions that say nothing, and why.
    skipped: Vec<(String, String)>,
    /// The number of conversations.
    conversations: u64,
    format: &'static str,
    /// Errors, as `file:line: error`.
    errors: Vec<String>,
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
            conversations: 0,
            format: unit.file.format.map_or("unknown", |format| format.name()),
            errors: Vec::new(),
        };
        let name = &unit.file.name;
        for record in records {
            match record {
                UnitRecord::Conversation(_) => audited.conversations += 1,
                UnitRecord::Unreadable {
                    line,
                    column,
                    error,
                } => {
                    let place = source_location(name, line, column);
                    audited.errors.push(format!("{place}: {error}"));
                }
            }
        }
        for history in read_histories(unit) {
            for compaction in history.compactions(self.settings) {
                let measured = compaction.map(|compaction| {
                    let audit = || Ok(audit_compaction(&compaction, name, self.settings));
                    (compaction.line, catch_panic::<_, Panicked>(audit))
                });
                match measured {
                    Ok((_, Ok(compaction))) => audited.compactions.push(compaction),
                    Ok((line, Err(error))) => {
                        let place = source_location(name, line, None);
                        audited.errors.push(format!("{place}: {error}"));
                    }
                    Err((line, error)) => {
                        let place = source_location(name, line, None);
                        audited.skipped.push((place, error.reason));
                    }
                }
            }
        }
        audited
    }
}

struct AuditReceiver {
    rows: AuditRows,
    log: RunLog,
}

impl ReceiveInOrder<AuditedUnit> for AuditReceiver {
    fn receive(&mut self, unit: &InputUnit, audited: AuditedUnit) -> Result<(), WriteError> {
        self.log.add_transcripts(audited.conversations);
        for error in &audited.errors {
            self.log.error(error);
        }
        let name = &unit.file.name;
        self.rows.compactions.extend(audited.compactions);
        let has_compaction = self
            .rows
            .compactions
            .last()
            .is_some_and(|compaction| compaction.file == *name);
        let is_silent = !has_compaction && audited.skipped.is_empty();
        self.rows.skipped.extend(audited.skipped);
        if unit.is_last && is_silent && audited.errors.is_empty() {
            self.rows.without.push((name.clone(), audited.format));
        }
        Ok(())
    }

    fn file_failed(&mut self, _: usize, name: &str, error: &InputError) -> Result<(), WriteError> {
        self.log.file_failed(name, error);
        Ok(())
    }

    fn set_bytes_read(&mut self, bytes: u64) {
        self.log.set_bytes_read(bytes);
    }
}
