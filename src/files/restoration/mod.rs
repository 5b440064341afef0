//! Restores the inputs of an earlier compaction from its outputs and originals, and proves by
//! checksums that they are what they were.

mod candidates;

use crate::base::error::describe_with_causes;
use crate::files::archive::restored_input::restore_input;
use crate::files::archive::stretch_reader::RestoreError;
use crate::files::archive::{checksum::ChecksumPipe, originals::OriginalsHeader, originals_path};
use crate::files::input::{open_decompressed, open_if_exists};
use crate::files::output::{
    AccessLimit, OutputTree, WriteError, WritingTerms, await_other_run, settle_dead_run,
};
pub(crate) use crate::files::restoration::candidates::RestorationError;
use crate::files::restoration::candidates::{
    FileRestorationError, OutputProof, RestorationCandidate, RestorationCandidates,
};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

pub(crate) struct RestorationPaths<'p> {
    /// The output directory of the earlier compaction.
    pub(crate) directory: &'p Path,
    /// Its archive directory.
    pub(crate) archive: &'p Path,
    /// The directory that the inputs are restored into. Without one they are only checked.
    pub(crate) output: Option<&'p Path>,
}

#[derive(Debug, Default)]
pub(crate) struct Restoration {
    /// Files with their removed bytes put back.
    pub(crate) restored: u64,
    /// Files from which nothing was removed: they are copied.
    pub(crate) copied: u64,
    /// Files of those two kinds without checksums: only lengths were compared, if anything.
    pub(crate) unchecked: u64,
    /// Files that are no outputs.
    pub(crate) foreign: Vec<PathBuf>,
    /// Files that could not be restored.
    pub(crate) failures: Vec<String>,
}

impl RestorationPaths<'_> {
    /// Restores all inputs, or only checks that they can be restored. Existing files are replaced
    /// only if `terms` allow it. Fails if there is nothing to restore, or the restored files may
    /// not be written.
    pub(crate) fn restore(&self, terms: &WritingTerms) -> Result<Restoration, RestorationError> {
        if !self.directory.is_dir() {
            return Err(RestorationError::NoDirectory(self.directory.to_path_buf()));
        }
        let apart = (self.archive != self.directory).then_some(self.archive);
        for place in [self.directory].into_iter().chain(apart) {
            match self.output {
                Some(_) => settle_dead_run(place, terms)?,
                None => await_other_run(place, terms)?,
            }
        }
        let written: Vec<&Path> = self.output.into_iter().chain([self.archive]).collect();
        let found = RestorationCandidates::collect(self.directory, self.archive, &written)?;
        if found.outputs.is_empty() && found.missing.is_empty() {
            return Err(RestorationError::NoOutput(self.directory.to_path_buf()));
        }
        let mut restoration = Restoration { foreign: found.foreign, ..Restoration::default() };
        let mut named = Vec::new();
        for candidate in found.outputs {
            match self.restored_name(&candidate) {
                Ok(name) => named.push((candidate, name)),
                Err(error) => restoration.push_failure(&candidate, error),
            }
        }
        let tree = self.lock_output(&named, terms)?;
        for (candidate, name) in &named {
            match self.restore_file(candidate, name, tree.as_ref()) {
                Ok(is_checked) => restoration.count(candidate, is_checked),
                Err(FileRestorationError::Write(fault)) if !fault.is_refusal() => {
                    return Err(RestorationError::BrokeOff(fault));
                }
                Err(error) => restoration.push_failure(candidate, error),
            }
            if let Some(tree) = &tree {
                tree.commit_if_due().map_err(RestorationError::BrokeOff)?;
            }
        }
        if let Some(tree) = tree {
            tree.commit().map_err(RestorationError::BrokeOff)?;
        }
        restoration.failures.extend(found.missing);
        Ok(restoration)
    }

    /// Locks the directory of the restored files.
    fn lock_output(
        &self,
        named: &[(RestorationCandidate, PathBuf)],
        terms: &WritingTerms,
    ) -> Result<Option<OutputTree>, WriteError> {
        let Some(output) = self.output else {
            return Ok(None);
        };
        let names = named.iter().map(|(_, name)| name.clone());
        let entries: Vec<_> = named.iter().map(|(file, _)| file.entry.clone()).collect();
        OutputTree::for_results(output, names, &entries, terms).map(Some)
    }

    /// Returns the name to restore a file under. The header of its originals holds the name of the
    /// input, which may differ from that of the output.
    fn restored_name(
        &self,
        candidate: &RestorationCandidate,
    ) -> Result<PathBuf, FileRestorationError> {
        let output = &candidate.entry.output;
        if !candidate.has_originals() {
            return Ok(output.clone());
        }
        let relative = originals_path(output);
        let originals = self.archive.join(&relative);
        let Some(mut lines) = open_if_exists(self.archive, &relative)? else {
            return Err(FileRestorationError::MissingOriginals(originals));
        };
        let header = OriginalsHeader::read_from(&mut lines)
            .map_err(|source| originals_error(&originals, source))?;
        // The header is JSON: in a name that is not UTF-8 it replaces the bytes that are wrong.
        if header.output != output.to_string_lossy() {
            return Err(FileRestorationError::ForeignOriginals {
                originals,
                output: header.output,
            });
        }
        let restored =
            header.restored_path(output).map_err(|source| originals_error(&originals, source))?;
        Ok(restored.to_path_buf())
    }

    /// Restores a file, or only checks it. Returns true if checksums prove it.
    fn restore_file(
        &self,
        candidate: &RestorationCandidate,
        name: &Path,
        tree: Option<&OutputTree>,
    ) -> Result<bool, FileRestorationError> {
        let (compacted, compression) = open_decompressed(&candidate.entry)?;
        let Some(tree) = tree else {
            return self.write_restored(candidate, compacted, &mut io::sink());
        };
        // A restored file holds what both hold.
        let originals = self.archive.join(originals_path(&candidate.entry.output));
        let access = AccessLimit::of_input(&candidate.entry).and_file(&originals);
        let writer = tree.create_output(name, compression, access)?;
        let mut sink = FaultWatch { writer, fault: None };
        let restored = self.write_restored(candidate, compacted, &mut sink);
        if let Some(fault) = sink.fault {
            return Err(WriteError::of_file(name)(fault).into());
        }
        let is_checked = restored?;
        if let Some(file) = sink.writer.finish()? {
            tree.join_output(file)?;
        }
        Ok(is_checked)
    }

    fn write_restored(
        &self,
        candidate: &RestorationCandidate,
        mut compacted: impl Read,
        into: &mut impl Write,
    ) -> Result<bool, FileRestorationError> {
        if !candidate.has_originals() {
            return copy_checked(&candidate.proof, compacted, into);
        }
        let relative = originals_path(&candidate.entry.output);
        let originals = self.archive.join(&relative);
        let Some(lines) = open_if_exists(self.archive, &relative)? else {
            return Err(FileRestorationError::MissingOriginals(originals));
        };
        let seal = restore_input(&mut compacted, lines, into)
            .map_err(|source| originals_error(&originals, source))?;
        match &candidate.proof {
            OutputProof::Recorded(recorded) if recorded.originals != seal => {
                Err(FileRestorationError::UnknownOriginals(originals))
            }
            _ => Ok(seal.is_some()),
        }
    }
}

