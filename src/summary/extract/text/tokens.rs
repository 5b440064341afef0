//! Finds words and names in a text, in one pass and without regular expressions. A name is what a
//! later message can only repeat exactly: a path, an address, a number, a name from a program.

use super::fixed::{Symbol, short_word, symbol_within};
use super::shape::{LONGEST_RUN, NameKind, RunShape, is_between, joined_kind, plain_kind};
use crate::base::unspaced::is_unspaced;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Name(NameKind),
}

/// A word or name in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// As the text spells it.
    pub text: &'t str,
    /// Where it begins.
    pub start: usize,
    /// The same for all spellings.
    pub symbol: Symbol,
    pub kind: TokenKind,
}

/// Longest name in bytes. Longer ones are data.
const LONGEST_NAME: usize = 120;

/// Calls `visit` with the words and names of a text, in order.
pub(crate) fn visit_tokens<'t>(text: &'t str, visit: &mut dyn FnMut(Token<'t>)) {
    let wants_words = true;
    Scanner { text, wants_words }.scan(visit);
}

/// Calls `visit` with the names of a text, in order.
pub(crate) fn visit_names<'t>(text: &'t str, visit: &mut dyn FnMut(Token<'t>, NameKind)) {
    let wants_words = false;
    Scanner { text, wants_words }.scan(&mut |token| {
        if let TokenKind::Name(kind) = token.kind {
            visit(token, kind);
        }
    });
}

struct Scanner<'t> {
    text: &'t str,
    wants_words: bool,
}

