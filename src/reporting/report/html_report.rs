//! The report as a page to look at: totals, a chart, and a table of all transcripts that can be
//! searched, sorted and opened. It is one file, and loads nothing.

use crate::base::foreign_text::harmless_json;
use crate::deciding::plan::Stage;
use crate::reporting::report::digest::{RunDigest, RunFacts, RunTotals};
use crate::reporting::report::entry_report::{
    EntryReport, ReportEnd, ReportedTranscript, TranscriptTexts,
};
use crate::reporting::report::numbers::group_count;
use crate::reporting::report::page::{failure_parts, lay_out_totals, retention_parts};
use crate::reporting::report::page_part::{escape_markup, render_head, render_parts};
use crate::reporting::report::transcript_report::{TranscriptReport, TranscriptStatus};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use std::io::Write;

pub(super) struct HtmlReport;

const SCRIPT: &str = include_str!("html_report.js");
/// The SHA-256 of the script in base64. No other script runs in the page, whatever a log holds.
const SCRIPT_HASH: &str = "199l/AKd9LTuPA+Es33G3KmUsJFwjnnLJ8cdWmP7TzI=";

/// The level of compression of texts.
const PACKING: u32 = 8;

/// The index of a status in the script's list of them.
#[derive(Clone, Copy)]
enum StatusIndex {
    Compacted = 0,
    Unchanged = 1,
    Failed = 2,
    OverLimit = 3,
}

/// The part of an entry that is read when the row is opened.
#[derive(Serialize)]
struct RowDetails<'r> {
    error: Option<&'r str>,
    warnings: &'r [String],
    reasons: Vec<(&'static str, &'r str)>,
    /// The archive's files of evicted results.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    evicted: &'r [String],
}

impl EntryReport for HtmlReport {
    fn opening(&self) -> String {
        let scripts = format!("'sha256-{SCRIPT_HASH}'");
        let head = render_head("Transcript compaction", &scripts);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n{head}</head>\n<body>\n\
             <script type=\"text/plain\" id=\"transcripts\">\n"
        )
    }

    fn entry(&self, transcript: ReportedTranscript<'_>) -> Vec<u8> {
        let report = transcript.report;
        let details = RowDetails {
            error: report.error.as_deref(),
            warnings: &report.warnings,
            reasons: report
                .reasons
                .iter()
                .map(|reason| (reason.stage.name(), reason.why.as_str()))
                .collect(),
            evicted: &report.evicted_files,
        };
        let row = row_figures(report, transcript.is_over_limit);
        let texts = transcript.texts.map(packed_texts).unwrap_or_default();
        format!("{}\t{}{texts}\n", data_json(&row), data_json(&details)).into_bytes()
    }

    fn closing(&self, end: ReportEnd<'_>) -> String {
        let digest = end.digest;
        let mut page = format!("</script>\n<h1>{}</h1>\n", escape_markup(digest.title()));
        if let Some(facts) = &digest.facts {
            page.push_str(&render_facts(facts));
        }
        page.push_str(&render_bars(&digest.totals));
        page.push_str("<figure id=\"lengths\"></figure>\n");
        page.push_str(&render_parts(&lay_out_totals(digest)));
        page.push_str(&render_controls(digest, end.archive));
        page.push_str(&render_parts(&failure_parts(digest)));
        page.push_str(&render_parts(&retention_parts(&digest.totals)));
        page.push_str(&format!("<script>\n{SCRIPT}</script>\n</body>\n</html>\n"));
        page
    }
}

/// Returns a tab and the texts of a transcript, compressed: a page of thousands stays small.
fn packed_texts(texts: &TranscriptTexts) -> String {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::new(PACKING));
    // Writing to a vector can't fail.
    let _ = packed.write_all(data_json(texts).as_bytes());
    let packed = packed.finish().unwrap_or_default();
    format!("\t{}", BASE64_STANDARD.encode(packed))
}

/// Returns the figures of a row, in the order in which the script reads them.
fn row_figures(report: &TranscriptReport, is_over_limit: bool) -> impl Serialize + '_ {
    let status = match report.status {
        _ if report.error.is_some() => StatusIndex::Failed,
        _ if is_over_limit => StatusIndex::OverLimit,
        TranscriptStatus::Compacted => StatusIndex::Compacted,
        TranscriptStatus::Unchanged => StatusIndex::Unchanged,
        TranscriptStatus::Failed => StatusIndex::Failed,
    };
    let applied = report.reasons.iter().filter(|reason| reason.applies);
    let stages: Vec<&str> = applied.map(|reason| reason.stage.name()).collect();
    (
        &report.thread_id, &report.file, report.line, status as u8, report.format,
        report.messages_before, report.messages_after, report.tokens_before, report.tokens_after,
        stages, &report.archive, report.trigger_tokens,
    )
}

/// Returns a value as JSON on one line that can't end the element around it.
fn data_json(value: &impl Serialize) -> String {
    // All of a row can be spelled as JSON, where `<` occurs in strings only.
    harmless_json(serde_json::to_string(value).unwrap_or_default()).replace('<', "\\u003c")
}

