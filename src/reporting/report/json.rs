//! Reports for programs: the parts of `report.json`, and the report as JSON lines for tables and
//! queries, with a line for each transcript.

use crate::base::foreign_text::harmless_json;
use crate::reporting::report::digest::RunFacts;
use crate::reporting::report::entry_report::{EntryReport, ReportEnd, ReportedTranscript};
use serde::Serialize;

/// The version of the schema of `report.json`.
pub(crate) const REPORT_VERSION: u32 = 1;

const END_OF_ENTRIES: &str = "\n  ],\n";

pub(super) struct JsonReport;

impl EntryReport for JsonReport {
    fn opening(&self) -> String {
        report_opening()
    }

    fn entry(&self, transcript: ReportedTranscript<'_>) -> Vec<u8> {
        report_entry(transcript.report)
    }

    fn separator(&self, is_first: bool) -> &'static str {
        entry_separator(is_first)
    }

    fn closing(&self, end: ReportEnd<'_>) -> String {
        let facts = end.digest.facts.as_ref();
        let facts = facts.filter(|facts| facts.is_reported);
        let run = facts.map(run_line).unwrap_or_default();
        let totals = closing_totals(&end.digest.totals);
        match end.entries_file {
            Some(file) => format!("],\n  \"transcripts_file\": \"{file}\",\n{run}{totals}"),
            None => format!("{END_OF_ENTRIES}{run}{totals}"),
        }
    }
}

/// Returns everything before the first entry.
pub(crate) fn report_opening() -> String {
    format!(
        "{{\n  \"version\": {REPORT_VERSION},\n  \"tool\": \"epitome {}\",\n  \"transcripts\": [",
        env!("CARGO_PKG_VERSION")
    )
}

/// Returns an entry as JSON on one line.
pub(crate) fn report_entry(entry: &impl Serialize) -> Vec<u8> {
    // Every field of an entry can be serialized.
    harmless_json(serde_json::to_string(entry).unwrap_or_default()).into_bytes()
}

pub(crate) fn entry_separator(is_first: bool) -> &'static str {
    if is_first { "\n    " } else { ",\n    " }
}

/// Returns everything after the last entry.
pub(crate) fn report_closing(totals: &impl Serialize) -> String {
    format!("{END_OF_ENTRIES}{}", closing_totals(totals))
}

/// What was run.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ReportedRun<'f> {
    /// The command, as `epitome compact`.
    command: &'f str,
    /// The time at which it began.
    time: &'f str,
    /// The inputs as they were named.
    inputs: &'f [String],
    /// The policy with all its values, but without the prompts, as in a configuration file.
    policy: serde_json::Value,
}

/// Returns the line on what was run.
fn run_line(facts: &RunFacts) -> String {
    let run = ReportedRun {
        command: &facts.command,
        time: &facts.time,
        inputs: &facts.inputs,
        // The policy was written as TOML, so it can be read.
        policy: toml::from_str(&facts.policy).unwrap_or_default(),
    };
    let run = harmless_json(serde_json::to_string(&run).unwrap_or_default());
    format!("  \"run\": {run},\n")
}

/// Returns the totals and the end of the report.
fn closing_totals(totals: &impl Serialize) -> String {
    let totals = harmless_json(serde_json::to_string(totals).unwrap_or_default());
    format!("  \"totals\": {totals}\n}}\n")
}

/// The report with a line for each transcript.
pub(super) struct JsonLinesReport;

impl EntryReport for JsonLinesReport {
    fn entry(&self, transcript: ReportedTranscript<'_>) -> Vec<u8> {
        report_entry(transcript.report)
    }

    fn terminator(&self) -> &'static str {
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporting::report::{digest::RunTotals, transcript_report::TranscriptReport};
    use schemars::generate::SchemaSettings;
    use schemars::transform::RecursiveTransform;
    use schemars::{JsonSchema, Schema};
    use serde_json::Value;

    const OVERWRITE: &str = "EPITOME_FIXTURES";
    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.schema.json");

    /// The report of a run of `compact` or `convert`, or of `plan --report`.
    #[derive(Serialize, JsonSchema)]
    #[schemars(title = "report.json")]
    struct Report {
        /// The version of this schema: 1.
        version: u32,
        /// The program and its version.
        tool: String,
        /// The transcripts in input order. A record or a file that could not be read has an entry, too.
        transcripts: Vec<TranscriptReport>,
        /// The file beside this one that holds the entries, one a line, where they would be too large for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        transcripts_file: Option<String>,
        /// What was run. Absent with `--names content`, where a report depends on the records and the
        /// policy only.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<ReportedRun<'static>>,
        /// The sums over all transcripts.
        totals: RunTotals,
    }

    /// `EPITOME_FIXTURES=overwrite cargo test --lib -- schema` writes `docs/report.schema.json` anew.
    #[test]
    fn the_schema_describes_the_report() {
        let generator = SchemaSettings::draft07()
            .for_serialize()
            .with_transform(RecursiveTransform(tidy_schema))
            .into_generator();
        let schema = generator.into_root_schema_for::<Report>();
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var(OVERWRITE).is_ok_and(|value| value == "overwrite") {
            std::fs::write(FILE, &text).unwrap();
        }
        let is_held = std::fs::read_to_string(FILE).is_ok_and(|held| held == text);
        assert!(is_held, "{FILE} is not the report's ({OVERWRITE}=overwrite writes it anew)");
    }

    /// Refuses keys that an object does not name. Joins the lines of descriptions.
    fn tidy_schema(schema: &mut Schema) {
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = text.replace('\n', " ");
        }
        if schema.get("properties").is_some() {
            schema.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
    }
}
