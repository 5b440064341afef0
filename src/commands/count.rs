//! `epitome count`: tokens per transcript and in total, by role.

use crate::batch::lines::{LineSink, Lines};
use crate::batch::{Turn, Work, run as run_batch};
use crate::cli::CountArgs;
use crate::commands::{Ending, inputs};
use crate::conversation::{Conversation, Found, place, read_unit};
use crate::input::{InputSource, InputUnit};
use crate::policy::SummarizerKind;
use crate::progress::Progress;
use crate::report::ReportedUsage;
use crate::report::comparison::{Comparison, Comparisons, CounterTokens};
use crate::report::numbers::group_digits;
use crate::report::token_counts::{self, TokenCounts};
use crate::settings::{self, Settings};
use crate::tokens::bpe::encoding_of;
use crate::tokens::{AUTO, Ledger, TokenCounter};
use crate::transcript::overlay::Overlay;
use crate::transcript::view::TranscriptView;
use anyhow::{Result, bail};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// TokenCounts.
///
/// # Errors
/// What is wrong with the options or the inputs.
pub fn run(arguments: &CountArgs) -> Result<Ending> {
    let settings = settings::counting_only(&arguments.counting)?;
    let run = settings::run(&arguments.run)?;
    let reading = settings::reading(&arguments.input, &SummarizerKind::None)?;
    let inputs = inputs(&arguments.input.inputs, &[])?;
    let progress = Progress::new(
        run.progress,
        run.quiet,
        inputs.iter().map(|input| input.bytes).sum(),
    );
    let compare = arguments
        .compare
        .map(|name| settings.with_counter(name))
        .transpose()?;
    if let Some(other) = compare
        .as_ref()
        .map(|other| other.policy.counter)
        .filter(|other| *other == settings.policy.counter)
    {
        bail!(
            "--compare={other}: that is the counter itself (--counter {other}); name another, for example --compare=o200k_base"
        );
    }
    if let (Some(AUTO), Some(model)) = (
        compare.as_ref().map(|other| other.policy.counter),
        &settings.policy.model,
    ) && encoding_of(model).is_none()
    {
        bail!(
            "--compare: no exact counter is known for {model}; name one, for example --compare=o200k_base"
        );
    }
    let work = Counting {
        settings: &settings,
        compare: compare.as_ref(),
        json: arguments.json,
        totals: Mutex::default(),
    };
    let mut sink = run_batch(
        InputSource::new(inputs, reading),
        run.jobs,
        &work,
        LineSink::new(progress, run.quiet),
    )?;
    let totals = work
        .totals
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let (counts, counters, compared) = (&totals.counts, &totals.counters, &totals.compared);
    let last = match (arguments.json, &compare) {
        (true, None) => format!("{}\n", json!({ "total": counts, "counters": counters })),
        (true, Some(_)) => {
            let line = json!({ "total": counts, "counters": counters, "compared": compared.counter_pairs(), "not_compared": compared.not_compared });
            format!("{line}\n")
        }
        (false, None) => token_counts::render_counts(counts, counters),
        (false, Some(_)) => token_counts::render_counts(counts, counters) + &compared.render(),
    };
    sink.finish(&last)?;
    Ok(Ending::new(sink.talk.errors, run.max_errors, false))
}

struct Counting<'s> {
    settings: &'s Settings,
    /// With the counter that is shown beside.
    compare: Option<&'s Settings>,
    json: bool,
    /// Sums don't depend on their order.
    totals: Mutex<Totals>,
}

/// What all transcripts come to.
#[derive(Default)]
struct Totals {
    counts: TokenCounts,
    /// Who counted.
    counters: BTreeSet<&'static str>,
    compared: Comparisons,
}

