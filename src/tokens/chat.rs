//! What a message costs a model beyond its text, for counters that know the tokens of a text.
//!
//! The rule is OpenAI's, as far as it is public (OpenAI Cookbook, "How to count tokens with
//! tiktoken"): 3 tokens for its frame, its role, and a name with 1 more. A call costs its
//! name and its arguments as they are spelled; call ids are not shown to the model. An
//! image costs 85, the price of one at low detail (OpenAI, "Images and vision"). Tool schemas
//! cost their JSON: how they are really shown is not public. The frame is that of ChatML, which
//! many open models took over; where a model's chat template is another, its messages differ
//! by a few tokens each.

use crate::json::text;
use crate::tokens::Counter;
use crate::transcript::Role;
use crate::transcript::view::{Piece, View};

/// Tokens of a message's frame.
const PER_MESSAGE: usize = 3;
/// Tokens that a name costs beyond its text.
const PER_NAME: usize = 1;
/// Tokens of an image, of audio and of files: never counted as the text that encodes them.
const PER_IMAGE: usize = 85;
/// Other blocks are counted as their JSON up to so many bytes: longer ones hold encoded data.
const MOST_BLOCK_BYTES: usize = 4096;

/// Who knows the tokens of a text.
pub(super) trait Tokens: Send + Sync {
    /// The counter's name.
    fn name(&self) -> &'static str;

    /// Tokens of a text.
    fn text(&self, text: &str) -> usize;
}

/// Counts messages by what their texts count.
pub(super) struct Chat<T>(pub(super) T);

impl<T: Tokens> Counter for Chat<T> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn text(&self, text: &str) -> usize {
        self.0.text(text)
    }

    fn message_with(
        &self,
        view: View<'_, '_>,
        index: usize,
        pieces: &[Piece<'_>],
        _blocks: bool,
    ) -> usize {
        let message = view.message(index);
        let mut tokens = PER_MESSAGE + self.text(message.role.name());
        for piece in pieces {
            tokens += match *piece {
                Piece::Literal(literal) => self.text(&text::decode(literal)),
                Piece::Text(text) => self.text(text),
                Piece::Other(json) if json.len() <= MOST_BLOCK_BYTES => {
                    self.text(&String::from_utf8_lossy(json))
                }
                Piece::Image | Piece::Other(_) => PER_IMAGE,
            };
        }
        for (number, call) in message.calls.iter().enumerate() {
            tokens += call.name.map_or(0, |name| {
                self.text(&text::decode(view.transcript.bytes(index, name)))
            });
            tokens += self.text(&text::wtf8_to_str(&view.arguments(index, number)));
        }
        tokens
            + message.name.map_or(0, |name| {
                PER_NAME + self.text(&text::decode(view.transcript.bytes(index, name)))
            })
    }

    fn summary(&self, role: Role, text: &str) -> usize {
        PER_MESSAGE + self.text(role.name()) + self.text(text)
    }

    fn tools(&self, schemas: &[u8]) -> usize {
        self.text(&String::from_utf8_lossy(schemas))
    }

    fn scales_with_usage(&self) -> bool {
        false
    }
}
