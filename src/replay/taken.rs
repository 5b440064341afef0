//! What is taken out of a thread's context while it is walked: each summary's
//! messages and each pruned result once, as sections of its history, and each
//! evicted result as a file.

use crate::archive::markdown;
use crate::compaction::{ArchiveFile, history_section, mask_archive_files, write_archive_files};
use crate::conversation::Conversation;
use crate::output::OutputTree;
use crate::plan::{Edit, Eviction, Plan, Summary, overlay_edits};
use crate::replay::effective::Effective;
use crate::replay::report;
use crate::strategy::evict::result_text;
use crate::transcript::Transcript;
use crate::transcript::view::TranscriptView;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use time::OffsetDateTime;

/// What was taken out so far.
pub(crate) struct Taken {
    now: OffsetDateTime,
    /// The sections of the history.
    sections: Vec<u8>,
    /// The texts of evicted results, by their files.
    results: BTreeMap<String, String>,
    /// Results that were pruned, by their place in the log.
    pruned: BTreeSet<usize>,
}

impl Taken {
    /// Nothing yet; sections bear this time.
    pub(crate) fn new(now: OffsetDateTime) -> Self {
        Self {
            now,
            sections: Vec::new(),
            results: BTreeMap::new(),
            pruned: BTreeSet::new(),
        }
    }

    /// Whether stage prune took anything.
    pub(crate) fn has_pruned(&self) -> bool {
        !self.pruned.is_empty()
    }

    /// An evicted result. Whether it is the first time.
    pub(crate) fn evict(&mut self, transcript: &Transcript<'_>, eviction: &Eviction) -> bool {
        let Entry::Vacant(place) = self.results.entry(eviction.file.clone()) else {
            return false;
        };
        place.insert(result_text(transcript, eviction.message));
        true
    }

    /// What stage overflow took out of a call, the first time that it does. Returns what it evicted.
    pub(crate) fn shrink(&mut self, effective: &Effective<'_, '_>, plan: &Plan) -> Vec<String> {
        self.prune(effective, plan.prunings().map(|pruning| pruning.message));
        let transcript = &effective.one.transcript;
        plan.evictions()
            .filter(|eviction| self.evict(transcript, eviction))
            .map(|eviction| eviction.call_id.clone())
            .collect()
    }

    /// The results in these places are cleared: adds a section with those that none has yet, as they were sent until now.
    pub(crate) fn prune(
        &mut self,
        effective: &Effective<'_, '_>,
        places: impl IntoIterator<Item = usize>,
    ) {
        let (transcript, seats) = (&effective.one.transcript, &effective.seats);
        let new: Vec<usize> = places
            .into_iter()
            .filter(|place| {
                seats[*place]
                    .logged
                    .is_some_and(|index| self.pruned.insert(index))
            })
            .collect();
        if new.is_empty() {
            return;
        }
        let evictions: Vec<Edit> = new
            .iter()
            .filter_map(|place| seats[*place].eviction().cloned())
            .map(Edit::Evict)
            .collect();
        let overlay = overlay_edits(transcript, &evictions);
        let view = TranscriptView {
            transcript,
            overlay: &overlay,
        };
        markdown::push_pruned_section(self.now, &mut self.sections, |out| {
            markdown::push_history(view, &new, None, out)
        });
    }

    /// Adds a section with what a summary replaces.
    pub(crate) fn summarize(
        &mut self,
        transcript: &Transcript<'_>,
        plan: &Plan,
        summary: &Summary,
    ) {
        let overlay = overlay_edits(transcript, &plan.edits);
        history_section(
            TranscriptView {
                transcript,
                overlay: &overlay,
            },
            summary,
            self.now,
            &mut self.sections,
        );
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// What could not be written, and why.
    pub(crate) fn write(
        self,
        one: &Conversation<'_>,
        tree: &OutputTree,
        redacts: bool,
        entry: &mut report::Entry,
    ) -> Result<(), String> {
        let mut files: Vec<ArchiveFile<'_>> = Vec::new();
        for (name, text) in &self.results {
            files.push(ArchiveFile::evicted_result(one, name, text));
        }
        if !self.sections.is_empty() {
            let history = ArchiveFile::history(one, self.sections);
            entry.archive = Some(history.path.to_string_lossy().into_owned());
            files.push(history);
        }
        if redacts {
            let masked = mask_archive_files(&mut files);
            entry.redacted.get_or_insert_default().archive += masked;
        }
        write_archive_files(tree, &files)
    }
}
