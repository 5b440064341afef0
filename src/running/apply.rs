//! Applies a plan to the records of a conversation, in memory: the bytes of each
//! record that changes, and the evicted results.

use crate::deciding::plan::{Plan, Summary, overlay_edits};
use crate::reading::format::{Format, SummaryPlace, media_columns::place_media, message_thread};
use crate::reading::json::Span;
use crate::reading::transcript::{Role, Transcript};
use crate::reading::transcript::{journal::WriteMode, repeated::RepeatedStretch, splice::Splice};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecordEdit {
    /// Spans of the record are replaced. All other bytes stay.
    Splice(Vec<Splice>),
    /// The record is removed with its line end.
    Remove,
}

/// The result of applying a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Outcome {
    /// The changed records with their indices, in order. All other records leave byte for byte.
    pub records: Vec<(usize, RecordEdit)>,
}

/// Applies `plan` to a transcript of `format`. `summary` is the text that fills the plan's hole;
/// without it a planned summary is left out.
pub(crate) fn apply(
    transcript: &Transcript<'_>,
    format: &dyn Format,
    plan: &Plan,
    summary: Option<&str>,
) -> Outcome {
    let mut edits = RecordEdits::new(transcript.records.len());
    shorten_messages(transcript, format, plan, &mut edits);
    for (record, splice) in &transcript.dropped {
        edits.push_splice(*record, splice.clone());
    }
    if let (Some(planned), Some(text)) = (plan.summary(), summary) {
        insert_summary(transcript, format, plan, planned, text, &mut edits);
    }
    if let Some(repeated) = &transcript.repeated {
        edits.repeat_in_copies(repeated);
    }
    let edits = edits.0.into_iter().enumerate();
    Outcome { records: edits.filter_map(|(index, edit)| Some((index, edit?))).collect() }
}

/// The changes of all records, by index.
struct RecordEdits(Vec<Option<RecordEdit>>);

impl RecordEdits {
    fn new(records: usize) -> Self {
        Self(vec![None; records])
    }

    fn push_splice(&mut self, record: usize, splice: Splice) {
        match &mut self.0[record] {
            Some(RecordEdit::Splice(splices)) => splices.push(splice),
            other => *other = Some(RecordEdit::Splice(vec![splice])),
        }
    }

    fn set(&mut self, record: usize, edit: RecordEdit) {
        self.0[record] = Some(edit);
    }

    /// Makes the edits of a stretch of the first record in its copies, too.
    fn repeat_in_copies(&mut self, repeated: &RepeatedStretch) {
        if let Some(Some(RecordEdit::Splice(splices))) = self.0.first_mut() {
            splices.extend(repeated.splices_of_copies(splices));
        }
    }
}

/// Replaces evicted and pruned results and truncated arguments, in messages that are not
/// summarized.
fn shorten_messages(
    transcript: &Transcript<'_>,
    format: &dyn Format,
    plan: &Plan,
    edits: &mut RecordEdits,
) {
    let summarized: BTreeSet<usize> =
        plan.summary().into_iter().flat_map(|summary| summary.messages.iter().copied()).collect();
    let overlay = overlay_edits(transcript, &plan.edits);
    // A journal that is only appended to holds the cut text in its new record.
    let cut = plan.summary().and_then(|summary| summary.cut.as_ref());
    let is_appended = matches!(transcript.write_mode, WriteMode::Appended { .. });
    let cut = cut.filter(|_| is_appended).map(|cut| cut.message);
    for (&index, text) in &overlay.results {
        if summarized.contains(&index) || cut == Some(index) {
            continue;
        }
        let is_cleared = overlay.cleared.contains(&index);
        let is_user = transcript.messages[index].role == Role::User;
        // The observation of a trajectory may be the user's, whose content is a text or a list.
        let is_whole = is_cleared && format.render_result(text).starts_with(b"\"");
        let splices = if is_user && !is_whole {
            format.replace_user_text(transcript, index, text)
        } else if is_cleared {
            format.clear_result(transcript, index, text)
        } else {
            format.replace_result(transcript, index, text)
        };
        for (record, splice) in splices {
            edits.push_splice(record, splice);
        }
    }
    for (&index, dropped) in &overlay.dropped {
        let message = &transcript.messages[index];
        for splice in dropped.splices(message) {
            edits.push_splice(message.record, splice);
        }
    }
    for ((index, _), arguments) in overlay.arguments {
        if summarized.contains(&index) {
            continue;
        }
        let record = transcript.messages[index].record;
        for splice in arguments.splices {
            edits.push_splice(record, splice);
        }
    }
}

