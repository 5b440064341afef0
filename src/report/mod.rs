//! Reports of a run: an entry for each transcript, totals over all, and their views.

pub mod comparison;
mod conversion_table;
pub mod conversions;
pub mod count_row;
mod digest;
pub mod explain;
mod html;
pub mod json;
mod markdown;
pub mod numbers;
mod page;
mod redaction;
mod reported_usage;
mod run_table;
mod summary_usage;
pub mod table;
pub mod token_counts;
mod totals;
mod transcript_report;

pub use conversion_table::render_conversion_table;
pub use digest::RunDigest;
pub use redaction::RedactionCounts;
pub use reported_usage::ReportedUsage;
pub use run_table::render_run_table;
pub use summary_usage::{ExpectedUsage, ExpectedUsageTotals, SummaryUsage, SummaryUsageTotals};
pub use totals::{RunTotals, StageTotals};
pub use transcript_report::{TranscriptReport, TranscriptStatus};

/// A view of the digest, chosen by the extension of a report file.
pub struct ReportView {
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
pub static REPORT_VIEWS: &[ReportView] = &[
    ReportView::new("md", markdown::render_markdown),
    ReportView::new("html", html::render_html),
];
