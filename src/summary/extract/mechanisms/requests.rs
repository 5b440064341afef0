//! What the user asked for, word for word: sentences of the first, the newest and the other requests.

use crate::summary::extract::choose::{Candidate, Kind, Signs};
use crate::summary::extract::session::{Binding, Reading, Request, UserPiece};
use crate::summary::extract::text::clip::LINE_END;
use crate::summary::extract::text::{clip_text, fold_line};
use std::borrow::Cow;

/// The longest sentence and the longest block of code, in bytes.
const LONGEST_SENTENCE: usize = 600;
const LONGEST_CODE: usize = 400;
/// An answer up to this length stands with the question that it answers.
const SHORT_ANSWER: usize = 60;

/// Offers the sentences of all requests, but for those that a later one takes back.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let requests = &reading.session.requests;
    // A short answer is about the request before it.
    let says_much = |request: &Request<'_>| {
        request.question.is_none()
            || request
                .parts
                .iter()
                .map(|part| part.text.len())
                .sum::<usize>()
                > SHORT_ANSWER
    };
    let has_pieces = |request: usize| {
        reading
            .pieces
            .of_user
            .iter()
            .any(|piece| piece.request == request)
    };
    let newest = (0..requests.len())
        .rev()
        .find(|&at| says_much(&requests[at]) && has_pieces(at));
    let Some(newest) = newest.or(requests.len().checked_sub(1)) else {
        return;
    };
    for piece in &reading.pieces.of_user {
        let said = &requests[piece.request];
        if is_over(piece, newest) {
            continue;
        }
        let kind = match piece.request {
            // The goal stands in the summary before it.
            0 if reading.session.earlier.is_empty() => Kind::Goal,
            request if request == newest => Kind::Newest,
            _ => Kind::Request,
        };
        let text = piece_text(piece);
        let text = match &said.question {
            Some(question) if piece.of == 1 && piece.text.len() <= SHORT_ANSWER => {
                Cow::Owned(format!("{text} (to: {})", fold_line(question)))
            }
            _ => text,
        };
        let signs = Signs {
            number: piece.number,
            of: piece.of,
            binding: piece.binding as u8,
            is_around: piece.is_around,
            announces: piece.text.ends_with([':', ',', '：', '，']) || piece.text.starts_with('#'),
            is_code: piece.is_code,
            is_item: piece.is_item,
            ..Signs::default()
        };
        let line = Candidate::new(kind, (piece.message, piece.number), text, signs)
            .of_sentence(&piece.words, piece.text.len());
        lines.push(line.under(piece.request, Cow::Borrowed("")));
    }
}

/// Returns true for a wish that was replaced or taken back. The newest request is what it says.
fn is_over(piece: &UserPiece<'_>, newest: usize) -> bool {
    piece.is_over && piece.binding == Binding::Strong && piece.request < newest
}

/// Returns the text of a piece on one line.
fn piece_text<'s>(piece: &UserPiece<'s>) -> Cow<'s, str> {
    if !piece.is_code {
        return clip_cow(fold_line(piece.text), LONGEST_SENTENCE);
    }
    let lines: Vec<Cow<'_, str>> = piece
        .text
        .lines()
        .map(fold_line)
        .filter(|line| !line.is_empty())
        .collect();
    Cow::Owned(clip_text(&lines.join(LINE_END), LONGEST_CODE).into_owned())
}

fn clip_cow(text: Cow<'_, str>, room: usize) -> Cow<'_, str> {
    if text.len() <= room {
        text
    } else {
        Cow::Owned(clip_text(&text, room).into_owned())
    }
}
