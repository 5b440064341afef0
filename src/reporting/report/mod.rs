//! Reports of a run: an entry for each transcript, totals over all, and their views.

pub(crate) mod comparison;
mod conversion_table;
pub(crate) mod conversions;
pub(crate) mod count_row;
mod digest;
pub(crate) mod entry_report;
pub(crate) mod explain;
pub(crate) mod figures;
mod html;
mod html_report;
pub(crate) mod json;
mod json_lines;
mod junit;
pub(crate) mod kinds;
mod markdown;
pub(crate) mod numbers;
mod page;
pub(crate) mod page_part;
pub(crate) mod palette;
pub(crate) mod plan_details;
pub(crate) mod plan_list;
mod redaction;
pub(crate) mod report_entry;
mod reported_usage;
mod run_facts;
mod run_table;
mod stay_reason;
mod summary_usage;
mod system_tokens;
pub(crate) mod table;
mod terminal_text;
pub(crate) mod token_counts;
mod totals;
mod transcript_report;
mod transcript_texts;

pub(crate) use conversion_table::render_conversion_table;
pub(crate) use digest::RunDigest;
pub(crate) use redaction::RedactionCounts;
pub(crate) use reported_usage::ReportedUsage;
pub(crate) use run_facts::RunFacts;
pub(crate) use run_table::render_run_table;
pub(crate) use summary_usage::{
    ExpectedUsage, ExpectedUsageTotals, SummaryUsage, SummaryUsageTotals,
};
pub(crate) use system_tokens::SystemTokens;
pub(crate) use terminal_text::wrap_words;
pub(crate) use totals::RunTotals;
pub(crate) use transcript_report::{TranscriptReport, TranscriptStatus};
pub(crate) use transcript_texts::{ComparedMessage, ShownSummary, TranscriptTexts};

pub(crate) use html::render_html_page;
pub(crate) use markdown::render_markdown_page;
