//! The entries of a transcript in the reports of a run, rendered by the thread that has it at hand.

use crate::deciding::policy::Policy;
use crate::files::archive::history::render_history;
use crate::reporting::report::{ComparedMessage, ShownSummary, numbers::count_nouns};
use crate::running::compaction::prelude::*;

/// The kinds of entries that the reports of a run need.
pub(crate) struct EntryKinds(Vec<&'static ReportKind>);

impl EntryKinds {
    /// Returns the kinds of the reports that the user named, and that of the output directory.
    pub(crate) fn of_requests(requests: &[ReportRequest]) -> Self {
        let mut kinds = vec![&JSON_REPORT];
        for request in requests {
            if !kinds.iter().any(|kind| kind.name == request.kind.name) {
                kinds.push(request.kind);
            }
        }
        Self(kinds)
    }

    /// No kinds: nothing is rendered.
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns the place of a kind's entry among those of a transcript, and its writer.
    pub(super) fn find(&self, kind: &ReportKind) -> Option<(usize, &'static dyn EntryReport)> {
        let place = self.0.iter().position(|known| known.name == kind.name)?;
        match self.0[place].writer {
            ReportWriter::Entries(report) => Some((place, report)),
            ReportWriter::Totals(_) => None,
        }
    }

    /// Renders the entry of what could not be read or finished in each kind of report.
    pub(crate) fn render_failure(&self, report: &TranscriptReport) -> Vec<Vec<u8>> {
        self.render(ReportedTranscript { report, is_over_limit: false, texts: None })
    }

    /// Renders the entry of a transcript in each kind of report.
    pub(crate) fn render(&self, transcript: ReportedTranscript<'_>) -> Vec<Vec<u8>> {
        let entries = self.0.iter().map(|kind| match kind.writer {
            ReportWriter::Entries(report) => report.entry(transcript),
            ReportWriter::Totals(_) => Vec::new(),
        });
        entries.collect()
    }
}

/// The bytes of a message that nothing changed in, above which its middle is left out: the log and
/// the archive have it.
const MAX_BYTES: usize = 3_000;
/// The same in a transcript that did not change: there is nothing to compare.
const MAX_UNCHANGED_BYTES: usize = 500;

/// Leaves out the middle of a long text.
fn shorten(text: String, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text;
    }
    let start = text.floor_char_boundary(max_bytes / 2);
    let end = text.ceil_char_boundary(text.len() - max_bytes / 2);
    let left = text[start..end].chars().count();
    format!(
        "{}\n[{} left out here]\n{}",
        &text[..start],
        count_nouns(left, "character"),
        &text[end..]
    )
}

/// Returns the messages before and after `plan`, whose edits put `overlay` in place of the original.
/// `summary` is the text of the summary, if there is one. Texts look as in the archive of `policy`,
/// with secrets masked where it says so.
pub(crate) fn shown_texts(
    conversation: &Conversation<'_>,
    plan: &Plan,
    overlay: &Overlay,
    summary: Option<&str>,
    policy: &Policy,
) -> TranscriptTexts {
    let transcript = &conversation.transcript;
    let none = Overlay::default();
    let mask = |text: String| policy.redact.mask(&text).0.into_owned();
    let text_in = |overlay, index| {
        let view = TranscriptView::new(transcript, overlay);
        mask(render_history(view, &[index], None, &policy.archive))
    };
    let max_bytes = if plan.is_empty() { MAX_UNCHANGED_BYTES } else { MAX_BYTES };
    let tokens = conversation.message_tokens.iter().copied();
    let messages =
        plan.fates().into_iter().zip(tokens).enumerate().map(|(index, (fate, tokens))| {
            ComparedMessage {
                role: transcript.messages[index].role.name(),
                fate,
                tokens,
                text: match fate {
                    Fate::Kept | Fate::Summarized => shorten(text_in(&none, index), max_bytes),
                    _ => text_in(&none, index),
                },
                after: (!matches!(fate, Fate::Kept | Fate::Summarized))
                    .then(|| text_in(overlay, index)),
            }
        });
    let summary = plan.summary().zip(summary);
    TranscriptTexts {
        messages: messages.collect(),
        summary: summary.map(|(summary, text)| ShownSummary {
            before: summary.first_kept,
            text: mask(text.to_owned()),
        }),
    }
}
