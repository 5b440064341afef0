//! A plan explained for people: the fate of each message, and the reasons.

use crate::foreign_text::{harmless_line, is_unsafe_char};
use crate::plan::{Fate, Plan, Stage};
use crate::report::numbers::{group_count, percent_change};
use crate::report::reported_usage::ReportedUsage;
use crate::report::summary_usage::ExpectedUsage;
use crate::report::table::{plain_table, trim_line_ends};
use crate::report::transcript_report::TranscriptReport;
use crate::secrets::mask_secrets;
use crate::transcript::overlay::Overlay;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Role, Transcript};
use serde::Serialize;
use std::fmt::Write;
use unicode_width::UnicodeWidthChar;

/// The columns of a row before the preview.
const COLUMNS_BEFORE_PREVIEW: usize = 38;
/// The least columns of a preview, however narrow the terminal is.
const MIN_PREVIEW_COLUMNS: usize = 20;

/// The plan for one transcript, as JSON.
#[derive(Serialize)]
pub(crate) struct ExplainedPlan<'e> {
    /// The thread id.
    pub thread_id: &'e str,
    /// The input file.
    pub file: &'e str,
    /// The line where the first record begins.
    pub line: u64,
    /// The format.
    pub format: &'e str,
    /// The model.
    pub model: Option<&'e str>,
    /// The input limit of the model, in tokens.
    pub input_limit: Option<u64>,
    /// The name of the token counter.
    pub counter: &'e str,
    /// The usage that the log reports, beside the count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ReportedUsage>,
    /// True if anything would change.
    pub changes: bool,
    /// The plan.
    #[serde(flatten)]
    pub plan: &'e Plan,
    /// The messages with their fates.
    pub messages: Vec<ExplainedMessage>,
    /// The usage expected for the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<&'e ExpectedUsage>,
    /// Warnings for the user.
    pub warnings: &'e [String],
}

/// A message with its fate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ExplainedMessage {
    /// The index in the transcript. A logged message that holds several has an index for each.
    pub index: usize,
    /// The role.
    pub role: Role,
    /// The tokens as logged.
    pub tokens: usize,
    /// The fate of the message.
    pub fate: Fate,
}

/// Returns each message of a transcript with its fate. `tokens` holds the tokens by message.
#[must_use]
pub(crate) fn explain_messages(
    transcript: &Transcript<'_>,
    tokens: &[usize],
    plan: &Plan,
) -> Vec<ExplainedMessage> {
    let rows = transcript
        .messages
        .iter()
        .zip(tokens)
        .zip(plan.fates())
        .enumerate();
    rows.map(|(index, ((message, &tokens), fate))| ExplainedMessage {
        index,
        role: message.role,
        tokens,
        fate,
    })
    .collect()
}

/// How a plan is shown as text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExplanationStyle {
    /// The most columns of a line.
    pub width: usize,
    /// True if the messages of transcripts that would not change are shown, too.
    pub verbose: bool,
    /// True if secrets in previews are masked.
    pub redact: bool,
}

/// Renders a plan as text.
#[must_use]
pub(crate) fn render_explanation(
    report: &TranscriptReport,
    plan: &Plan,
    transcript: &Transcript<'_>,
    tokens: &[usize],
    style: ExplanationStyle,
) -> String {
    let thread = report.thread_id.as_deref().unwrap_or_default();
    let thread = single_line(thread, style.width);
    let file = harmless_line(&report.file);
    let mut out = format!("{file}:{}  {thread}  ", report.line);
    if plan.is_empty() {
        push_unchanged(&mut out, report, plan);
    } else {
        push_changes(&mut out, report, plan);
    }
    // Writing to a String can't fail.
    if let Some(usage) = &report.usage {
        let _ = writeln!(
            out,
            "  usage: the log reports {} tokens up to message {}, {} counts {} (ratio {})",
            usage.reported,
            usage.message,
            report.counter,
            group_count(usage.counted),
            usage.ratio
        );
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "  warning: {}", harmless_line(warning));
    }
    if style.verbose || !plan.is_empty() {
        push_messages(&mut out, transcript, tokens, plan, style);
    }
    out
}

/// Appends the figures of a transcript that would not change, and the reason of each stage.
fn push_unchanged(out: &mut String, report: &TranscriptReport, plan: &Plan) {
    let _ = writeln!(
        out,
        "unchanged, {} messages, {} tokens by {}",
        plan.messages_before,
        group_count(plan.tokens_before),
        report.counter
    );
    for reason in &plan.reasons {
        let _ = writeln!(out, "  {}: {}", reason.stage.name(), reason.why);
    }
}

