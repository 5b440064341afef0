//! `epitome formats`: the formats that can be read, and how a file's format is
//! detected.

use crate::base::foreign_text::harmless_line;
use crate::commands::prelude::*;
use crate::convert::TARGETS;
use crate::files::input::{DetectionReport, explain_detection};
use crate::reading::format::{Certainty, FORMATS, FormatVote};
use crate::reading::transcript::journal::WriteMode;
use crate::settings::cli::FormatsArgs;

/// Prints the tables of formats and targets, or what is seen in files. Fails if a file does not
/// exist, or stdout can't be written.
pub(crate) fn run(arguments: &FormatsArgs) -> Result<Ending> {
    if arguments.files.is_empty() {
        print_tables()?;
        return Ok(Ending::success());
    }
    let mut failed = 0;
    let named = NamedInputs { paths: &arguments.files, rules: PathRules::default() };
    for input in collect_named_inputs(&named, &[])? {
        match explain_detection(&input, ReadOptions::default()) {
            Ok(detection) => {
                failed += u64::from(detection.decided.is_none());
                let text = render_detection(&harmless_line(&input.name), &detection);
                print_result(&wrap_lines(&text, table_columns()))?;
            }
            Err(error) => {
                failed += 1;
                let reason = describe_with_causes(&error);
                print_message(&format!("{}: {reason}", input.name));
            }
        }
    }
    Ok(Ending::new(failed, MaxErrors::Some(0), false))
}

fn print_tables() -> Result<()> {
    let mut formats = plain_table(&["name", "compact", "what it is"], 3);
    for format in FORMATS {
        let writes = match format.write_mode() {
            WriteMode::InPlace => "rewritten",
            WriteMode::Appended { .. } => "appended",
            WriteMode::Nowhere => "--to only",
        };
        formats.add_row([format.name(), writes, format.help_line()]);
    }
    let mut targets = plain_table(&["--to", "what `convert` and `compact --to` write"], 2);
    for target in TARGETS {
        targets.add_row([target.name, target.about]);
    }
    let width = table_columns();
    let [formats, targets] =
        [&mut formats, &mut targets].map(|table| render_wrapping(table, width));
    let lines = formats.lines().chain([""]).chain(targets.lines());
    let text: String =
        lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect();
    Ok(print_result(&text)?)
}

/// Renders what was seen in a file, and the format that follows from it.
fn render_detection(file: &str, detection: &DetectionReport) -> String {
    let verdict = &detection.verdict;
    let decided = match detection.decided {
        Some((format, Shape::Conversation)) => {
            format!("{}, a conversation a record", format.name())
        }
        Some((format, Shape::Message)) => format!("{}, a message a record", format.name()),
        Some((format, Shape::Journal)) => format!("{}, a journal of all records", format.name()),
        None if verdict.records == 0 => "it holds no record of JSON".to_owned(),
        None => "of no known format (`epitome formats` lists them, --format names one)".to_owned(),
    };
    let mut out = format!(
        "{file}: {decided}\n  {}; {} looked at\n",
        detection.framing,
        count_records(verdict.records)
    );
    let line = |vote: &FormatVote, evidence: &str| {
        let (format, records) = (FORMATS[vote.format].name(), count_records(vote.records));
        format!("  {format}: {records} {evidence}: {}\n", vote.hit.why)
    };
    for vote in &verdict.votes {
        let evidence = match vote.hit.certainty {
            Certainty::Envelope => "recognized by what surrounds the messages",
            Certainty::Message => "recognized by what is in the messages",
            Certainty::Fits => "fits",
        };
        out += &line(vote, evidence);
    }
    out.extend(verdict.also.iter().map(|vote| line(vote, "would fit, too")));
    let known: usize = verdict.votes.iter().map(|vote| vote.records).sum();
    if verdict.records > known {
        out.push_str(&format!(
            "  {} of no known format; {}\n",
            count_records(verdict.records - known),
            verdict.strangers.join(" | ")
        ));
    }
    out
}

/// `1 record`, `2 records`.
fn count_records(count: usize) -> String {
    format!("{count} record{}", if count == 1 { "" } else { "s" })
}
