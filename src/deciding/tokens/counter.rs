//! The interface of token counters, and the chat messages of counters that know the tokens of a text.
//!
//! The rule for those is OpenAI's, as far as it is public (OpenAI Cookbook, "How to count tokens with
//! tiktoken"): 3 tokens for its frame, its role, and a name with 1 more. A call costs its
//! name and its arguments as spelled; call ids are not shown to the model. An image costs
//! 85, its price at low detail (OpenAI, "Images and vision"). Tool schemas cost their JSON,
//! because their real form is not public. The frame is that of ChatML, which many open
//! models use. With another chat template, messages differ by a few tokens each.

use crate::reading::json::{decode_literal, wtf8_to_str};
use crate::reading::transcript::Role;
use crate::reading::transcript::view::{ContentPiece, TranscriptView};

/// A counter of tokens. Each counter has its own rule for the cost of a message beyond its text.
pub(crate) trait TokenCounter: Send + Sync {
    /// Returns the name for `--counter` and reports.
    fn name(&self) -> &'static str;

    /// Returns the tokens of a bare text.
    fn count_text(&self, text: &str) -> usize;

    /// Returns the tokens of a tool result with this text, as stage prune counts it.
    fn count_result(&self, _view: TranscriptView<'_, '_>, _index: usize, text: &str) -> usize {
        self.count_text(text)
    }

    /// Returns the tokens of this many code points, if the counter looks at nothing else.
    fn count_points(&self, _points: usize) -> Option<usize> {
        None
    }

    /// Returns the tokens of message `index`, with its role, calls and names.
    fn count_message(&self, view: TranscriptView<'_, '_>, index: usize) -> usize {
        self.count_message_as(view, index, &view.content_pieces(index), view.has_blocks(index))
    }

    /// Returns the tokens of message `index` if its content were these pieces, as a list of blocks
    /// or as one text.
    fn count_message_as(
        &self,
        view: TranscriptView<'_, '_>,
        index: usize,
        pieces: &[ContentPiece<'_>],
        blocks: bool,
    ) -> usize;

    /// Returns the tokens of a summary message with this text.
    fn count_summary(&self, role: Role, text: &str) -> usize;

    /// Returns the tokens of the record's list of tool schemas (JSON).
    fn count_tools(&self, schemas: &[u8]) -> usize;

    /// Returns true if totals are scaled by the usage that the log reports.
    fn scales_with_usage(&self) -> bool;
}

/// Tokens of a message's frame.
const PER_MESSAGE: usize = 3;
/// Tokens that a name costs beyond its text.
const PER_NAME: usize = 1;
/// Tokens of an image, of audio and of files: never counted as the text that encodes them.
const PER_IMAGE: usize = 85;
/// Longest block, in bytes, that is counted as its JSON. Longer blocks hold encoded data.
const MAX_BLOCK_BYTES: usize = 4096;

pub(super) trait CountTokens: Send + Sync {
    /// Returns the counter's name.
    fn name(&self) -> &'static str;

    fn count_text(&self, text: &str) -> usize;
}

/// A counter of chat messages over a counter of texts.
pub(super) struct ChatCounter<T>(pub(super) T);

impl<T: CountTokens> TokenCounter for ChatCounter<T> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn count_text(&self, text: &str) -> usize {
        self.0.count_text(text)
    }

    fn count_message_as(
        &self,
        view: TranscriptView<'_, '_>,
        index: usize,
        pieces: &[ContentPiece<'_>],
        _blocks: bool,
    ) -> usize {
        let message = view.message(index);
        let mut tokens = PER_MESSAGE + self.count_text(message.role.name());
        for piece in pieces {
            tokens += match *piece {
                ContentPiece::Literal(literal) => self.count_text(&decode_literal(literal)),
                ContentPiece::Text(text) => self.count_text(text),
                // Counted with the calls of the message.
                ContentPiece::Call(_) => 0,
                ContentPiece::Other(json) if json.len() <= MAX_BLOCK_BYTES => {
                    self.count_text(&String::from_utf8_lossy(json))
                }
                ContentPiece::Image | ContentPiece::Other(_) => PER_IMAGE,
            };
        }
        for (number, call) in message.calls.iter().enumerate() {
            tokens += call.name.map_or(0, |name| {
                self.count_text(&decode_literal(view.transcript.bytes(index, name)))
            });
            tokens += self.count_text(&wtf8_to_str(&view.call_arguments(index, number)));
        }
        tokens
            + message.name.map_or(0, |name| {
                PER_NAME + self.count_text(&decode_literal(view.transcript.bytes(index, name)))
            })
    }

    fn count_summary(&self, role: Role, text: &str) -> usize {
        PER_MESSAGE + self.count_text(role.name()) + self.count_text(text)
    }

    fn count_tools(&self, schemas: &[u8]) -> usize {
        self.count_text(&String::from_utf8_lossy(schemas))
    }

    fn scales_with_usage(&self) -> bool {
        false
    }
}
