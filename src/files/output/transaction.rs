//! A run as a transaction: its files are staged, and published in groups. A group appears as a
//! whole, even if the run dies on the way.

use crate::files::archive::path_below::PathBelow;
use crate::files::output::absence::has_entry;
use crate::files::output::directories::{create_parents, file_names};
use crate::files::output::error::{OverwriteError, WriteError};
use crate::files::output::group::{FinishedOutput, GroupPlace, PendingGroup, PendingOutput};
use crate::files::output::journal::{JournalEntry, PublicationPart};
use crate::files::output::publication::rename_below;
use crate::files::output::run_directory::RunDirectory;
use crate::files::output::staged_file::{
    MAX_SYNCED_SINGLY, RunRoot, StagedFile, StagedName, sync_directories, sync_file,
    sync_file_system,
};
use crate::files::output::standing_outputs::StandingOutputs;
use crate::files::output::tree::OutputTree;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{MutexGuard, PoisonError};

/// A group is published as soon as it holds more than this part of the outputs before it. So a run
/// that is killed loses at most this part of its work, and many outputs take few syncs.
const GROUP_SHARE: usize = 4;

impl OutputTree {
    /// Begins an output. Its archive files wait for it.
    pub(crate) fn begin_output(&self, relative: &Path) -> PendingOutput {
        let marks = [
            self.output_run().and_then(RunDirectory::journal_length),
            self.opened_archive_run().and_then(RunDirectory::journal_length),
        ];
        PendingOutput::new(relative, self.origins.of(relative), marks, self.new_spool())
    }

    /// Adds archive files to an output. If the output is stdout they are published at once, since
    /// the bytes that rely on them follow. Fails if they can't be published or noted.
    pub(crate) fn push_archives(
        &self,
        pending: &mut PendingOutput,
        files: Vec<StagedName>,
    ) -> Result<(), WriteError> {
        for file in &files {
            pending.push_file(file, self.meets_earlier_files())?;
        }
        if self.is_stdout() {
            return self.publish_at_once(files);
        }
        files.into_iter().try_for_each(|file| self.join(file, PublicationPart::Archive))
    }

    /// Adds a whole output to the next publication. Fails if it can't be noted.
    pub(crate) fn finish_output(
        &self,
        pending: PendingOutput,
        finished: FinishedOutput,
    ) -> Result<(), WriteError> {
        if let Some(standing) = &self.standing {
            if self.stands_already(standing, &pending, &finished)? {
                self.committed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                return self.abandon_output(&pending);
            }
            self.note_replacement(standing, &pending)?;
        }
        match finished.originals {
            Some(originals) => self.join(originals, PublicationPart::Archive)?,
            None => self.remove_originals(&pending.relative)?,
        }
        if let Some(output) = finished.output {
            self.join(output, PublicationPart::Result)?;
        }
        let mut group = self.group();
        let group = group.get_or_insert_with(|| self.new_group());
        group.push_output(pending, finished.seal)?;
        Ok(())
    }

    /// Takes an output back: nothing of it is published. Fails if the journal can't be written.
    pub(crate) fn abandon_output(&self, pending: &PendingOutput) -> Result<(), WriteError> {
        let [output, archive] = pending.marks;
        if let Some(run) = self.output_run() {
            run.rewind(output)?;
        }
        match self.opened_archive_run() {
            Some(run) => run.rewind(archive),
            None => Ok(()),
        }
    }

    /// Adds a whole output without archive files to the next publication. Fails if it can't be
    /// noted.
    pub(crate) fn join_output(&self, file: StagedName) -> Result<(), WriteError> {
        let output = file.relative.clone();
        self.join(file, PublicationPart::Result)?;
        let mut group = self.group();
        let group = group.get_or_insert_with(|| self.new_group());
        group.outputs.insert(output);
        Ok(())
    }

    /// Adds a result file to the next publication. Fails if it can't be written or noted.
    pub(crate) fn join_result(&self, file: StagedFile) -> Result<(), WriteError> {
        self.join(file.finish()?, PublicationPart::Result)
    }

    /// Adds a result file under another name in the same directory to the next publication. Fails
    /// if it can't be noted.
    pub(crate) fn join_result_as(
        &self,
        mut file: StagedName,
        relative: &str,
    ) -> Result<(), WriteError> {
        file.relative = PathBelow::new(Path::new(relative))?;
        self.join(file, PublicationPart::Result)
    }

    /// Removes the files of an earlier run in a folder of results that this run does not write.
    /// Does nothing without `force`. Fails if the folder can't be read, or it can't be noted.
    pub(crate) fn remove_other_results(
        &self,
        folder: &str,
        written: &BTreeSet<String>,
    ) -> Result<(), WriteError> {
        if !self.guard.force {
            return Ok(());
        }
        for name in file_names(&self.root_of(RunRoot::Output).join(folder))? {
            let relative = format!("{folder}/{name}");
            if !written.contains(&relative) {
                self.remove_result(&relative)?;
            }
        }
        Ok(())
    }

    fn join(&self, mut file: StagedName, part: PublicationPart) -> Result<(), WriteError> {
        let entry = JournalEntry::Publish {
            staged: file.number,
            path: file.relative.clone(),
            part,
            replaces: self.guard.force || file.shared,
        };
        self.push_entry(file.root, &entry)?;
        file.set_joined();
        Ok(())
    }

    pub(super) fn push_entry(&self, root: RunRoot, entry: &JournalEntry) -> Result<(), WriteError> {
        self.run_of(root)?.push(entry)?;
        let mut group = self.group();
        group.get_or_insert_with(|| self.new_group()).has_entries = true;
        Ok(())
    }

