//! Transcripts that leave in another format, a transcript a line.

use crate::compaction::filled::Filled;
use crate::conversation::{Conversation, Panicked, catch_panic};
use crate::convert::notes::ConversionOutcome;
use crate::convert::{Conversion, ConversionSource};
use crate::transcript::overlay::Overlay;
use crate::transcript::view::TranscriptView;

/// The lines of a unit.
#[derive(Default)]
pub(super) struct ConvertedLines {
    pub(super) bytes: Vec<u8>,
}

impl ConvertedLines {
    /// Appends a conversation as its compaction leaves it, or as it was logged where it has none.
    /// Returns what the target could not express.
    ///
    /// # Errors
    /// Fails if the conversion panicked; nothing is appended then.
    pub(super) fn push(
        &mut self,
        conversion: Conversion,
        conversation: &Conversation<'_>,
        compaction: Option<&Filled<'_, '_>>,
    ) -> Result<ConversionOutcome, Panicked> {
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
            Ok(conversion.convert_transcript(&source, bytes))
        });
        if converted.is_err() {
            self.bytes.truncate(start);
        }
        converted
    }
}
