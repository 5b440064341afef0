//! `epitome count`: tokens per transcript and in total, by role.

use crate::commands::terminal_width::table_columns;
use crate::commands::{Ending, collect_named_inputs, print_found_configs, start_progress};
use crate::deciding::policy::SummarizerKind;
use crate::deciding::tokens::bpe::encoding_of;
use crate::deciding::tokens::{AUTO, Ledger};
use crate::files::archive::names::NameRule;
use crate::files::input::{InputSource, InputUnit};
use crate::reading::transcript::view::TranscriptView;
use crate::reporting::report::comparison::{Comparison, Comparisons, CounterTokens};
use crate::reporting::report::token_counts::{self, CountRow, TokenCounts};
use crate::reporting::report::{ReportedUsage, wrap_lines};
use crate::running::batch::line_receiver::{LineReceiver, LocatedWarning, UnitLines};
use crate::running::batch::{UnitWork, WorkerSlot, run_batch};
use crate::running::compaction::CompactionError;
use crate::running::conversation::{
    Conversation, UnitConversations, UnitRecord, read_unit, source_location,
};
use crate::settings::cli::CountArgs;
use crate::settings::{self, Settings};
use anyhow::{Result, bail};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Counts tokens. Fails if an option or an input is wrong.
pub(crate) fn run(arguments: &CountArgs) -> Result<Ending> {
    let settings = Settings::from_counting_options(&arguments.counting)?;
    let run = settings::resolve_run(&arguments.run)?;
    print_found_configs(&settings, &run);
    let reading = settings::resolve_reading(&arguments.input, &SummarizerKind::None);
    let inputs = collect_named_inputs(&arguments.input.named(), &[])?;
    let compare = arguments.compare.map(|name| settings.with_counter(name)).transpose()?;
    if let Some(other) = &compare {
        refuse_useless_comparison(&settings, other)?;
    }
    let work = Counting {
        settings: &settings,
        compare: compare.as_ref(),
        json: arguments.json,
        width: table_columns(),
        totals: Mutex::default(),
    };
    let receiver = LineReceiver::new(start_progress(&run, &inputs), &run);
    let source = InputSource::new(inputs, reading);
    let mut receiver = run_batch(source, run.jobs, &work, receiver)?;
    let totals = work.totals.into_inner();
    let totals = totals.unwrap_or_else(PoisonError::into_inner);
    receiver.finish(&totals.render(arguments.json, compare.is_some()))?;
    Ok(Ending::new(receiver.log.errors, run.max_errors, false))
}

fn refuse_useless_comparison(settings: &Settings, other: &Settings) -> Result<()> {
    let counter = other.policy.counter;
    if counter == settings.policy.counter {
        bail!(
            "--compare={counter}: that is the counter itself (--counter {counter}); name another, for example --compare=o200k_base"
        );
    }
    if let Some(model) = &settings.policy.model
        && counter == AUTO
        && encoding_of(model).is_none()
    {
        bail!(
            "--compare: no exact counter is known for {model}; name one, for example --compare=o200k_base"
        );
    }
    Ok(())
}

struct Counting<'s> {
    settings: &'s Settings,
    /// The settings with the counter that is shown beside.
    compare: Option<&'s Settings>,
    json: bool,
    /// The columns of the terminal.
    width: usize,
    /// Sums do not depend on their order.
    totals: Mutex<CountTotals>,
}

/// The sums over all transcripts.
#[derive(Default)]
struct CountTotals {
    counts: TokenCounts,
    /// The names of the counters that were used.
    counters: BTreeSet<&'static str>,
    compared: Comparisons,
}

impl CountTotals {
    fn render(&self, json: bool, is_compared: bool) -> String {
        let (counts, counters, compared) = (&self.counts, &self.counters, &self.compared);
        match (json, is_compared) {
            (true, false) => format!("{}\n", json!({ "total": counts, "counters": counters })),
            (true, true) => {
                let line = json!({
                    "total": counts,
                    "counters": counters,
                    "compared": compared.pairs.values().collect::<Vec<_>>(),
                    "not_compared": compared.not_compared,
                });
                format!("{line}\n")
            }
            (false, false) => token_counts::render_counts(counts, counters, table_columns()),
            (false, true) => {
                let counted = token_counts::render_counts(counts, counters, table_columns());
                counted + &wrap_lines(&compared.render(), table_columns())
            }
        }
    }
}

