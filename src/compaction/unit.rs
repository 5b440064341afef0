//! One unit: its conversations are planned and carried out, its bytes put
//! together again.

use crate::apply::{Outcome, RecordEdit, apply, evicted_results};
use crate::archive::originals::RemovedBytes;
use crate::archive::{HISTORY_DIR, RESULTS_DIR};
use crate::commands::compact::Compacting;
use crate::commands::convert::Lines;
use crate::compaction::archived::{redact, sections, write_all};
use crate::compaction::filled::{Noted, fill};
use crate::compaction::question::with_request;
use crate::compaction::receiver::{Done, Judged};
use crate::conversation::{Conversation, Found, NO_LIMIT, place};
use crate::input::{InputUnit, UnitItemKind};
use crate::plan::{Plan, Summary};
use crate::planner;
use crate::report::TranscriptReport;
use crate::retention::{FutureNeeds, Passage, RetentionScores, SessionCut};
use crate::summary::PendingAnswer;
use crate::transcript::journal::WriteMode;
use crate::transcript::overlay::Overlay;
use crate::transcript::splice::{Splice, SplicedOutput};
use crate::transcript::view::TranscriptView;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The work on one unit.
pub struct Execution<'u> {
    unit: &'u InputUnit,
    with: &'u Compacting<'u>,
    /// What happens to items, and whose they are; threads of one journal share items.
    edits: HashMap<usize, Vec<(RecordEdit, String)>>,
    entries: Vec<Judged>,
    archived: bool,
    /// Transcripts of another format, where they leave in one.
    lines: Lines,
}

/// A conversation that is decided, and its summary asked for.
pub enum Begun<'c, 'u> {
    /// It can't be gone on with, or not even be read.
    Failed(Box<TranscriptReport>, Option<&'c Conversation<'u>>),
    /// It is planned.
    Planned(Box<Planned<'c, 'u>>),
}

/// A conversation with its plan, and what will fill the plan's hole.
pub struct Planned<'c, 'u> {
    one: &'c Conversation<'u>,
    entry: TranscriptReport,
    plan: Plan,
    summary: Option<PendingAnswer<'c>>,
}

impl Begun<'_, '_> {
    /// The same with its summary there.
    pub fn wait(mut self) -> Self {
        if let Self::Planned(planned) = &mut self {
            planned.summary = planned
                .summary
                .take()
                .map(|pending| PendingAnswer::Ready(pending.wait()));
        }
        self
    }
}

impl<'u> Execution<'u> {
    pub fn new(unit: &'u InputUnit, with: &'u Compacting<'u>) -> Self {
        Self {
            unit,
            with,
            edits: HashMap::new(),
            entries: Vec::new(),
            archived: false,
            lines: Lines::default(),
        }
    }

    /// Plans a conversation and asks for its summary. A record that can't be read leaves as it came.
    pub fn begin<'c, 'f>(&self, found: &'c Found<'f>) -> Begun<'c, 'f>
    where
        'u: 'c,
    {
        let settings = self.with.settings;
        let one = match found {
            Found::Conversation(one) => one,
            Found::Bad {
                line,
                column,
                error,
            } => {
                let format = self.unit.file.format.map(crate::format::Format::name);
                let mut entry = TranscriptReport::unreadable(
                    &self.unit.file.name,
                    *line,
                    format,
                    settings.counter(None, None).name(),
                    error.clone(),
                );
                entry.column = *column;
                return Begun::Failed(Box::new(entry), None);
            }
        };
        let counter = settings.counter(one.model.as_deref(), one.provider.as_deref());
        let ledger = one.ledger(counter);
        let mut entry = one.entry(&self.unit.file.name, counter.name());
        if !self.with.writing.plans {
            entry
                .warnings
                .retain(|warning| !warning.starts_with(NO_LIMIT));
            let (messages, tokens) = (entry.messages_before, entry.tokens_before);
            let plan = Plan {
                messages_before: messages,
                messages_after: messages,
                tokens_before: tokens,
                total_tokens: tokens,
                tokens_after: tokens,
                ..Plan::default()
            };
            return Begun::Planned(Box::new(Planned {
                one,
                entry,
                plan,
                summary: None,
            }));
        }
        let begun = one.guarded(|| {
            let input = one.planning(settings, &ledger)?;
            let plan = planner::plan(&input);
            // What can't be written needs no summary.
            let summarizer = plan
                .summary()
                .and(self.with.summarizer.as_deref())
                .filter(|_| refuse_unwritten(one, &plan).is_ok());
            let summary = summarizer.map(|summarizer| {
                with_request(
                    one,
                    &input,
                    &plan,
                    settings,
                    &mut entry.redacted,
                    |request| summarizer.begin(request),
                )
            });
            Ok((plan, summary))
        });
        match begun {
            Ok((plan, summary)) => Begun::Planned(Box::new(Planned {
                one,
                entry,
                plan,
                summary,
            })),
            Err(error) => {
                entry.error = Some(error);
                Begun::Failed(Box::new(entry), Some(one))
            }
        }
    }

