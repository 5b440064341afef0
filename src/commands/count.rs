//! `epitome count`: tokens per transcript and in total, by role.

use crate::cli::CountArgs;
use crate::commands::Ending;
use crate::commands::sink::{LineSink, Lines};
use crate::input::{Source, Unit, collect};
use crate::policy::SummarizerKind;
use crate::progress::Progress;
use crate::report::comparison::Comparison;
use crate::report::counts::{self, Counts};
use crate::report::table::grouped;
use crate::run::{Conversation, Found, Turn, Work, place, read_unit, run as run_batch};
use crate::settings::{self, Settings};
use crate::tokens::{Counter, Ledger};
use crate::transcript::view::{Overlay, View};
use anyhow::Result;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

/// Counts.
///
/// # Errors
/// What is wrong with the options or the inputs.
pub fn run(arguments: &CountArgs) -> Result<Ending> {
    let settings = settings::counting_only(&arguments.counting)?;
    let run = settings::run(&arguments.run)?;
    let reading = settings::reading(&arguments.input, &SummarizerKind::None)?;
    let inputs = collect(&arguments.input.inputs, &[])?;
    let progress = Progress::new(run.progress, run.quiet, inputs.iter().map(|input| input.bytes).sum());
    let compare = arguments.compare.as_ref().map(|name| settings.with_counter("--compare", name)).transpose()?;
    let work = Counting { settings: &settings, compare: compare.as_ref(), json: arguments.json, totals: Mutex::default() };
    let mut sink = run_batch(Source::new(inputs, reading), run.jobs, &work, LineSink::new(progress))?;
    let (totals, comparison) = work.totals.into_inner().unwrap_or_else(PoisonError::into_inner);
    let last = match (arguments.json, &compare) {
        (true, None) => format!("{}\n", serde_json::json!({ "total": totals })),
        (true, Some(_)) => format!("{}\n", serde_json::json!({ "total": totals, "compared": comparison })),
        (false, None) => counts::render(&totals),
        (false, Some(_)) => counts::render(&totals) + &comparison.render(settings.policy.counter),
    };
    sink.finish(&last)?;
    Ok(Ending::new(sink.failed, run.max_errors, false))
}

struct Counting<'s> {
    settings: &'s Settings,
    /// With the counter that is shown beside.
    compare: Option<&'s Settings>,
    json: bool,
    /// Sums don't depend on their order.
    totals: Mutex<(Counts, Comparison)>,
}

impl Work for Counting<'_> {
    type Done = Lines;

    fn read<'u>(&self, unit: &'u Unit) -> Vec<Found<'u>> {
        read_unit(unit, self.settings)
    }

    fn finish(&self, unit: &Unit, found: Vec<Found<'_>>, _: &mut Turn<'_>) -> Lines {
        let mut lines = Lines::default();
        let mut sum = (Counts::default(), Comparison::default());
        let file = &unit.file.name;
        for one in found {
            match one {
                Found::Bad { line, column, error } => lines.errors.push(format!("{}: {error}", place(file, line, column))),
                Found::Conversation(one) => {
                    let counter = self.settings.counter(one.model.as_deref(), one.provider.as_deref());
                    let counts = Counts::of(&one.transcript, &one.ledger(counter));
                    let compared = self.compare(&one, counter, counts.tokens);
                    let line = one.line();
                    // Writing to a String can't fail.
                    let _ = if self.json {
                        let mut row =
                            serde_json::json!({ "thread_id": one.thread_id, "file": file, "line": line, "counter": counter.name(), "counts": counts });
                        if let Some(compared) = &compared {
                            row["compared"] = serde_json::json!({ "counter": compared.counter, "tokens": compared.compared });
                        }
                        writeln!(lines.stdout, "{row}")
                    } else {
                        let tokens = grouped(i64::try_from(counts.tokens).unwrap_or(i64::MAX));
                        writeln!(
                            lines.stdout,
                            "{tokens:>11} tokens {:>6} messages  {file}:{line}  {}{}",
                            counts.messages,
                            one.thread_id.escape_debug(),
                            compared.as_ref().map(|compared| format!("  {}", compared.cell())).unwrap_or_default()
                        )
                    };
                    sum.0 += &counts;
                    compared.iter().for_each(|compared| sum.1 += compared);
                    lines.transcripts += 1;
                }
            }
        }
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.0 += &sum.0;
        totals.1 += &sum.1;
        lines
    }
}

impl Counting<'_> {
    /// The same by the other counter; none if it is the same one.
    fn compare(&self, one: &Conversation<'_>, counter: &dyn Counter, tokens: usize) -> Option<Comparison> {
        let other = self.compare?.counter(one.model.as_deref(), one.provider.as_deref());
        if other.name() == counter.name() {
            return None;
        }
        let none = Overlay::default();
        let ledger = Ledger::new(other, View { transcript: &one.transcript, overlay: &none });
        Some(Comparison::new(other.name(), tokens, Counts::of(&one.transcript, &ledger).tokens))
    }
}
