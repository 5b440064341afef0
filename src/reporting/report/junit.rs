//! The report as JUnit XML for CI servers, with a test case for each transcript.

use crate::reporting::report::entry_report::{EntryReport, ReportEnd, ReportedTranscript};
use crate::reporting::report::{numbers::group_count, page_part::escape_markup};

pub(super) struct JunitReport;

impl EntryReport for JunitReport {
    fn opening(&self) -> String {
        concat!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
            "<testsuites name=\"epitome\">\n<testsuite name=\"epitome\">\n"
        )
        .to_owned()
    }

    fn entry(&self, transcript: ReportedTranscript<'_>) -> Vec<u8> {
        let report = transcript.report;
        let place = report.place();
        let name = match &report.thread_id {
            Some(thread) => format!("{thread} (line {})", report.line),
            None => format!("line {}", report.line),
        };
        let case = format!(
            "<testcase classname=\"{0}\" name=\"{1}\" file=\"{0}\" line=\"{2}\"",
            escape_markup(&report.file),
            escape_markup(&name),
            report.line
        );
        let problem = match &report.error {
            Some(error) => Some(render_problem("error", "unreadable", error, &place)),
            None if transcript.is_over_limit => {
                let tokens = group_count(report.tokens_after as u64);
                let message = format!("{tokens} tokens after compaction are over the limit");
                Some(render_problem("failure", "over-limit", &message, &place))
            }
            None => None,
        };
        match problem {
            Some(problem) => format!("{case}>{problem}</testcase>\n"),
            None => format!("{case}/>\n"),
        }
        .into_bytes()
    }

    fn closing(&self, _: ReportEnd<'_>) -> String {
        "</testsuite>\n</testsuites>\n".to_owned()
    }
}

fn render_problem(element: &str, kind: &str, message: &str, place: &str) -> String {
    let message = escape_markup(message);
    let place = escape_markup(place);
    format!("<{element} type=\"{kind}\" message=\"{message}\">{place}: {message}</{element}>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporting::report::transcript_report::TranscriptReport;

    #[test]
    fn failures_are_elements_and_text_is_escaped() {
        let failed = TranscriptReport::unreadable(
            "a&b.jsonl",
            3,
            None,
            "approx",
            "not JSON: \"<\u{1b}\"".to_owned(),
        );
        let entry = |is_over_limit, report: &TranscriptReport| {
            let transcript = ReportedTranscript { report, is_over_limit, texts: None };
            String::from_utf8(JunitReport.entry(transcript)).unwrap()
        };
        assert_eq!(
            entry(false, &failed),
            "<testcase classname=\"a&amp;b.jsonl\" name=\"line 3\" file=\"a&amp;b.jsonl\" line=\"3\"><error type=\"unreadable\" message=\"not JSON: &quot;&lt; &quot;\">a&amp;b.jsonl:3: not JSON: &quot;&lt; &quot;</error></testcase>\n"
        );
        let good = TranscriptReport {
            error: None,
            thread_id: Some("t-1".to_owned()),
            tokens_after: 1200,
            ..failed
        };
        assert_eq!(
            entry(false, &good),
            "<testcase classname=\"a&amp;b.jsonl\" name=\"t-1 (line 3)\" file=\"a&amp;b.jsonl\" line=\"3\"/>\n"
        );
        assert!(entry(true, &good).contains("<failure type=\"over-limit\" message=\"1,200 tokens"));
    }
}
