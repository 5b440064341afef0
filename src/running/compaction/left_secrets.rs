//! The secrets that a compaction leaves in the messages that keep their own bytes.

use crate::base::secrets::Redaction;
use crate::convert::masked_json::count_masked;
use crate::deciding::plan::{Fate, Plan};
use crate::reading::json::Span;
use crate::reporting::report::TranscriptReport;
use crate::running::compaction::job::Job;
use crate::running::conversation::Conversation;

/// Counts the secrets in the messages that stay as they are, where secrets are masked and the
/// messages leave in their own bytes. Without a plan all of them stay.
pub(super) fn count_left(
    conversation: &Conversation<'_>,
    plan: Option<&Plan>,
    job: Job,
    redaction: Redaction,
    report: &mut TranscriptReport,
) {
    if !redaction.is_on() || job.conversion().is_some() {
        return;
    }
    let transcript = &conversation.transcript;
    let fates = plan.map(Plan::fates);
    let is_kept = |index: usize| {
        let fate = fates.as_ref().and_then(|fates| fates.get(index));
        fate.is_none_or(|fate| matches!(fate, Fate::Kept | Fate::Truncated))
    };
    let mut spans: Vec<(usize, Span)> = (0..transcript.messages.len())
        .filter(|&index| is_kept(index))
        .map(|index| (index, transcript.messages[index].span))
        .collect();
    // Messages of one element share its place.
    spans.dedup_by_key(|(index, span)| (transcript.messages[*index].record, *span));
    let left = spans
        .into_iter()
        .map(|(index, span)| count_masked(transcript.bytes(index, span), redaction));
    let tools = transcript.tools.map_or(0, |tools| {
        count_masked(tools.slice(transcript.records[0].bytes), redaction)
    });
    report.redacted.get_or_insert_default().left += tools + left.sum::<u64>();
}