impl<'t> Scanner<'t> {
    fn scan(&self, visit: &mut dyn FnMut(Token<'t>)) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if let Some((length, symbol)) = short_word(bytes, at) {
                self.visit_short_word(at, at + length, symbol, visit);
                at += length;
            } else if !byte.is_ascii() {
                at = self.scan_beyond_ascii(at, visit);
            } else {
                let shape = RunShape::of_run(&bytes[at..]);
                let end = at + shape.length;
                if shape.is_word(byte) {
                    self.visit_plain_word(at, end, visit);
                } else if shape.length > 0 && shape.length <= LONGEST_RUN {
                    self.visit_run(at, end, shape, visit);
                }
                at = end;
            }
            // Most tokens stand one blank apart.
            while bytes.get(at).is_some_and(|byte| is_between(*byte)) {
                at += 1;
            }
        }
    }

    /// Visits a short run of lower-case letters, the first of which may be a capital.
    fn visit_short_word(
        &self,
        start: usize,
        end: usize,
        symbol: Symbol,
        visit: &mut dyn FnMut(Token<'t>),
    ) {
        let kind = if end - start >= 3 && self.is_quoted(start, end) {
            TokenKind::Name(NameKind::Quoted)
        } else if self.wants_words && end - start > 1 {
            TokenKind::Word
        } else {
            return;
        };
        let text = &self.text[start..end];
        visit(Token { text, start, symbol, kind });
    }

    /// Visits a run of lower-case letters, the first of which may be a capital.
    fn visit_plain_word(&self, start: usize, end: usize, visit: &mut dyn FnMut(Token<'t>)) {
        if end - start >= 3 && self.is_quoted(start, end) {
            self.visit_name(start, end, NameKind::Quoted, visit);
        } else if end - start > 1 {
            self.visit_word(start, end, visit);
        }
    }

    /// Visits a run of letters, digits and joiners.
    fn visit_run(
        &self,
        start: usize,
        end: usize,
        shape: RunShape,
        visit: &mut dyn FnMut(Token<'t>),
    ) {
        if !shape.has_joiners() {
            return self.visit_plain(start, end, shape, visit);
        }
        let run = &self.text[start..end];
        if shape.has_address()
            && let Some(at) = run.find("://")
        {
            let scheme = run[..at].rfind(|c: char| !c.is_ascii_alphabetic());
            let from = start + scheme.map_or(0, |at| at + 1);
            let end = url_end(self.text.as_bytes(), from);
            return self.visit_name(from, end, NameKind::Address, visit);
        }
        let bytes = self.text.as_bytes();
        let (start, end, shape) = shape.without_outer_joiners(bytes, start, end);
        if start >= end {
            return;
        }
        if !shape.has_joiners() {
            return self.visit_plain(start, end, shape, visit);
        }
        let run = &self.text[start..end];
        if let Some(kind) = joined_kind(run, shape) {
            return self.visit_name(start, end, kind, visit);
        }
        // Pieces between the joiners that join least: colons first, then points, then dashes.
        for joiner in [b':', b'@', b'+', b'~', b'/', b'-', b'.'] {
            if memchr::memchr(joiner, run.as_bytes()).is_some() {
                let mut from = start;
                for piece in run.split(joiner as char) {
                    let shape = RunShape::of_run(piece.as_bytes());
                    if shape.length > 0 {
                        self.visit_run(from, from + shape.length, shape, visit);
                    }
                    from += piece.len() + 1;
                }
                return;
            }
        }
    }

    fn visit_plain(
        &self,
        start: usize,
        end: usize,
        shape: RunShape,
        visit: &mut dyn FnMut(Token<'t>),
    ) {
        let kind = plain_kind(&self.text[start..end], shape).or_else(|| {
            (self.is_quoted(start, end) && end - start >= 3).then_some(NameKind::Quoted)
        });
        if let Some(kind) = kind {
            self.visit_name(start, end, kind, visit);
        } else if end - start > 1 || shape.digits() > 0 {
            self.visit_word(start, end, visit);
        }
    }

    fn is_quoted(&self, start: usize, end: usize) -> bool {
        let bytes = self.text.as_bytes();
        let (Some(open), Some(&close)) = (start.checked_sub(1), bytes.get(end)) else {
            return false;
        };
        matches!(close, b'`' | b'"') && bytes[open] == close
    }

    fn visit_name(
        &self,
        start: usize,
        end: usize,
        kind: NameKind,
        visit: &mut dyn FnMut(Token<'t>),
    ) {
        if end - start <= LONGEST_NAME && end > start {
            visit(self.token(start, end, TokenKind::Name(kind)));
        }
    }

    fn visit_word(&self, start: usize, end: usize, visit: &mut dyn FnMut(Token<'t>)) {
        if self.wants_words {
            visit(self.token(start, end, TokenKind::Word));
        }
    }

    fn token(&self, start: usize, end: usize, kind: TokenKind) -> Token<'t> {
        Token {
            text: &self.text[start..end],
            start,
            symbol: symbol_within(self.text.as_bytes(), start, end),
            kind,
        }
    }

    /// Visits a word beyond ASCII. Of scripts without blanks every two characters are a word.
    fn scan_beyond_ascii(&self, start: usize, visit: &mut dyn FnMut(Token<'t>)) -> usize {
        let mut end = start;
        for c in self.text[start..].chars() {
            if is_unspaced(c) {
                if end == start {
                    end += c.len_utf8();
                    let next = self.text[end..].chars().next().filter(|c| is_unspaced(*c));
                    let is_last = start > 0
                        && self.text[..start].chars().next_back().is_some_and(is_unspaced);
                    match next {
                        Some(next) => self.visit_word(start, end + next.len_utf8(), visit),
                        None if is_last => {}
                        None => self.visit_word(start, end, visit),
                    }
                    return end;
                }
                break;
            }
            if !(c.is_alphanumeric() || c == '_') {
                if end == start {
                    return end + c.len_utf8();
                }
                break;
            }
            end += c.len_utf8();
        }
        self.visit_word(start, end, visit);
        end
    }
}

fn url_end(bytes: &[u8], start: usize) -> usize {
    let is_end = |byte: &u8| {
        *byte <= b' '
            || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b')' | b']' | b'}' | b'`' | b'\\')
    };
    // A longer one is data. Every address of a run looks for its end, so none may look to that of
    // the text.
    let most = bytes.len().min(start + LONGEST_RUN);
    let mut end = bytes[start..most].iter().position(is_end).map_or(most, |at| start + at);
    while end > start && matches!(bytes[end - 1], b'.' | b',' | b':' | b';' | b'!' | b'?' | b'*') {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_shape() {
        for (text, expected) in [
            ("Edit src/a_b.rs:12, or ./run, not and/or", "Path src/a_b.rs, Path ./run"),
            (
                "see https://x.io/a?b=1. `dead` HAT136",
                "Address https://x.io/a?b=1, Quoted dead, Mixed HAT136",
            ),
            ("4,500 $1203.50 On 2024-05-20", "Number 500, Number 1203.50, Date 2024-05-20"),
            ("mia@a.org ran foo_bar(MyType, x)", "Address mia@a.org, Code foo_bar, Code MyType"),
            ("in main.py; JSON, gpt-4o e.g. v1", "File main.py, Capitals JSON, Mixed gpt-4o"),
        ] {
            let mut names = Vec::new();
            visit_names(text, &mut |token, kind| names.push(format!("{kind:?} {}", token.text)));
            assert_eq!(names.join(", "), expected);
        }
    }

    #[test]
    fn words_have_one_symbol_whatever_their_case() {
        let mut symbols = Vec::new();
        visit_tokens("Never never 不要", &mut |token| symbols.push(token.symbol));
        assert_eq!(symbols.len(), 3);
        assert_eq!(symbols[0], symbols[1]);
    }
}
