//! `epitome count`: tokens per transcript and in total, by role.

use crate::base::foreign_text::harmless_text;
use crate::commands::prelude::*;
use crate::deciding::tokens::{AUTO, Ledger, bpe::encoding_of};
use crate::reporting::report::ReportedUsage;
use crate::reporting::report::comparison::{Comparison, Comparisons, CounterTokens};
use crate::reporting::report::token_counts::{self, CountRow, TokenCounts};
use crate::settings::cli::CountArgs;

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
    };
    let mut stdout = BufWriter::new(io::stdout());
    let mut totals = CountTotals::default();
    let receiver = FindingsReceiver {
        log: RunLog::complete(start_progress(&run, &inputs), &run),
        take: |log: &mut RunLog, unit: &InputUnit, counted: Vec<CountedTranscript>| {
            for transcript in counted {
                totals.add(&transcript);
                for warning in &transcript.warnings {
                    let place = source_location(&unit.file.name, transcript.line, None);
                    log.warn(&place, warning);
                }
                let row = harmless_text(&transcript.row);
                stdout.write_all(row.as_bytes()).map_err(WriteError::Stdout)?;
            }
            Ok(())
        },
    };
    let source = InputSource::new(inputs, reading);
    let log = run_batch(source, run.jobs, &work, receiver)?.log;
    log.finish();
    let last = totals.render(arguments.json, compare.is_some());
    let written = stdout.write_all(harmless_text(&last).as_bytes());
    let finished = written.and_then(|()| stdout.flush()).map_err(fault_of_stdout);
    finished.map_err(RunError::FinishStdout)?;
    Ok(Ending::new(log.errors, run.max_errors, false))
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
    fn add(&mut self, counted: &CountedTranscript) {
        self.counts += &counted.counts;
        self.counters.insert(counted.counter);
        self.compared.add_comparison(counted.compared.as_ref());
    }

    fn render(&self, json: bool, is_compared: bool) -> String {
        let (counts, counters, compared) = (&self.counts, &self.counters, &self.compared);
        if json {
            let mut line = json!({ "total": counts, "counters": counters });
            if is_compared {
                line["compared"] = json!(compared.pairs.values().collect::<Vec<_>>());
                line["not_compared"] = json!(compared.not_compared);
            }
            return format!("{line}\n");
        }
        let mut text = token_counts::render_counts(counts, counters, table_columns());
        if is_compared {
            text += &wrap_lines(&compared.render(), table_columns());
        }
        text
    }
}

struct CountedTranscript {
    row: String,
    line: u64,
    /// Warnings that the row has no room for.
    warnings: Vec<String>,
    counter: &'static str,
    counts: TokenCounts,
    /// The counts of the other counter beside those of the first.
    compared: Option<Comparison>,
}

impl UnitWork for Counting<'_> {
    type Output = UnitFindings<CountedTranscript>;

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
    ) -> Self::Output {
        UnitFindings::collect(records, |conversation| self.count(&unit.file.name, conversation))
    }
}

impl Counting<'_> {
    fn count(
        &self,
        file: &str,
        conversation: &Conversation<'_>,
    ) -> Result<Option<CountedTranscript>, CompactionError> {
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
                &conversation.transcript, &conversation.message_tokens, conversation.tool_tokens,
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
        let warnings = conversation.warnings().cloned().collect();
        let (line, counter) = (conversation.line(), counter.name());
        Ok(Some(CountedTranscript { row, line, warnings, counter, counts, compared }))
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
