//! Carries a plan out: splices for each record that changes, and what goes
//! into the archive.

use crate::format::{Format, SummaryPlace, message_thread};
use crate::json::Span;
use crate::plan::{Plan, Summary, overlay};
use crate::strategy::evict::result_text;
use crate::transcript::Transcript;
use crate::transcript::splice::Splice;
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
pub fn apply(
    transcript: &Transcript<'_>,
    format: &dyn Format,
    plan: &Plan,
    summary: Option<&str>,
) -> Outcome {
    let mut edits = Edits {
        records: vec![None; transcript.records.len()],
    };
    replace_texts(transcript, format, plan, &mut edits);
    if let (Some(planned), Some(text)) = (plan.summary(), summary) {
        let place = SummaryPlace {
            removed: &planned.messages,
            first_kept: planned.first_kept,
            tokens_before: plan.tokens_before,
            thread: transcript
                .message_per_record
                .then(|| message_thread(transcript.record_of(planned.messages[0])))
                .flatten(),
        };
        let entry = match planned.frame.render(&planned.path, text).as_slice() {
            [(_, text)] => format.place_summary(transcript, &place, text),
            messages => {
                let separator = if transcript.message_per_record {
                    b"\n"
                } else {
                    separator(transcript, transcript.outside)
                };
                format.place_messages(transcript, &place, messages, separator)
            }
        };
        if entry.leaves_list {
            // The format notes beside it what is summarised.
        } else if transcript.message_per_record {
            summarize_records(transcript, planned, entry.message, &mut edits);
        } else {
            summarize_list(transcript, planned, entry.message, &mut edits);
        }
        for (record, splice) in entry.splices {
            edits.splice(record, splice);
        }
    }
    let records = edits
        .records
        .into_iter()
        .enumerate()
        .filter_map(|(index, edit)| Some((index, edit?)))
        .collect();
    Outcome {
        records,
        results: evicted(transcript, plan),
    }
}

/// The results that a plan evicts: file name and text.
#[must_use]
pub fn evicted(transcript: &Transcript<'_>, plan: &Plan) -> Vec<(String, String)> {
    plan.evictions()
        .map(|eviction| {
            (
                eviction.file.clone(),
                result_text(transcript, eviction.message),
            )
        })
        .collect()
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
    let gone: BTreeSet<usize> = plan
        .summary()
        .into_iter()
        .flat_map(|summary| summary.messages.iter().copied())
        .collect();
    let overlay = overlay(transcript, &plan.edits);
    for (&index, notice) in overlay
        .results
        .iter()
        .filter(|(index, _)| !gone.contains(index))
    {
        let cleared = overlay.cleared.contains(&index);
        let splices = if cleared {
            format.clear_result(transcript, index, notice)
        } else {
            format.replace_result(transcript, index, notice)
        };
        for (record, splice) in splices {
            edits.splice(record, splice);
        }
    }
    for ((index, _), new) in overlay
        .arguments
        .into_iter()
        .filter(|((index, _), _)| !gone.contains(index))
    {
        for splice in new.splices {
            edits.splice(transcript.messages[index].record, splice);
        }
    }
}

/// A summary in a list of messages: the summarised ones go with the separators
/// behind them, the summary (if it is a message of its own) takes the last of these places.
fn summarize_list(
    transcript: &Transcript<'_>,
    summary: &Summary,
    message: Option<Vec<u8>>,
    edits: &mut Edits,
) {
    let messages = &transcript.messages;
    let mut message = message;
    // What stands outside the list (an earlier summary) is the format's own to replace.
    let listed: Vec<usize> = summary
        .messages
        .iter()
        .copied()
        .filter(|index| *index >= transcript.outside)
        .collect();
    for run in runs(&listed) {
        let (first, next) = (run[0], run[run.len() - 1] + 1);
        let start = messages[first].span.start;
        // Only what comes to stand before the first kept message is taken along; nothing kept means a message of its own.
        let splice = match (next == summary.first_kept)
            .then(|| message.take())
            .flatten()
        {
            Some(message) => Splice {
                span: Span {
                    start,
                    end: messages[next - 1].span.end,
                },
                bytes: message,
            },
            None => Splice {
                span: Span {
                    start,
                    end: messages[next].span.start,
                },
                bytes: Vec::new(),
            },
        };
        edits.splice(0, splice);
    }
    if let Some(message) = message {
        edits.splice(
            0,
            insert_after(transcript, summary.first_kept - 1, &message),
        );
    }
}

/// Puts a message behind message `index`, with the separator that the list has elsewhere.
fn insert_after(transcript: &Transcript<'_>, index: usize, message: &[u8]) -> Splice {
    let end = transcript.messages[index].span.end;
    Splice {
        span: Span { start: end, end },
        bytes: [separator(transcript, index), message].concat(),
    }
}

/// What stands between message `index` and the next element of the list; of the last one, before it.
fn separator<'a>(transcript: &Transcript<'a>, index: usize) -> &'a [u8] {
    let elements = transcript.list_elements();
    let end = transcript.messages[index].span.end;
    let at = elements
        .partition_point(|element| element.end <= end)
        .saturating_sub(1);
    let neighbour = at.min(elements.len().saturating_sub(2));
    match elements.get(neighbour + 1) {
        Some(next) => &transcript.record_of(index)[elements[neighbour].end..next.start],
        None => b", ",
    }
}

/// A summary in records of one message each: the summarised ones go, the
/// summary is written where the first of them stood that no system message follows.
fn summarize_records(
    transcript: &Transcript<'_>,
    summary: &Summary,
    message: Option<Vec<u8>>,
    edits: &mut Edits,
) {
    let messages = &transcript.messages;
    for &index in &summary.messages {
        edits.remove(messages[index].record);
    }
    let Some(line) = message else { return };
    let last_system = summary.kept_system.last().copied();
    match summary
        .messages
        .iter()
        .find(|index| last_system.is_none_or(|system| **index > system))
    {
        Some(&first) => {
            let span = Span {
                start: 0,
                end: transcript.record_of(first).len(),
            };
            edits.records[messages[first].record] =
                Some(RecordEdit::Splice(vec![Splice { span, bytes: line }]));
        }
        None => {
            let index = summary.first_kept - 1;
            let end = transcript.record_of(index).len();
            edits.splice(
                messages[index].record,
                Splice {
                    span: Span { start: end, end },
                    bytes: [b"\n".as_slice(), &line].concat(),
                },
            );
        }
    }
}

/// Runs of consecutive indices.
fn runs(indices: &[usize]) -> impl Iterator<Item = &[usize]> {
    indices.chunk_by(|one, next| one + 1 == *next)
}
