//! The comparison of a run's results with those of the interrupted run that it goes on with: what is
//! whole and the same stays as it is.

use crate::files::archive::{originals_path, path_below::PathBelow};
use crate::files::output::absence::{has_entry, look_at};
use crate::files::output::error::{OverwriteError, WriteError};
use crate::files::output::group::{FinishedOutput, PendingOutput};
use crate::files::output::staged_file::{RunRoot, StagedName};
use crate::files::output::{standing_outputs::StandingOutputs, tree::OutputTree};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The bytes that are compared at a time.
const COMPARED_BYTES: usize = 64 << 10;

impl OutputTree {
    /// Returns true if a whole output exists already, with all that belongs to it. It stays.
    pub(super) fn stands_already(
        &self,
        standing: &StandingOutputs,
        pending: &PendingOutput,
        finished: &FinishedOutput,
    ) -> Result<bool, WriteError> {
        let relative = pending.relative.as_path();
        let is_recorded = standing.has_recorded(&PathBelow::new(relative)?);
        if finished.seal.is_some() && !is_recorded {
            return Ok(false);
        }
        let Some(output) = &finished.output else {
            return Ok(false);
        };
        if !self.is_equal(output, RunRoot::Output, relative)? {
            return Ok(false);
        }
        let originals = originals_path(relative);
        let has_originals = match &finished.originals {
            Some(staged) => self.is_equal(staged, RunRoot::Archive, &originals)?,
            None => !has_entry(&self.root_of(RunRoot::Archive).join(&originals))?,
        };
        if !has_originals || !self.has_files(pending)? {
            return Ok(false);
        }
        standing.note_kept();
        Ok(true)
    }

    /// Fails if the archive holds an output of this name that was made of another input, or goes
    /// elsewhere.
    pub(super) fn refuse_other_origin(
        &self,
        standing: &StandingOutputs,
        output: &Path,
    ) -> Result<(), WriteError> {
        if standing.is_of_other_origin(&PathBelow::new(output)?, self.origins.of(output)) {
            return Err(OverwriteError::OtherOrigin(self.archive_directory().join(output)).into());
        }
        Ok(())
    }

    /// Notes that an output takes the place of files of the earlier run, if it does. Fails if one
    /// of them was not made of the same input.
    pub(super) fn note_replacement(
        &self,
        standing: &StandingOutputs,
        pending: &PendingOutput,
    ) -> Result<(), WriteError> {
        let relative = pending.relative.as_path();
        let output = self.root_of(RunRoot::Output).join(relative);
        let originals = self.root_of(RunRoot::Archive).join(originals_path(relative));
        let own = PathBelow::new(relative)?;
        for path in [output, originals] {
            if !has_entry(&path)? {
                continue;
            }
            if !standing.has_origin(&own, pending.origin.as_deref()) {
                return Err(OverwriteError::OtherOrigin(path).into());
            }
            standing.note_replaced();
        }
        for file in &pending.files {
            let path = self.root_of(RunRoot::Archive).join(file.as_path());
            if !has_entry(&path)? {
                continue;
            }
            if !standing.is_file_of(file, &own) {
                return Err(OverwriteError::OtherOrigin(path).into());
            }
            standing.note_replaced();
        }
        Ok(())
    }

    /// Returns true if all archive files of an output exist.
    fn has_files(&self, pending: &PendingOutput) -> Result<bool, WriteError> {
        let root = self.root_of(RunRoot::Archive);
        for file in pending.all_files() {
            if !has_entry(&root.join(file.as_path()))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if a staged file has the bytes of the file whose name it would get.
    fn is_equal(
        &self,
        staged: &StagedName,
        root: RunRoot,
        relative: &Path,
    ) -> Result<bool, WriteError> {
        let path = self.root_of(root).join(relative);
        let (Some(standing), Some(new)) = (look_at(&path)?, look_at(staged.path())?) else {
            return Ok(false);
        };
        // What is no file is not opened: a pipe would wait for a writer.
        if !standing.is_file() || standing.len() != new.len() {
            return Ok(false);
        }
        have_equal_bytes(staged.path(), &path).map_err(WriteError::of_file(&path))
    }
}

/// Compares two files of the same length.
fn have_equal_bytes(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut ones, mut others) = (File::open(one)?, File::open(other)?);
    let (mut left, mut right) = (vec![0; COMPARED_BYTES], vec![0; COMPARED_BYTES]);
    loop {
        let count = ones.read(&mut left)?;
        if count == 0 {
            return Ok(true);
        }
        if others.read_exact(&mut right[..count]).is_err() || left[..count] != right[..count] {
            return Ok(false);
        }
    }
}