/// Replaces the summarized messages by the summary `text`, in the form that the format gives it.
fn insert_summary(
    transcript: &Transcript<'_>,
    format: &dyn Format,
    plan: &Plan,
    summary: &Summary,
    text: &str,
    edits: &mut RecordEdits,
) {
    let thread = if transcript.message_per_record {
        message_thread(transcript.record_of(summary.messages[0]))
    } else {
        None
    };
    let place = SummaryPlace {
        transcript,
        removed: &summary.messages,
        first_kept: summary.first_kept,
        cut: summary.cut.as_ref(),
        tokens_before: plan.tokens_before,
        thread,
    };
    let mut framed = summary.frame.render(&summary.path, text);
    for splice in place_media(&place, &mut framed) {
        edits.push_splice(0, splice);
    }
    let entry = match framed.as_slice() {
        [(_, text)] => format.place_summary(&place, text),
        messages => {
            let separator = if transcript.message_per_record {
                b"\n"
            } else {
                separator_after(transcript, transcript.outside)
            };
            format.place_messages(&place, messages, separator)
        }
    };
    // A format that notes the summary beside the list leaves the list as it is.
    if !entry.leaves_list {
        if transcript.message_per_record {
            replace_records(transcript, summary, entry.message, edits);
        } else {
            replace_list_items(transcript, summary, entry.message, edits);
        }
    }
    for (record, splice) in entry.splices {
        edits.push_splice(record, splice);
    }
}

/// Replaces the summarized messages of a list. Each is removed with the separator behind it; the
/// summary's message, if it has one of its own, takes the place of the last run of removed
/// messages.
fn replace_list_items(
    transcript: &Transcript<'_>,
    summary: &Summary,
    mut message: Option<Vec<u8>>,
    edits: &mut RecordEdits,
) {
    let messages = &transcript.messages;
    // Messages outside the list, such as an earlier summary, are replaced by the format itself.
    let listed: Vec<usize> =
        summary.messages.iter().copied().filter(|index| *index >= transcript.outside).collect();
    // A message that can't be read stays where it is.
    let runs = listed.chunk_by(|&index, &next| {
        index + 1 == next && transcript.unread_between(index, next).is_none()
    });
    for run in runs {
        let (first, next) = (run[0], run[run.len() - 1] + 1);
        // The summary is directly before the first kept message, so only the run that ends
        // there gives it a place.
        let replacement = if next == summary.first_kept { message.take() } else { None };
        // With a replacement the separator before the first kept message stays.
        let end = if replacement.is_some() {
            messages[next - 1].span.end
        } else {
            let unread = transcript.unread_between(next - 1, next);
            unread.unwrap_or(messages[next].span.start)
        };
        let span = Span { start: messages[first].span.start, end };
        let bytes = replacement.unwrap_or_default();
        edits.push_splice(0, Splice { span, bytes });
    }
    if let Some(message) = message {
        let after = summary.first_kept - 1;
        edits.push_splice(0, insert_after(transcript, after, &message));
    }
}

/// Returns the splice that inserts a message behind message `index`, with the separator that the
/// list uses.
fn insert_after(transcript: &Transcript<'_>, index: usize, message: &[u8]) -> Splice {
    let end = transcript.messages[index].span.end;
    Splice {
        span: Span { start: end, end },
        bytes: [separator_after(transcript, index), message].concat(),
    }
}

/// Returns the bytes between message `index` and the next element of the list, or before it if it
/// is the last.
fn separator_after<'a>(transcript: &Transcript<'a>, index: usize) -> &'a [u8] {
    let elements = transcript.list_elements();
    let end = transcript.messages[index].span.end;
    let at = elements.partition_point(|element| element.end <= end).saturating_sub(1);
    let before = at.min(elements.len().saturating_sub(2));
    match elements.get(before + 1) {
        Some(next) => &transcript.record_of(index)[elements[before].end..next.start],
        None => b", ",
    }
}

/// Replaces summarized messages that are records of their own. The summary takes the place of the
/// first of them that no kept message follows before the cutoff.
fn replace_records(
    transcript: &Transcript<'_>,
    summary: &Summary,
    message: Option<Vec<u8>>,
    edits: &mut RecordEdits,
) {
    for &index in &summary.messages {
        edits.set(transcript.messages[index].record, RecordEdit::Remove);
    }
    let Some(message) = message else { return };
    let last_stays = summary.kept_before.last();
    let replaced =
        summary.messages.iter().find(|index| last_stays.is_none_or(|stays| *index > stays));
    match replaced {
        Some(&index) => {
            let span = Span { start: 0, end: transcript.record_of(index).len() };
            let splice = Splice { span, bytes: message };
            let record = transcript.messages[index].record;
            edits.set(record, RecordEdit::Splice(vec![splice]));
        }
        None => {
            let index = summary.first_kept - 1;
            let end = transcript.record_of(index).len();
            let splice = Splice {
                span: Span { start: end, end },
                bytes: [b"\n".as_slice(), &message].concat(),
            };
            edits.push_splice(transcript.messages[index].record, splice);
        }
    }
}
