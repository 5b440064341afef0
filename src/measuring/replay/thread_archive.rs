//! The archive of one thread: the messages of each summary and each pruned
//! result once, as sections of the thread's history, and each evicted result as
//! a file. It is kept in memory until the thread ends.

use crate::base::error::describe_with_causes;
use crate::base::secrets::Redaction;
use crate::deciding::plan::{Edit, Eviction, Plan, Stage, Summary, overlay_edits};
use crate::deciding::planner::ClearedResult;
use crate::deciding::policy::ArchivePolicy;
use crate::deciding::strategy::evict::result_text;
use crate::files::archive::history;
use crate::files::output::{OutputTree, StagedName, WriteError};
use crate::measuring::replay::{effective::EffectiveList, thread_report::ThreadReport};
use crate::reading::transcript::{Transcript, view::TranscriptView};
use crate::running::compaction::{
    ArchiveFile, mask_archive_files, pruned_messages, push_summary_section, summary_media,
    write_archive_files,
};
use crate::running::conversation::Conversation;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use thiserror::Error;
use time::OffsetDateTime;

/// The messages removed from the context of one thread so far.
pub(crate) struct ThreadArchive {
    /// The time in the headings of sections.
    now: OffsetDateTime,
    /// The sections of the history.
    sections: Vec<u8>,
    /// The texts of evicted results and user messages, by file. True for those of user messages.
    results: BTreeMap<(bool, String), String>,
    /// The pruned results, by their index in the log.
    pub(super) pruned: BTreeSet<usize>,
    /// The media files that the history refers to, by name.
    media: BTreeMap<String, Vec<u8>>,
}

impl ThreadArchive {
    pub(crate) fn new(now: OffsetDateTime) -> Self {
        Self {
            now,
            sections: Vec::new(),
            results: BTreeMap::new(),
            pruned: BTreeSet::new(),
            media: BTreeMap::new(),
        }
    }

    /// Adds an evicted result. Returns false if it was added before.
    pub(crate) fn add_evicted(&mut self, transcript: &Transcript<'_>, eviction: &Eviction) -> bool {
        let Entry::Vacant(file) = self.results.entry((eviction.human, eviction.file.clone()))
        else {
            return false;
        };
        file.insert(result_text(transcript, eviction.message));
        true
    }

    /// Adds the results that stage overflow evicted or pruned in one call. Returns the call ids of
    /// the results that were not evicted before.
    pub(crate) fn add_overflow(
        &mut self,
        list: &EffectiveList<'_, '_>,
        plan: &Plan,
    ) -> Vec<String> {
        self.add_pruned(list, pruned_messages(plan));
        let transcript = &list.conversation.transcript;
        plan.evictions()
            .filter(|eviction| self.add_evicted(transcript, eviction) && !eviction.human)
            .map(|eviction| eviction.call_id.clone())
            .collect()
    }

    /// Adds the first `count` results that stage prune may clear by their number, and the calls
    /// that are cleared with them.
    pub(crate) fn add_cleared(&mut self, list: &EffectiveList<'_, '_>, count: usize) {
        let cleared = &list.meter.cleared_results()[..count];
        let is_known = |result: &ClearedResult| {
            let logged = list.messages[result.message].logged;
            logged.is_some_and(|logged| self.pruned.contains(&logged))
        };
        let new = cleared.partition_point(is_known);
        let edits = cleared[new..].iter().map(|result| list.pruning_of(result));
        let mut messages = BTreeSet::new();
        edits.for_each(|edit| messages.extend(edit.messages()));
        self.add_pruned(list, messages);
    }

    /// Adds a section with the results of these messages as they were sent so far. Results pruned
    /// before are left out.
    pub(crate) fn add_pruned(
        &mut self,
        list: &EffectiveList<'_, '_>,
        messages: impl IntoIterator<Item = usize>,
    ) {
        let new: Vec<usize> = messages
            .into_iter()
            .filter(|index| {
                list.messages[*index].logged.is_some_and(|logged| self.pruned.insert(logged))
            })
            .collect();
        if new.is_empty() {
            return;
        }
        let evictions: Vec<Edit> = new
            .iter()
            .filter_map(|index| list.messages[*index].eviction().cloned())
            .map(Edit::Evict)
            .collect();
        let transcript = &list.conversation.transcript;
        let overlay = overlay_edits(transcript, &evictions);
        let view = TranscriptView::new(transcript, &overlay);
        let policy = &list.settings.policy.archive;
        let sections = &mut self.sections;
        history::push_section("Pruned", Some(self.now), view, &new, policy, sections);
    }

    /// Adds a section with the messages that a summary replaces.
    pub(crate) fn add_summarized(
        &mut self,
        transcript: &Transcript<'_>,
        plan: &Plan,
        summary: &Summary,
        policy: &ArchivePolicy,
    ) {
        let overlay = overlay_edits(transcript, &plan.edits_before(Stage::Summarize));
        let view = TranscriptView::new(transcript, &overlay);
        push_summary_section(view, summary, Some(self.now), policy, &mut self.sections);
        self.media.extend(summary_media(view, summary, policy));
    }

    /// Stages the archive of a thread in `tree`, masked as `redaction` says, and names it in the
    /// report. Returns its files. Fails with [`ReplayError::Archive`] if a file can't be written; then
    /// no file is left.
    pub(crate) fn write_into(
        self,
        conversation: &Conversation<'_>,
        tree: &OutputTree,
        redaction: Redaction,
        report: &mut ThreadReport,
    ) -> Result<Vec<StagedName>, ReplayError> {
        let mut files: Vec<ArchiveFile<'_>> = self
            .results
            .iter()
            .map(|((human, name), text)| {
                ArchiveFile::rendered_result(conversation, name, *human, text)
            })
            .collect();
        if !self.sections.is_empty() {
            let history = ArchiveFile::rendered_history(conversation, self.sections);
            report.archive = Some(history.path.to_string_lossy().into_owned());
            files.push(history);
        }
        let media = self.media.into_iter();
        files.extend(media.map(|(name, bytes)| ArchiveFile::media(&name, bytes)));
        if redaction.is_on() {
            let masked = mask_archive_files(&mut files, redaction);
            report.redacted.get_or_insert_default().archive += masked;
        }
        Ok(write_archive_files(tree, &files, false)?)
    }
}

/// The reason why the calls of a thread can't be handed on.
#[derive(Debug, Error)]
pub(crate) enum ReplayError {
    /// The messages removed from the context can't be archived.
    #[error("{}", describe_with_causes(.0))]
    Archive(#[from] WriteError),
    /// The training samples can't be spooled to disk.
    #[error("can't write samples to a temporary file: {0}")]
    Spool(#[from] io::Error),
}

impl ReplayError {
    /// Returns the error if it ends the run: the next thread would meet it as well.
    pub(crate) fn into_fault(self) -> Option<WriteError> {
        match self {
            Self::Archive(error) => Some(error).filter(|error| !error.is_refusal()),
            Self::Spool(error) => Some(error.into()),
        }
    }
}
