//! Transcripts that leave in another format, a transcript a line.

use crate::compaction::filled::Filled;
use crate::conversation::{Conversation, Panicked, catch_panic};
use crate::convert::masked_json::mask_json;
use crate::convert::notes::ConversionOutcome;
use crate::convert::{Conversion, ConversionSource};
use crate::secrets::Redaction;
use crate::transcript::overlay::Overlay;
use crate::transcript::view::TranscriptView;
use thiserror::Error;

/// The lines of a unit.
#[derive(Default)]
pub(super) struct ConvertedLines {
    pub(super) bytes: Vec<u8>,
}

/// The reason why a conversation has no line in the other format.
#[derive(Debug, Error)]
pub(super) enum ConversionError {
    /// A fault of this program.
    #[error(transparent)]
    Panicked(#[from] Panicked),
    /// The target can express no message of the conversation.
    #[error("{to} can express nothing of it, so it has no line there; it holds {holds}")]
    NothingLeft {
        /// The name of the target.
        to: &'static str,
        /// The values that were left out.
        holds: String,
    },
}

impl ConvertedLines {
    /// Appends a conversation as its compaction leaves it, or as it was logged where it has none.
    /// Returns what the target could not express, and how much was masked.
    ///
    /// # Errors
    /// Fails if the conversion panicked, or if the target can express no message of a conversation
    /// that has some. Nothing is appended then.
    pub(super) fn push(
        &mut self,
        conversion: Conversion,
        conversation: &Conversation<'_>,
        compaction: Option<&Filled<'_, '_>>,
        redaction: Redaction,
    ) -> Result<(ConversionOutcome, u64), ConversionError> {
        let start = self.bytes.len();
        let bytes = &mut self.bytes;
        let converted = catch_panic(|| {
            let overlay = compaction.map_or_else(Overlay::default, Filled::overlay);
            let source = ConversionSource {
                view: TranscriptView {
                    transcript: &conversation.transcript,
                    overlay: &overlay,
                },
                format: conversation.format.name(),
                thread_id: &conversation.thread_id,
                summary: compaction.and_then(Filled::summary),
            };
            let mut line = Vec::new();
            let outcome = conversion.convert_transcript(&source, &mut line);
            let masked = mask_json(&mut line, redaction);
            bytes.append(&mut line);
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
) -> Result<ConversionOutcome, ConversionError> {
    if outcome.messages > 0 || conversation.transcript.messages.is_empty() {
        return Ok(outcome);
    }
    let left_out: Vec<&str> = outcome.left_out.iter().map(|note| &*note.what).collect();
    let holds = match &*left_out {
        [] => "no text".to_owned(),
        _ => left_out.join(", "),
    };
    Err(ConversionError::NothingLeft {
        to: outcome.to,
        holds,
    })
}