    /// Carries a plan out. Whatever goes wrong, the conversation leaves as it came and is marked.
    pub fn carry_out(&mut self, begun: Begun<'_, '_>) {
        let Planned {
            one,
            mut entry,
            plan: planned,
            summary,
        } = match begun {
            Begun::Failed(mut entry, one) => {
                if let Some(one) = one {
                    self.convert(one, &Plan::default(), None, &mut entry);
                }
                return self.entries.push(Judged::new(*entry, false));
            }
            Begun::Planned(planned) => *planned,
        };
        if !self.with.writing.plans {
            entry.record_applied(&planned);
            self.convert(one, &planned, None, &mut entry);
            return self.entries.push(Judged::new(entry, false));
        }
        let settings = self.with.settings;
        let ledger = one.ledger(settings.counter(one.model.as_deref(), one.provider.as_deref()));
        let input = match one.planning(settings, &ledger) {
            Ok(input) => input,
            Err(error) => {
                entry.record_not_applied(&planned, error);
                self.convert(one, &Plan::default(), None, &mut entry);
                return self.entries.push(Judged::new(entry, false));
            }
        };
        let answer = summary.map(PendingAnswer::wait);
        let mut noted = Noted {
            place: place(&entry.file, entry.line, None),
            redacted: entry.redacted.take(),
            ..Noted::default()
        };
        let filled = one.guarded(|| {
            fill(
                one,
                &input,
                planned.clone(),
                (settings, self.with.stop),
                &mut noted,
                answer,
            )
        });
        (entry.asked, entry.redacted) = (noted.asked, noted.redacted);
        entry.warnings.extend(noted.warnings);
        let mut done = None;
        match filled {
            Err(error) => entry.record_not_applied(&planned, error),
            Ok((plan, text)) => {
                let carried = one.guarded(|| {
                    let outcome = match self.with.writing.conversion {
                        None => {
                            refuse_unwritten(one, &plan)?;
                            apply(&one.transcript, one.format, &plan, text.as_deref())
                        }
                        Some(_) => Outcome {
                            results: evicted_results(&one.transcript, &plan),
                            ..Outcome::default()
                        },
                    };
                    entry.archive = write_archive(one, &plan, &outcome, self.with, &mut entry)?;
                    Ok(outcome)
                });
                match carried {
                    Err(error) => entry.record_not_applied(&planned, error),
                    Ok(outcome) => {
                        entry.record_applied(&plan);
                        entry.first_kept = entry
                            .first_kept
                            .map(|index| one.transcript.element_index(index));
                        if let (Some(summary), Some(text)) = (plan.summary(), &text) {
                            entry.tokens_after =
                                planner::tokens_with_summary(&input, &plan, summary, text);
                            if self.with.measure {
                                // A figure that can't be had takes nothing away from the result.
                                entry.recall = one
                                    .guarded(|| Ok(recall(one, summary, text)))
                                    .ok()
                                    .flatten();
                            }
                        }
                        self.archived |= !plan.is_empty();
                        for (record, edit) in outcome.records {
                            self.edits
                                .entry(one.items[record])
                                .or_default()
                                .push((edit, one.thread_id.clone()));
                        }
                        done = Some((plan, text));
                    }
                }
            }
        }
        let (plan, text) = done.unwrap_or_default();
        self.convert(one, &plan, text.as_deref(), &mut entry);
        let over =
            planner::over_limit_warning(input.thresholds, &entry.reasons, entry.tokens_after);
        entry.warnings.extend(over.iter().cloned());
        self.entries.push(Judged::new(entry, over.is_some()));
    }

    /// Adds a conversation to what leaves in another format, as a plan leaves it.
    fn convert(
        &mut self,
        one: &Conversation<'_>,
        plan: &Plan,
        text: Option<&str>,
        entry: &mut TranscriptReport,
    ) {
        if let Some(conversion) = self.with.writing.conversion {
            self.lines.add(conversion, one, (plan, text), entry);
        }
    }

    /// The unit's bytes as they leave, and what was taken out of them.
    pub fn done(mut self) -> Done {
        let unit = self.unit;
        let mut bytes = SplicedOutput::default();
        let mut originals = Vec::new();
        let mut starts_with_bom = false;
        if self.with.writing.conversion.is_some() {
            let Lines { bytes: lines } = self.lines;
            // No byte leaves as it came: where something was to be compacted, all of them are kept.
            let undo = bytes.replace_range(0..unit.bytes.len(), lines);
            let line = unit.items.first().map_or(1, |item| item.line);
            originals.extend(self.with.writing.plans.then_some(RemovedBytes {
                undo,
                line,
                thread_id: None,
            }));
        } else {
            starts_with_bom = unit.items.first().is_some_and(|item| {
                item.kind == UnitItemKind::Dropped && unit.bytes[item.span.clone()] != *b"\r"
            });
            self.pieces(&mut bytes, &mut originals);
        }
        Done {
            file: Arc::clone(&unit.file),
            bytes,
            originals,
            starts_with_bom,
            entries: self.entries,
            archived: self.archived,
            last: unit.is_last,
        }
    }

