//! What a plan removes, on its way into the archive.

use crate::archive::markdown;
use crate::archive::secrets::mask_secrets;
use crate::conversation::Conversation;
use crate::output::OutputTree;
use crate::plan::{Plan, Stage, Summary, overlay_edits};
use crate::report::RedactionCounts;
use crate::transcript::view::TranscriptView;
use std::borrow::Cow;
use std::path::PathBuf;
use time::OffsetDateTime;

/// Appends the archive's section about one summary; earlier summaries are not archived again.
pub fn section(
    view: TranscriptView<'_, '_>,
    summary: &Summary,
    now: OffsetDateTime,
    out: &mut Vec<u8>,
) {
    let new: Vec<usize> = summary
        .messages
        .iter()
        .copied()
        .filter(|&index| !view.message(index).earlier_summary)
        .collect();
    markdown::push_summarized_section(now, out, |out| {
        markdown::push_history(view, &new, None, out)
    });
}

/// Masks the secrets in archive files.
pub fn redact(files: &mut [(PathBuf, Cow<'_, [u8]>)], redacted: &mut Option<RedactionCounts>) {
    let redacted = redacted.get_or_insert_default();
    for (_, text) in files {
        let plain = String::from_utf8_lossy(text);
        let (masked, count) = mask_secrets(&plain);
        redacted.archive += count;
        *text = Cow::Owned(masked.into_owned().into_bytes());
    }
}

/// Writes archive files, all or none.
pub fn write_all(tree: &OutputTree, files: &[(PathBuf, Cow<'_, [u8]>)]) -> Result<(), String> {
    for (written, (path, text)) in files.iter().enumerate() {
        if let Err(error) = tree.write_archive_file(path, text) {
            files[..written]
                .iter()
                .for_each(|(path, _)| tree.remove_archive_file(path));
            return Err(crate::error::describe_with_causes(&error));
        }
    }
    Ok(())
}

/// What goes into the history: pruned results as the stage found them, then what is summarised as that stage found it.
pub fn sections(one: &Conversation<'_>, plan: &Plan, now: OffsetDateTime) -> Vec<u8> {
    let mut sections = Vec::new();
    let pruned: Vec<usize> = plan.prunings().map(|pruning| pruning.message).collect();
    if !pruned.is_empty() {
        let overlay = overlay_edits(&one.transcript, &plan.edits_before(Stage::Prune));
        let view = TranscriptView {
            transcript: &one.transcript,
            overlay: &overlay,
        };
        markdown::push_pruned_section(now, &mut sections, |out| {
            markdown::push_history(view, &pruned, None, out)
        });
    }
    if let Some(summary) = plan.summary() {
        let overlay = overlay_edits(&one.transcript, &plan.edits);
        let view = TranscriptView {
            transcript: &one.transcript,
            overlay: &overlay,
        };
        section(view, summary, now, &mut sections);
    }
    sections
}
