//! A plan as people read it: what would happen to which message, and why.

use crate::plan::{Fate, Plan, Stage};
use crate::report::table::{group_digits, percent_change, plain_table};
use crate::report::{ExpectedUsage, ReportedUsage, TranscriptReport};
use crate::transcript::overlay::Overlay;
use crate::transcript::view::TranscriptView;
use crate::transcript::{Role, Transcript};
use serde::Serialize;
use std::fmt::Write;
use unicode_width::UnicodeWidthChar;

/// Columns before the preview.
const BEFORE_PREVIEW: usize = 38;
const LEAST_PREVIEW: usize = 20;

/// One transcript of a dry run, as JSON.
#[derive(Serialize)]
pub struct ExplainedPlan<'e> {
    /// Its id.
    pub thread_id: &'e str,
    /// The input file.
    pub file: &'e str,
    /// The line where its first record begins.
    pub line: u64,
    /// Its format.
    pub format: &'e str,
    /// Its model.
    pub model: Option<&'e str>,
    /// The model's input limit, in tokens.
    pub input_limit: Option<u64>,
    /// Who counted the tokens.
    pub counter: &'e str,
    /// What the log reports beside what was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ReportedUsage>,
    /// Whether anything would change.
    pub changes: bool,
    /// The decision.
    #[serde(flatten)]
    pub plan: &'e Plan,
    /// Each message, and what happens to it.
    pub messages: Vec<ExplainedMessage>,
    /// What its summary is expected to take of a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<&'e ExpectedUsage>,
    /// What the user should know.
    pub warnings: &'e [String],
}

/// One message of a dry run.
#[derive(Debug, Clone, Serialize)]
pub struct ExplainedMessage {
    /// Its index in the transcript; where one logged message holds several, each has its own.
    pub index: usize,
    /// Who speaks.
    pub role: Role,
    /// Its tokens as logged.
    pub tokens: usize,
    /// What happens to it.
    pub fate: Fate,
}

/// Each message of a transcript with its fate.
#[must_use]
pub fn explain_messages(
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

/// A plan as text of at most `width` columns. `verbose` shows the messages of transcripts that would not percent_change, too.
#[must_use]
pub fn render_explanation(
    entry: &TranscriptReport,
    plan: &Plan,
    transcript: &Transcript<'_>,
    tokens: &[usize],
    width: usize,
    verbose: bool,
) -> String {
    let thread = clean(entry.thread_id.as_deref().unwrap_or_default(), width);
    let mut out = format!("{}:{}  {thread}  ", entry.file, entry.line);
    // Writing to a String can't fail.
    if plan.is_empty() {
        let why = plan
            .reasons
            .iter()
            .map(|reason| format!("{}: {}", reason.stage.name(), reason.why));
        let _ = writeln!(
            out,
            "unchanged, {} messages, {} tokens by {}",
            plan.messages_before,
            number(plan.tokens_before),
            entry.counter
        );
        for why in why {
            let _ = writeln!(out, "  {why}");
        }
    } else {
        let (before, after) = (plan.tokens_before, plan.tokens_after);
        let budget = plan.summary().map(|summary| summary.hole.budget);
        let and_summary = budget
            .map(|tokens| format!(" and a summary of at most {}", number(tokens)))
            .unwrap_or_default();
        let percent = percent_change(before as u64, (after + budget.unwrap_or(0)) as u64);
        let _ = writeln!(
            out,
            "{} -> {} messages, {} -> {} tokens by {}{and_summary} ({percent})",
            plan.messages_before,
            plan.messages_after,
            number(before),
            number(after),
            entry.counter,
        );
        for reason in &plan.reasons {
            let numbers = if reason.applies {
                format!(
                    " [{} -> {}]",
                    number(reason.tokens_before),
                    number(reason.tokens_after)
                )
            } else {
                String::new()
            };
            let _ = writeln!(out, "  {}: {}{numbers}", reason.stage.name(), reason.why);
        }
    }
    if let Some(usage) = &entry.usage {
        let (reported, counted) = (usage.reported.to_string(), number(usage.counted));
        let _ = writeln!(
            out,
            "  usage: the log reports {reported} tokens up to message {}, {} counts {counted} (ratio {})",
            usage.message, entry.counter, usage.ratio
        );
    }
    for warning in &entry.warnings {
        let _ = writeln!(out, "  warning: {warning}");
    }
    if verbose || !plan.is_empty() {
        push_messages(&mut out, transcript, tokens, plan, width);
    }
    out
}

fn push_messages(
    out: &mut String,
    transcript: &Transcript<'_>,
    tokens: &[usize],
    plan: &Plan,
    width: usize,
) {
    let none = Overlay::default();
    let view = TranscriptView {
        transcript,
        overlay: &none,
    };
    let mut table = plain_table(&["   #", "role", "tokens", "fate", "preview"], 5);
    for row in explain_messages(transcript, tokens, plan) {
        let preview = clean(
            &preview(view, row.index, width),
            width.saturating_sub(BEFORE_PREVIEW).max(LEAST_PREVIEW),
        );
        table.add_row([
            format!("{:4}", row.index),
            row.role.name().to_owned(),
            format!("{:>7}", number(row.tokens)),
            row.fate.name().to_owned(),
            preview,
        ]);
    }
    for line in table.lines() {
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if let Some(reason) = plan
        .reasons
        .iter()
        .find(|reason| reason.stage == Stage::Summarize && reason.applies)
    {
        let saved = reason.tokens_before.saturating_sub(reason.tokens_after);
        let _ = writeln!(
            out,
            "   the summary takes the place of {} tokens",
            number(saved)
        );
    }
    out.push('\n');
}

/// The first words of a message; for one without text, its calls.
fn preview(view: TranscriptView<'_, '_>, index: usize, width: usize) -> String {
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

/// Text from a log on one line of at most `width` columns, without anything that a terminal would obey.
fn clean(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    let mut blank = true;
    for c in text.chars() {
        let c = if c.is_control() || c.is_whitespace() {
            ' '
        } else {
            c
        };
        if c == ' ' && std::mem::replace(&mut blank, c == ' ') {
            continue;
        }
        blank = c == ' ';
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

fn number(value: usize) -> String {
    group_digits(i64::try_from(value).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_cut_to_its_columns_and_obeys_nothing() {
        assert_eq!(clean("a\u{1b}[31m  b\n\nc", 40), "a [31m b c");
        assert_eq!(clean("日本語", 5), "日本…");
        assert_eq!(clean("abcdef", 4), "abc…");
    }
}
