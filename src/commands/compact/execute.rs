//! One unit: its conversations are planned and carried out, its bytes put
//! together again.

use crate::apply::{Outcome, RecordEdit, apply};
use crate::archive::originals::{Original, Pending};
use crate::archive::{HISTORY_DIR, RESULTS_DIR, markdown};
use crate::commands::compact::receiver::{Done, Judged};
use crate::input::{ItemKind, Unit};
use crate::output::Tree;
use crate::plan::{Plan, Stage, Summary, overlay};
use crate::planner::{self, Input};
use crate::report::Entry;
use crate::retention::{Cut, Needs, Passage, Scores};
use crate::run::Conversation;
use crate::settings::Settings;
use crate::summary::{self, Request, Summarizer, conversation};
use crate::transcript::splice::{Undo, splice};
use crate::transcript::view::{Overlay, Turn, View};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use time::OffsetDateTime;

/// Bytes of messages that stay which are decoded for the summarizer: those next to the summary are what it stands beside.
const MOST_KEPT: usize = 64 * 1024;

/// The work on one unit.
pub(super) struct Execution<'u> {
    unit: &'u Unit,
    /// What happens to items, and whose they are.
    edits: HashMap<usize, (RecordEdit, String)>,
    entries: Vec<Judged>,
    archived: bool,
    /// Whether to measure what summaries keep.
    measure: bool,
}

impl<'u> Execution<'u> {
    pub(super) fn new(unit: &'u Unit, measure: bool) -> Self {
        Self { unit, edits: HashMap::new(), entries: Vec::new(), archived: false, measure }
    }

    /// A record that can't be read: it leaves as it came.
    pub(super) fn bad(&mut self, line: u64, column: Option<u64>, error: &str, counter: &'static str) {
        let format = self.unit.file.format.map(crate::format::Format::name);
        let mut entry = Entry::unreadable(&self.unit.file.name, line, format, counter, error.to_owned());
        entry.column = column;
        self.entries.push(Judged { entry, over_limit: false });
    }

    /// Plans a conversation and carries the plan out. Whatever goes wrong, it leaves as it came and is marked.
    pub(super) fn carry_out(&mut self, one: &Conversation<'_>, settings: &Settings, summarizer: Option<&dyn Summarizer>, tree: &Tree, now: OffsetDateTime) {
        let counter = settings.counter(one.model.as_deref(), one.provider.as_deref());
        let ledger = one.ledger(counter);
        let mut entry = one.entry(&self.unit.file.name, counter.name());
        let decided = one.guarded(|| {
            let input = one.planning(settings, &ledger)?;
            let plan = planner::plan(&input);
            Ok((input, plan))
        });
        let (input, planned) = match decided {
            Ok(decided) => decided,
            Err(error) => {
                entry.error = Some(error);
                return self.entries.push(Judged { entry, over_limit: false });
            }
        };
        match one.guarded(|| fill(one, &input, planned.clone(), settings, summarizer)) {
            Err(error) => entry.left_as_it_was(&planned, error),
            Ok((plan, text)) => {
                let carried = one.guarded(|| {
                    let outcome = apply(&one.transcript, one.format, &plan, text.as_deref());
                    entry.archive = write_archive(one, &plan, &outcome, tree, now)?;
                    Ok(outcome)
                });
                match carried {
                    Err(error) => entry.left_as_it_was(&planned, error),
                    Ok(outcome) => {
                        entry.carried_out(&plan);
                        entry.first_kept = entry.first_kept.map(|index| one.transcript.place(index));
                        if let (Some(summary), Some(text)) = (plan.summary(), &text) {
                            entry.tokens_after = planner::tokens_with(&input, &plan, summary, text);
                            if self.measure {
                                // A figure that can't be had takes nothing away from the result.
                                entry.recall = one.guarded(|| Ok(recall(one, summary, text))).ok().flatten();
                            }
                        }
                        self.archived |= !plan.is_empty();
                        let edits = outcome.records.into_iter().map(|(record, edit)| (one.items[record], (edit, one.thread_id.clone())));
                        self.edits.extend(edits);
                    }
                }
            }
        }
        let over = planner::over_limit(input.thresholds, &entry.reasons, entry.tokens_after);
        entry.warnings.extend(over.iter().cloned());
        self.entries.push(Judged { entry, over_limit: over.is_some() });
    }

