//! The plan for one transcript: for a terminal the figures, the reasons and the fate of each
//! message, and the same fates as JSON for programs.

use crate::base::foreign_text::harmless_line;
use crate::base::secrets::Redaction;
use crate::deciding::plan::{Edit, Fate, Plan, Stage};
use crate::reading::transcript::{Role, Transcript, view::TranscriptView};
use crate::reporting::report::numbers::{count_nouns, group_count, percent_change};
use crate::reporting::report::terminal_text::{Palette, single_line, wrap_words};
use crate::reporting::report::{summary_usage::ExpectedUsage, transcript_report::TranscriptReport};
use serde::Serialize;

/// The columns of a row before the preview.
const COLUMNS_BEFORE_PREVIEW: usize = 39;
/// The header of the messages.
const HEADER: &str = "    #  role        tokens  fate        preview";
/// With fewer columns left there is no preview.
const MIN_PREVIEW_COLUMNS: usize = 8;
/// A run of more messages with the same fate is folded to its first and its last.
const MAX_UNFOLDED: usize = 4;

/// The way in which plans are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DetailStyle {
    /// The columns of the terminal.
    pub width: usize,
    pub palette: Palette,
    /// Shows the messages of transcripts that would not change, too.
    pub unchanged: bool,
    /// Shows all messages. Otherwise long runs of one fate are folded.
    pub unfolded: bool,
    /// Masks secrets in previews.
    pub redact: Redaction,
}

/// Renders the plan for a transcript. `tokens` holds the tokens by message.
pub(crate) fn render_plan_details(
    report: &TranscriptReport,
    plan: &Plan,
    transcript: &Transcript<'_>,
    tokens: &[usize],
    style: DetailStyle,
) -> String {
    let thread = report.thread_id.as_deref().unwrap_or_default();
    let thread = single_line(thread, style.width);
    let heading = format!(
        "{}:{}  {thread}  {}",
        harmless_line(&report.file),
        report.line,
        render_figures(report, plan)
    );
    let mut out = String::new();
    for line in wrap_words(&heading, style.width, 4).lines() {
        out.push_str(&style.palette.strong(line));
        out.push('\n');
    }
    for note in reasons_and_notes(report, plan) {
        out.push_str(&wrap_words(&format!("  {note}"), style.width, 4));
    }
    if style.unchanged || !plan.is_empty() {
        push_messages(&mut out, transcript, tokens, plan, style);
    }
    out
}

/// Renders the messages and tokens before and after.
fn render_figures(report: &TranscriptReport, plan: &Plan) -> String {
    let (before, after) = (plan.tokens_before, plan.tokens_after);
    if plan.is_empty() {
        let fate = if report.error.is_some() { "fails" } else { "unchanged" };
        return format!(
            "{fate}, {}, {} by {}",
            count_nouns(plan.messages_before, "message"),
            count_nouns(before, "token"),
            report.counter
        );
    }
    let budget = plan.summary().map(|summary| summary.hole.budget);
    let and_summary = budget
        .map(|tokens| format!(" and a summary of at most {}", group_count(tokens)))
        .unwrap_or_default();
    format!(
        "{} -> {}, {} -> {} by {}{and_summary} ({})",
        plan.messages_before,
        count_nouns(plan.messages_after, "message"),
        group_count(before),
        count_nouns(after, "token"),
        report.counter,
        percent_change(before as u64, (after + budget.unwrap_or(0)) as u64),
    )
}

/// Returns the reason of each stage, then what the log reports, then the warnings.
fn reasons_and_notes(report: &TranscriptReport, plan: &Plan) -> Vec<String> {
    let reasons = plan.reasons.iter().map(|reason| {
        let numbers = if reason.applies {
            format!(
                " [{} -> {}]",
                group_count(reason.tokens_before),
                group_count(reason.tokens_after)
            )
        } else {
            String::new()
        };
        format!("{}: {}{numbers}", reason.stage.name(), reason.why)
    });
    let usage = report.usage.iter().map(|usage| {
        format!(
            "usage: the log reports {} tokens up to message {}, {} counts {} (ratio {}); triggers compare {}",
            group_count(usage.reported),
            usage.message,
            report.counter,
            group_count(usage.counted),
            usage.ratio,
            group_count(plan.total_tokens)
        )
    });
    let system = report.system.iter().map(|system| {
        let counted = if system.counted {
            let without = plan.total_tokens.saturating_sub(system.added);
            format!("counted; without what the log lacks triggers compare {}", group_count(without))
        } else {
            "what the log lacks is not counted".to_owned()
        };
        format!(
            "system prompt: base {}, memory {}, skills {}, tool schemas {} tokens; {counted}",
            group_count(system.base),
            group_count(system.memory),
            group_count(system.skills),
            group_count(system.tools)
        )
    });
    let warnings = report.warnings.iter().map(|text| format!("warning: {}", harmless_line(text)));
    let error = report.error.iter();
    let error = error.map(|text| format!("error: {}", harmless_line(text)));
    let notes = reasons.chain(usage).chain(system).chain(warnings);
    notes.chain(error).collect()
}

