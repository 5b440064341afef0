//! Reports of a run: an entry for each transcript, totals over all, and their views.

pub(crate) mod comparison;
mod conversion_table;
pub(crate) mod conversions;
pub(crate) mod count_row;
mod digest;
pub(crate) mod explain;
mod html;
pub(crate) mod json;
mod markdown;
pub(crate) mod numbers;
pub(crate) mod page;
pub(crate) mod palette;
pub(crate) mod plan_details;
pub(crate) mod plan_list;
mod redaction;
mod reported_usage;
mod run_table;
mod stay_reason;
mod summary_usage;
pub(crate) mod table;
mod terminal_text;
pub(crate) mod token_counts;
mod totals;
mod transcript_report;

pub(crate) use conversion_table::render_conversion_table;
pub(crate) use digest::RunDigest;
pub(crate) use redaction::RedactionCounts;
pub(crate) use reported_usage::ReportedUsage;
pub(crate) use run_table::render_run_table;
pub(crate) use summary_usage::{
    ExpectedUsage, ExpectedUsageTotals, SummaryUsage, SummaryUsageTotals,
};
pub(crate) use transcript_report::{TranscriptReport, TranscriptStatus};

/// A view of the digest, chosen by the extension of a report file.
pub(crate) struct ReportView {
    /// The file extension.
    pub ending: &'static str,
    /// Renders the whole page.
    pub render: fn(&RunDigest) -> String,
}

impl ReportView {
    const fn new(ending: &'static str, render: fn(&RunDigest) -> String) -> Self {
        Self { ending, render }
    }
}

/// All views of the digest. A file that ends in `.json` holds all entries instead.
pub(crate) static REPORT_VIEWS: &[ReportView] = &[
    ReportView::new("md", markdown::render_markdown),
    ReportView::new("html", html::render_html),
];

pub(crate) use html::render_html_page;
pub(crate) use markdown::render_markdown_page;
