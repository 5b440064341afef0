//! The entries of a transcript in the reports of a run, rendered by the thread that has it at hand.

use crate::reporting::report::TranscriptReport;
use crate::reporting::report::entry_report::{EntryReport, ReportedTranscript};
use crate::reporting::report::kinds::{JSON_REPORT, ReportKind, ReportWriter};
use crate::settings::ReportRequest;

/// The kinds of entries that the reports of a run need.
pub(crate) struct EntryKinds(Vec<&'static ReportKind>);

impl EntryKinds {
    /// Returns the kinds of the reports that the user named, and that of the output directory.
    pub(crate) fn of_requests(requests: &[ReportRequest]) -> Self {
        let mut kinds = vec![&JSON_REPORT];
        for request in requests {
            if !kinds.iter().any(|kind| kind.name == request.kind.name) {
                kinds.push(request.kind);
            }
        }
        Self(kinds)
    }

    /// No kinds: nothing is rendered.
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns the place of a kind's entry among those of a transcript, and its writer.
    pub(super) fn find(&self, kind: &ReportKind) -> Option<(usize, &'static dyn EntryReport)> {
        let place = self.0.iter().position(|known| known.name == kind.name)?;
        match self.0[place].writer {
            ReportWriter::Entries(report) => Some((place, report)),
            ReportWriter::Totals(_) => None,
        }
    }

    /// Renders the entry of what could not be read or finished in each kind of report.
    pub(crate) fn render_failure(&self, report: &TranscriptReport) -> Vec<Vec<u8>> {
        self.render(ReportedTranscript { report, is_over_limit: false, texts: None })
    }

    /// Renders the entry of a transcript in each kind of report.
    pub(crate) fn render(&self, transcript: ReportedTranscript<'_>) -> Vec<Vec<u8>> {
        let entries = self.0.iter().map(|kind| match kind.writer {
            ReportWriter::Entries(report) => report.entry(transcript),
            ReportWriter::Totals(_) => Vec::new(),
        });
        entries.collect()
    }
}
