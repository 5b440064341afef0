//! Marks what comes after something in a conversation that was not read: no answer there can be
//! understood, so none is trained on.

use crate::running::conversation::prelude::*;

/// Marks the messages behind the first element of the list that was not read.
pub(super) fn mark_behind_elements(transcript: &mut Transcript<'_>) {
    let Some(unread) = transcript.unread.first().map(|unread| unread.span.start) else {
        return;
    };
    let mut listed = transcript.messages[transcript.outside..].iter();
    let behind = listed.position(|message| message.span.start > unread);
    mark_from(transcript, behind.map(|index| transcript.outside + index));
}

/// Marks the messages behind the first of these lines, which were not read. Lines that a summary
/// left behind no longer count.
pub(super) fn mark_behind_lines(transcript: &mut Transcript<'_>, lines: impl Iterator<Item = u64>) {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return;
    }
    let placed: Vec<u64> =
        (0..transcript.messages.len()).map(|index| line_of(transcript, index)).collect();
    let mut spoken = transcript.messages.iter();
    let summarized = spoken
        .find(|message| !message.role.is_system())
        .is_some_and(|message| message.earlier_summary);
    let oldest = placed.iter().copied().filter(|line| *line > 0).min();
    let oldest = oldest.filter(|_| summarized).unwrap_or_default();
    let first = lines.filter(|line| *line > oldest).min();
    let behind = first.and_then(|first| placed.iter().position(|line| *line > first));
    mark_from(transcript, behind);
}

/// Returns the last line that a message was read from. A system prompt may be in none.
fn line_of(transcript: &Transcript<'_>, index: usize) -> u64 {
    let sources = transcript.message_sources(index).iter();
    let own = transcript.sources.is_empty();
    let own = own.then(|| transcript.messages[index].record);
    let records = sources.map(|(record, _)| *record).chain(own);
    let lines = records.map(|record| transcript.records[record].line);
    lines.max().unwrap_or_default()
}

fn mark_from(transcript: &mut Transcript<'_>, index: Option<usize>) {
    for message in transcript.messages.iter_mut().skip(index.unwrap_or(usize::MAX)) {
        message.behind_unread = true;
    }
}