/// Appends a row for each message, or for each fold of messages.
fn push_messages(
    out: &mut String,
    transcript: &Transcript<'_>,
    tokens: &[usize],
    plan: &Plan,
    style: DetailStyle,
) {
    let view = TranscriptView::logged(transcript);
    let header = if preview_columns(style) == 0 {
        HEADER.trim_end_matches("preview").trim_end()
    } else {
        HEADER
    };
    out.push_str(&style.palette.faint(header));
    out.push('\n');
    let messages = explain_messages(transcript, tokens, plan);
    for run in messages.chunk_by(|before, next| before.fate == next.fate) {
        if style.unfolded || run.len() <= MAX_UNFOLDED {
            for message in run {
                out.push_str(&render_message(view, message, style));
            }
        } else {
            out.push_str(&render_message(view, &run[0], style));
            out.push_str(&render_fold(&run[1..run.len() - 1], style));
            out.push_str(&render_message(view, &run[run.len() - 1], style));
        }
    }
    let summarized =
        plan.reasons.iter().find(|reason| reason.stage == Stage::Summarize && reason.applies);
    if let Some(reason) = summarized {
        let saved = reason.tokens_before.saturating_sub(reason.tokens_after);
        out.push_str(&format!("   the summary takes the place of {} tokens\n", group_count(saved)));
    }
    out.push('\n');
}

/// Renders the row of a message.
fn render_message(
    view: TranscriptView<'_, '_>,
    message: &ExplainedMessage,
    style: DetailStyle,
) -> String {
    let preview = match preview_columns(style) {
        0 => String::new(),
        columns => {
            let preview = message_preview(view, message.index, style.width);
            let preview = style.redact.mask(&preview).0;
            single_line(&preview, columns)
        }
    };
    let row = format!(
        "{:>5}  {:<9} {:>8}  {}  {}",
        message.index,
        message.role.name(),
        group_count(message.tokens),
        fate_cell(message.fate, style.palette),
        preview,
    );
    format!("{}\n", row.trim_end())
}

/// Returns the columns of a preview. In a narrow terminal there are none.
fn preview_columns(style: DetailStyle) -> usize {
    match style.width.saturating_sub(COLUMNS_BEFORE_PREVIEW) {
        0..MIN_PREVIEW_COLUMNS => 0,
        columns => columns,
    }
}

/// Renders the row that stands for a fold of messages with the same fate.
fn render_fold(folded: &[ExplainedMessage], style: DetailStyle) -> String {
    let tokens: usize = folded.iter().map(|message| message.tokens).sum();
    let row = format!(
        "    …            {:>8}  {}  {} more messages",
        group_count(tokens),
        fate_cell(folded[0].fate, style.palette),
        group_count(folded.len()),
    );
    format!("{}\n", style.palette.faint(&row))
}

/// Returns the name of a fate in its colour, as wide as the longest.
fn fate_cell(fate: Fate, palette: Palette) -> String {
    palette.fate(fate, &format!("{:<10}", fate.name()))
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
        let arguments: String =
            String::from_utf8_lossy(&call.arguments).chars().take(width).collect();
        format!("{}({arguments})", call.name)
    });
    calls.collect::<Vec<_>>().join(" ")
}

/// The plan for one transcript, as JSON: the entry of a report, and the edits.
#[derive(Serialize)]
pub(crate) struct ExplainedPlan<'e> {
    /// What would become of the transcript. Its tokens afterwards are those without the text of a
    /// summary.
    #[serde(flatten)]
    pub report: TranscriptReport,
    /// The edits, in the order of their stages.
    pub edits: &'e [Edit],
    pub messages: Vec<ExplainedMessage>,
    /// The usage expected for the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asks: Option<&'e ExpectedUsage>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ExplainedMessage {
    /// The index in the transcript. A logged message that holds several has an index for each.
    pub index: usize,
    pub role: Role,
    /// The tokens as logged.
    pub tokens: usize,
    pub fate: Fate,
}

/// Returns each message of a transcript with its fate. `tokens` holds the tokens by message.
pub(crate) fn explain_messages(
    transcript: &Transcript<'_>,
    tokens: &[usize],
    plan: &Plan,
) -> Vec<ExplainedMessage> {
    let rows = transcript.messages.iter().zip(tokens).zip(plan.fates()).enumerate();
    rows.map(|(index, ((message, &tokens), fate))| ExplainedMessage {
        index,
        role: message.role,
        tokens,
        fate,
    })
    .collect()
}
