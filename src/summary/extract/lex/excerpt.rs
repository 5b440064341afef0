//! Selects the parts of a long text that are read.

use super::clip::floor_char;
use crate::summary::LONG_TEXT_END_BYTES;

/// Maximum number of lines searched for the first line with a letter or a digit.
const MOST_LINES: usize = 1000;

/// Returns the beginning and the end of a text, both cut between words. The end is empty if the
/// beginning is the complete text.
pub(crate) fn both_ends(text: &str) -> (&str, &str) {
    if text.len() <= 2 * LONG_TEXT_END_BYTES {
        return (text, "");
    }
    let head = &text[..floor_char(text, LONG_TEXT_END_BYTES)];
    let tail = &text[floor_char(text, text.len() - LONG_TEXT_END_BYTES)..];
    // A comma can stand inside a number, so it counts only if there are no blanks.
    let end = head.rfind(char::is_whitespace).or_else(|| head.rfind(','));
    let start = tail.find(char::is_whitespace).or_else(|| tail.find(','));
    (
        end.map_or("", |end| &head[..end]),
        start.map_or("", |start| &tail[start..]),
    )
}

/// Returns the first line with a letter or a digit, without the blanks around it.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines()
        .take(MOST_LINES)
        .map(str::trim)
        .find(|line| line.chars().any(char::is_alphanumeric))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_has_a_letter_or_a_digit() {
        assert_eq!(first_line("\n---\n  ok: 3\nrest"), "ok: 3");
    }

    #[test]
    fn a_huge_text_is_read_at_both_ends() {
        let text = format!("first_1 {} last_9", "x ".repeat(2 * LONG_TEXT_END_BYTES));
        let (head, tail) = both_ends(&text);
        assert!(
            head.starts_with("first_1")
                && tail.ends_with("last_9")
                && head.len() + tail.len() <= 2 * LONG_TEXT_END_BYTES
        );
    }
}
