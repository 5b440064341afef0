//! The report files of a run: those with an entry for each transcript grow while the run goes on,
//! those of the totals are written at its end.

use crate::files::archive::REPORT_LINES_FILE;
use crate::files::output::{
    AccessLimit, NamedFile, OutputReport, ReportDestination, ReportFile, resolve_path,
};
use crate::reporting::report::{entry_report::ReportEnd, kinds::JSON_LINES_REPORT};
use crate::running::compaction::prelude::*;
use crate::running::compaction::report_entries::EntryKinds;
use std::path::Component;

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
    /// The bytes above which the file holds no entries.
    max_bytes: u64,
    /// The file that holds the entries in place of this one, which became too large.
    entries_file: Option<&'static str>,
}

enum EntrySink {
    /// The report in the output directory, which appears with the outputs.
    InOutput(StagedFile),
    /// Its entries, one a line. They appear only if the report is too large to hold them.
    OutputLines(StagedFile),
    /// A report that the user named.
    Named(ReportFile),
}

struct TotalsFile {
    render: fn(&RunDigest) -> String,
    file: ReportFile,
}

/// A position in the reports, to go back to: bytes and entries of each.
#[derive(Clone)]
pub(super) struct ReportMark(Vec<(u64, u64)>);

impl RunReports {
    /// Opens the reports: those of the output directory, if there is one, and those that the user
    /// named. `archive` is the directory of the archive. Fails if one can't be written.
    pub(crate) fn open(
        requests: &[ReportRequest],
        kinds: &EntryKinds,
        in_output: Option<OutputReport>,
        archive: Option<&Path>,
        access: AccessLimit,
    ) -> Result<Self, WriteError> {
        let mut reports = Self { entry_files: Vec::new(), totals_files: Vec::new() };
        if let Some(report) = in_output {
            reports.push_output_report(kinds, report);
        }
        for ReportRequest { kind, destination } in requests {
            let file = ReportFile::create(destination, access)?;
            match kind.writer {
                ReportWriter::Totals(render) => {
                    reports.totals_files.push(TotalsFile { render, file });
                }
                ReportWriter::Entries(_) => {
                    let archive = archive.and_then(|archive| path_to_archive(destination, archive));
                    if let Some((kind, report)) = kinds.find(kind) {
                        let file = EntryFile::new(report, kind, EntrySink::Named(file));
                        reports.entry_files.push(EntryFile { archive, ..file });
                    }
                }
            }
        }
        for file in &mut reports.entry_files {
            let opening = file.report.opening();
            file.write(opening.as_bytes())?;
        }
        Ok(reports)
    }

    /// Adds the reports in the output directory. An entry is rendered once for both.
    fn push_output_report(&mut self, kinds: &EntryKinds, report: OutputReport) {
        let Some((kind, writer)) = kinds.find(&JSON_REPORT) else {
            return;
        };
        let whole = EntrySink::InOutput(report.whole);
        let mut whole = EntryFile::new(writer, kind, whole);
        if report.lines.is_some() {
            whole.max_bytes = report.max_bytes;
        }
        self.entry_files.push(whole);
        if let (Some(lines), ReportWriter::Entries(writer)) =
            (report.lines, JSON_LINES_REPORT.writer)
        {
            let lines = EntrySink::OutputLines(lines);
            self.entry_files.push(EntryFile::new(writer, kind, lines));
        }
    }

    /// Appends the entry of a transcript, which `EntryKinds` rendered. Fails if a report can't be
    /// written.
    pub(crate) fn push(&mut self, entry: &[Vec<u8>]) -> Result<(), WriteError> {
        for file in &mut self.entry_files {
            file.push(&entry[file.kind])?;
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
            if file.entries_file.is_some() {
                continue;
            }
            file.sink.file().truncate(written)?;
            (file.written, file.entries) = (written, entries);
        }
        Ok(())
    }

    /// Ends the reports with the totals. Returns those that go into the output directory. Fails if
    /// one can't be written.
    pub(crate) fn finish(&mut self, digest: &RunDigest) -> Result<Vec<StagedFile>, WriteError> {
        let is_large = self.entry_files.iter().any(|file| file.entries_file.is_some());
        let mut in_output = Vec::new();
        let mut named = Vec::new();
        for mut file in self.entry_files.drain(..) {
            let end = ReportEnd {
                digest,
                archive: file.archive.as_deref(),
                entries_file: file.entries_file,
            };
            let closing = file.report.closing(end);
            file.write(closing.as_bytes())?;
            match file.sink {
                EntrySink::InOutput(staged) => in_output.push(staged),
                EntrySink::OutputLines(staged) if is_large => in_output.push(staged),
                EntrySink::OutputLines(_) => {}
                EntrySink::Named(_) => named.push(file),
            }
        }
        self.entry_files = named;
        Ok(in_output)
    }