/// Appends the figures of a transcript that would change, and the reason of each stage.
fn push_changes(out: &mut String, report: &TranscriptReport, plan: &Plan) {
    let (before, after) = (plan.tokens_before, plan.tokens_after);
    let budget = plan.summary().map(|summary| summary.hole.budget);
    let and_summary = budget
        .map(|tokens| format!(" and a summary of at most {}", group_count(tokens)))
        .unwrap_or_default();
    let percent = percent_change(before as u64, (after + budget.unwrap_or(0)) as u64);
    let _ = writeln!(
        out,
        "{} -> {} messages, {} -> {} tokens by {}{and_summary} ({percent})",
        plan.messages_before,
        plan.messages_after,
        group_count(before),
        group_count(after),
        report.counter,
    );
    for reason in &plan.reasons {
        let numbers = if reason.applies {
            format!(
                " [{} -> {}]",
                group_count(reason.tokens_before),
                group_count(reason.tokens_after)
            )
        } else {
            String::new()
        };
        let _ = writeln!(out, "  {}: {}{numbers}", reason.stage.name(), reason.why);
    }
}

/// Appends a table of the messages with their fates.
fn push_messages(
    out: &mut String,
    transcript: &Transcript<'_>,
    tokens: &[usize],
    plan: &Plan,
    style: ExplanationStyle,
) {
    let width = style.width;
    let none = Overlay::default();
    let view = TranscriptView {
        transcript,
        overlay: &none,
    };
    let preview_width = width
        .saturating_sub(COLUMNS_BEFORE_PREVIEW)
        .max(MIN_PREVIEW_COLUMNS);
    let mut table = plain_table(&["   #", "role", "tokens", "fate", "preview"], 5);
    for row in explain_messages(transcript, tokens, plan) {
        let mut preview = message_preview(view, row.index, width);
        if style.redact {
            preview = mask_secrets(&preview).0.into_owned();
        }
        table.add_row([
            format!("{:4}", row.index),
            row.role.name().to_owned(),
            format!("{:>7}", group_count(row.tokens)),
            row.fate.name().to_owned(),
            single_line(&preview, preview_width),
        ]);
    }
    out.push_str(&trim_line_ends(&table.to_string()));
    if let Some(reason) = plan
        .reasons
        .iter()
        .find(|reason| reason.stage == Stage::Summarize && reason.applies)
    {
        let saved = reason.tokens_before.saturating_sub(reason.tokens_after);
        let _ = writeln!(
            out,
            "   the summary takes the place of {} tokens",
            group_count(saved)
        );
    }
    out.push('\n');
}

/// Returns the beginning of a message's text, or its calls if it has no text.
fn message_preview(view: TranscriptView<'_, '_>, index: usize, width: usize) -> String {
    let text: String = view
        .content_pieces(index)
        .into_iter()
        .find_map(|piece| piece.text())
        .unwrap_or_default()
        .chars()
        .take(width * 4)
        .collect();
    if !text.trim().is_empty() {
        return text;
    }
    let turn = view.viewed_turn(index);
    let calls = turn.calls.iter().map(|call| {
        let arguments: String = String::from_utf8_lossy(&call.arguments)
            .chars()
            .take(width)
            .collect();
        format!("{}({arguments})", call.name)
    });
    calls.collect::<Vec<_>>().join(" ")
}

/// Returns text from a log as a line of at most `width` columns, without control characters.
///
/// Runs of blanks and line ends become one blank. Text that is too long ends with `…`.
fn single_line(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    let mut after_blank = true;
    for c in text.chars() {
        let c = if is_unsafe_char(c) || c.is_whitespace() {
            ' '
        } else {
            c
        };
        if c == ' ' && after_blank {
            continue;
        }
        after_blank = c == ' ';
        let columns = c.width().unwrap_or(0);
        if used + columns + 1 > width {
            out.push('…');
            return out;
        }
        used += columns;
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_fits_its_columns_and_has_no_control_characters() {
        assert_eq!(single_line("a\u{1b}[31m  b\n\nc", 40), "a [31m b c");
        assert_eq!(single_line("日本語", 5), "日本…");
        assert_eq!(single_line("abcdef", 4), "abc…");
    }
}
