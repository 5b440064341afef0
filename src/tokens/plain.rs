//! What estimates of bare text have in common: a message costs its text and its
//! calls, and nothing for being a message.

use crate::tokens::approx::PER_IMAGE;
use crate::transcript::text;
use crate::transcript::view::{Piece, View};
use std::borrow::Cow;

/// Sums `weigh` over all text of a message with these pieces as its content, rounds, and adds the price of images.
pub(super) fn message(view: View<'_, '_>, index: usize, pieces: &[Piece<'_>], weigh: impl Fn(&str) -> u64, round: impl Fn(u64) -> usize) -> usize {
    let (mut weight, mut images) = (0, 0);
    for piece in pieces {
        match *piece {
            Piece::Literal(literal) => weight += weigh(&text::decode(literal)),
            Piece::Text(text) => weight += weigh(text),
            Piece::Image => images += PER_IMAGE,
            Piece::Other(json) => weight += weigh(&utf8(json)),
        }
    }
    for (number, call) in view.message(index).calls.iter().enumerate() {
        if let Some(name) = call.name {
            weight += weigh(&text::decode(view.transcript.bytes(index, name)));
        }
        weight += weigh(&utf8(&view.arguments(index, number)));
    }
    round(weight) + images
}

/// Bytes of a record as text: they were checked when it was read.
pub(super) fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    text::wtf8_to_str(bytes)
}
