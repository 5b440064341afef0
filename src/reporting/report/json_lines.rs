//! The report as JSON lines: one for each transcript, for tables and queries.

use crate::reporting::report::entry_report::{EntryReport, ReportEnd, ReportedTranscript};
use crate::reporting::report::json::report_entry;

/// The report with a line for each transcript.
pub(super) struct JsonLinesReport;

impl EntryReport for JsonLinesReport {
    fn opening(&self) -> String {
        String::new()
    }

    fn entry(&self, transcript: ReportedTranscript<'_>) -> Vec<u8> {
        report_entry(transcript.report)
    }

    fn separator(&self, _: bool) -> &'static str {
        ""
    }

    fn terminator(&self) -> &'static str {
        "\n"
    }

    fn closing(&self, _: ReportEnd<'_>) -> String {
        String::new()
    }
}
