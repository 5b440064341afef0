//! The bytes of single edited messages.

use crate::deciding::plan::Plan;
use crate::reading::json::Span;
use crate::reading::transcript::Transcript;
use crate::reading::transcript::splice::{Splice, apply_splices};
use crate::running::apply::{RecordEdit, apply};
use crate::running::conversation::Conversation;
use std::collections::BTreeMap;

/// Returns the splices that a plan asks for, by record and in the order of their spans.
pub(super) fn splices_by_record(
    conversation: &Conversation<'_>,
    plan: &Plan,
) -> BTreeMap<usize, Vec<Splice>> {
    if plan.is_empty() && conversation.transcript.dropped.is_empty() {
        return BTreeMap::new();
    }
    apply(&conversation.transcript, conversation.format, plan, None)
        .records
        .into_iter()
        .filter_map(|(record, edit)| match edit {
            RecordEdit::Splice(mut splices) => {
                splices.sort_by_key(|splice| splice.span);
                Some((record, splices))
            }
            RecordEdit::Remove => None,
        })
        .collect()
}

/// Returns the bytes of message `index` with the splices of its record that lie in it.
pub(super) fn spliced_message(
    transcript: &Transcript<'_>,
    index: usize,
    splices: Option<&Vec<Splice>>,
) -> Vec<u8> {
    let (span, record) = (transcript.messages[index].span, transcript.record_of(index));
    let Some(splices) = splices else {
        return span.slice(record).to_vec();
    };
    let first = splices.partition_point(|splice| splice.span.start < span.start);
    let mut inside: Vec<Splice> = splices[first..]
        .iter()
        .take_while(|splice| splice.span.end <= span.end)
        .map(|splice| Splice {
            span: Span { start: splice.span.start - span.start, end: splice.span.end - span.start },
            bytes: splice.bytes.clone(),
        })
        .collect();
    let mut bytes = Vec::new();
    apply_splices(span.slice(record), &mut inside, &mut bytes);
    bytes
}
