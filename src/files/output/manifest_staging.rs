//! The manifest as a part of each publication.

use crate::files::archive::manifest::{
    ManifestLine, manifest_part_path, manifest_path, visit_manifest_lines,
};
use crate::files::archive::path_below::{ArchiveFilePath, PathBelow};
use crate::files::input::{manifest_files, manifest_parts, open_if_exists};
use crate::files::output::group::{GroupPlace, PendingGroup};
use crate::files::output::journal::{JournalEntry, PublicationPart};
use crate::files::output::staged_file::{RunRoot, StagedFile};
use crate::files::output::{absence::has_entry, error::WriteError, tree::OutputTree};
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::Path;

/// Archive files that the manifest named before.
#[derive(Default)]
struct EarlierFiles {
    /// Those of outputs that are replaced.
    of_replaced: HashSet<ArchiveFilePath>,
    /// Those of all other outputs.
    of_others: HashSet<ArchiveFilePath>,
}

impl OutputTree {
    /// Stages the lines of the manifest about a group. Within a run they are a part by themselves,
    /// so that nothing is written twice; at its end all parts become one manifest.
    pub(super) fn stage_manifest(
        &self,
        group: PendingGroup,
        place: GroupPlace,
    ) -> Result<(), WriteError> {
        let staged = match place {
            GroupPlace::Within => self.stage_manifest_part(group),
            GroupPlace::Last => self.stage_whole_manifest(group),
        };
        let manifest = || self.archive_directory().join(manifest_path());
        staged.map_err(|error| error.naming(&manifest()))
    }

    fn stage_manifest_part(&self, group: PendingGroup) -> Result<(), WriteError> {
        if group.lines.is_empty() {
            return Ok(());
        }
        let number = manifest_parts(self.archive_directory())
            .map_err(io::Error::other)?
            .last()
            .map_or(1, |last| last + 1);
        let mut file = self.create_manifest(&manifest_part_path(number))?;
        group.lines.copy_into(&mut file)?;
        self.join_manifest(file)
    }

    /// Stages the manifest: the lines about other outputs, and those of this run. What replaced
    /// outputs had in the archive, and this run does not write, is removed.
    fn stage_whole_manifest(&self, group: PendingGroup) -> Result<(), WriteError> {
        let parts = manifest_parts(self.archive_directory()).map_err(io::Error::other)?;
        let mut earlier = Vec::new();
        for path in manifest_files(self.archive_directory()).map_err(io::Error::other)? {
            if has_entry(&self.archive_directory().join(&path))? {
                earlier.push(path);
            }
        }
        if earlier.is_empty() && group.lines.is_empty() {
            return Ok(());
        }
        let mut file = self.create_manifest(&manifest_path())?;
        let mut files = EarlierFiles::default();
        for path in &earlier {
            self.copy_lines(path, &group, &mut file, &mut files)?;
        }
        group.lines.copy_into(&mut file)?;
        self.join_manifest(file)?;
        for number in parts {
            let path = PathBelow::new(&manifest_part_path(number))?;
            self.push_entry(RunRoot::Archive, &JournalEntry::Remove { path })?;
        }
        for file in files.of_replaced {
            if !files.of_others.contains(&file)
                && !group.files.contains(&PathBelow::new(file.as_path())?)
            {
                self.push_removal(RunRoot::Archive, file.as_path())?;
            }
        }
        Ok(())
    }

    /// Copies the lines of an earlier manifest, but for those about outputs of this group.
    fn copy_lines(
        &self,
        path: &Path,
        group: &PendingGroup,
        file: &mut StagedFile,
        files: &mut EarlierFiles,
    ) -> Result<(), WriteError> {
        let Some(lines) =
            open_if_exists(self.archive_directory(), path).map_err(io::Error::other)?
        else {
            return Ok(());
        };
        let copied = visit_manifest_lines(lines, |line| {
            let is_replaced = line.output().is_some_and(|output| group.outputs.contains(output));
            if let ManifestLine::ArchiveFile(recorded) = &line
                && self.meets_earlier_files()
            {
                let names = if is_replaced { &mut files.of_replaced } else { &mut files.of_others };
                names.insert(recorded.file.clone());
            }
            if !is_replaced {
                line.write_to(file)?;
            }
            Ok(())
        });
        copied.map_err(|source| WriteError::Manifest {
            path: self.archive_directory().join(path),
            source,
        })
    }

    fn create_manifest(&self, relative: &Path) -> Result<StagedFile, WriteError> {
        let run = self.run_of(RunRoot::Archive)?;
        let mut file =
            StagedFile::create(run.new_staged(RunRoot::Archive, relative, self.access)?)?;
        ManifestLine::version().write_to(&mut file)?;
        Ok(file)
    }

    fn join_manifest(&self, mut file: StagedFile) -> Result<(), WriteError> {
        file.flush()?;
        let mut file = file.finish()?;
        let entry = JournalEntry::Publish {
            staged: file.number,
            path: file.relative.clone(),
            part: PublicationPart::Archive,
            // Its lines about other outputs are kept.
            replaces: true,
        };
        self.push_entry(RunRoot::Archive, &entry)?;
        file.set_joined();
        Ok(())
    }
}
