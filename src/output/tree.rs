//! The output directory and the archive directory of a run.

use crate::archive::{ARCHIVE_DIRS, REPORT_FILE, originals_path};
use crate::input::{Compression, InputEntry};
use crate::output::archive_sync::{ReliantOutput, UnsyncedArchives};
use crate::output::atomic_file::AtomicFile;
use crate::output::directories::{create_parents, remove_if_exists, resolve_path};
use crate::output::error::{OverwriteError, WriteError};
use crate::output::overwrite::{OverwriteGuard, refuse_link};
use crate::output::permissions::AccessLimit;
use crate::output::sink::OutputSink;
use crate::output::spool::OutputSpool;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The name of stdout on the command line.
pub(crate) const STDOUT: &str = "-";
/// The archive directory if the output is stdout.
pub(crate) const DEFAULT_ARCHIVE: &str = "epitome-archive";

/// The directories that a run writes into.
pub(crate) struct OutputTree {
    /// The output directory; none for stdout.
    output: Option<PathBuf>,
    archive: PathBuf,
    guard: OverwriteGuard,
    /// Who may use the files that are made from all inputs.
    access: AccessLimit,
    /// Who may use the output of each input.
    output_access: Vec<AccessLimit>,
    unsynced: UnsyncedArchives,
}

impl OutputTree {
    /// Creates the tree of a run that writes one file for each input. Checks first that nothing
    /// that exists would be lost. Nothing is written yet.
    ///
    /// # Errors
    /// Fails if an output exists and `force` is not set, an input would be overwritten, or two
    /// outputs have the same path.
    pub(crate) fn new(
        output: &Path,
        archive: Option<&Path>,
        inputs: &[InputEntry],
        reports: &[PathBuf],
        force: bool,
    ) -> Result<Self, WriteError> {
        let to_stdout = output.as_os_str() == STDOUT;
        if to_stdout && inputs.len() != 1 {
            return Err(OverwriteError::StdoutForInputs {
                inputs: inputs.len(),
            }
            .into());
        }
        let tree = Self::unchecked_tree((!to_stdout).then_some(output), archive, inputs, force);
        let outputs = inputs
            .iter()
            .filter(|input| input.problem.is_none())
            .map(|input| input.output.clone())
            .chain([PathBuf::from(REPORT_FILE)]);
        tree.check_outputs(outputs, reports)?;
        Ok(tree)
    }

    /// Creates the tree of a run that writes the result files `results`, relative to `output`.
    /// Checks the same as [`OutputTree::new`].
    ///
    /// # Errors
    /// Fails as [`OutputTree::new`] does, and if `output` is stdout.
    pub(crate) fn for_results(
        output: &Path,
        results: impl IntoIterator<Item = PathBuf>,
        inputs: &[InputEntry],
        force: bool,
    ) -> Result<Self, WriteError> {
        if output.as_os_str() == STDOUT {
            return Err(OverwriteError::StdoutForResults.into());
        }
        let tree = Self::unchecked_tree(Some(output), None, inputs, force);
        tree.check_outputs(results, &[])?;
        Ok(tree)
    }

    fn unchecked_tree(
        output: Option<&Path>,
        archive: Option<&Path>,
        inputs: &[InputEntry],
        force: bool,
    ) -> Self {
        let archive = archive
            .or(output)
            .unwrap_or_else(|| Path::new(DEFAULT_ARCHIVE));
        Self {
            output: output.map(Path::to_path_buf),
            archive: archive.to_path_buf(),
            guard: OverwriteGuard::new(inputs, force),
            access: AccessLimit::of_inputs(inputs),
            output_access: inputs.iter().map(AccessLimit::of_input).collect(),
            unsynced: UnsyncedArchives::default(),
        }
    }

