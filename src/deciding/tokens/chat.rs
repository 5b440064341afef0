//! The tokens of a chat message, for counters that know the tokens of a text.
//!
//! The rule is OpenAI's, as far as it is public (OpenAI Cookbook, "How to count tokens with
//! tiktoken"): 3 tokens for its frame, its role, and a name with 1 more. A call costs its
//! name and its arguments as spelled; call ids are not shown to the model. An image costs
//! 85, its price at low detail (OpenAI, "Images and vision"). Tool schemas cost their JSON,
//! because their real form is not public. The frame is that of ChatML, which many open
//! models use. With another chat template, messages differ by a few tokens each.

use crate::deciding::tokens::counter::TokenCounter;
use crate::reading::json::{decode_literal, wtf8_to_str};
use crate::reading::transcript::Role;
use crate::reading::transcript::view::{ContentPiece, TranscriptView};

/// Tokens of a message's frame.
const PER_MESSAGE: usize = 3;
/// Tokens that a name costs beyond its text.
const PER_NAME: usize = 1;
/// Tokens of an image, of audio and of files: never counted as the text that encodes them.
const PER_IMAGE: usize = 85;
/// Longest block, in bytes, that is counted as its JSON. Longer blocks hold encoded data.
const MAX_BLOCK_BYTES: usize = 4096;

/// A counter of the tokens of a text.
pub(super) trait CountTokens: Send + Sync {
    /// Returns the counter's name.
    fn name(&self) -> &'static str;

    /// Returns the tokens of a text.
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