impl Restoration {
    fn count(&mut self, candidate: &RestorationCandidate, is_checked: bool) {
        if candidate.has_originals() {
            self.restored += 1;
        } else {
            self.copied += 1;
        }
        self.unchecked += u64::from(!is_checked);
    }

    fn push_failure(&mut self, candidate: &RestorationCandidate, error: FileRestorationError) {
        let problem = describe_with_causes(&error);
        self.failures.push(format!("{}: {problem}; it is not written", candidate.entry.name));
    }
}

/// A writer that remembers its fault: what is read and what is written fail alike.
struct FaultWatch<W> {
    writer: W,
    fault: Option<io::Error>,
}

impl<W> FaultWatch<W> {
    fn watch<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            if error.kind() == io::ErrorKind::Interrupted {
                return error;
            }
            let told = io::Error::from(error.kind());
            self.fault = Some(error);
            told
        })
    }
}

impl<W: Write> Write for FaultWatch<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.writer.write(bytes);
        self.watch(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.writer.flush();
        self.watch(flushed)
    }
}

/// Copies an output that had lost nothing. Returns true if its checksum proves it.
fn copy_checked(
    proof: &OutputProof,
    mut compacted: impl Read,
    into: &mut impl Write,
) -> Result<bool, FileRestorationError> {
    let mut summed = ChecksumPipe::new(into);
    io::copy(&mut compacted, &mut summed)?;
    let OutputProof::Recorded(recorded) = proof else {
        return Ok(false);
    };
    if recorded.bytes != summed.bytes() || recorded.xxh3.as_ref() != Some(&summed.hex()) {
        return Err(FileRestorationError::ChangedOutput {
            actual: summed.bytes(),
            expected: recorded.bytes,
        });
    }
    Ok(true)
}

fn originals_error(originals: &Path, source: RestoreError) -> FileRestorationError {
    FileRestorationError::Originals { originals: originals.to_path_buf(), source }
}
