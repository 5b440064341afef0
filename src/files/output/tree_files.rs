//! The files of a run in its directories, staged until they are published, and the destination of
//! an input's output: a file or stdout.

use crate::files::archive::checksum::StretchChecksums;
use crate::files::archive::{REPORT_FILE, REPORT_LINES_FILE, originals_path};
use crate::files::input::{Compression, Encoder, encoder, is_report_of};
use crate::files::output::staged_file::{BUFFER_BYTES, NamedFile, RunRoot, StagedFile, StagedName};
use crate::files::output::{
    absence::look_at, directories::ensure_real_parents, error::WriteError, overwrite::refuse_entry,
    permissions::AccessLimit, run_directory::RunDirectory, spool::OutputSpool, tree::OutputTree,
};
use crate::reporting::report::kinds::JSON_LINES_REPORT;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The most bytes of entries in `report.json`: programs hold such a file in memory as one
/// value. Above it they are in `report.jsonl` only.
const MAX_ENTRIES_BYTES: u64 = 100_000_000;

/// The reports in the output directory.
pub(crate) struct OutputReport {
    /// The totals, and the entries where they are not too large.
    pub whole: StagedFile,
    /// The entries, one a line; none where an output has that name.
    pub lines: Option<StagedFile>,
    /// The bytes above which the entries are in `lines` only.
    pub max_bytes: u64,
}

impl OutputTree {
    fn stage(
        &self,
        root: RunRoot,
        relative: &Path,
        access: AccessLimit,
    ) -> Result<StagedName, WriteError> {
        ensure_real_parents(self.root_of(root), relative)?;
        self.run_of(root)?.new_staged(root, relative, access)
    }

    /// Stages an archive file. It gets its name when it is published. If it is `shared`, its name
    /// is made of its contents, and another may have written it. Fails if the file can't be
    /// written, or exists and is not shared. No part of it is left then.
    pub(crate) fn write_archive_file(
        &self,
        relative: &Path,
        shared: bool,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<StagedName, WriteError> {
        let path = self.archive_directory().join(relative);
        let stage = || {
            let mut name = self.stage(RunRoot::Archive, relative, self.access)?;
            name.shared = shared;
            let replaces = shared || self.guard.force;
            if replaces {
                self.guard.refuse_input(&path)?;
            }
            refuse_entry(&path, look_at(&path)?, replaces)?;
            write(&mut name.create()?)?;
            Ok(name)
        };
        stage().map_err(|source| WriteError::WriteArchive {
            path: path.clone(),
            source: Box::new(source),
        })
    }

    /// Opens the output of an input, with the access that its input allows. Fails if the file can't
    /// be created.
    pub(crate) fn create_output(
        &self,
        relative: &Path,
        compression: Compression,
        access: AccessLimit,
    ) -> Result<OutputSink, WriteError> {
        if self.is_stdout() {
            return Ok(OutputSink::stdout());
        }
        let name = self.stage(RunRoot::Output, relative, access)?;
        OutputSink::file(StagedFile::create(name)?, compression)
    }

    /// Opens the file of originals for an output. It is written while the run goes on. Fails if the
    /// file can't be created.
    pub(crate) fn create_originals(&self, relative: &Path) -> Result<StagedFile, WriteError> {
        let name = originals_path(relative);
        self.guard.refuse_input(&self.archive_directory().join(&name))?;
        StagedFile::create(self.stage(RunRoot::Archive, &name, self.access)?)
    }

    /// Opens a result file. Fails if the file can't be created.
    pub(crate) fn create_result(&self, relative: &str) -> Result<StagedFile, WriteError> {
        let name = self.stage(RunRoot::Output, Path::new(relative), self.access)?;
        StagedFile::create(name)
    }

    /// Returns an empty spool for bytes that wait for their turn.
    pub(crate) fn new_spool(&self) -> OutputSpool {
        OutputSpool::new(&self.spool_directory())
    }

    /// Returns the directory for files without a name.
    pub(super) fn spool_directory(&self) -> PathBuf {
        let run = self.output_run().or_else(|| self.opened_archive_run());
        run.map_or_else(|| self.archive_directory().to_path_buf(), RunDirectory::staging)
    }

    /// Adds a report in the output directory to the next publication. The entries of an earlier
    /// run's report, which was in a file of their own, go with it. Fails if it can't be written
    /// or noted.
    pub(crate) fn join_report(&self, report: StagedFile) -> Result<(), WriteError> {
        let lines = self.root_of(RunRoot::Output).join(REPORT_LINES_FILE);
        let is_whole = report.path() == Path::new(REPORT_FILE);
        if is_whole && self.has_report_lines && is_report_of(&JSON_LINES_REPORT, &lines) {
            self.remove_result(REPORT_LINES_FILE)?;
        }
        self.join_result(report)
    }

    /// Opens the reports in the output directory. Returns none if the output is stdout. Fails if a
    /// file can't be created.
    pub(crate) fn create_report(&self) -> Result<Option<OutputReport>, WriteError> {
        if self.is_stdout() {
            return Ok(None);
        }
        let create_lines = || self.create_result(REPORT_LINES_FILE);
        let lines = self.has_report_lines.then(create_lines).transpose()?;
        Ok(Some(OutputReport {
            whole: self.create_result(REPORT_FILE)?,
            lines,
            max_bytes: MAX_ENTRIES_BYTES,
        }))
    }
}

/// The destination of the output of an input.
pub(crate) struct OutputSink {
    target: SinkTarget,
    bytes_written: u64,
    checksums: Option<StretchChecksums>,
}

enum SinkTarget {
    File(Box<Encoder<StagedFile>>),
    Stdout(BufWriter<io::Stdout>),
}

impl OutputSink {
    /// Creates a sink that writes into a file. Fails if the compressor can't be set up.
    pub(super) fn file(file: StagedFile, compression: Compression) -> Result<Self, WriteError> {
        Ok(Self {
            target: SinkTarget::File(Box::new(encoder(file, compression)?)),
            bytes_written: 0,
            checksums: None,
        })
    }

