//! Reports with an entry for each transcript. Entries are written as transcripts finish, so such a
//! report is never held in memory.

use crate::deciding::plan::Fate;
use crate::reporting::report::{digest::RunDigest, transcript_report::TranscriptReport};
use serde::Serialize;

/// A transcript, as entries show it.
#[derive(Clone, Copy)]
pub(crate) struct ReportedTranscript<'r> {
    /// The figures and decisions.
    pub report: &'r TranscriptReport,
    /// True if the result exceeds a limit.
    pub is_over_limit: bool,
    /// The messages before and after; none unless the user asked for them.
    pub texts: Option<&'r TranscriptTexts>,
}

/// What the end of a report needs to know.
#[derive(Clone, Copy)]
pub(crate) struct ReportEnd<'r> {
    /// The totals of the run.
    pub digest: &'r RunDigest,
    /// The path from the report's directory to that of the archive; none if there is no archive.
    pub archive: Option<&'r str>,
    /// The name of the file that holds the entries in place of this one; none if it holds them itself.
    pub entries_file: Option<&'static str>,
}

/// A kind of report with an entry for each transcript.
pub(crate) trait EntryReport: Sync {
    /// Returns everything before the first entry.
    fn opening(&self) -> String {
        String::new()
    }

    /// Returns the entry of a transcript.
    fn entry(&self, transcript: ReportedTranscript<'_>) -> Vec<u8>;

    /// Returns the separator before an entry.
    fn separator(&self, _is_first: bool) -> &'static str {
        ""
    }

    /// Returns the text behind each entry.
    fn terminator(&self) -> &'static str {
        ""
    }

    /// Returns everything after the last entry.
    fn closing(&self, _end: ReportEnd<'_>) -> String {
        String::new()
    }
}

/// The messages of a transcript before and after, in the order in which they were logged.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct TranscriptTexts {
    /// The messages as logged.
    pub messages: Vec<ComparedMessage>,
    /// The summary, if one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<ShownSummary>,
}

/// A message before and after.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ComparedMessage {
    /// The name of its role.
    pub role: &'static str,
    pub fate: Fate,
    /// The tokens as logged.
    pub tokens: usize,
    /// The text with its calls as logged.
    pub text: String,
    /// The text that replaces it, if the message was shortened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ShownSummary {
    /// The index of the first message behind it.
    pub before: usize,
    pub text: String,
}
