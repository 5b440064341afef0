//! The report files of a run: those with an entry for each transcript grow while the run goes on,
//! those of the totals are written at its end.

use crate::compaction::report_entries::EntryKinds;
use crate::output::{
    AccessLimit, ReportDestination, ReportFile, StagedFile, WriteError, resolve_path,
};
use crate::report::RunDigest;
use crate::report::entry_report::{EntryReport, ReportEnd};
use crate::report::kinds::{ReportKind, ReportWriter};
use crate::settings::ReportRequest;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

/// The reports of a run.
pub(crate) struct RunReports {
    entry_files: Vec<EntryFile>,
    totals_files: Vec<TotalsFile>,
}

/// A report with an entry for each transcript.
struct EntryFile {
    report: &'static dyn EntryReport,
    /// The index of its kind in [`EntryKinds`].
    kind: usize,
    sink: EntrySink,
    /// The path from the report's directory to that of the archive.
    archive: Option<String>,
    written: u64,
    entries: u64,
}

enum EntrySink {
    /// The report in the output directory, which appears with the outputs.
    InOutput(StagedFile),
    /// A report that the user named.
    Named(ReportFile),
}

/// A report of the totals.
struct TotalsFile {
    render: fn(&RunDigest) -> String,
    file: ReportFile,
}

/// A position in the reports, to go back to: bytes and entries of each.
#[derive(Clone)]
pub(super) struct ReportMark(Vec<(u64, u64)>);

impl RunReports {
    /// Opens the reports: that of the output directory, if there is one, and those that the user
    /// named. `archive` is the directory of the archive.
    ///
    /// # Errors
    /// Fails if one can't be written.
    pub(crate) fn open(
        requests: &[ReportRequest],
        kinds: &EntryKinds,
        in_output: Option<StagedFile>,
        archive: Option<&Path>,
        access: AccessLimit,
    ) -> Result<Self, WriteError> {
        let mut reports = Self {
            entry_files: Vec::new(),
            totals_files: Vec::new(),
        };
        if let Some(file) = in_output {
            let sink = EntrySink::InOutput(file);
            reports.push_entry_file(kinds, EntryKinds::IN_OUTPUT, sink, None);
        }
        for ReportRequest { kind, destination } in requests {
            let file = ReportFile::create(destination, access)?;
            match kind.writer {
                ReportWriter::Totals(render) => {
                    reports.totals_files.push(TotalsFile { render, file });
                }
                ReportWriter::Entries(_) => {
                    let archive = archive.and_then(|archive| path_to_archive(destination, archive));
                    reports.push_entry_file(kinds, kind, EntrySink::Named(file), archive);
                }
            }
        }
        for file in &mut reports.entry_files {
            let opening = file.report.opening();
            file.write(opening.as_bytes())?;
        }
        Ok(reports)
    }

    fn push_entry_file(
        &mut self,
        kinds: &EntryKinds,
        kind: &ReportKind,
        sink: EntrySink,
        archive: Option<String>,
    ) {
        if let Some((kind, report)) = kinds.find(kind) {
            self.entry_files.push(EntryFile {
                report,
                kind,
                sink,
                archive,
                written: 0,
                entries: 0,
            });
        }
    }

    /// Appends the entry of a transcript, which `EntryKinds` rendered.
    ///
    /// # Errors
    /// Fails if a report can't be written.
    pub(crate) fn push(&mut self, entry: &[Vec<u8>]) -> Result<(), WriteError> {
        for file in &mut self.entry_files {
            file.write(file.report.separator(file.entries == 0).as_bytes())?;
            file.entries += 1;
            file.write(&entry[file.kind])?;
        }
        Ok(())
    }

    /// Returns the present position.
    pub(super) fn mark(&self) -> ReportMark {
        let positions = self.entry_files.iter();
        ReportMark(positions.map(|file| (file.written, file.entries)).collect())
    }

    /// Takes back everything behind a mark.
    pub(super) fn rewind(&mut self, mark: &ReportMark) -> Result<(), WriteError> {
        for (file, &(written, entries)) in self.entry_files.iter_mut().zip(&mark.0) {
            let truncated = file.sink.truncate(written);
            truncated.map_err(WriteError::of_file(file.sink.path()))?;
            (file.written, file.entries) = (written, entries);
        }
        Ok(())
    }

    /// Ends the reports with the totals. Returns that of the output directory.
    ///
    /// # Errors
    /// Fails if one can't be written.
    pub(crate) fn finish(&mut self, digest: &RunDigest) -> Result<Option<StagedFile>, WriteError> {
        let mut in_output = None;
        let mut named = Vec::new();
        for mut file in self.entry_files.drain(..) {
            let end = ReportEnd {
                digest,
                archive: file.archive.as_deref(),
            };
            let closing = file.report.closing(end);
            file.write(closing.as_bytes())?;
            match file.sink {
                EntrySink::InOutput(staged) => in_output = Some(staged),
                EntrySink::Named(_) => named.push(file),
            }
        }
        self.entry_files = named;
        Ok(in_output)
    }

    /// Publishes the reports that the user named.
    ///
    /// # Errors
    /// Fails if one can't be written.
    pub(crate) fn publish(self, digest: &RunDigest) -> Result<(), WriteError> {
        for file in self.entry_files {
            if let EntrySink::Named(report) = file.sink {
                report.publish()?;
            }
        }
        for TotalsFile { render, file } in self.totals_files {
            file.publish_bytes(render(digest).as_bytes())?;
        }
        Ok(())
    }
}

impl EntryFile {
    fn write(&mut self, text: &[u8]) -> Result<(), WriteError> {
        self.written += text.len() as u64;
        let written = self.sink.write_all(text);
        written.map_err(WriteError::of_file(self.sink.path()))
    }
}

impl EntrySink {
    fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        match self {
            Self::InOutput(file) => file.write_all(text),
            Self::Named(file) => file.write_all(text),
        }
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        match self {
            Self::InOutput(file) => file.truncate(length),
            Self::Named(file) => file.truncate(length),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Self::InOutput(file) => file.path(),
            Self::Named(file) => file.path(),
        }
    }
}

/// Returns the path from a report's directory to that of the archive, with a slash at its end.
fn path_to_archive(destination: &ReportDestination, archive: &Path) -> Option<String> {
    let report = resolve_path(destination.replaced_path()?);
    let (from, to) = (report.parent()?, resolve_path(archive));
    let shared = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    if shared == 0 {
        return None;
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(shared)).collect();
    let names: Option<Vec<&str>> = path.iter().map(|name| name.to_str()).collect();
    Some(names?.into_iter().map(|name| format!("{name}/")).collect())
}
