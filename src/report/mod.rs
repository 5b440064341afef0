//! What a run did: one entry a transcript, totals over all, and their views.

mod asked;
pub mod comparison;
pub mod conversions;
pub mod counts;
mod digest;
pub mod explain;
mod html;
pub mod json;
mod markdown;
mod sheet;
pub mod table;

pub use asked::{
    ExpectedUsage, ExpectedUsageTotals, RedactionCounts, SummaryUsage, SummaryUsageTotals,
};
pub use digest::{RunDigest, RunTotals, StageTotals};

use crate::convert::notes::ConversionOutcome;
use crate::plan::{Plan, Reason};
use crate::retention::RetentionScores;
use crate::transcript::Transcript;
use serde::Serialize;

/// Version of `report.json`'s shape.
pub const VERSION: u32 = 1;

/// A view of the digest, written where a report file has its ending.
pub struct ReportView {
    /// The ending of its files.
    pub ending: &'static str,
    /// The whole page.
    pub render: fn(&RunDigest) -> String,
}

/// All views of the digest. Beside them a file that ends in `.json` holds all entries.
pub static REPORT_VIEWS: &[ReportView] = &[
    ReportView {
        ending: "md",
        render: markdown::render,
    },
    ReportView {
        ending: "html",
        render: html::render,
    },
];

/// How a transcript came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TranscriptStatus {
    /// As it came: no stage had anything to do.
    Unchanged,
    /// Changed as planned.
    Compacted,
    /// As it came: something went wrong.
    Failed,
}

/// Tokens that the log reports for its last model call that has any, and what our counter says of the same messages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReportedUsage {
    /// The answer that the usage came with.
    pub message: usize,
    /// Input and output, as reported.
    pub reported: u64,
    /// Tool schemas and all messages up to there, the answer included, as counted.
    pub counted: usize,
    /// Reported by counted.
    pub ratio: f64,
}

impl ReportedUsage {
    /// Of a transcript with these counts. Not after a compaction: there the usage may be that of a longer list.
    #[must_use]
    pub fn from_transcript(
        transcript: &Transcript<'_>,
        messages: &[usize],
        tools: usize,
    ) -> Option<Self> {
        if transcript
            .messages
            .iter()
            .any(|message| message.earlier_summary)
        {
            return None;
        }
        let (message, reported) = (0..messages.len())
            .rev()
            .find_map(|index| Some((index, transcript.messages[index].reported_tokens()?)))?;
        let counted = tools + messages[..=message].iter().sum::<usize>();
        #[expect(
            clippy::cast_precision_loss,
            reason = "a ratio of token counts, far below 2^53"
        )]
        let ratio = (reported as f64 / counted.max(1) as f64 * 1000.0).round() / 1000.0;
        Some(Self {
            message,
            reported,
            counted,
            ratio,
        })
    }
}

/// One transcript, or one record that could not be read as one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TranscriptReport {
    /// Its id; null for a record that could not be read.
    pub thread_id: Option<String>,
    /// The input file.
    pub file: String,
    /// The line where its first record begins.
    pub line: u64,
    /// The column of the error, where one byte is to blame.
    pub column: Option<u64>,
    /// Its format.
    pub format: Option<&'static str>,
    /// Its model.
    pub model: Option<String>,
    /// The model's input limit, in tokens.
    pub input_limit: Option<u64>,
    /// Who counted the tokens.
    pub counter: &'static str,
    /// What the log reports of a model call, beside our count of it; absent where it reports none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ReportedUsage>,
    /// Messages as logged.
    pub messages_before: usize,
    /// Messages in the output.
    pub messages_after: usize,
    /// Tokens of a model call with it as logged: system messages and tool schemas included.
    pub tokens_before: usize,
    /// What the trigger compared: after eviction, truncation and pruning.
    pub total_tokens: usize,
    /// Tokens of a model call with the output.
    pub tokens_after: usize,
    /// Whether a summary stands in it.
    pub summarized: bool,
    /// First kept message, a leading system message not counted.
    pub cutoff_index: Option<usize>,
    /// First kept message in the record's own list; null if none is kept.
    pub first_kept: Option<usize>,
    /// How many messages the summary stands for.
    pub summarized_messages: usize,
    /// How many arguments were cut.
    pub truncated_args: usize,
    /// The call ids of evicted results, in order.
    pub evicted: Vec<String>,
    /// How many results were pruned.
    pub pruned: usize,
    /// Its history below the archive directory.
    pub archive: Option<String>,
    /// How it came out.
    pub status: TranscriptStatus,
    /// What the summary kept of what the messages behind it needed; only where that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<RetentionScores>,
    /// What each stage decided and why.
    pub reasons: Vec<Reason>,
    /// What the model was asked that wrote the summary; left out where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<SummaryUsage>,
    /// How it left in another format; left out where it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converted: Option<ConversionOutcome>,
    /// Secrets masked in the request, the summary and the archive; left out where nothing was to be masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redacted: Option<RedactionCounts>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// What went wrong.
    pub error: Option<String>,
}

impl TranscriptReport {
    /// An entry about something that could not be read.
    #[must_use]
    pub fn unreadable(
        file: &str,
        line: u64,
        format: Option<&'static str>,
        counter: &'static str,
        error: String,
    ) -> Self {
        Self {
            thread_id: None,
            file: file.to_owned(),
            line,
            column: None,
            format,
            model: None,
            input_limit: None,
            counter,
            usage: None,
            messages_before: 0,
            messages_after: 0,
            tokens_before: 0,
            total_tokens: 0,
            tokens_after: 0,
            summarized: false,
            cutoff_index: None,
            first_kept: None,
            summarized_messages: 0,
            truncated_args: 0,
            evicted: Vec::new(),
            pruned: 0,
            archive: None,
            status: TranscriptStatus::Failed,
            recall: None,
            reasons: Vec::new(),
            asked: None,
            converted: None,
            redacted: None,
            warnings: Vec::new(),
            error: Some(error),
        }
    }

    /// Takes over what a plan says that was carried out as it stands.
    pub fn record_applied(&mut self, plan: &Plan) {
        self.messages_before = plan.messages_before;
        self.messages_after = plan.messages_after;
        self.tokens_before = plan.tokens_before;
        self.total_tokens = plan.total_tokens;
        self.tokens_after = plan.tokens_after;
        self.truncated_args = plan.truncations().count();
        self.pruned = plan.prunings().count();
        self.evicted = plan
            .evictions()
            .map(|eviction| eviction.call_id.clone())
            .collect();
        self.reasons.clone_from(&plan.reasons);
        self.error = None;
        self.status = if plan.is_empty() {
            TranscriptStatus::Unchanged
        } else {
            TranscriptStatus::Compacted
        };
        if let Some(summary) = plan.summary() {
            self.summarized = true;
            self.cutoff_index = Some(summary.cutoff);
            self.first_kept =
                Some(summary.first_kept).filter(|first| *first < plan.messages_before);
            self.summarized_messages = summary.messages.len();
        }
    }

    /// Takes over what a plan says that could not be carried out.
    pub fn record_not_applied(&mut self, plan: &Plan, error: String) {
        self.messages_before = plan.messages_before;
        self.messages_after = plan.messages_before;
        self.tokens_before = plan.tokens_before;
        self.total_tokens = plan.total_tokens;
        self.tokens_after = plan.tokens_before;
        self.reasons.clone_from(&plan.reasons);
        self.error = Some(error);
        self.status = TranscriptStatus::Failed;
    }
}