    /// The unit's bytes as they leave, and what was taken out of them.
    pub(super) fn done(mut self) -> Done {
        let unit = self.unit;
        let starts_with_bom = unit.items.first().is_some_and(|item| item.kind == ItemKind::Dropped && unit.bytes[item.span.clone()] != *b"\r");
        let mut bytes = Vec::with_capacity(unit.bytes.len());
        let mut originals = Vec::new();
        let mut removed: Option<Original> = None;
        for (index, item) in unit.items.iter().enumerate() {
            let piece = &unit.bytes[item.span.clone()];
            // A record that goes takes its line end along.
            if let Some(mut original) = removed.take() {
                let line_end = item.kind == ItemKind::Dropped || piece == b"\n";
                if line_end {
                    original.undo.original.push_str(&String::from_utf8_lossy(piece));
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
            let cut = |original: &[u8], thread_id: Option<String>| Original {
                undo: Undo { at: bytes.len() as u64, len: 0, original: String::from_utf8_lossy(original).into_owned() },
                line: item.line,
                thread_id,
            };
            match (item.kind, self.edits.remove(&index)) {
                (ItemKind::Dropped, _) => originals.push(cut(piece, None)),
                (ItemKind::Record, Some((RecordEdit::Remove, thread))) => removed = Some(cut(piece, Some(thread))),
                (ItemKind::Record, Some((RecordEdit::Splice(mut splices), thread))) => {
                    let undos = splice(piece, &mut splices, &mut bytes);
                    originals.extend(undos.into_iter().map(|undo| Original { undo, line: item.line, thread_id: Some(thread.clone()) }));
                }
                (ItemKind::Record | ItemKind::Between, _) => bytes.extend_from_slice(piece),
            }
        }
        originals.extend(removed);
        let originals = originals.iter().map(Pending::new).collect();
        Done { file: Arc::clone(&unit.file), bytes, originals, starts_with_bom, entries: self.entries, archived: self.archived, last: unit.last }
    }
}

/// The plan as it can be carried out, with the text of its summary.
pub(in crate::commands) fn fill(
    one: &Conversation<'_>,
    input: &Input<'_, '_>,
    plan: Plan,
    settings: &Settings,
    summarizer: Option<&dyn Summarizer>,
) -> Result<(Plan, Option<String>), String> {
    let (Some(summary), Some(summarizer)) = (plan.summary().cloned(), summarizer) else { return Ok((plan, None)) };
    let text = summarize(one, input, &plan, &summary, settings, summarizer)?;
    let tokens = planner::tokens_with(input, &plan, &summary, &text);
    match planner::too_long(input, &plan, tokens) {
        Some(why) => Ok((planner::without_summary(input, &plan, &why), None)),
        None => Ok((plan, Some(text))),
    }
}

/// What a summary kept of what the messages behind it came back to; `None` where too few follow.
fn recall(one: &Conversation<'_>, planned: &Summary, text: &str) -> Option<Scores> {
    let none = Overlay::default();
    let view = View { transcript: &one.transcript, overlay: &none };
    let passages: Vec<Passage> = (0..one.transcript.messages.len()).map(|index| Passage::of(view, index)).collect();
    let cut = Cut::behind(&passages, planned.first_kept)?;
    let mut left: Vec<String> = planned.frame.render(&planned.path, text).into_iter().map(|(_, text)| text).collect();
    left.extend(passages[cut.tail..cut.end].iter().map(Passage::full));
    Some(Scores::of(&Needs::of(&passages, cut), &left.join("\n")))
}

/// Asks the summarizer to fill the plan's hole.
fn summarize(
    one: &Conversation<'_>,
    input: &Input<'_, '_>,
    plan: &Plan,
    planned: &Summary,
    settings: &Settings,
    summarizer: &dyn Summarizer,
) -> Result<String, String> {
    let overlay = overlay(&one.transcript, &plan.edits);
    let view = View { transcript: &one.transcript, overlay: &overlay };
    let hole = &planned.hole;
    let mut turns: Vec<Turn<'_>> = hole.window.iter().map(|&index| view.turn(index)).collect();
    if let (Some(first), Some(text)) = (turns.first_mut(), &hole.first_text) {
        first.text = Cow::Borrowed(text);
    }
    let kept = kept(view, planned);
    let request = Request {
        thread_id: &one.thread_id,
        turns: &turns,
        kept: &kept,
        template: settings.policy.summarizer.template,
        budget: hole.budget,
        count: &|text| input.ledger.counter.text(text),
        prompt: &|| conversation::prompt(view, hole, &settings.policy.summarizer).concat(),
    };
    summary::clean(&summarizer.summarize(&request)?)
}

/// The system prompt and the messages after the cutoff, as many as a summarizer looks at.
fn kept<'v>(view: View<'v, '_>, planned: &Summary) -> Vec<Turn<'v>> {
    let mut left = MOST_KEPT;
    let stays = (0..view.transcript.head()).chain(planned.kept_system.iter().copied()).chain(planned.first_kept..view.transcript.messages.len());
    stays
        .map_while(|index| {
            let message = view.message(index);
            (left > 0).then(|| left = left.saturating_sub(message.span.end - message.span.start))?;
            Some(view.turn(index))
        })
        .collect()
}

/// Writes what the plan removes, before the compacted bytes are handed on.
/// Where something can't be written, what was is taken back.
fn write_archive(one: &Conversation<'_>, plan: &Plan, outcome: &Outcome, tree: &Tree, now: OffsetDateTime) -> Result<Option<String>, String> {
    let results = Path::new(RESULTS_DIR).join(one.results_directory());
    let mut files: Vec<(PathBuf, Cow<'_, str>)> = outcome.results.iter().map(|(name, text)| (results.join(name), Cow::Borrowed(text.as_str()))).collect();
    let mut history = None;
    let sections = sections(one, plan, now);
    if !sections.is_empty() {
        let path = Path::new(HISTORY_DIR).join(format!("{}.md", one.thread_name));
        history = Some(path.to_string_lossy().into_owned());
        files.push((path, Cow::Owned(sections)));
    }
    write_all(tree, &files)?;
    Ok(history)
}

/// The archive's section about one summary; earlier summaries are not archived again.
pub(in crate::commands) fn section(view: View<'_, '_>, summary: &Summary, now: OffsetDateTime) -> String {
    let new: Vec<usize> = summary.messages.iter().copied().filter(|&index| !view.message(index).earlier_summary).collect();
    markdown::section(now, &markdown::buffer(view, &new, None))
}

/// Writes archive files, all or none.
pub(in crate::commands) fn write_all(tree: &Tree, files: &[(PathBuf, Cow<'_, str>)]) -> Result<(), String> {
    for (written, (path, text)) in files.iter().enumerate() {
        if let Err(error) = tree.archive(path, text) {
            files[..written].iter().for_each(|(path, _)| tree.withdraw(path));
            return Err(format!("{error:#}"));
        }
    }
    Ok(())
}

/// What goes into the history: pruned results as the stage found them, then what is summarised as that stage found it.
fn sections(one: &Conversation<'_>, plan: &Plan, now: OffsetDateTime) -> String {
    let mut sections = String::new();
    let pruned: Vec<usize> = plan.prunings().map(|pruning| pruning.message).collect();
    if !pruned.is_empty() {
        let overlay = overlay(&one.transcript, &plan.edits_before(Stage::Prune));
        let view = View { transcript: &one.transcript, overlay: &overlay };
        sections.push_str(&markdown::pruned(now, &markdown::buffer(view, &pruned, None)));
    }
    if let Some(summary) = plan.summary() {
        let overlay = overlay(&one.transcript, &plan.edits);
        let view = View { transcript: &one.transcript, overlay: &overlay };
        sections.push_str(&section(view, summary, now));
    }
    sections
}
