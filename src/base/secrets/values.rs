//! Values that come after a name or a separator: how far they extend, and which look secret.

use crate::base::secrets::{scan::skip_some, token_forms::is_mixed};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// The bytes of a value that are looked at.
const MAX_INSPECTED_BYTES: usize = 256;
/// The longest value, in bytes.
const MAX_VALUE_BYTES: usize = 8 << 10;
/// The quotes and brackets that are skipped before a value.
const MAX_OPENERS: usize = 10;

#[derive(Debug, Clone, Copy)]
pub(super) struct FoundValue<'t> {
    /// The value, without quotes.
    pub(super) text: &'t str,
    /// True if a quote opens it.
    pub(super) is_quoted: bool,
    /// The text behind it.
    behind: &'t str,
}

impl<'t> FoundValue<'t> {
    /// Reads the value at the start of a text. A quoted value ends at its quote.
    pub(super) fn read(text: &'t str) -> Self {
        let text = skip_string_prefix(text);
        let opened = skip_some(text, MAX_OPENERS, |c| "\"'`\\".contains(c));
        let openers = &text[..text.len() - opened.len()];
        let quote = openers.chars().rev().find(|c| *c != '\\');
        let end = value_end(opened, quote);
        let (value, behind) = opened.split_at(end);
        Self {
            text: if quote.is_some() {
                value
            } else {
                value.trim_end_matches(['.', ':', '!', '?'])
            },
            is_quoted: quote.is_some(),
            behind,
        }
    }

    /// Returns true if nothing but a quote is between the value and the end of its line.
    pub(super) fn ends_line(&self) -> bool {
        let behind = skip_some(self.behind, 2, |c| "\"' ".contains(c));
        behind.is_empty() || behind.starts_with(['\n', '\r', '\\'])
    }

    /// Returns true for a reference in code, as `settings.KEY_2`, or a call.
    fn is_code(&self) -> bool {
        if self.is_quoted {
            return false;
        }
        let is_called = self.behind.starts_with(['(', '[']) && !self.text.is_empty();
        let is_path = self.text.contains("::") || self.text.starts_with(':');
        if is_called || is_path || is_typed_number(self.text) {
            return true;
        }
        let mut parts = self.text.split('.');
        let are_names = parts.all(|part| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        are_names && self.text.contains('.')
    }

    /// Returns true for a name without quotes whose parts are words and numbers, as `OLD_KEY_2`.
    pub(super) fn is_identifier(&self) -> bool {
        let is_word = |part: &str| {
            let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
            part.len() - letters.len() <= 3
                && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        };
        !self.is_quoted && self.text.contains('_') && self.text.split('_').all(is_word)
    }

    /// Returns the part that is inspected.
    fn inspected(&self) -> &'t str {
        &self.text[..self.text.floor_char_boundary(MAX_INSPECTED_BYTES)]
    }

    /// Returns true for what stands for a value: a variable, a mask, or a word of a language.
    fn is_placeholder(&self) -> bool {
        let text = self.inspected();
        let first = text.chars().next();
        let same = text.chars().all(|c| Some(c) == first);
        let word = text.to_ascii_lowercase();
        same || text.starts_with(['$', '{', '<', '%', '*', '[', '&', '@'])
            || text.contains("...")
            || ["none", "null", "true", "false", "undefined", "string", "required", "optional"]
                .contains(&word.as_str())
    }

    /// Returns true if the value looks like a random key: at least `least` bytes, with letters and
    /// digits, and neither a path, an address, a date nor code.
    pub(super) fn looks_random(&self, least: usize) -> bool {
        let text = self.inspected();
        text.len() >= least
            && is_mixed(text.as_bytes())
            && !self.is_placeholder()
            && !self.is_code()
            && !is_date(text)
            && !text.contains('*')
            && (!text.contains('/') || is_base64_key(text))
    }

