//! The files that are published together.

use crate::files::archive::manifest::{
    ManifestLine, OriginalsSeal, RecordedArchiveFile, RecordedOutput,
};
use crate::files::archive::path_below::{ArchiveFilePath, PathBelow};
use crate::files::output::{error::WriteError, spool::OutputSpool, staged_file::StagedName};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// An output while it is written: its archive files wait for it.
#[derive(Debug)]
pub(crate) struct PendingOutput {
    /// The path below the output directory.
    pub(super) relative: PathBuf,
    pub(super) origin: Option<String>,
    /// The lengths of the journals of the output and the archive directory when it began.
    pub(super) marks: [Option<u64>; 2],
    /// The lines of the manifest about its archive files.
    lines: OutputSpool,
    /// Its archive files that it shares with nobody, where those of an earlier run are to be replaced.
    pub(super) files: Vec<PathBelow>,
    /// Those whose names tell their contents: they belong to nobody.
    shared: Vec<PathBelow>,
}

impl PendingOutput {
    pub(super) fn new(
        relative: &Path,
        origin: Option<&str>,
        marks: [Option<u64>; 2],
        lines: OutputSpool,
    ) -> Self {
        Self {
            relative: relative.to_path_buf(),
            origin: origin.map(str::to_owned),
            marks,
            lines,
            files: Vec::new(),
            shared: Vec::new(),
        }
    }

    /// Returns all its archive files, where those of an earlier run may be.
    pub(super) fn all_files(&self) -> impl Iterator<Item = &PathBelow> {
        self.files.iter().chain(&self.shared)
    }

    /// Adds an archive file.
    pub(super) fn push_file(
        &mut self,
        name: &StagedName,
        remembers: bool,
    ) -> Result<(), WriteError> {
        let path = name.relative.as_path();
        if remembers {
            let files = if name.shared { &mut self.shared } else { &mut self.files };
            files.push(name.relative.clone());
        }
        let mut line = Vec::new();
        ManifestLine::ArchiveFile(RecordedArchiveFile {
            file: ArchiveFilePath::try_from(path)?,
            of: PathBelow::new(&self.relative)?,
        })
        .write_to(&mut line)?;
        Ok(self.lines.push(&line)?)
    }
}

/// The checksums of a whole output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutputSeal {
    /// The length of the output in bytes, decompressed.
    pub bytes: u64,
    /// The checksum of the output behind its last stretch.
    pub xxh3: String,
    pub originals: Option<OriginalsSeal>,
}

/// The files of a whole output.
#[derive(Debug)]
pub(crate) struct FinishedOutput {
    /// The output; none if it went to stdout.
    pub output: Option<StagedName>,
    /// The originals of what was removed, if anything was.
    pub originals: Option<StagedName>,
    /// The checksums. Without them the manifest names only the archive files of the output.
    pub seal: Option<OutputSeal>,
}

/// The place of a group in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupPlace {
    /// More groups follow.
    Within,
    /// It is the last group.
    Last,
}

/// The outputs that wait to be published together.
#[derive(Debug)]
pub(super) struct PendingGroup {
    /// The outputs, by their path below the output directory.
    pub(super) outputs: HashSet<PathBelow>,
    /// The archive files, where those of an earlier run are to be replaced.
    pub(super) files: HashSet<PathBelow>,
    /// The new lines of the manifest.
    pub(super) lines: OutputSpool,
    /// True if there is anything to publish.
    pub(super) has_entries: bool,
}

impl PendingGroup {
    /// Begins with nothing. Lines that do not fit into memory go into `directory`.
    pub(super) fn new(directory: &Path) -> Self {
        Self {
            outputs: HashSet::new(),
            files: HashSet::new(),
            lines: OutputSpool::new(directory),
            has_entries: false,
        }
    }

    /// Adds a whole output. Without a seal the manifest names only its archive files.
    pub(super) fn push_output(
        &mut self,
        pending: PendingOutput,
        seal: Option<OutputSeal>,
    ) -> Result<(), WriteError> {
        self.has_entries = true;
        self.files.extend(pending.all_files().cloned());
        let output = PathBelow::new(&pending.relative)?;
        pending.lines.copy_into(&mut self.lines)?;
        if let Some(seal) = seal {
            let mut line = Vec::new();
            ManifestLine::Output(RecordedOutput {
                output: output.clone(),
                from: pending.origin,
                bytes: seal.bytes,
                xxh3: seal.originals.is_none().then_some(seal.xxh3),
                originals: seal.originals,
            })
            .write_to(&mut line)?;
            self.lines.push(&line)?;
        }
        self.outputs.insert(output);
        Ok(())
    }
}