/// A transcript that was counted.
struct CountedTranscript {
    row: String,
    counts: TokenCounts,
    /// The counts of the other counter beside those of the first.
    compared: Option<Comparison>,
}

impl UnitWork for Counting<'_> {
    type Output = UnitLines;

    fn read_records<'u>(&self, unit: &'u InputUnit) -> Vec<UnitRecord<'u>> {
        read_unit(unit, self.settings)
    }

    fn name_rule(&self) -> Option<NameRule> {
        None
    }

    fn finish_unit(
        &self,
        unit: &InputUnit,
        records: Vec<UnitRecord<'_>>,
        _: &mut WorkerSlot<'_>,
    ) -> UnitLines {
        let mut lines = UnitLines::default();
        let mut sums = CountTotals::default();
        let file = &unit.file.name;
        let mut conversations = UnitConversations::new(file, records);
        while let Some(conversation) = conversations.next_conversation() {
            let count = || self.count(file, &conversation);
            let Some(counted) = conversations.attempt(&conversation, count) else {
                continue;
            };
            lines.stdout += &counted.row;
            push_warnings(&mut lines, file, &conversation);
            sums.counts += &counted.counts;
            let counter = conversation.counter(self.settings);
            sums.counters.insert(counter.name());
            sums.compared.add_comparison(counted.compared.as_ref());
            lines.transcripts += 1;
        }
        lines.errors = conversations.into_errors();
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.counts += &sums.counts;
        totals.counters.extend(sums.counters);
        totals.compared += &sums.compared;
        lines
    }
}

fn push_warnings(lines: &mut UnitLines, file: &str, conversation: &Conversation<'_>) {
    for warning in conversation.warnings() {
        lines.warnings.push(LocatedWarning {
            place: source_location(file, conversation.line(), None),
            warning: warning.clone(),
        });
    }
}

impl Counting<'_> {
    fn count(
        &self,
        file: &str,
        conversation: &Conversation<'_>,
    ) -> Result<CountedTranscript, CompactionError> {
        if self.settings.policy.strict_model && conversation.input_limit.is_none() {
            conversation.thresholds.as_ref().map_err(Clone::clone)?;
        }
        let counter = conversation.counter(self.settings);
        let ledger = conversation.ledger(counter);
        let counts = TokenCounts::from_ledger(&conversation.transcript, &ledger);
        let compared = self.compare(conversation, counter.name(), counts.tokens);
        let row = CountRow {
            thread_id: &conversation.thread_id,
            file,
            line: conversation.line(),
            model: conversation.model.as_deref(),
            input_limit: conversation.input_limit,
            counter: counter.name(),
            counts: &counts,
            usage: ReportedUsage::from_transcript(
                &conversation.transcript,
                &conversation.message_tokens,
                conversation.tool_tokens,
            ),
            compared: compared.as_ref(),
        };
        let row = if self.json {
            row.render_json(self.compare.is_some())
        } else {
            let names_counter = self.settings.policy.counter == AUTO;
            let text = row.render_text(names_counter, self.lacks_exact_counter(conversation));
            wrap_lines(&text, self.width)
        };
        Ok(CountedTranscript { row, counts, compared })
    }

    /// Returns true if a comparison with the model's own counter was wanted, and it has none.
    fn lacks_exact_counter(&self, conversation: &Conversation<'_>) -> bool {
        let wants_exact = self.compare.is_some_and(|other| other.policy.counter == AUTO);
        wants_exact && conversation.model.as_deref().and_then(encoding_of).is_none()
    }

    /// Counts a conversation by the other counter. Returns `None` if it is the same counter.
    fn compare(
        &self,
        conversation: &Conversation<'_>,
        counter: &'static str,
        tokens: usize,
    ) -> Option<Comparison> {
        let other = conversation.counter(self.compare?);
        if other.name() == counter {
            return None;
        }
        let view = TranscriptView::logged(&conversation.transcript);
        let ledger = Ledger::new(other, view);
        let others = TokenCounts::from_ledger(&conversation.transcript, &ledger).tokens;
        Some(Comparison::new(
            CounterTokens { counter, tokens },
            CounterTokens { counter: other.name(), tokens: others },
        ))
    }
}