    /// Publishes the reports that the user named. Fails if one can't be written.
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
    fn new(report: &'static dyn EntryReport, kind: usize, sink: EntrySink) -> Self {
        Self {
            report,
            kind,
            sink,
            archive: None,
            written: 0,
            entries: 0,
            max_bytes: u64::MAX,
            entries_file: None,
        }
    }

    fn push(&mut self, entry: &[u8]) -> Result<(), WriteError> {
        if self.entries_file.is_some() {
            return Ok(());
        }
        if self.written + entry.len() as u64 > self.max_bytes {
            // The report then names the file that holds the entries.
            self.entries_file = Some(REPORT_LINES_FILE);
            return self.sink.file().truncate(self.report.opening().len() as u64);
        }
        self.write(self.report.separator(self.entries == 0).as_bytes())?;
        self.entries += 1;
        self.write(entry)?;
        self.write(self.report.terminator().as_bytes())
    }

    fn write(&mut self, text: &[u8]) -> Result<(), WriteError> {
        self.written += text.len() as u64;
        self.sink.file().append(text)
    }
}

impl EntrySink {
    fn file(&mut self) -> &mut dyn NamedFile {
        match self {
            Self::InOutput(file) | Self::OutputLines(file) => file,
            Self::Named(file) => file,
        }
    }
}

/// Returns the path from a report's directory to that of the archive, with a slash at its end.
fn path_to_archive(destination: &ReportDestination, archive: &Path) -> Option<String> {
    let report = resolve_path(destination.replaced_path()?);
    let (from, to) = (report.parent()?, resolve_path(archive));
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    if shared == 0 {
        return None;
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(shared)).collect();
    let names: Option<Vec<&str>> = path.iter().map(|name| name.to_str()).collect();
    Some(names?.into_iter().map(|name| format!("{name}/")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::output::{OutputTree, WritingTerms};
    use serde_json::Value;
    use std::fs;

    /// Writes entries into a directory whose `report.json` takes `max_bytes` of them, and replaces
    /// what is there. The first entry is taken back.
    fn write_entries(output: &Path, entries: u32, max_bytes: u64) {
        let terms = WritingTerms { force: true, ..WritingTerms::for_library("compact") };
        let tree = OutputTree::new(output, None, &[], &[], &terms).unwrap();
        let kinds = EntryKinds::of_requests(&[]);
        let report =
            tree.create_report().unwrap().map(|report| OutputReport { max_bytes, ..report });
        let mut reports = RunReports::open(&[], &kinds, report, None, tree.access()).unwrap();
        let start = reports.mark();
        for line in 0..entries {
            if line == 1 {
                reports.rewind(&start).unwrap();
            }
            let keys = r#""input_limit":null,"messages_before":1,"tokens_before":1"#;
            let entry = format!(r#"{{"thread_id":"t","line":{line},{keys}}}"#);
            reports.push(&[entry.into_bytes()]).unwrap();
        }
        for report in reports.finish(&RunDigest::default()).unwrap() {
            tree.join_report(report).unwrap();
        }
        tree.commit().unwrap();
    }

    fn lines_of(entries: &[Value]) -> Vec<u64> {
        let lines = entries.iter().map(|entry| entry["line"].as_u64().unwrap());
        lines.collect()
    }

    #[test]
    fn entries_that_are_large_stand_in_a_file_of_their_own() {
        let directory = tempfile::tempdir().unwrap();
        let output = directory.path().join("out");
        let (whole, lines) = (output.join("report.json"), output.join("report.jsonl"));
        let whole = || -> Value { serde_json::from_slice(&fs::read(&whole).unwrap()).unwrap() };
        write_entries(&output, 4, 100_000);
        assert_eq!(lines_of(whole()["transcripts"].as_array().unwrap()), [1, 2, 3]);
        assert_eq!(whole().get("transcripts_file"), None);
        assert!(!lines.exists());

        write_entries(&output, 6, 300);
        let text = fs::read_to_string(&lines).unwrap();
        let entries: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines_of(&entries), [1, 2, 3, 4, 5]);
        assert_eq!(whole()["transcripts"], Value::Array(Vec::new()));
        assert_eq!(whole()["transcripts_file"], "report.jsonl");
        assert!(whole()["totals"].is_object());

        // A smaller run leaves no entries of a larger one.
        write_entries(&output, 2, 100_000);
        assert_eq!(lines_of(whole()["transcripts"].as_array().unwrap()), [1]);
        assert!(!lines.exists());
        fs::write(&lines, "{\"messages\":[]}\n").unwrap();
        write_entries(&output, 2, 100_000);
        assert!(lines.exists(), "a file that is no report is removed");
    }
}
