//! Shortens the text of an error so that what it is about stays.

use crate::summary::extract::lex::clip::{CLIP_MARK, clip_line};
use std::borrow::Cow;

/// Shortens the first long quotation in an error, so that what is said of it stays: `old_str `a = …` did not appear`.
pub(super) fn shorten_quotation(error: &str) -> Cow<'_, str> {
    // An apostrophe opens nothing.
    let opens = |at: usize, c: char| {
        let before = error[..at].chars().next_back();
        matches!(c, '`' | '"') || (c == '\'' && before.is_none_or(|c| !c.is_alphanumeric()))
    };
    let Some((start, mark)) = error.char_indices().find(|&(at, c)| opens(at, c)) else {
        return Cow::Borrowed(error);
    };
    let inner = start + 1;
    let Some(length) = error[inner..]
        .find(mark)
        .filter(|&length| length > LONGEST_QUOTATION)
    else {
        return Cow::Borrowed(error);
    };
    let shown = clip_line(&error[inner..inner + length], LONGEST_QUOTATION);
    let shown = shown.as_deref().unwrap_or(CLIP_MARK);
    Cow::Owned(format!(
        "{}{shown}{}",
        &error[..inner],
        &error[inner + length..]
    ))
}

/// Shortens an error to `most` bytes. Where its end holds a value, the end stays: `KeyError: "Only a … 'sepal length' not
/// found"`.
pub(super) fn clip_error(error: &str, most: usize) -> Option<Cow<'_, str>> {
    let clipped = clip_line(error, most)?;
    let from = error.ceil_char_boundary(error.len() - (most * END_SHARE / 100).min(error.len()));
    let lost = clipped.len().saturating_sub(CLIP_MARK.len());
    let end = error[from..].split_once(' ').map(|(_, end)| end);
    let Some(end) = end.filter(|end| clipped.len() < error.len() && holds_value(end)) else {
        return Some(clipped);
    };
    // What stands before the end was cut, too, or nothing is won.
    if holds_value(&error[error.floor_char_boundary(lost / 2)..error.floor_char_boundary(lost)]) {
        return Some(clipped);
    }
    let start = clip_line(error, most.saturating_sub(end.len() + 1))?;
    Some(Cow::Owned(format!("{start} {end}")))
}

/// Returns true for a text with a quotation or a figure.
fn holds_value(text: &str) -> bool {
    text.contains(['\'', '"', '`']) || text.bytes().any(|byte| byte.is_ascii_digit())
}

/// The most that the end of a shortened error has, in hundredths.
const END_SHARE: usize = 45;

/// Maximum length in bytes of a quotation in an error.
const LONGEST_QUOTATION: usize = 44;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_at_the_end_of_a_long_error_stays() {
        let error = "Error: KeyError: Only a column name can be used for the key in a mapping of kinds. 'length (cm)' not found in columns.";
        let shown = clip_error(error, 84).unwrap();
        assert!(
            shown.starts_with("Error: KeyError: Only a column")
                && shown.ends_with(" … 'length (cm)' not found in columns."),
            "{shown}"
        );
        let plain = error.replace('\'', "");
        assert!(clip_error(&plain, 84).unwrap().ends_with('…'));
        for most in 0..130 {
            assert!(clip_error(error, most).is_none_or(|shown| shown.len() <= most));
        }
    }
}
