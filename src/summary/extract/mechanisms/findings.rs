//! Sentences in which the assistant finds, decides or reports something.

use crate::summary::extract::choose::{Candidate, Kind, Signs};
use crate::summary::extract::lexicon::{ANNOUNCING, QUESTION_MARKS, TELLING};
use crate::summary::extract::session::Reading;
use crate::summary::extract::text::phrases::{PhraseSearch, build_search, has_phrase};
use crate::summary::extract::text::sentences::visit_pieces;
use crate::summary::extract::text::{clip_text, floor_char, fold_line};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The shortest and the longest sentence in bytes.
const SHORTEST: usize = 20;
const LONGEST: usize = 320;
/// The most sentences that are offered, the newest.
const MOST: usize = 72;
/// The most bytes of a reply that are read.
const MOST_BYTES: usize = 16_000;

static TELLING_SEARCH: PhraseSearch = LazyLock::new(|| build_search(TELLING));
static ANNOUNCING_SEARCH: PhraseSearch = LazyLock::new(|| build_search(ANNOUNCING));

/// Offers the sentences of the newest replies.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let mut left = MOST;
    let start = lines.len();
    for reply in reading.session.replies.iter().rev() {
        if left == 0 {
            break;
        }
        let text = &reply.text[..floor_char(&reply.text, MOST_BYTES)];
        let mut sentences = Vec::new();
        visit_pieces(text, &mut |piece| {
            if !piece.is_code
                && piece.text.len() >= SHORTEST
                && !piece.text.trim_end_matches('*').ends_with([':', '：'])
                && !piece.text.starts_with('<')
            {
                sentences.push(piece);
            }
        });
        let of = sentences.len();
        let next = reply.message + 1;
        let is_answered = next == reading.session.length && reading.session.kept.has_user_text;
        let ends_turn = is_answered
            || reading
                .session
                .requests
                .iter()
                .any(|request| request.message == next);
        for (number, piece) in sentences.into_iter().enumerate().rev() {
            // A question that the user replied to is over.
            if ends_turn && piece.text.ends_with(QUESTION_MARKS) {
                continue;
            }
            let announces = has_phrase(
                &ANNOUNCING_SEARCH,
                &piece.text[..floor_char(piece.text, 60)],
            );
            let signs = Signs {
                number,
                of,
                tells: has_phrase(&TELLING_SEARCH, piece.text),
                announces,
                is_item: piece.is_item,
                is_newest: left == MOST,
                ends_turn,
                ..Signs::default()
            };
            let text = clean(piece.text);
            lines.push(Candidate::new(
                Kind::Finding,
                (reply.message, number),
                text,
                signs,
                reading,
            ));
            left = left.saturating_sub(1);
        }
    }
    lines[start..].reverse();
}

/// Returns a sentence without marks of emphasis.
fn clean(text: &str) -> Cow<'_, str> {
    let text = if text.contains("**") {
        Cow::Owned(text.replace("**", ""))
    } else {
        Cow::Borrowed(text)
    };
    let text = match text {
        Cow::Borrowed(text) => fold_line(text.trim_start_matches(['#', ' '])),
        Cow::Owned(text) => Cow::Owned(fold_line(text.trim_start_matches(['#', ' '])).into_owned()),
    };
    if text.len() <= LONGEST {
        text
    } else {
        Cow::Owned(clip_text(&text, LONGEST).into_owned())
    }
}
