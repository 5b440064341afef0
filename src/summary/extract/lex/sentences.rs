//! Splits prose into sentences.

use super::clip::floor_char;
use crate::summary::extract::lexicon::sentence_words::{ABBREVIATIONS, SENTENCE_OPENERS};

/// Minimum and maximum length of a sentence in bytes.
const LEAST_SENTENCE: usize = 25;
pub(crate) const LONGEST_SENTENCE: usize = 280;
/// The marks that end a question.
pub(crate) const QUESTION_MARKS: [char; 2] = ['?', '？'];
/// Number of bytes within which a word that opens a sentence ends.
const LONGEST_OPENER: usize = 12;

/// Splits prose into sentences, without the marks of lists and headings around them.
pub(crate) fn sentences_of(prose: &str) -> impl Iterator<Item = &str> {
    lines_of(prose)
        // A short line has no sentence that is long enough.
        .filter(|line| line.len() >= LEAST_SENTENCE)
        .flat_map(split_sentences)
        .map(trim_marks)
        .filter(|sentence| (LEAST_SENTENCE..=LONGEST_SENTENCE).contains(&sentence.len()))
}

/// Splits a text into lines, without their ends.
fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]);
    let mut start = 0;
    ends.map(move |end| {
        let line = &text[start..end];
        start = end + 1;
        line.strip_suffix('\r').unwrap_or(line)
    })
}

/// Trims the marks of lists and headings around a sentence.
fn trim_marks(sentence: &str) -> &str {
    let is_mark = |byte: &u8| matches!(byte, b' ' | b'-' | b'*' | b'#' | b'\t' | b'_');
    let bytes = sentence.as_bytes();
    // Most sentences have none.
    if let [first, .., last] = bytes
        && first.is_ascii_alphanumeric()
        && last.is_ascii()
        && !is_mark(last)
    {
        return sentence;
    }
    sentence.trim_matches([' ', '-', '*', '#', '•', '\t', '_', '>'])
}

/// Returns true if the last line of a text asks something.
pub(crate) fn asks_at_end(text: &str) -> bool {
    let last = text.trim_end().lines().next_back();
    last.is_some_and(|line| line.contains(['?', '？']))
}

/// Splits a line after each `.`, `!` or `?` before a blank, after each `。`, and after a dot behind
/// which a model forgot the blank: `the list.So we`.
pub(crate) fn split_sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = sentence_end(rest).unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// Returns the place behind the first mark that ends a sentence.
fn sentence_end(line: &str) -> Option<usize> {
    // Most sentences end soon: no mark is looked for in all that follows.
    let mut reach = FIRST_REACH;
    loop {
        let near = floor_char(line, reach);
        let end = sentence_end_within(line, near);
        if end.is_some() || near == line.len() {
            return end;
        }
        reach *= 4;
    }
}

/// The part of a line in bytes in which its end is looked for first.
const FIRST_REACH: usize = 512;

/// Returns the place behind the first mark in `near` bytes that ends a sentence.
fn sentence_end_within(line: &str, near: usize) -> Option<usize> {
    let bytes = line.as_bytes();
    let ascii = memchr::memchr3_iter(b'.', b'!', b'?', &bytes[..near])
        .find(|&at| match bytes.get(at + 1) {
            // What stands in brackets belongs to the sentence before them.
            Some(b' ') => bytes.get(at + 2) != Some(&b'(') && !ends_with_short_form(&line[..at]),
            _ => is_opened(&line[at + 1..]),
        })
        .map(|at| at + 1);
    let before = &line[..ascii.unwrap_or(near)];
    // The first byte of `。`, and that of `！` and `？`.
    let wide = memchr::memchr2_iter(0xE3, 0xEF, before.as_bytes())
        .find(|at| line[*at..].starts_with(['。', '！', '？']))
        .map(|at| at + '。'.len_utf8());
    wide.or(ascii)
}

/// Returns true if a text ends with a short form, but for its last dot.
fn ends_with_short_form(text: &str) -> bool {
    let word = text.rsplit([' ', '(']).next().unwrap_or_default();
    ABBREVIATIONS.contains(&word)
}

/// Returns true if a text begins with a word that opens sentences, like `So`.
fn is_opened(text: &str) -> bool {
    // The longest of these words is short.
    let near = &text[..floor_char(text, LONGEST_OPENER)];
    let Some((word, _)) = near.split_once([' ', ',']) else {
        return false;
    };
    SENTENCE_OPENERS.contains(&word)
}
