//! What the user asked for and what binds, word for word: sentences of the first, the newest and the other
//! requests, and constraints.

use crate::summary::extract::prelude::*;
use crate::summary::extract::session::pieces::subject_words;
use crate::summary::extract::session::{UserPiece, only_wishes};

/// The longest sentence and the longest block of code, in bytes.
const LONGEST_SENTENCE: usize = 600;
const LONGEST_CODE: usize = 400;
/// An answer up to this length stands with the question that it answers.
const SHORT_ANSWER: usize = 60;

/// Offers the sentences of all requests, but for those that a later one takes back.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let requests = &reading.session.requests;
    let Some(newest) = newest_request(reading) else {
        return;
    };
    let pieces = &reading.pieces.of_user;
    for (at, piece) in pieces.iter().enumerate() {
        let said = &requests[piece.request];
        let all = request_around(pieces, at);
        let is_whole = is_told_whole(all);
        if is_over(piece, newest) || is_whole && piece.number > 0 {
            continue;
        }
        let kind = match piece.request {
            // The goal is in the summary before it.
            0 if reading.session.earlier.is_empty() => Kind::Goal,
            request if request == newest => Kind::Newest,
            _ => Kind::Request,
        };
        let text = if is_whole { joined_text(all) } else { piece_text(piece) };
        let text = match &said.question {
            Some(question) if piece.of == 1 && piece.text.len() <= SHORT_ANSWER => {
                Cow::Owned(format!("{text} (to: {})", fold_line(question)))
            }
            _ => text,
        };
        let signs = Signs {
            number: piece.number,
            of: if is_whole { 1 } else { piece.of },
            binding: piece.binding as u8,
            is_around: piece.is_around,
            announces: piece.text.ends_with([':', ',', '：', '，']) || piece.text.starts_with('#'),
            is_code: piece.is_code,
            is_item: piece.is_item,
            ..Signs::default()
        };
        let line = Candidate::new(kind, (piece.message, piece.number), text, signs);
        let line = if is_whole { line } else { line.of_sentence(&piece.words, piece.text.len()) };
        lines.push(line.under(piece.request, Cow::Borrowed("")));
    }
}

/// Returns the sentences of the request that a sentence is in.
fn request_around<'p, 's>(pieces: &'p [UserPiece<'s>], at: usize) -> &'p [UserPiece<'s>] {
    let start = at - pieces[at].number;
    &pieces[start..pieces.len().min(start + pieces[at].of)]
}

/// A request of several sentences that are no longer than this together is told whole, in bytes.
const SHORT_WHOLE: usize = 400;
/// The most sentences of such a request.
const MOST_WHOLE: usize = 12;

/// Returns true for a request so short that its sentences say nothing without each other.
fn is_told_whole(all: &[UserPiece<'_>]) -> bool {
    let length = || all.iter().map(|piece| piece.text.len()).sum::<usize>();
    (2..=MOST_WHOLE).contains(&all.len())
        && length() <= SHORT_WHOLE
        && !all.iter().any(|piece| piece.is_code || piece.is_over)
}

fn joined_text<'s>(all: &[UserPiece<'s>]) -> Cow<'s, str> {
    let texts: Vec<Cow<'_, str>> = all.iter().map(|piece| fold_line(piece.text)).collect();
    Cow::Owned(texts.join(" "))
}

/// Returns the place of the newest request that says something. A short answer is about the request
/// before it.
fn newest_request(reading: &Reading<'_>) -> Option<usize> {
    let requests = &reading.session.requests;
    let says_much = |request: &Request<'_>| {
        let length: usize = request.parts.iter().map(|part| part.text.len()).sum();
        request.question.is_none() || length > SHORT_ANSWER
    };
    let pieces = &reading.pieces.of_user;
    let has_pieces = |request: usize| pieces.iter().any(|piece| piece.request == request);
    let mut newest = (0..requests.len()).rev();
    let newest = newest.find(|&at| says_much(&requests[at]) && has_pieces(at));
    newest.or(requests.len().checked_sub(1))
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
    let lines = piece.text.lines().map(fold_line);
    let lines: Vec<Cow<'_, str>> = lines.filter(|line| !line.is_empty()).collect();
    Cow::Owned(clip_text(&lines.join(LINE_END), LONGEST_CODE).into_owned())
}

/// The longest constraint in bytes. A longer sentence keeps its end, where conditions stand.
const LONGEST_CONSTRAINT: usize = 400;
/// A sentence up to this length may need the one before it to be understood, in bytes.
const POINTING: usize = 48;

/// Where constraints are recognised: offers the sentences of the user that forbid, require, prefer or set a
/// value (`session/binding.rs`), verbatim with their condition, from any message. The newest of one subject
/// wins, and what was taken back is gone (`session/pieces.rs` marks both). Requests hold the same sentences;
/// whichever line is chosen first makes the other worthless.
pub(crate) fn offer_constraints<'s>(
    reading: &'s Reading<'s>,
    _: &[i64],
    lines: &mut Vec<Candidate<'s>>,
) {
    let pieces = &reading.pieces.of_user;
    let newest = newest_request(reading);
    for (at, piece) in pieces.iter().enumerate() {
        if piece.binding == Binding::No || piece.is_over || piece.is_code || is_bare(piece) {
            continue;
        }
        // The first and the newest request are told, and what is told whole says its wishes. The first
        // stays the goal; the newest becomes one of many, where its limits must stand by themselves.
        let is_goal = piece.request == 0 && reading.session.earlier.is_empty();
        let is_newest = Some(piece.request) == newest;
        let is_whole = is_told_whole(request_around(pieces, at));
        if is_whole && (is_goal || is_newest && only_wishes(piece.text)) {
            continue;
        }
        let heading = at
            .checked_sub(1)
            .map(|before| &pieces[before])
            .filter(|before| leads_in(before, piece));
        let text = match heading {
            Some(heading) => {
                Cow::Owned(format!("{} {}", fold_line(heading.text), fold_line(piece.text)))
            }
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
    let is_short = piece.words.as_ref().is_some_and(|words| words.len() <= FEW_WORDS);
    is_short && subject_words(piece.text).len() < 2 || piece.text.ends_with(':')
}

/// Returns true if a heading such as `Do not:` comes before an item and makes it a ban.
fn leads_in(before: &UserPiece<'_>, piece: &UserPiece<'_>) -> bool {
    before.request == piece.request
        && before.number + 1 == piece.number
        && before.text.ends_with(':')
        && before.binding != Binding::No
        && (piece.is_item || piece.text.len() < POINTING)
        && before.text.len() <= LONGEST_CONSTRAINT / 4
}

/// Shortens a long sentence in its middle.
fn shorten(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.len() <= LONGEST_CONSTRAINT {
        return text;
    }
    let head = clip_text(&text, LONGEST_CONSTRAINT * 2 / 3).into_owned();
    let tail = ceil_char(&text, text.len() - LONGEST_CONSTRAINT / 3);
    let tail = text[tail..].split_once(' ').map_or(&text[tail..], |(_, tail)| tail);
    Cow::Owned([head.as_str(), " ", tail].concat())
}