    /// Returns true if the value looks like a password that a person chose.
    pub(super) fn looks_chosen(&self) -> bool {
        let text = self.inspected();
        let has_letters = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        let has_signs = text.contains(['!', '@', '#', '%', '^', '*', '~', '?', '$', '&', '+']);
        text.len() >= 6
            && has_letters
            && (is_mixed(text.as_bytes()) || (has_signs && self.is_quoted))
            && !self.is_placeholder()
            && !self.is_code()
            && !is_date(text)
            && (!text.contains('/') || (self.is_quoted && !is_path(text)))
    }

    /// Returns true if the value of a variable of the environment is no mere word of a language.
    pub(super) fn looks_literal(&self) -> bool {
        let text = self.inspected();
        text.len() >= 4
            && text.bytes().any(|byte| byte.is_ascii_alphabetic())
            && !self.is_placeholder()
            && !self.is_code()
            && !text.contains('/')
    }
}

/// Skips the letter before a quote, as in `b"..."` in Python and Rust or `N'...'` in SQL.
fn skip_string_prefix(text: &str) -> &str {
    match text.as_bytes() {
        [letter, b'"' | b'\'', ..] if letter.is_ascii_alphabetic() => &text[1..],
        _ => text,
    }
}

fn value_end(text: &str, quote: Option<char>) -> usize {
    let limited = &text[..text.floor_char_boundary(MAX_VALUE_BYTES)];
    let end = match quote {
        Some(quote) => {
            limited.find(|c: char| c == quote || c.is_whitespace() || "\\\"'".contains(c))
        }
        None => limited.find(ends_value),
    };
    end.unwrap_or(limited.len())
}

/// Returns true if a character can't be part of a value without quotes.
fn ends_value(c: char) -> bool {
    c.is_whitespace() || "\"'`\\,;(){}[]<>$&|，。；、！？（）「」【】《》".contains(c)
}

/// Returns true for a number with its type, as `34819u64`.
fn is_typed_number(text: &str) -> bool {
    let number = text.trim_start_matches(['-', '+']);
    let kind = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    let bits = kind.trim_start_matches(['u', 'i', 'f']);
    kind.len() < number.len()
        && kind.len() == bits.len() + 1
        && ["8", "16", "32", "64", "128", "size"].contains(&bits)
}

/// Returns true for a date, which has digits and letters, too.
fn is_date(text: &str) -> bool {
    let digits = text.bytes().take(4).filter(u8::is_ascii_digit).count();
    digits == 4 && text.as_bytes().get(4) == Some(&b'-') && text.as_bytes().get(7) == Some(&b'-')
}

/// Returns true for a path or an address.
fn is_path(text: &str) -> bool {
    text.starts_with(['/', '.', '~']) || text.contains("//") || text.contains("/.")
}

/// Returns true for base64 that is no path: long, and of upper and lower case letters and digits.
fn is_base64_key(text: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    let (mut upper, mut lower, mut changes) = (0, 0, 0);
    for pair in text.as_bytes().windows(2) {
        upper += usize::from(pair[0].is_ascii_uppercase());
        lower += usize::from(pair[0].is_ascii_lowercase());
        changes += usize::from(class_of(pair[0]) != class_of(pair[1]));
    }
    text.len() >= 24
        && text.bytes().all(is_base64)
        && !is_path(text)
        && upper >= 3
        && lower >= 3
        && changes * 3 >= text.len()
}

/// Returns the class of a character: random text changes it often.
fn class_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

/// Returns true if base64 holds `name:password`.
pub(super) fn holds_credentials(base64: &str) -> bool {
    let base64 = base64.replace('-', "+").replace('_', "/");
    let Ok(decoded) = STANDARD_NO_PAD.decode(base64.trim_end_matches('=')) else {
        return false;
    };
    let is_text = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    decoded.len() >= 5 && decoded.contains(&b':') && decoded.iter().all(is_text)
}