    /// The unit item by item, with its edits made.
    fn pieces(&mut self, bytes: &mut SplicedOutput, originals: &mut Vec<RemovedBytes>) {
        let unit = self.unit;
        let mut removed: Option<RemovedBytes> = None;
        for (index, item) in unit.items.iter().enumerate() {
            let span = item.span.clone();
            let piece = &unit.bytes[span.clone()];
            // A record that goes takes its line end along.
            if let Some(mut original) = removed.take() {
                let line_end = item.kind == UnitItemKind::Dropped || piece == b"\n";
                if line_end {
                    // Items lie one behind the other.
                    original.undo.original.end = span.end;
                }
                if line_end && piece != b"\n" {
                    removed = Some(original);
                    continue;
                }
                originals.push(original);
                if line_end {
                    continue;
                }
            }
            let mut cut = |thread_id: Option<String>| RemovedBytes {
                undo: bytes.replace_range(span.clone(), Vec::new()),
                line: item.line,
                thread_id,
            };
            if item.kind == UnitItemKind::Dropped {
                originals.push(cut(None));
                continue;
            }
            let Some(edits) = self.edits.remove(&index) else {
                bytes.keep_range(span);
                continue;
            };
            if let Some((_, thread)) = edits.iter().find(|(edit, _)| *edit == RecordEdit::Remove) {
                removed = Some(cut(Some(thread.clone())));
                continue;
            }
            let mut splices: Vec<(Splice, String)> = Vec::new();
            for (edit, thread) in edits {
                if let RecordEdit::Splice(own) = edit {
                    splices.extend(own.into_iter().map(|splice| (splice, thread.clone())));
                }
            }
            splices.sort_by_key(|(splice, _)| splice.span);
            let (splices, threads): (Vec<Splice>, Vec<String>) = splices.into_iter().unzip();
            let undos = bytes.push_spliced(span, splices);
            originals.extend(
                undos
                    .into_iter()
                    .zip(threads)
                    .map(|(undo, thread)| RemovedBytes {
                        undo,
                        line: item.line,
                        thread_id: Some(thread),
                    }),
            );
        }
        originals.extend(removed);
    }
}

/// What is to change must have a place in the log.
fn refuse_unwritten(one: &Conversation<'_>, plan: &Plan) -> Result<(), String> {
    if plan.is_empty() || one.transcript.write_mode != WriteMode::Nowhere {
        return Ok(());
    }
    Err(format!(
        "{} has no record of a compaction: it is compacted to a chat transcript, --to openai|anthropic|sharegpt|langchain",
        one.format.name()
    ))
}

/// What a summary kept of what the messages behind it came back to; `None` where too few follow.
fn recall(one: &Conversation<'_>, planned: &Summary, text: &str) -> Option<RetentionScores> {
    let none = Overlay::default();
    let view = TranscriptView {
        transcript: &one.transcript,
        overlay: &none,
    };
    let passages: Vec<Passage> = (0..one.transcript.messages.len())
        .map(|index| Passage::from_message(view, index))
        .collect();
    let cut = SessionCut::after_compaction(&passages, planned.first_kept)?;
    let mut left: Vec<String> = planned
        .frame
        .render(&planned.path, text)
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    left.extend(passages[cut.tail..cut.end].iter().map(Passage::full_text));
    Some(RetentionScores::measure(
        &FutureNeeds::from_cut(&passages, cut),
        &left.join("\n"),
    ))
}

/// WriteMode what the plan removes, before the compacted bytes are handed on.
/// Where something can't be written, what was is taken back.
fn write_archive(
    one: &Conversation<'_>,
    plan: &Plan,
    outcome: &Outcome,
    with: &Compacting<'_>,
    entry: &mut TranscriptReport,
) -> Result<Option<String>, String> {
    let results = Path::new(RESULTS_DIR).join(one.results_directory());
    let mut files: Vec<(PathBuf, Cow<'_, [u8]>)> = outcome
        .results
        .iter()
        .map(|(name, text)| (results.join(name), Cow::Borrowed(text.as_bytes())))
        .collect();
    let mut history = None;
    let sections = sections(one, plan, with.now);
    if !sections.is_empty() {
        let path = Path::new(HISTORY_DIR).join(format!("{}.md", one.thread_name));
        history = Some(path.to_string_lossy().into_owned());
        files.push((path, Cow::Owned(sections)));
    }
    if with.settings.policy.redact {
        redact(&mut files, &mut entry.redacted);
    }
    write_all(with.tree, &files)?;
    Ok(history)
}
