//! Tokens that begin with a prefix of their own: the keys of services.
//!
//! Prefixes, alphabets and lengths are those that the services publish, and that maintained rule
//! sets agree on (`docs/reference/secrets.md` says which were compared).

use crate::base::secrets::scan::{is_word_byte, is_word_start};
use std::ops::Range;
use std::sync::LazyLock;

/// Tells whether a byte is of an alphabet.
type InAlphabet = fn(&u8) -> bool;

/// The alphabets of bodies, by name.
const ALPHABETS: [(&str, InAlphabet); 7] = [
    ("hex", u8::is_ascii_hexdigit),
    ("upper", |byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()),
    ("alnum", u8::is_ascii_alphanumeric),
    // Base64 for addresses.
    ("url", |byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte)),
    ("dotted", |byte| byte.is_ascii_alphanumeric() || b"_-.=".contains(byte)),
    ("base64", |byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte)),
    // Hashes of passwords with their parameters.
    ("crypt", |byte| byte.is_ascii_alphanumeric() || b"+/=.$,".contains(byte)),
];

/// A form of token: prefixes, and the body behind them.
pub(super) struct TokenForm {
    /// The kind, named where the token is masked.
    pub(super) kind: &'static str,
    /// The prefixes, joined by `|`. Their case counts.
    pub(super) prefixes: &'static str,
    alphabet: InAlphabet,
    /// The length of the body in bytes.
    length: usize,
    /// True if no body is longer: the token ends a word.
    is_exact: bool,
    /// True if the body has letters and digits, behind a prefix that words have, too.
    is_mixed: bool,
}

const TABLE: &str = include_str!("token_forms.txt");

pub(super) static TOKEN_FORMS: LazyLock<Vec<TokenForm>> =
    LazyLock::new(|| table_lines().filter_map(TokenForm::from_line).collect());

fn table_lines() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.starts_with('#'))
}

/// The first bytes of a body that decide whether it is that of a token. No form asks for more.
const DECIDING: usize = 512;

impl TokenForm {
    fn from_line(line: &'static str) -> Option<Self> {
        let mut cells = line.split(' ');
        let (kind, name, length) = (cells.next()?, cells.next()?, cells.next()?);
        Some(Self {
            kind,
            prefixes: cells.next()?,
            alphabet: ALPHABETS.iter().find(|(known, _)| *known == name)?.1,
            length: length.trim_matches(['>', '=', '*']).parse().ok()?,
            is_exact: length.starts_with('='),
            is_mixed: length.ends_with('*'),
        })
    }

    /// Returns the byte range of the token whose prefix is at `prefix`, if there is one.
    pub(super) fn find(&self, text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let spelling = &bytes[prefix.clone()];
        let is_prefix = self.prefixes.split('|').any(|prefix| prefix.as_bytes() == spelling);
        if !is_prefix || !is_word_start(bytes, prefix.start) {
            return None;
        }
        let rest = &bytes[prefix.end..];
        // What begins like a token and is none is passed again from each prefix in it.
        let body = self.body_of(&rest[..rest.len().min(DECIDING)]);
        let is_long = if self.is_exact {
            let behind = bytes.get(prefix.end + self.length);
            body.len() == self.length && !behind.is_some_and(|byte| is_word_byte(*byte))
        } else {
            body.len() >= self.length
        };
        let is_token = is_long && (!self.is_mixed || is_mixed(body));
        is_token.then(|| prefix.start..prefix.end + self.body_of(rest).len())
    }

    /// Returns the body at the beginning of a text.
    fn body_of<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let run = text.iter().position(|byte| !(self.alphabet)(byte));
        trim_punctuation(&text[..run.unwrap_or(text.len())])
    }
}

/// Removes what ends a sentence.
fn trim_punctuation(body: &[u8]) -> &[u8] {
    let end = body.iter().rposition(|byte| !b".-".contains(byte));
    &body[..end.map_or(0, |last| last + 1)]
}

/// Returns true if there are letters and digits, as in nearly all random texts.
pub(super) fn is_mixed(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_digit) && bytes.iter().any(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_form() {
        assert_eq!(TOKEN_FORMS.len(), table_lines().count());
    }
}
