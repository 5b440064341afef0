//! Carries a plan out: splices for each record that changes, and what goes
//! into the archive.

use crate::format::{Format, message_thread};
use crate::plan::{Plan, Summary, overlay};
use crate::strategy::evict::result_text;
use crate::transcript::json::Span;
use crate::transcript::splice::Splice;
use crate::transcript::view::View;
use crate::transcript::{Role, Transcript, text};
use std::collections::BTreeSet;

/// What happens to one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordEdit {
    /// Its bytes change.
    Splice(Vec<Splice>),
    /// It goes, with its line end.
    Remove,
}

/// A plan carried out, in memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// What happens to the records that change, by index, in order.
    pub records: Vec<(usize, RecordEdit)>,
    /// Evicted results: file name and text.
    pub results: Vec<(String, String)>,
}

/// Carries out `plan`; `summary` is the text that fills its hole.
#[must_use]
pub fn apply(transcript: &Transcript<'_>, format: &dyn Format, plan: &Plan, summary: Option<&str>) -> Outcome {
    let results = plan.evictions().map(|eviction| (eviction.file.clone(), result_text(transcript, eviction.message)));
    let mut edits = Edits { records: vec![None; transcript.records.len()] };
    replace_texts(transcript, format, plan, &mut edits);
    if let (Some(planned), Some(text)) = (plan.summary(), summary) {
        let framed = planned.frame.render(&planned.path, text);
        if transcript.message_per_record {
            summarize_records(transcript, format, planned, &framed, &mut edits);
        } else {
            summarize_list(transcript, format, planned, &framed, &mut edits);
        }
    }
    let results = results.collect();
    let records = edits.records.into_iter().enumerate().filter_map(|(index, edit)| Some((index, edit?))).collect();
    Outcome { records, results }
}

struct Edits {
    records: Vec<Option<RecordEdit>>,
}

impl Edits {
    fn splice(&mut self, record: usize, splice: Splice) {
        match &mut self.records[record] {
            Some(RecordEdit::Splice(splices)) => splices.push(splice),
            other => *other = Some(RecordEdit::Splice(vec![splice])),
        }
    }

    fn remove(&mut self, record: usize) {
        self.records[record] = Some(RecordEdit::Remove);
    }
}

/// Evicted results and cut arguments, in messages that stay.
fn replace_texts(transcript: &Transcript<'_>, format: &dyn Format, plan: &Plan, edits: &mut Edits) {
    let gone: BTreeSet<usize> = plan.summary().into_iter().flat_map(|summary| summary.messages.iter().copied()).collect();
    let overlay = overlay(transcript, &plan.edits);
    for (&index, notice) in overlay.results.iter().filter(|(index, _)| !gone.contains(index)) {
        let cleared = overlay.cleared.contains(&index);
        let splices = if cleared { format.clear_result(transcript, index, notice) } else { format.replace_result(transcript, index, notice) };
        for splice in splices {
            edits.splice(transcript.messages[index].record, splice);
        }
    }
    let view = View { transcript, overlay: &overlay };
    for (&(index, number), json) in overlay.arguments.iter().filter(|((index, _), _)| !gone.contains(index)) {
        let Some(span) = view.message(index).calls[number].arguments else { continue };
        let is_literal = transcript.bytes(index, span).first() == Some(&b'"');
        let bytes = if is_literal { text::wtf8_literal(json) } else { json.clone() };
        edits.splice(transcript.messages[index].record, Splice { span, bytes });
    }
}

/// A summary in a list of messages: the summarised ones go with the separators
/// behind them, the summary takes the last of these places.
fn summarize_list(transcript: &Transcript<'_>, format: &dyn Format, summary: &Summary, framed: &[(Role, String)], edits: &mut Edits) {
    let messages = &transcript.messages;
    let parts: Vec<Vec<u8>> = framed.iter().map(|(role, text)| format.summary_message(*role, text, None)).collect();
    let message = parts.join(separator(transcript, 0));
    let mut placed = None;
    for run in runs(&summary.messages) {
        let (first, next) = (run[0], run[run.len() - 1] + 1);
        let start = messages[first].span.start;
        if next == summary.first_kept {
            placed = Some(Splice { span: Span { start, end: messages[next - 1].span.end }, bytes: message.clone() });
        } else {
            edits.splice(0, Splice { span: Span { start, end: messages[next].span.start }, bytes: Vec::new() });
        }
    }
    edits.splice(0, placed.unwrap_or_else(|| insert_after(transcript, summary.first_kept - 1, &message)));
}

/// Puts a message behind message `index`, with the separator that the list has elsewhere.
fn insert_after(transcript: &Transcript<'_>, index: usize, message: &[u8]) -> Splice {
    let end = transcript.messages[index].span.end;
    Splice { span: Span { start: end, end }, bytes: [separator(transcript, index), message].concat() }
}

/// What stands between message `index` and the next in the list; of the last one, before it.
fn separator<'a>(transcript: &Transcript<'a>, index: usize) -> &'a [u8] {
    let messages = &transcript.messages;
    let neighbour = index.min(messages.len().saturating_sub(2));
    match messages.get(neighbour + 1) {
        Some(next) => &transcript.record_of(index)[messages[neighbour].span.end..next.span.start],
        None => b", ",
    }
}

/// A summary in records of one message each: the summarised ones go, the
/// summary is written where the first of them stood that no system message follows.
fn summarize_records(transcript: &Transcript<'_>, format: &dyn Format, summary: &Summary, framed: &[(Role, String)], edits: &mut Edits) {
    let messages = &transcript.messages;
    let record = transcript.record_of(summary.messages[0]);
    let thread = message_thread(record).map(|(key, value)| (key, value.of(record)));
    let lines: Vec<Vec<u8>> = framed.iter().map(|(role, text)| format.summary_message(*role, text, thread)).collect();
    let line = lines.join(b"\n".as_slice());
    for &index in &summary.messages {
        edits.remove(messages[index].record);
    }
    let last_system = summary.kept_system.last().copied();
    match summary.messages.iter().find(|index| last_system.is_none_or(|system| **index > system)) {
        Some(&first) => {
            let span = Span { start: 0, end: transcript.record_of(first).len() };
            edits.records[messages[first].record] = Some(RecordEdit::Splice(vec![Splice { span, bytes: line }]));
        }
        None => {
            let index = summary.first_kept - 1;
            let end = transcript.record_of(index).len();
            edits.splice(messages[index].record, Splice { span: Span { start: end, end }, bytes: [b"\n".as_slice(), &line].concat() });
        }
    }
}

/// Runs of consecutive indices.
fn runs(indices: &[usize]) -> impl Iterator<Item = &[usize]> {
    indices.chunk_by(|one, next| one + 1 == *next)
}
