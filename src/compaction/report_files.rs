//! The report files of a run: JSON while the run goes on, views of the totals at its end.

use crate::output::{AccessLimit, AtomicFile, StagedFile, WriteError};
use crate::report::{REPORT_VIEWS, ReportView, RunDigest, json};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A report file whose ending stands for no kind of report.
#[derive(Debug, thiserror::Error)]
#[error("--report {}: its ending must be .json, {}", .0.display(), view_endings())]
pub(crate) struct UnknownReportEnding(pub(crate) PathBuf);

/// Returns the endings of all views, for people.
fn view_endings() -> String {
    let endings = REPORT_VIEWS.iter().map(|view| format!(".{}", view.ending));
    endings.collect::<Vec<_>>().join(" or ")
}

/// The report files that the user named, by their ending.
pub(crate) struct ReportPaths<'p> {
    json: Vec<&'p Path>,
    views: Vec<ViewPath<'p>>,
}

struct ViewPath<'p> {
    view: &'static ReportView,
    path: &'p Path,
}

impl<'p> ReportPaths<'p> {
    /// Sorts report files by their ending.
    ///
    /// # Errors
    /// Fails if a report can't be written with such an ending.
    pub(crate) fn new(paths: &'p [PathBuf]) -> Result<Self, UnknownReportEnding> {
        let mut sorted = Self {
            json: Vec::new(),
            views: Vec::new(),
        };
        for path in paths {
            let ending = path.extension().and_then(|extension| extension.to_str());
            let ending = ending.unwrap_or_default();
            match REPORT_VIEWS.iter().find(|view| view.ending == ending) {
                Some(view) => sorted.views.push(ViewPath { view, path }),
                None if ending == "json" => sorted.json.push(path),
                None => return Err(UnknownReportEnding(path.clone())),
            }
        }
        Ok(sorted)
    }

    /// Opens the JSON reports: that of the output directory, if there is one, and those that the
    /// user named.
    ///
    /// # Errors
    /// Fails if one can't be written.
    pub(crate) fn open_json(
        &self,
        access: AccessLimit,
        in_output: Option<StagedFile>,
    ) -> Result<JsonReports, WriteError> {
        let mut files = Vec::new();
        for path in &self.json {
            files.push(AtomicFile::create(path, access)?);
        }
        let mut reports = JsonReports {
            in_output,
            files,
            written: 0,
            entries: 0,
        };
        reports.write(json::report_opening().as_bytes())?;
        Ok(reports)
    }

    /// Opens the views. Nothing is in them until the run ends.
    ///
    /// # Errors
    /// Fails if one can't be written.
    pub(crate) fn open_views(&self, access: AccessLimit) -> Result<ViewReports, WriteError> {
        let mut files = Vec::new();
        for ViewPath { view, path } in &self.views {
            files.push((*view, AtomicFile::create(path, access)?));
        }
        Ok(ViewReports { files })
    }
}

/// The views of a run's totals.
pub(crate) struct ViewReports {
    files: Vec<(&'static ReportView, AtomicFile)>,
}

impl ViewReports {
    /// Renders and publishes them.
    ///
    /// # Errors
    /// Fails if one can't be written.
    pub(crate) fn publish(self, digest: &RunDigest) -> Result<(), WriteError> {
        for (view, file) in self.files {
            file.publish_bytes((view.render)(digest).as_bytes())?;
        }
        Ok(())
    }
}

/// The JSON reports, written while the run goes on.
pub(crate) struct JsonReports {
    /// The report in the output directory.
    in_output: Option<StagedFile>,
    /// The reports that the user named.
    files: Vec<AtomicFile>,
    written: u64,
    entries: u64,
}

/// A position in the JSON reports, to go back to.
#[derive(Clone, Copy)]
pub(super) struct ReportMark {
    written: u64,
    entries: u64,
}

impl JsonReports {
    fn write(&mut self, text: &[u8]) -> Result<(), WriteError> {
        self.written += text.len() as u64;
        if let Some(file) = &mut self.in_output {
            let written = file.write_all(text);
            written.map_err(WriteError::of_file(file.path()))?;
        }
        for file in &mut self.files {
            let written = file.write_all(text);
            written.map_err(WriteError::of_file(file.path()))?;
        }
        Ok(())
    }

    /// Appends an entry, rendered as JSON.
    pub(crate) fn push(&mut self, entry: &[u8]) -> Result<(), WriteError> {
        self.write(json::entry_separator(self.entries == 0))?;
        self.entries += 1;
        self.write(entry)
    }

    /// Returns the present position.
    pub(super) fn mark(&self) -> ReportMark {
        ReportMark {
            written: self.written,
            entries: self.entries,
        }
    }

    /// Takes back everything behind a mark.
    pub(super) fn rewind(&mut self, mark: ReportMark) -> Result<(), WriteError> {
        if let Some(file) = &mut self.in_output {
            let truncated = file.truncate(mark.written);
            truncated.map_err(WriteError::of_file(file.path()))?;
        }
        for file in &mut self.files {
            let truncated = file.truncate(mark.written);
            truncated.map_err(WriteError::of_file(file.path()))?;
        }
        (self.written, self.entries) = (mark.written, mark.entries);
        Ok(())
    }

    /// Ends the reports with the totals. Returns that of the output directory.
    ///
    /// # Errors
    /// Fails if one can't be written.
    pub(crate) fn finish(&mut self, digest: &RunDigest) -> Result<Option<StagedFile>, WriteError> {
        self.write(json::report_closing(&digest.totals).as_bytes())?;
        Ok(self.in_output.take())
    }

    /// Publishes the reports that the user named.
    pub(crate) fn publish(self) -> Result<(), WriteError> {
        self.files.into_iter().try_for_each(AtomicFile::publish)
    }
}