    fn group(&self) -> MutexGuard<'_, Option<PendingGroup>> {
        self.group.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new_group(&self) -> PendingGroup {
        PendingGroup::new(&self.spool_directory())
    }

    /// Removes a file of an earlier run with the next publication, unless it is an input. Does
    /// nothing if there is no such file, or nothing may be replaced.
    pub(super) fn push_removal(&self, root: RunRoot, relative: &Path) -> Result<(), WriteError> {
        let path = self.root_of(root).join(relative);
        if !self.guard.force || !has_entry(&path)? || self.guard.is_input(&path) {
            return Ok(());
        }
        self.push_entry(root, &JournalEntry::Remove { path: PathBelow::new(relative)? })
    }

    /// Removes the originals that an earlier run kept for the same output.
    fn remove_originals(&self, output: &Path) -> Result<(), WriteError> {
        if self.opened_archive_run().is_none() {
            return Ok(());
        }
        self.push_removal(RunRoot::Archive, &crate::files::archive::originals_path(output))
    }

    /// Removes a result file of an earlier run that this run does not write. Does nothing without
    /// `force`. Fails if it can't be noted.
    pub(crate) fn remove_result(&self, relative: &str) -> Result<(), WriteError> {
        self.push_removal(RunRoot::Output, Path::new(relative))
    }

    /// Publishes the group if enough outputs wait. Where files of an earlier run are replaced they
    /// wait for the end, so that they are replaced as a whole. Fails as [`OutputTree::commit`]
    /// does.
    pub(crate) fn commit_if_due(&self) -> Result<(), WriteError> {
        let pending = self.group().as_ref().map_or(0, |group| group.outputs.len());
        let committed = self.committed.load(std::sync::atomic::Ordering::Relaxed);
        let standing = self.standing.as_ref();
        let waits = self.replaces || standing.is_some_and(StandingOutputs::are_replaced);
        if waits || self.is_stdout() || pending <= committed / GROUP_SHARE {
            return Ok(());
        }
        self.commit_group(GroupPlace::Within)
    }

    /// Publishes everything that waits, at the end of the run. Fails if a file can't be synced or
    /// renamed. Then either nothing is published, or everything: now, or by the next run in the
    /// directory.
    pub(crate) fn commit(&self) -> Result<(), WriteError> {
        self.commit_group(GroupPlace::Last)
    }

    fn commit_group(&self, place: GroupPlace) -> Result<(), WriteError> {
        let group = self.group().take();
        let Some(group) = group.filter(|group| group.has_entries) else {
            return Ok(());
        };
        let outputs = group.outputs.len();
        self.stage_manifest(group, place)?;
        // The group that held these entries is the one that is published now.
        self.group().take();
        let archive = self.opened_archive_run();
        let followers: Vec<&RunDirectory> = archive.into_iter().collect();
        match self.output_run() {
            Some(output) if !self.shares_root => publish(output, &followers)?,
            Some(output) => publish(output, &[])?,
            None => followers.iter().try_for_each(|archive| publish(archive, &[]))?,
        }
        self.committed.fetch_add(outputs, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    }

    /// Publishes files that nothing else belongs to, each as a whole. Fails if one can't be
    /// written, synced or renamed.
    pub(crate) fn publish_at_once(&self, files: Vec<StagedName>) -> Result<(), WriteError> {
        let Some(first) = files.first() else {
            return Ok(());
        };
        let many = files.len() > MAX_SYNCED_SINGLY;
        let synced = many && sync_file_system(first.path().parent().unwrap_or(first.path()))?;
        if !synced {
            files.iter().try_for_each(|file| sync_file(file.path()))?;
        }
        let mut touched = BTreeSet::new();
        for mut file in files {
            let root = self.root_of(file.root);
            let relative = file.relative.as_path();
            create_parents(root, relative, self.access)?;
            let path = root.join(relative);
            if !self.guard.force && has_entry(&path)? {
                return Err(OverwriteError::Exists(path).into());
            }
            rename_below(file.path(), root, &file.relative).map_err(WriteError::of_file(&path))?;
            let parents = relative.ancestors().skip(1);
            touched.extend(parents.map(|parent| root.join(parent)));
            file.set_joined();
        }
        sync_directories(touched)
    }

    /// Writes and publishes one result file at once, over an earlier one. Fails if it can't be
    /// written, synced or renamed.
    pub(crate) fn publish_result(&self, file: StagedFile) -> Result<(), WriteError> {
        self.publish_at_once(vec![file.finish()?])
    }
}

/// Publishes what waits in `decider` and in those that follow its decision.
fn publish(decider: &RunDirectory, followers: &[&RunDirectory]) -> Result<(), WriteError> {
    for run in followers {
        run.prepare()?;
    }
    decider.prepare()?;
    let decided = decider.decide();
    if !decider.is_unfinished() {
        return decided;
    }
    followers.iter().for_each(|run| run.set_unfinished());
    let published = publish_decided(decider, followers);
    if published.is_err() {
        // An error may pass. If it does not, the next run completes the publication.
        let _ = publish_decided(decider, followers);
    }
    decided.and(published)
}

/// Makes the moves of a decided publication, or those that are left.
fn publish_decided(decider: &RunDirectory, followers: &[&RunDirectory]) -> Result<(), WriteError> {
    let runs = || followers.iter().copied().chain([decider]);
    let unfinished = || runs().filter(|run| run.is_unfinished());
    for run in followers.iter().filter(|run| run.is_unfinished()) {
        run.follow_decision()?;
    }
    for part in [PublicationPart::Archive, PublicationPart::Result] {
        for run in unfinished() {
            run.publish_part(part)?;
        }
    }
    for run in unfinished() {
        run.remove_stale()?;
    }
    for run in unfinished() {
        run.complete()?;
    }
    Ok(())
}