    /// Checks all paths that the run will write: `outputs`, relative to the output directory, and
    /// `reports`.
    fn check_outputs(
        &self,
        outputs: impl IntoIterator<Item = PathBuf>,
        reports: &[PathBuf],
    ) -> Result<(), WriteError> {
        let outputs: Vec<PathBuf> = outputs.into_iter().collect();
        let outputs = self
            .output
            .iter()
            .flat_map(|output| outputs.iter().map(|path| output.join(path)));
        let mut seen = BTreeSet::new();
        for path in outputs.chain(reports.iter().cloned()) {
            self.guard.check_path(&path)?;
            let real = resolve_path(&path);
            if ARCHIVE_DIRS
                .iter()
                .any(|name| real.starts_with(resolve_path(&self.archive.join(name))))
            {
                return Err(OverwriteError::AmongArchives(path).into());
            }
            if real == resolve_path(&self.archive) {
                return Err(OverwriteError::ArchiveIsOutput(self.archive.clone()).into());
            }
            if !seen.insert(real) {
                return Err(OverwriteError::WrittenTwice(path).into());
            }
        }
        let directories = self.output.iter().chain([&self.archive]);
        for directory in directories {
            refuse_link(directory)?;
        }
        for directory in ARCHIVE_DIRS.map(|name| self.archive.join(name)) {
            self.check_archive_directory(directory)?;
        }
        Ok(())
    }

