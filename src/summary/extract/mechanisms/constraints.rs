//! Where constraints are recognised: sentences of the user that forbid, require, prefer or set a value,
//! verbatim with their condition, from any message. The newest of one subject wins, and what was taken
//! back is gone (`session/pieces.rs` marks both). Requests hold the same sentences; whichever line is
//! chosen first makes the other worthless.

use crate::summary::extract::choose::{Candidate, Kind, Signs};
use crate::summary::extract::session::pieces::subject_words;
use crate::summary::extract::session::{Binding, Reading, UserPiece};
use crate::summary::extract::text::{clip_text, fold_line};
use std::borrow::Cow;

/// The longest constraint in bytes. A longer sentence keeps its end, where conditions stand.
const LONGEST: usize = 400;
/// A sentence up to this length may need the one before it to be understood, in bytes.
const POINTING: usize = 48;

/// Offers the sentences that bind.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let pieces = &reading.pieces.of_user;
    for (at, piece) in pieces.iter().enumerate() {
        if piece.binding == Binding::No || piece.is_over || piece.is_code || is_bare(piece) {
            continue;
        }
        let heading = at
            .checked_sub(1)
            .map(|before| &pieces[before])
            .filter(|before| leads_in(before, piece));
        let text = match heading {
            Some(heading) => Cow::Owned(format!(
                "{} {}",
                fold_line(heading.text),
                fold_line(piece.text)
            )),
            None => fold_line(piece.text),
        };
        let signs = Signs {
            number: piece.number,
            of: piece.of,
            binding: piece.binding as u8,
            is_item: piece.is_item,
            ..Signs::default()
        };
        let at = (piece.message, piece.number);
        let line = Candidate::new(Kind::Constraint, at, shorten(text), signs);
        lines.push(line.of_sentence(&piece.words, piece.text.len()));
    }
}

/// A sentence of more words says enough.
const FEW_WORDS: usize = 8;

/// Returns true for a sentence that says too little by itself.
fn is_bare(piece: &UserPiece<'_>) -> bool {
    let is_short = piece
        .words
        .as_ref()
        .is_some_and(|words| words.len() <= FEW_WORDS);
    is_short && subject_words(piece.text).len() < 2 || piece.text.ends_with(':')
}

/// Returns true if a heading such as `Do not:` stands before an item and makes it a ban.
fn leads_in(before: &UserPiece<'_>, piece: &UserPiece<'_>) -> bool {
    before.request == piece.request
        && before.number + 1 == piece.number
        && before.text.ends_with(':')
        && before.binding != Binding::No
        && (piece.is_item || piece.text.len() < POINTING)
        && before.text.len() <= LONGEST / 4
}

/// Shortens a long sentence in its middle.
fn shorten(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.len() <= LONGEST {
        return text;
    }
    let head = clip_text(&text, LONGEST * 2 / 3).into_owned();
    let tail = crate::summary::extract::text::ceil_char(&text, text.len() - LONGEST / 3);
    let tail = text[tail..]
        .split_once(' ')
        .map_or(&text[tail..], |(_, tail)| tail);
    Cow::Owned([head.as_str(), " ", tail].concat())
}
