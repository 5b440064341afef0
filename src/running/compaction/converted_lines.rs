//! Transcripts that leave in another format, a transcript a line.

use crate::base::error::RecordError;
use crate::convert::ConversionSource;
use crate::convert::masked_json::mask_json;
use crate::convert::notes::ConversionOutcome;
use crate::reporting::report::TranscriptStatus;
use crate::running::compaction::prelude::*;
use crate::running::compaction::{filled::Filled, planned::Planned};

/// The text that stands in for that of a summary before it is known: a target asks only whether
/// there is one.
const UNKNOWN_SUMMARY: &str = "...";

/// A compaction as another format shows it. The default has none.
#[derive(Default)]
pub(crate) struct ShownCompaction<'p> {
    overlay: Overlay,
    summary: Option<(&'p Summary, &'p str)>,
}

impl<'p> ShownCompaction<'p> {
    /// Shows a compaction that is carried out.
    pub(super) fn filled(filled: &'p Filled<'_, '_>) -> Self {
        Self { overlay: filled.overlay(), summary: filled.summary() }
    }

    /// Shows a plan whose summary is not written yet.
    pub(super) fn planned(planned: &'p Planned<'_, '_>) -> Self {
        let summary = planned.plan.summary();
        Self {
            overlay: planned.overlay(),
            summary: summary.map(|summary| (summary, UNKNOWN_SUMMARY)),
        }
    }
}

#[derive(Default)]
pub(super) struct ConvertedLines {
    pub(super) bytes: Vec<u8>,
}

impl ConvertedLines {
    /// Appends a conversation as its compaction leaves it, or as it was logged where it has none.
    /// Reports what the target could not express, how much was masked, or that the conversation has
    /// no line.
    pub(super) fn push(
        &mut self,
        conversion: Conversion,
        conversation: &Conversation<'_>,
        compaction: &ShownCompaction<'_>,
        redaction: Redaction,
        report: &mut TranscriptReport,
    ) {
        match self.push_line(conversion, conversation, compaction, redaction) {
            Ok((outcome, masked)) => {
                report.converted = Some(outcome);
                if redaction.is_on() {
                    report.redacted.get_or_insert_default().written += masked;
                }
            }
            Err(error) => {
                report.status = TranscriptStatus::Failed;
                report.error = Some(error.to_string());
            }
        }
    }

    /// Appends a line. Appends nothing if the conversion panicked, or if the target can express no
    /// message of a conversation that has some.
    fn push_line(
        &mut self,
        conversion: Conversion,
        conversation: &Conversation<'_>,
        compaction: &ShownCompaction<'_>,
        redaction: Redaction,
    ) -> Result<(ConversionOutcome, u64), RecordError> {
        let start = self.bytes.len();
        let bytes = &mut self.bytes;
        let converted = catch_panic(|| {
            let source = ConversionSource {
                view: TranscriptView::new(&conversation.transcript, &compaction.overlay),
                format: conversation.format.name(),
                thread_id: &conversation.thread_id,
                summary: compaction.summary,
            };
            let outcome = conversion.convert_transcript(&source, bytes);
            let mut masked = 0;
            if redaction.is_on() {
                let mut line = bytes.split_off(start);
                masked = mask_json(&mut line, redaction);
                bytes.append(&mut line);
            }
            Ok((require_messages(conversation, outcome)?, masked))
        });
        if converted.is_err() {
            self.bytes.truncate(start);
        }
        converted
    }
}

/// Returns the outcome if something was written of a conversation that has messages.
fn require_messages(
    conversation: &Conversation<'_>,
    outcome: ConversionOutcome,
) -> Result<ConversionOutcome, RecordError> {
    if outcome.messages > 0 || conversation.transcript.messages.is_empty() {
        return Ok(outcome);
    }
    let left_out: Vec<&str> = outcome.left_out.iter().map(|note| &*note.what).collect();
    let holds = match &*left_out {
        [] => "no text".to_owned(),
        _ => left_out.join(", "),
    };
    let to = outcome.to;
    Err(RecordError::new(format!(
        "nothing in it can be written as {to}, so no line was written; it contains {holds}"
    )))
}
