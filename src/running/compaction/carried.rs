//! A plan that is carried out: the bytes that change, after the archive holds
//! what they no longer say.

use crate::files::archive::{history::SectionClock, names::NameRule};
use crate::running::apply::{Outcome, apply};
use crate::running::compaction::archive_files::{
    ArchiveFile, HistorySections, KeptFile, mask_archive_files, write_archive_files,
};
use crate::running::compaction::expected::{Job, require_place_in_log};
use crate::running::compaction::filled::Filled;
use crate::running::compaction::planned::{CompactionError, FailedCompaction};
use crate::running::compaction::prelude::*;

#[derive(Clone, Copy)]
pub(crate) struct Archive<'a> {
    pub place: ArchivePlace<'a>,
    /// The time that the sections of histories bear.
    pub clock: SectionClock,
}

#[derive(Clone, Copy)]
pub(crate) enum ArchivePlace<'a> {
    /// The archive directory of a run.
    Directory {
        /// The directories of the run.
        tree: &'a OutputTree,
        /// The rule by which files are named.
        rule: NameRule,
    },
    /// They leave with the result of their unit.
    Memory,
}

/// A conversation whose plan is carried out.
pub(crate) struct Carried<'c, 'u> {
    /// The plan, with its summary.
    pub filled: Filled<'c, 'u>,
    /// The bytes that change.
    pub outcome: Outcome,
    /// The archive files of what the plan removes.
    pub archived: ArchivedFiles,
}

#[derive(Debug)]
pub(crate) struct ArchivedFiles {
    /// The history below the archive directory, if something was added to it.
    pub history: Option<String>,
    /// The files of evicted results and messages, below the archive directory.
    pub evicted: Vec<String>,
    /// The files in the archive directory. They get their names with the output.
    pub staged: Vec<StagedName>,
    /// The files in memory.
    pub kept: Vec<KeptFile>,
}

/// A conversation whose plan is carried out in memory.
pub(crate) struct CarriedInMemory<'c, 'u> {
    /// The plan, with its summary.
    pub filled: Filled<'c, 'u>,
    /// The bytes that change.
    pub outcome: Outcome,
    /// The sections that the history would get, in Markdown.
    pub history: Vec<u8>,
}

impl<'c, 'u> Filled<'c, 'u> {
    /// Carries the plan out without an archive: what it removes is returned. Fails if the log has
    /// no place for a compaction.
    pub(crate) fn carry_out_in_memory(
        self,
        now: OffsetDateTime,
    ) -> Result<CarriedInMemory<'c, 'u>, Box<FailedCompaction<'c, 'u>>> {
        match catch_panic(|| self.outcome(Job::Compact)) {
            Ok(outcome) => Ok(CarriedInMemory {
                history: self.history_sections(Some(now)).render(),
                filled: self,
                outcome,
            }),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Carries the plan out: makes the edits of its records, and archives what they remove. Fails
    /// if the log has no place for a compaction, or the archive can't be written.
    pub(crate) fn carry_out(
        mut self,
        job: Job,
        archive: Archive<'_>,
    ) -> Result<Carried<'c, 'u>, Box<FailedCompaction<'c, 'u>>> {
        let carried = catch_panic(|| {
            let outcome = self.outcome(job)?;
            let archived = self.archive(archive)?;
            Ok((outcome, archived))
        });
        match carried {
            Ok((outcome, archived)) => Ok(Carried { filled: self, outcome, archived }),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(self, error: CompactionError) -> Box<FailedCompaction<'c, 'u>> {
        Box::new(FailedCompaction { planned: self.planned, notes: self.notes, error })
    }

    fn outcome(&self, job: Job) -> Result<Outcome, CompactionError> {
        let (conversation, plan) = (self.conversation(), self.plan());
        if job.conversion().is_some() {
            return Ok(Outcome::default());
        }
        require_place_in_log(conversation, plan)?;
        let transcript = &conversation.transcript;
        Ok(apply(transcript, conversation.format, plan, self.text()))
    }

    fn history_sections(&self, now: Option<OffsetDateTime>) -> HistorySections<'_> {
        HistorySections {
            transcript: &self.conversation().transcript,
            plan: self.plan(),
            policy: &self.planned.settings.policy.archive,
            now,
        }
    }

    /// Archives what the plan removes.
    fn archive(&mut self, archive: Archive<'_>) -> Result<ArchivedFiles, CompactionError> {
        let conversation = self.conversation();
        let mut files: Vec<ArchiveFile<'_>> = self
            .plan()
            .evictions()
            .map(|eviction| ArchiveFile::evicted_result(conversation, eviction))
            .collect();
        let name_of = |file: &ArchiveFile<'_>| file.path.to_string_lossy().into_owned();
        let evicted = files.iter().map(name_of).collect();
        let mut history = None;
        let now = archive.clock.time_of(&conversation.transcript);
        let sections = self.history_sections(now);
        if !sections.is_empty() {
            let file = ArchiveFile::history(conversation, sections);
            history = Some(name_of(&file));
            files.push(file);
            let media = sections.media().into_iter();
            files.extend(media.map(|(name, bytes)| ArchiveFile::media(&name, bytes)));
        }
        let redaction = self.planned.settings.policy.redact;
        let masked = redaction.is_on().then(|| mask_archive_files(&mut files, redaction));
        let (mut staged, mut kept) = (Vec::new(), Vec::new());
        match archive.place {
            ArchivePlace::Memory => {
                let files = files.iter().map(KeptFile::from_archive_file);
                kept = files.collect::<Result<Vec<_>, _>>()?;
            }
            ArchivePlace::Directory { tree, rule } => {
                staged = write_archive_files(tree, &files, rule == NameRule::Content)?;
            }
        }
        if let Some(masked) = masked {
            self.notes.redacted.get_or_insert_default().archive += masked;
        }
        Ok(ArchivedFiles { history, evicted, staged, kept })
    }
}
