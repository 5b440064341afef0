//! The kinds of reports. A kind is chosen by the ending of the report's file, or by its
//! name before it.

use crate::reporting::report::entry_report::EntryReport;
use crate::reporting::report::json::{JsonLinesReport, JsonReport};
use crate::reporting::report::junit::JunitReport;
use crate::reporting::report::{digest::RunDigest, html_report::HtmlReport, markdown};
use std::fmt;

pub(crate) struct ReportKind {
    /// The name on the command line.
    pub name: &'static str,
    /// The file extension.
    pub ending: &'static str,
    /// What the beginning of every such report holds, and no transcript.
    pub marks: &'static [&'static str],
    pub writer: ReportWriter,
}

impl fmt::Debug for ReportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[derive(Clone, Copy)]
pub(crate) enum ReportWriter {
    /// Renders the totals at the end of a run.
    Totals(fn(&RunDigest) -> String),
    /// Writes an entry for each transcript.
    Entries(&'static dyn EntryReport),
}

/// The kind of reports for programs.
pub(crate) static JSON_REPORT: ReportKind = ReportKind {
    name: "json",
    ending: "json",
    marks: &["\"tool\": \"epitome ", "\"transcripts\": ["],
    writer: ReportWriter::Entries(&JsonReport),
};
/// The kind of reports for tables and queries.
pub(crate) static JSON_LINES_REPORT: ReportKind = ReportKind {
    name: "jsonl",
    ending: "jsonl",
    marks: &["{\"thread_id\":", "\"input_limit\":", "\"messages_before\":", "\"tokens_before\":"],
    writer: ReportWriter::Entries(&JsonLinesReport),
};
/// The kind of reports for job summaries.
pub(crate) static MARKDOWN_REPORT: ReportKind = ReportKind {
    name: "md",
    ending: "md",
    marks: &["## Transcript compaction"],
    writer: ReportWriter::Totals(markdown::render_markdown),
};
/// The kind of reports to look at.
pub(crate) static HTML_REPORT: ReportKind = ReportKind {
    name: "html",
    ending: "html",
    marks: &["<title>Transcript compaction"],
    writer: ReportWriter::Entries(&HtmlReport),
};
/// The kind of reports for CI servers.
pub(crate) static JUNIT_REPORT: ReportKind = ReportKind {
    name: "junit",
    ending: "xml",
    marks: &["<testsuites name=\"epitome\""],
    writer: ReportWriter::Entries(&JunitReport),
};

pub(crate) static REPORT_KINDS: [&ReportKind; 5] =
    [&JSON_REPORT, &JSON_LINES_REPORT, &MARKDOWN_REPORT, &HTML_REPORT, &JUNIT_REPORT];

/// Returns the kind of reports with a name, or with the file extension that is given for it.
pub(crate) fn report_kind_by_name(name: &str) -> Option<&'static ReportKind> {
    let by_name = REPORT_KINDS.into_iter().find(|kind| kind.name == name);
    by_name.or_else(|| report_kind_of_ending(name))
}

/// Returns the kind of reports with a file extension.
pub(crate) fn report_kind_of_ending(ending: &str) -> Option<&'static ReportKind> {
    REPORT_KINDS.into_iter().find(|kind| kind.ending == ending)
}
