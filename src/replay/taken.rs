//! What is taken out of a thread's context while it is walked: each summary's
//! messages and each pruned result once, as sections of its history, and each
//! evicted result as a file.

use crate::archive::{HISTORY_DIR, RESULTS_DIR, markdown};
use crate::conversation::Conversation;
use crate::output::OutputTree;
use crate::plan::{Edit, Eviction, Plan, Summary, overlay_edits};
use crate::replay::compaction::{redact, section, write_all};
use crate::replay::effective::Effective;
use crate::replay::report;
use crate::strategy::evict::result_text;
use crate::transcript::Transcript;
use crate::transcript::view::TranscriptView;
use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
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
        section(
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
        let directory = Path::new(RESULTS_DIR).join(one.results_directory());
        let texts = self
            .results
            .into_iter()
            .map(|(name, text)| (directory.join(name), Cow::Owned(text.into_bytes())));
        let mut files: Vec<(PathBuf, Cow<'_, [u8]>)> = texts.collect();
        let history = Path::new(HISTORY_DIR).join(format!("{}.md", one.thread_name));
        if !self.sections.is_empty() {
            entry.archive = Some(history.to_string_lossy().into_owned());
            files.push((history, Cow::Owned(self.sections)));
        }
        if redacts {
            redact(&mut files, &mut entry.redacted);
        }
        write_all(tree, &files).map_err(|error| error.to_string())
    }
}
