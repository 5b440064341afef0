//! Splits the text of a request into lines and sentences.

use super::request_parts::is_item;
use crate::summary::extract::labels::THEN;
use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lexicon::sentence_words::ABBREVIATIONS;

/// Maximum length in bytes of a line that is no prose but an item, and stays whole.
const LONGEST_ITEM: usize = 160;
/// Minimum length in bytes of a sentence that is split off.
const LEAST_SENTENCE: usize = 12;
/// Maximum number of bytes of a request that are read, from its beginning and from its end.
const LONGEST_HEAD: usize = 48 * 1024;
const LONGEST_TAIL: usize = 16 * 1024;

/// Returns the lines of a text that are read: of a very long one whole lines or sentences of its
/// beginning and of its end.
pub(super) fn read_part(text: &str) -> impl Iterator<Item = &str> {
    let (head, tail) = if text.len() <= LONGEST_HEAD + LONGEST_TAIL {
        (text, "")
    } else {
        let head = &text[..floor_char(text, LONGEST_HEAD)];
        let tail = &text[floor_char(text, text.len() - LONGEST_TAIL)..];
        let head_end = head.rfind(SENTENCE_ENDS).map_or(head.len(), |at| at + 1);
        // A part of a sentence may say the opposite of it.
        let tail_start = tail.find(SENTENCE_ENDS).map_or(tail.len(), |at| at + 1);
        (
            head.get(..head_end).unwrap_or(head),
            tail.get(tail_start..).unwrap_or_default(),
        )
    };
    head.lines().chain(tail.lines())
}

/// What ends a sentence where a very long text is cut.
const SENTENCE_ENDS: [char; 4] = ['\n', '.', '!', '?'];

/// Splits a line into sentences. A short line, like the item of a list, stays whole.
pub(super) fn split_line(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = if rest.len() <= LONGEST_ITEM
            && rest.len() == line.len()
            && (is_item(line) || line.starts_with(THEN))
        {
            rest.len()
        } else {
            sentence_end(rest)
        };
        let (sentence, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(sentence.trim_end())
    })
}

/// Returns the place behind the first sentence of a line.
fn sentence_end(line: &str) -> usize {
    let mut before_blank = None;
    for (at, c) in line.char_indices() {
        if let Some(end) = before_blank.take()
            && c == ' '
            // What stands in brackets belongs to the sentence before them.
            && !line[end..].starts_with(" (")
            && end >= LEAST_SENTENCE
            && !ends_with_abbreviation(&line[..end])
        {
            return end;
        }
        match c {
            '.' | '!' | '?' => before_blank = Some(at + 1),
            '。' | '！' | '？' | '；' if at >= LEAST_SENTENCE => return at + c.len_utf8(),
            _ => {}
        }
    }
    line.len()
}

/// Returns true if a text ends with a short form, not with a sentence: `e.g.`, `2.`.
fn ends_with_abbreviation(text: &str) -> bool {
    let word = text.rsplit([' ', '(']).next().unwrap_or_default();
    let word = word.trim_end_matches('.');
    ABBREVIATIONS.contains(&word)
        || (!word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
}
