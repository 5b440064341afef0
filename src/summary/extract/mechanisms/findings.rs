//! Sentences in which the assistant finds, decides or reports something.

use crate::summary::extract::lexicon::{ANNOUNCING, QUESTION_MARKS, TELLING};
use crate::summary::extract::prelude::*;

/// The longest sentence in bytes.
const LONGEST: usize = 320;
/// The most sentences that are offered, the newest.
const MOST: usize = 72;

/// The beginning of a sentence in which words announce something, in bytes.
const OPENING: usize = 60;

static SEARCH: LazySearch = LazyLock::new(|| PhraseSearch::new(&[TELLING, ANNOUNCING]));
const TELLS: u8 = 1;
const ANNOUNCES: u8 = 2;

/// Offers the newest sentences of the assistant, and the others of the same message.
pub(crate) fn offer<'s>(reading: &'s Reading<'s>, _: &[i64], lines: &mut Vec<Candidate<'s>>) {
    let session = reading.session;
    let pieces = &reading.pieces.of_assistant;
    let mut start = pieces.len().saturating_sub(MOST);
    while start > 0 && pieces[start].message == pieces[start - 1].message {
        start -= 1;
    }
    let turn_ends: Vec<usize> = session.requests.iter().map(|request| request.message).collect();
    for (place, piece) in pieces.iter().enumerate().skip(start) {
        let next = piece.message + 1;
        let ends_turn = next == session.length && reading.glossary.keeps_user_text
            || turn_ends.binary_search(&next).is_ok();
        // A question that the user replied to is over.
        if ends_turn && piece.text.ends_with(QUESTION_MARKS) {
            continue;
        }
        let found = SEARCH.find_lists(piece.text, OPENING);
        let signs = Signs {
            number: piece.number,
            of: piece.of,
            tells: found.anywhere & TELLS != 0,
            announces: found.in_opening & ANNOUNCES != 0,
            is_item: piece.is_item,
            is_newest: place + 1 == pieces.len(),
            ends_turn,
            ..Signs::default()
        };
        let at = (piece.message, piece.number);
        let line = Candidate::new(Kind::Finding, at, clean(piece.text), signs);
        lines.push(line.of_sentence(&Some(piece.words.clone()), piece.text.len()));
    }
}

/// Returns a sentence without marks of emphasis.
fn clean(text: &str) -> Cow<'_, str> {
    if text.contains("**") {
        return Cow::Owned(clean(&text.replace("**", "")).into_owned());
    }
    clip_cow(fold_line(text.trim_start_matches(['#', ' '])), LONGEST)
}
