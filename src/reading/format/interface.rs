//! The interface between a transcript format and the rest of the program.

use crate::reading::format::anthropic_blocks::{join_blocks, text_block};
use crate::reading::format::insertion::{SummaryInsertion, SummaryPlace};
use crate::reading::format::journal::interface::Journal;
use crate::reading::format::recognition::{Recognition, Shape};
use crate::reading::format::tree::JsonNode;
use crate::reading::transcript::prelude::*;

/// A transcript format: recognizes records, reads them, and renders edits in its own JSON.
///
/// # Adding a format
///
/// A format is one file, declared in `mod.rs`, and one line in the table
/// [`FORMATS`](crate::reading::format::FORMATS) below the declarations. The rest of the program finds it in
/// the table: `--format`, `epitome formats`, detection, and the tests that check the promises for
/// every format.
///
/// 1. Decide what a record is. If one record holds a conversation or a message, write a
///    [`ChatRow`](crate::reading::format::chat_row::ChatRow): `bedrock.rs` is a short example. If
///    conversations must be rebuilt from the events of a file, write a
///    [`LogRow`](crate::reading::format::row::prelude::LogRow). If the records wrap a list of OpenAI
///    messages, add a row to `wrapped_openai.rs`; no new file is needed.
/// 2. Say how a record is told: it must not be one of any other format. Choose the
///    [`Certainty`](crate::reading::format::recognition::Certainty) by the weakest evidence that is
///    accepted.
/// 3. Say how it is read, and give every message the span of its element in the list: edits replace
///    these spans, all other bytes stay as logged.
/// 4. Say how a new message is written, and how it joins the message of the user behind it where
///    readers want user and assistant to alternate.
/// 5. Add the line to the table, before any format that would also accept the records: of equally
///    certain formats the first in the table wins.
pub(crate) trait Format: Sync {
    /// The name for `--format` and reports.
    fn name(&self) -> &'static str;

    /// One line for `epitome formats`: the records, and how they are recognized.
    fn help_line(&self) -> &'static str;

    /// Returns the evidence that a record is of this format, or `None` if it is not.
    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition>;

    /// Returns the journal behind this format, if its conversations are rebuilt from events.
    fn as_journal(&self) -> Option<&dyn Journal> {
        None
    }

    /// Returns how a compaction is written into a log of this format.
    fn write_mode(&self) -> WriteMode {
        WriteMode::InPlace
    }

    /// Reads a conversation, either from its one record or from records of one message each. Fails
    /// with the name of the field if a record does not have the expected structure.
    fn read_transcript<'a>(
        &self,
        records: Vec<Record<'a>>,
        shape: Shape,
    ) -> Result<Transcript<'a>, RecordError>;

    /// Returns the edits that insert a summary with this text: a separate message, or, where roles
    /// must alternate, a block in the message that follows. If each message is a record, the new
    /// message carries the thread key.
    fn place_summary(&self, place: &SummaryPlace<'_>, text: &str) -> SummaryInsertion;

    /// Renders the JSON of a new message. If each message is a record, it carries the thread key.
    fn render_message(&self, place: &SummaryPlace<'_>, role: Role, text: &str) -> Vec<u8>;

    /// Returns the edits that insert a summary that consists of several messages, with `separator`
    /// between two of them.
    fn place_messages(
        &self,
        place: &SummaryPlace<'_>,
        messages: &[(Role, String)],
        separator: &[u8],
    ) -> SummaryInsertion {
        let messages: Vec<Vec<u8>> =
            messages.iter().map(|(role, text)| self.render_message(place, *role, text)).collect();
        SummaryInsertion::from_message(messages.join(separator))
    }

    /// Returns true if the messages are OpenAI chat messages as logged, so that they can be used as
    /// samples of fine-tuning data.
    fn is_chat(&self) -> bool {
        false
    }

    /// Wraps the JSON literal of a text as a content block.
    fn wrap_text(&self, literal: &[u8]) -> Vec<u8> {
        text_block(literal)
    }

    /// Renders the content of a tool result that holds only this text.
    fn render_result(&self, text: &str) -> Vec<u8> {
        encode_literal(text)
    }

    /// Renders a list of blocks: a text, then those of a message that are no text.
    fn text_before_others(
        &self,
        transcript: &Transcript<'_>,
        index: usize,
        blocks: &[MessageBlock],
        text: &str,
    ) -> Vec<u8> {
        let others = blocks.iter().filter(|block| !matches!(block.kind, BlockKind::Text(_)));
        let others = others.map(|block| transcript.bytes(index, block.span).to_vec());
        let text = std::iter::once(self.wrap_text(&encode_literal(text)));
        join_blocks(&text.chain(others).collect::<Vec<_>>())
    }

    /// Returns the splices, each with its record, that replace the text of a tool result. Blocks
    /// other than text stay.
    fn replace_result(
        &self,
        transcript: &Transcript<'_>,
        index: usize,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let message = &transcript.messages[index];
        let Some(span) = message.content_span else {
            return Vec::new();
        };
        let bytes = match &message.content {
            Content::Blocks(blocks) if !are_all_text(blocks) => {
                self.text_before_others(transcript, index, blocks, text)
            }
            Content::Absent | Content::Text(_) | Content::Blocks(_) => self.render_result(text),
        };
        vec![(message.record, Splice { span, bytes })]
    }

    /// Returns the splices, each with its record, that replace the text of a user message. Blocks
    /// other than text stay, behind the text.
    fn replace_user_text(
        &self,
        transcript: &Transcript<'_>,
        index: usize,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let message = &transcript.messages[index];
        let (span, bytes) = match (&message.content, message.content_span) {
            (Content::Text(span), _) => (*span, encode_literal(text)),
            (Content::Blocks(blocks), Some(span)) => {
                let list = self.text_before_others(transcript, index, blocks, text);
                (span, list)
            }
            (Content::Absent | Content::Blocks(_), _) => return Vec::new(),
        };
        vec![(message.record, Splice { span, bytes })]
    }

    /// Returns the splices, each with its record, that replace everything in a tool result by
    /// `text`.
    fn clear_result(
        &self,
        transcript: &Transcript<'_>,
        index: usize,
        text: &str,
    ) -> Vec<(usize, Splice)> {
        let Message { record, content_span, .. } = transcript.messages[index];
        let splices = content_span.map(|span| {
            let bytes = self.render_result(text);
            (record, Splice { span, bytes })
        });
        splices.into_iter().collect()
    }
}
