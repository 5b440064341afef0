//! Restores the inputs of an earlier compaction from its outputs and originals.

use crate::archive::originals::{OriginalsHeader, RestoreError, restore_input};
use crate::archive::originals_path;
use crate::error::describe_with_causes;
use crate::input::{
    InputEntry, InputError, collect_outputs, open_decompressed, open_if_exists,
    outputs_with_originals,
};
use crate::output::{AccessLimit, OutputTree, WriteError};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The directories of a restoration.
pub(crate) struct RestorationPaths<'p> {
    /// The output directory of the earlier compaction.
    pub(crate) directory: &'p Path,
    /// Its archive directory.
    pub(crate) archive: &'p Path,
    /// The directory that the inputs are restored into.
    pub(crate) output: &'p Path,
}

/// The reason why nothing can be restored.
#[derive(Debug, Error)]
pub(crate) enum RestorationError {
    /// The path of the compaction is no directory.
    #[error(
        "{} is no directory; name the output directory of an earlier `epitome compact`",
        .0.display()
    )]
    NoDirectory(PathBuf),
    /// The directory of the compaction has no file that a compaction writes.
    #[error("{} holds no output of an earlier `epitome compact`", .0.display())]
    NoOutput(PathBuf),
    /// The restored files may not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The reason why a file can't be restored. `Display` gives the outermost message only; the causes
/// follow through `source`.
#[derive(Debug, Error)]
pub(crate) enum FileRestorationError {
    /// The output of the compaction, or its originals, can't be opened.
    #[error(transparent)]
    Read(#[from] InputError),
    /// The output of the compaction can't be copied.
    #[error(transparent)]
    Copy(#[from] io::Error),
    /// The originals can't be read, or don't fit the output.
    #[error("{}", originals.display())]
    Originals {
        /// The file of originals.
        originals: PathBuf,
        /// The cause.
        source: RestoreError,
    },
    /// The originals name another output as theirs.
    #[error("{}: these originals belong to {output}", originals.display())]
    ForeignOriginals {
        /// The file of originals.
        originals: PathBuf,
        /// The path of the other output.
        output: String,
    },
    /// The restored file can't be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// A file that could not be restored.
#[derive(Debug, Error)]
pub(crate) enum UnrestoredFile {
    /// It is not written.
    #[error("{name}: {}; it is not written", describe_with_causes(.error))]
    Failed {
        /// The name of the compacted file.
        name: String,
        /// The reason.
        error: FileRestorationError,
    },
    /// There are originals for a compacted file that does not exist.
    #[error("{}: the file is missing, but the archive holds its originals", .0.display())]
    MissingOutput(PathBuf),
}

/// The result of a restoration.
#[derive(Debug, Default)]
pub(crate) struct Restoration {
    /// Files with their removed bytes put back.
    pub(crate) restored: u64,
    /// Files without originals: nothing was removed from them, so they are copied.
    pub(crate) copied: u64,
    /// Files that could not be restored.
    pub(crate) failures: Vec<UnrestoredFile>,
}

/// The way in which a file was restored.
enum RestoredAs {
    /// The removed bytes were put back.
    Restored,
    /// Nothing had been removed, so it was copied.
    Copied,
}

impl RestorationPaths<'_> {
    /// Restores all inputs. Existing files are replaced only with `force`.
    ///
    /// # Errors
    /// Fails if there is nothing to restore, or the restored files may not be written.
    pub(crate) fn restore(&self, force: bool) -> Result<Restoration, RestorationError> {
        if !self.directory.is_dir() {
            return Err(RestorationError::NoDirectory(self.directory.to_path_buf()));
        }
        let written = [self.output, self.archive];
        let outputs = collect_outputs(self.directory, self.archive, &written);
        if outputs.is_empty() {
            return Err(RestorationError::NoOutput(self.directory.to_path_buf()));
        }
        let names: Vec<Result<PathBuf, FileRestorationError>> = outputs
            .iter()
            .map(|output| self.restored_name(output))
            .collect();
        let written: Vec<PathBuf> = names.iter().flatten().cloned().collect();
        let tree = OutputTree::for_results(self.output, written, &outputs, force)?;
        let mut restoration = Restoration::default();
        for (output, name) in outputs.iter().zip(names) {
            match name.and_then(|name| self.restore_file(output, &name, &tree)) {
                Ok(RestoredAs::Restored) => restoration.restored += 1,
                Ok(RestoredAs::Copied) => restoration.copied += 1,
                Err(error) => restoration.failures.push(UnrestoredFile::Failed {
                    name: output.name.clone(),
                    error,
                }),
            }
        }
        let found: HashSet<&Path> = outputs.iter().map(|entry| entry.output.as_path()).collect();
        for output in outputs_with_originals(self.archive) {
            if !found.contains(output.as_path()) {
                let missing = self.directory.join(output);
                let failure = UnrestoredFile::MissingOutput(missing);
                restoration.failures.push(failure);
            }
        }
        Ok(restoration)
    }

    /// Returns the name to restore a file under. The header of its originals holds the name of the
    /// input, which may differ from that of the output.
    fn restored_name(&self, output: &InputEntry) -> Result<PathBuf, FileRestorationError> {
        let originals = self.archive.join(originals_path(&output.output));
        let Some(mut lines) = open_if_exists(&originals)? else {
            return Ok(output.output.clone());
        };
        let header = OriginalsHeader::read_from(&mut lines)
            .map_err(|source| originals_error(&originals, source))?;
        // The header is JSON: in a name that is not UTF-8 it replaces the bytes that are wrong.
        if header.output != output.output.to_string_lossy() {
            return Err(FileRestorationError::ForeignOriginals {
                originals,
                output: header.output,
            });
        }
        let restored = header
            .restored_path(&output.output)
            .map_err(|source| originals_error(&originals, source))?;
        Ok(restored.to_path_buf())
    }

    fn restore_file(
        &self,
        output: &InputEntry,
        name: &Path,
        tree: &OutputTree,
    ) -> Result<RestoredAs, FileRestorationError> {
        let (mut compacted, compression) = open_decompressed(output)?;
        let originals = self.archive.join(originals_path(&output.output));
        // A restored file holds what both hold.
        let access = AccessLimit::of_input(output).and_file(&originals);
        let mut sink = tree.create_output(name, compression, access)?;
        let restored_as = match open_if_exists(&originals)? {
            Some(lines) => {
                restore_input(&mut compacted, lines, &mut sink)
                    .map_err(|source| originals_error(&originals, source))?;
                RestoredAs::Restored
            }
            None => {
                io::copy(&mut compacted, &mut sink)?;
                RestoredAs::Copied
            }
        };
        sink.publish()?;
        Ok(restored_as)
    }
}

fn originals_error(originals: &Path, source: RestoreError) -> FileRestorationError {
    FileRestorationError::Originals {
        originals: originals.to_path_buf(),
        source,
    }
}