impl Work for Counting<'_> {
    type Done = Lines;

    fn read<'u>(&self, unit: &'u InputUnit) -> Vec<Found<'u>> {
        read_unit(unit, self.settings)
    }

    fn finish(&self, unit: &InputUnit, found: Vec<Found<'_>>, _: &mut Turn<'_>) -> Lines {
        let mut lines = Lines::default();
        let mut sum = Totals::default();
        let file = &unit.file.name;
        for one in found {
            match one {
                Found::Bad {
                    line,
                    column,
                    error,
                } => lines
                    .errors
                    .push(format!("{}: {error}", place(file, line, column))),
                Found::Conversation(one) => match one.guarded(|| self.count(file, &one)) {
                    Ok((text, counts, compared)) => {
                        lines.stdout += &text;
                        let place = || place(file, one.line(), None);
                        lines.warnings.extend(
                            one.transcript
                                .warnings
                                .iter()
                                .map(|warning| (place(), warning.clone())),
                        );
                        sum.counts += &counts;
                        sum.counters.insert(self.counter(&one).name());
                        sum.compared.add_comparison(compared.as_ref());
                        lines.transcripts += 1;
                    }
                    Err(error) => lines.errors.push(format!("{file}:{}: {error}", one.line())),
                },
            }
        }
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.counts += &sum.counts;
        totals.counters.extend(sum.counters);
        totals.compared += &sum.compared;
        lines
    }
}

impl Counting<'_> {
    /// Who counts a conversation.
    fn counter(&self, one: &Conversation<'_>) -> &dyn TokenCounter {
        self.settings
            .counter(one.model.as_deref(), one.provider.as_deref())
    }

    /// The row of one conversation, its counts, and those of the other counter beside them.
    fn count(
        &self,
        file: &str,
        one: &Conversation<'_>,
    ) -> Result<(String, TokenCounts, Option<Comparison>), String> {
        if self.settings.policy.strict_model && one.input_limit.is_none() {
            one.thresholds.as_ref().map_err(Clone::clone)?;
        }
        let counter = self.counter(one);
        let counts = TokenCounts::from_ledger(&one.transcript, &one.ledger(counter));
        let compared = self.compare(one, counter, counts.tokens);
        let usage = ReportedUsage::from_transcript(&one.transcript, &one.messages, one.tools);
        let row = if self.json {
            let mut row = json!({
                "thread_id": one.thread_id,
                "file": file,
                "line": one.line(),
                "model": one.model,
                "input_limit": one.input_limit,
                "counter": counter.name(),
                "counts": counts,
            });
            if let Some(usage) = usage {
                row["usage"] = json!(usage);
            }
            if self.compare.is_some() {
                row["compared"] = compared.as_ref().map(|compared| json!({ "counter": compared.against, "tokens": compared.compared })).into();
            }
            format!("{row}\n")
        } else {
            let number = |tokens: usize| group_digits(i64::try_from(tokens).unwrap_or(i64::MAX));
            let (tokens, thread) = (number(counts.tokens), one.thread_id.escape_debug());
            // Where all have one counter, the total names it.
            let by = if self.settings.policy.counter == AUTO {
                format!("by {:<13} ", counter.name())
            } else {
                String::new()
            };
            let mut row = format!(
                "{tokens:>11} tokens {by}{:>6} messages  {file}:{}  {thread}",
                counts.messages,
                one.line()
            );
            match (&compared, self.compare) {
                (Some(compared), _) => row += &format!("  {}", compared.table_cell()),
                (None, Some(other))
                    if other.policy.counter == AUTO
                        && one.model.as_deref().and_then(encoding_of).is_none() =>
                {
                    row += "  no exact counter is known for its model"
                }
                (None, _) => {}
            }
            if let Some(ReportedUsage {
                reported,
                counted,
                ratio,
                ..
            }) = usage
            {
                row += &format!(
                    "  the log reports {} for {} of them (ratio {ratio})",
                    group_digits(i64::try_from(reported).unwrap_or(i64::MAX)),
                    number(counted)
                );
            }
            row + "\n"
        };
        Ok((row, counts, compared))
    }

    /// The same by the other counter; none if it is the same one.
    fn compare(
        &self,
        one: &Conversation<'_>,
        counter: &dyn TokenCounter,
        tokens: usize,
    ) -> Option<Comparison> {
        let other = self
            .compare?
            .counter(one.model.as_deref(), one.provider.as_deref());
        if other.name() == counter.name() {
            return None;
        }
        let none = Overlay::default();
        let ledger = Ledger::new(
            other,
            TranscriptView {
                transcript: &one.transcript,
                overlay: &none,
            },
        );
        Some(Comparison::new(
            CounterTokens {
                counter: counter.name(),
                tokens,
            },
            CounterTokens {
                counter: other.name(),
                tokens: TokenCounts::from_ledger(&one.transcript, &ledger).tokens,
            },
        ))
    }
}
