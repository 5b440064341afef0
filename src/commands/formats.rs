//! `epitome formats`: what can be read, and how a file's format is told.

use crate::cli::{FormatsArgs, MaxErrors};
use crate::commands::{Ending, collect_named_inputs};
use crate::convert::TARGETS;
use crate::error::describe_with_causes;
use crate::format::{Certainty, FORMATS, FormatVote, Shape};
use crate::input::{DetectionReport, ReadOptions, explain_detection};
use crate::output::print_message;
use crate::report::table::plain_table;
use crate::transcript::journal::WriteMode;
use anyhow::Result;
use std::io::Write;

/// Prints the table of formats; or what is seen in files.
///
/// # Errors
/// If a file does not exist, or stdout can't be written.
pub fn run(arguments: &FormatsArgs) -> Result<Ending> {
    let mut stdout = std::io::stdout().lock();
    if arguments.explain.is_empty() {
        let mut table = plain_table(&["name", "compact", "what it is"], 3);
        for format in FORMATS {
            let writes = match format.write_mode() {
                WriteMode::InPlace => "rewritten",
                WriteMode::Appended { .. } => "appended",
                WriteMode::Nowhere => "--to only",
            };
            table.add_row([format.name(), writes, format.help_line()]);
        }
        let mut targets = plain_table(&["--to", "what `convert` and `compact --to` write"], 2);
        for target in TARGETS {
            targets.add_row([target.name(), target.about()]);
        }
        for line in table.lines().chain([String::new()]).chain(targets.lines()) {
            writeln!(stdout, "{}", line.trim())?;
        }
        return Ok(Ending {
            tolerated: true,
            ..Ending::default()
        });
    }
    let reading = ReadOptions {
        format: None,
        max_record_bytes: usize::MAX,
        records_per_unit: usize::MAX,
    };
    let mut failed = 0;
    for input in collect_named_inputs(&arguments.explain, &[])? {
        match explain_detection(&input, reading) {
            Ok(seen) => {
                failed += u64::from(seen.decided.is_none());
                write!(stdout, "{}", render(&input.name, &seen))?;
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

fn render(file: &str, seen: &DetectionReport) -> String {
    let verdict = &seen.verdict;
    let decided = match seen.decided {
        Some((format, Shape::Conversation)) => {
            format!("{}, a conversation a record", format.name())
        }
        Some((format, Shape::Message)) => format!("{}, a message a record", format.name()),
        Some((format, Shape::Journal)) => format!("{}, a journal of all records", format.name()),
        None => "of no known format (`epitome formats` lists them, --format names one)".to_owned(),
    };
    let mut out = format!(
        "{file}: {decided}\n  {}; {} looked at\n",
        seen.framing,
        records(verdict.records)
    );
    for FormatVote {
        format,
        hit,
        records: count,
    } in &verdict.votes
    {
        let told_by = match hit.certainty {
            Certainty::Envelope => "told by what stands around the messages",
            Certainty::Message => "told by what is in the messages",
            Certainty::Fits => "fits",
        };
        out.push_str(&format!(
            "  {}: {} {told_by}: {}\n",
            FORMATS[*format].name(),
            records(*count),
            hit.why
        ));
    }
    for FormatVote {
        format,
        hit,
        records: count,
    } in &verdict.also
    {
        out.push_str(&format!(
            "  {}: {} would fit, too: {}\n",
            FORMATS[*format].name(),
            records(*count),
            hit.why
        ));
    }
    let known: usize = verdict.votes.iter().map(|vote| vote.records).sum();
    if verdict.records > known {
        out.push_str(&format!(
            "  {} of no known format; {}\n",
            records(verdict.records - known),
            verdict.strangers.join(" | ")
        ));
    }
    out
}

/// `1 record`, `2 records`.
fn records(count: usize) -> String {
    format!("{count} record{}", if count == 1 { "" } else { "s" })
}