fn render_facts(facts: &RunFacts) -> String {
    let inputs = facts.inputs.iter();
    let inputs: Vec<String> =
        inputs.map(|input| format!("<code>{}</code>", escape_markup(input))).collect();
    let policy: String = facts.policy.split('\n').map(|line| escape_markup(line) + "\n").collect();
    format!(
        "<p>{} {}, {}, of {}.</p>\n<details><summary>Policy</summary><pre>{policy}</pre></details>\n",
        escape_markup(&facts.command),
        env!("CARGO_PKG_VERSION"),
        escape_markup(&facts.time),
        inputs.join(", "),
    )
}

/// Renders the tokens before and after, and what each stage saved, as bars.
fn render_bars(totals: &RunTotals) -> String {
    let most = totals.tokens_before.max(totals.tokens_after).max(1);
    let mut bars = render_bar("tokens before", "before", totals.tokens_before, most);
    bars.push_str(&render_bar("tokens after", "after", totals.tokens_after, most));
    for stage in Stage::ALL {
        let saved = totals.stages.get(&stage).map_or(0, |sums| sums.tokens_saved);
        if let Ok(saved @ 1..) = u64::try_from(saved) {
            let name = format!("saved by {}", stage.name());
            bars.push_str(&render_bar(&name, "saved", saved, most));
        }
    }
    format!("<div class=\"bars\">\n{bars}</div>\n")
}

fn render_bar(name: &str, class: &str, tokens: u64, most: u64) -> String {
    // A share of a bar's width needs no more digits than a float has.
    let percent = tokens as f64 / most as f64 * 100.0;
    format!(
        "<span>{name}</span><i class=\"{class}\" style=\"width:{percent:.2}%\"></i><span class=\"number\">{}</span>\n",
        group_count(tokens)
    )
}

/// Renders the empty table, which the script fills, and the controls above it.
fn render_controls(digest: &RunDigest, archive: Option<&str>) -> String {
    let stages: String = digest.totals.stages.keys().map(|stage| option(stage.name())).collect();
    let statuses: String = ["compacted", "unchanged", "failed", "over limit"].map(option).concat();
    let archive =
        archive.map_or(String::new(), |path| format!(" data-archive=\"{}\"", escape_markup(path)));
    format!(
        "<h2>All transcripts</h2>\n<noscript><p>The table needs JavaScript, which the page brings along.</p></noscript>\n\
         <div class=\"controls\">\n\
         <input id=\"query\" type=\"search\" placeholder=\"thread, file or format\" aria-label=\"Search\">\n\
         <select id=\"status\" aria-label=\"Status\"><option value=\"\">any status</option>{statuses}</select>\n\
         <select id=\"stage\" aria-label=\"Stage\"><option value=\"\">any stage</option>{stages}</select>\n\
         <button id=\"back\" type=\"button\">back</button><button id=\"next\" type=\"button\">next</button>\n\
         <span id=\"shown\" aria-live=\"polite\"></span>\n</div>\n\
         <div class=\"wide\"><table id=\"rows\"{archive}></table></div>\n"
    )
}

fn option(name: &str) -> String {
    format!("<option>{name}</option>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deciding::plan::Fate;
    use crate::reporting::report::entry_report::ComparedMessage;
    use flate2::read::DeflateDecoder;
    use ring::digest::{SHA256, digest};

    #[test]
    fn the_page_allows_its_own_script_and_no_other() {
        let script = format!("\n{SCRIPT}");
        let hash = BASE64_STANDARD.encode(digest(&SHA256, script.as_bytes()));
        assert_eq!(SCRIPT_HASH, hash, "SCRIPT_HASH must be that of html_report.js");
    }

    #[test]
    fn data_does_not_end_its_element() {
        let texts = TranscriptTexts {
            messages: vec![ComparedMessage {
                role: "user",
                fate: Fate::Kept,
                tokens: 3,
                text: "</script><script>alert(1)</script>\n<!--\t\u{202e}".to_owned(),
                after: None,
            }],
            summary: None,
        };
        let report = TranscriptReport::unreadable("a<b.jsonl", 1, None, "approx", "<".to_owned());
        let entry = HtmlReport.entry(ReportedTranscript {
            report: &report,
            is_over_limit: false,
            texts: Some(&texts),
        });
        let entry = String::from_utf8(entry).unwrap();
        assert!(!entry.contains('<') && !entry.contains('\u{202e}'), "{entry}");
        assert_eq!(entry.matches('\n').count(), 1);
        let [row, details, packed] = entry.trim_end().split('\t').collect::<Vec<_>>()[..] else {
            panic!("{entry}");
        };
        let packed = BASE64_STANDARD.decode(packed).unwrap();
        let shown: serde_json::Value =
            serde_json::from_reader(DeflateDecoder::new(&packed[..])).unwrap();
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        assert_eq!(row[1], "a<b.jsonl");
        let details: serde_json::Value = serde_json::from_str(details).unwrap();
        assert_eq!(details["error"], "<");
        assert_eq!(shown["messages"][0]["text"], texts.messages[0].text);
    }
}