    /// Checks a directory for archives. The archives of an earlier run may be the only copy of what
    /// that run removed.
    fn check_archive_directory(&self, path: PathBuf) -> Result<(), OverwriteError> {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => Err(OverwriteError::ArchiveIsLink(path)),
            Ok(metadata) if !metadata.is_dir() && !self.guard.force => {
                Err(OverwriteError::ArchiveIsFile(path))
            }
            Ok(_)
                if !self.guard.force
                    && fs::read_dir(&path).is_ok_and(|mut entries| entries.next().is_some()) =>
            {
                Err(OverwriteError::EarlierArchive(path))
            }
            _ => Ok(()),
        }
    }

    /// Returns the archive directory.
    #[must_use]
    pub(crate) fn archive_directory(&self) -> &Path {
        &self.archive
    }

    /// Returns the limit of the files that are made from all inputs.
    #[must_use]
    pub(crate) fn access(&self) -> AccessLimit {
        self.access
    }

    /// Returns the limit of the output of the input with this index.
    #[must_use]
    pub(crate) fn output_access(&self, index: usize) -> AccessLimit {
        self.output_access
            .get(index)
            .copied()
            .unwrap_or(self.access)
    }

    /// Returns true if the output is stdout.
    #[must_use]
    pub(crate) fn is_stdout(&self) -> bool {
        self.output.is_none()
    }

    /// Returns the directory that result files go into.
    fn result_directory(&self) -> &Path {
        self.output.as_deref().unwrap_or(&self.archive)
    }

    /// Writes an archive file below the archive directory. It is durable after
    /// [`OutputTree::sync_archives`] for `output`, which relies on it.
    ///
    /// # Errors
    /// Fails if the file exists or can't be written. No part of it is left then.
    pub(crate) fn write_archive_file(
        &self,
        relative: &Path,
        text: &[u8],
        output: ReliantOutput,
    ) -> Result<(), WriteError> {
        let path = self.archive.join(relative);
        match self.create_archive_file(relative, &path, text) {
            Ok(()) => {
                self.unsynced.push(path, output);
                Ok(())
            }
            Err(source) => Err(WriteError::WriteArchive {
                path,
                source: Box::new(source),
            }),
        }
    }

    fn create_archive_file(
        &self,
        relative: &Path,
        path: &Path,
        text: &[u8],
    ) -> Result<(), WriteError> {
        create_parents(&self.archive, relative, self.access)?;
        let mut access = self.access;
        if self.guard.force {
            self.guard.refuse_input(path)?;
            if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
                return Err(OverwriteError::OutputIsLink(path.to_path_buf()).into());
            }
            access = access.and_file(path);
            remove_if_exists(path)?;
        }
        // Only a new file is opened, so that a link or a name that differs only in case can't lead
        // elsewhere.
        let mut file = access.file_options().open(path)?;
        let written = access.limit_group(&file);
        if let Err(error) = written.and_then(|()| file.write_all(text)) {
            drop(file);
            fs::remove_file(path)?;
            return Err(error.into());
        }
        Ok(())
    }

    /// Waits until all archive files are on the disk. Must be called before `output` is published.
    ///
    /// # Errors
    /// Fails if an archive file that `output` relies on could not be synced.
    pub(crate) fn sync_archives(&self, output: ReliantOutput) -> Result<(), WriteError> {
        self.unsynced.sync_for(output)
    }

    /// Removes the originals that an earlier run kept for the same output. They are not needed if
    /// nothing was removed this time.
    ///
    /// # Errors
    /// Fails if they can't be removed.
    pub(crate) fn remove_originals(&self, relative: &Path) -> Result<(), WriteError> {
        self.remove_unless_input(&self.archive.join(originals_path(relative)))
            .map_err(WriteError::RemoveOriginals)
    }

    /// Removes an archive file whose transcript is not changed after all.
    pub(crate) fn remove_archive_file(&self, relative: &Path) {
        // A failure does no harm: the file only repeats what the output still holds.
        let _ = fs::remove_file(self.archive.join(relative));
    }

    /// Opens the output of an input, with the access that its input allows.
    ///
    /// # Errors
    /// Fails if the file can't be created.
    pub(crate) fn create_output(
        &self,
        relative: &Path,
        compression: Compression,
        access: AccessLimit,
    ) -> Result<OutputSink, WriteError> {
        let Some(output) = &self.output else {
            return Ok(OutputSink::stdout());
        };
        create_parents(output, relative, self.access)?;
        let file = AtomicFile::create(&output.join(relative), access)?;
        OutputSink::file(file, compression)
    }

    /// Opens the file of originals for an output. It is written while the run goes on.
    ///
    /// # Errors
    /// Fails if the file can't be created.
    pub(crate) fn create_originals(&self, relative: &Path) -> Result<AtomicFile, WriteError> {
        let name = originals_path(relative);
        create_parents(&self.archive, &name, self.access)?;
        let path = self.archive.join(name);
        self.guard.refuse_input(&path)?;
        AtomicFile::create(&path, self.access)
    }

    /// Opens a result file.
    ///
    /// # Errors
    /// Fails if the file can't be created.
    pub(crate) fn create_result(&self, relative: &str) -> Result<AtomicFile, WriteError> {
        AtomicFile::create(&self.result_directory().join(relative), self.access)
    }

    /// Returns an empty spool for bytes of a result file.
    #[must_use]
    pub(crate) fn new_spool(&self) -> OutputSpool {
        OutputSpool::new(self.result_directory())
    }

    /// Removes a result file of an earlier run that this run does not write. Does nothing without
    /// `force`.
    ///
    /// # Errors
    /// Fails if the file can't be removed.
    pub(crate) fn remove_result(&self, relative: &str) -> Result<(), WriteError> {
        if !self.guard.force {
            return Ok(());
        }
        self.remove_unless_input(&self.result_directory().join(relative))
            .map_err(|source| WriteError::RemoveResult {
                name: relative.to_owned(),
                source,
            })
    }

    /// Removes a file of an earlier run, unless it is an input of this run.
    fn remove_unless_input(&self, path: &Path) -> io::Result<()> {
        if self.guard.is_input(path) {
            Ok(())
        } else {
            remove_if_exists(path)
        }
    }

    /// Opens `report.json` in the output directory. Returns none if the output is stdout.
    ///
    /// # Errors
    /// Fails if the file can't be created.
    pub(crate) fn create_report(&self) -> Result<Option<AtomicFile>, WriteError> {
        self.output
            .as_ref()
            .map(|output| AtomicFile::create(&output.join(REPORT_FILE), self.access))
            .transpose()
    }
}