    /// Creates a sink that writes to stdout.
    pub(super) fn stdout() -> Self {
        Self {
            target: SinkTarget::Stdout(BufWriter::with_capacity(BUFFER_BYTES, io::stdout())),
            bytes_written: 0,
            checksums: None,
        }
    }

    /// Returns the number of bytes written so far, before compression.
    pub(crate) fn bytes_written(&self) -> u64 {
        self.bytes_written
    }

    /// Computes the checksums of all stretches from now on.
    pub(crate) fn sum_stretches(&mut self) {
        self.checksums = Some(StretchChecksums::default());
    }

    /// Returns the checksums of the stretches, if they are computed.
    pub(crate) fn checksums(&mut self) -> Option<&mut StretchChecksums> {
        self.checksums.as_mut()
    }

    /// Writes what is buffered. Returns the file, which has no name yet; none for stdout. Fails if
    /// the file or stdout can't be written.
    pub(crate) fn finish(self) -> Result<Option<StagedName>, WriteError> {
        match self.target {
            SinkTarget::File(encoder) => {
                let file = encoder.finish().map_err(WriteError::FinishCompression)?;
                file.finish().map(Some)
            }
            SinkTarget::Stdout(mut stdout) => {
                stdout.flush().map_err(WriteError::Stdout)?;
                Ok(None)
            }
        }
    }
}

impl Write for OutputSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = match &mut self.target {
            SinkTarget::File(file) => file.write(bytes),
            SinkTarget::Stdout(stdout) => stdout.write(bytes),
        }?;
        self.bytes_written += count as u64;
        if let Some(checksums) = &mut self.checksums {
            checksums.update(&bytes[..count]);
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.target {
            SinkTarget::File(file) => file.flush(),
            SinkTarget::Stdout(stdout) => stdout.flush(),
        }
    }
}
