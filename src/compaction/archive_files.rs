//! Everything that a plan removes, on its way into the archive.

use crate::archive::{HISTORY_DIR, RESULTS_DIR, history};
use crate::conversation::Conversation;
use crate::output::{OutputTree, StagedName, WriteError};
use crate::plan::{Plan, Stage, Summary, overlay_edits};
use crate::secrets::mask_secrets;
use crate::transcript::view::TranscriptView;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

/// A file of the archive.
pub(crate) struct ArchiveFile<'t> {
    /// The path below the archive directory.
    pub path: PathBuf,
    /// The bytes that are appended to it.
    pub bytes: Cow<'t, [u8]>,
}

impl<'t> ArchiveFile<'t> {
    /// The history of a conversation.
    pub(crate) fn history(
        conversation: &Conversation<'_>,
        sections: impl Into<Cow<'t, [u8]>>,
    ) -> Self {
        let name = format!("{}.md", conversation.thread_name);
        Self {
            path: Path::new(HISTORY_DIR).join(name),
            bytes: sections.into(),
        }
    }

    /// An evicted result of a conversation.
    pub(crate) fn evicted_result(
        conversation: &Conversation<'_>,
        file: &str,
        text: &'t str,
    ) -> Self {
        let directory = Path::new(RESULTS_DIR).join(conversation.results_directory());
        Self {
            path: directory.join(file),
            bytes: Cow::Borrowed(text.as_bytes()),
        }
    }
}

/// Masks the secrets in archive files. Returns their number.
pub(crate) fn mask_archive_files(files: &mut [ArchiveFile<'_>]) -> u64 {
    let mut total = 0;
    for file in files {
        let text = String::from_utf8_lossy(&file.bytes);
        let (masked, count) = mask_secrets(&text);
        let masked = masked.into_owned().into_bytes();
        file.bytes = Cow::Owned(masked);
        total += count;
    }
    total
}

/// Stages archive files: all of them, or none.
///
/// # Errors
/// Fails if a file can't be written; those before it are removed then.
pub(crate) fn write_archive_files(
    tree: &OutputTree,
    files: &[ArchiveFile<'_>],
) -> Result<Vec<StagedName>, WriteError> {
    files
        .iter()
        .map(|file| tree.write_archive_file(&file.path, &file.bytes))
        .collect()
}

/// Appends the section of the history about a summary. Earlier summaries are in the archive
/// already.
pub(crate) fn history_section(
    view: TranscriptView<'_, '_>,
    summary: &Summary,
    now: OffsetDateTime,
    out: &mut Vec<u8>,
) {
    let mut messages = summary.messages.clone();
    messages.retain(|&index| !view.message(index).earlier_summary);
    history::push_summarized_section(now, out, |out| {
        history::push_history(view, &messages, None, out);
    });
}

/// Returns the sections that a plan adds to the history: pruned results as stage prune found them,
/// then the summarised messages as stage summarize found them.
pub(super) fn history_sections(
    conversation: &Conversation<'_>,
    plan: &Plan,
    now: OffsetDateTime,
) -> Vec<u8> {
    let transcript = &conversation.transcript;
    let mut sections = Vec::new();
    let pruned: Vec<usize> = plan.prunings().map(|pruning| pruning.message).collect();
    if !pruned.is_empty() {
        let overlay = &overlay_edits(transcript, &plan.edits_before(Stage::Prune));
        let view = TranscriptView {
            transcript,
            overlay,
        };
        history::push_pruned_section(now, &mut sections, |out| {
            history::push_history(view, &pruned, None, out);
        });
    }
    if let Some(summary) = plan.summary() {
        let overlay = &overlay_edits(transcript, &plan.edits);
        let view = TranscriptView {
            transcript,
            overlay,
        };
        history_section(view, summary, now, &mut sections);
    }
    sections
}
