//! Reports of a run: an entry for each transcript, totals over all, and their views.

pub(crate) mod comparison;
pub(crate) mod conversions;
mod digest;
pub(crate) mod entry_report;
pub(crate) mod figures;
mod html_report;
pub(crate) mod json;
mod junit;
pub(crate) mod kinds;
mod markdown;
pub(crate) mod numbers;
mod page;
pub(crate) mod page_part;
pub(crate) mod plan_details;
pub(crate) mod plan_list;
mod redaction;
pub(crate) mod report_entry;
mod run_table;
mod stay_reason;
mod summary_usage;
pub(crate) mod terminal_text;
pub(crate) mod token_counts;
mod transcript_report;

pub(crate) use digest::{RunDigest, RunFacts};
pub(crate) use entry_report::{ComparedMessage, ShownSummary, TranscriptTexts};
pub(crate) use redaction::RedactionCounts;
pub(crate) use run_table::{render_conversion_table, render_run_table};
pub(crate) use summary_usage::{
    ExpectedUsage, ExpectedUsageTotals, SummaryUsage, SummaryUsageTotals,
};
pub(crate) use terminal_text::{wrap_lines, wrap_words};
pub(crate) use token_counts::ReportedUsage;
pub(crate) use transcript_report::{SystemTokens, TranscriptReport, TranscriptStatus};

pub(crate) use markdown::render_markdown_page;
pub(crate) use page_part::render_html_page;
