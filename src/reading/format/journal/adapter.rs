//! A journal as a format of the table.

use crate::base::error::RecordError;
use crate::reading::format::insertion::{SummaryInsertion, SummaryPlace};
use crate::reading::format::interface::Format;
use crate::reading::format::journal::interface::Journal;
use crate::reading::format::recognition::{Recognition, Shape};
use crate::reading::format::tree::JsonNode;
use crate::reading::json::encode_literal;
use crate::reading::transcript::journal::WriteMode;
use crate::reading::transcript::splice::Splice;
use crate::reading::transcript::{Record, Role, Transcript};

/// A format whose conversations are rebuilt from the events of a journal.
pub(in crate::reading::format) struct JournalFormat<J>(pub(in crate::reading::format) J);

impl<J: Journal> Format for JournalFormat<J> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn help_line(&self) -> &'static str {
        self.0.help_line()
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        self.0.recognize_record(record)
    }

    fn as_journal(&self) -> Option<&dyn Journal> {
        Some(&self.0)
    }

    fn write_mode(&self) -> WriteMode {
        self.0.write_mode()
    }

    /// Always fails. The transcript of a journal borrows from a document that lives as long as the
    /// journal: `rebuild_journal` creates it, `JournalThread::read_transcript` reads it.
    fn read_transcript<'a>(
        &self,
        _: Vec<Record<'a>>,
        _: Shape,
    ) -> Result<Transcript<'a>, RecordError> {
        Err(RecordError::new(format!(
            "{} is a journal: it is rebuilt as a whole",
            self.name()
        )))
    }

    fn place_summary(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        text: &str,
    ) -> SummaryInsertion {
        SummaryInsertion::beside_list(self.0.append_summary(transcript, place, text))
    }

    fn place_messages(
        &self,
        transcript: &Transcript<'_>,
        place: &SummaryPlace<'_>,
        messages: &[(Role, String)],
        _: &[u8],
    ) -> SummaryInsertion {
        // The last message is the summary. The journal has its own record for the question.
        let summary = messages.last().map_or("", |(_, text)| text);
        self.place_summary(transcript, place, summary)
    }

    fn render_message(
        &self,
        _: &Transcript<'_>,
        _: &SummaryPlace<'_>,
        _: Role,
        text: &str,
    ) -> Vec<u8> {
        encode_literal(text)
    }

    fn clear_result(
        &self,
        transcript: &Transcript<'_>,
        index: usize,
        _: &str,
    ) -> Vec<(usize, Splice)> {
        self.0.mark_cleared(transcript, index)
    }
}
