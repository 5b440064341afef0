//! Parts of texts.

/// The line ends of Python's `str.splitlines()`.
pub(crate) const PYTHON_LINE_ENDS: [char; 10] =
    ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];

/// Splits a text as Python's `str.splitlines()`: it knows more line ends than Rust, and yields no
/// empty last line.
pub(crate) fn python_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(PYTHON_LINE_ENDS) {
        let end = rest[at..].chars().next().map_or(0, char::len_utf8);
        let end = if rest[at..].starts_with("\r\n") { 2 } else { end };
        lines.push(&rest[..at]);
        rest = &rest[at + end..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// Returns the first `count` code points of a text.
pub(crate) fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(at, _)| &text[..at])
}

/// Returns the first `count` code points of a text, and a mark where it has more.
pub(crate) fn cut_chars(text: &str, count: usize, mark: &str) -> String {
    let start = first_chars(text, count);
    let is_cut = start.len() < text.len();
    format!("{start}{}", if is_cut { mark } else { "" })
}

/// Returns the line and the column of a byte of a text in code points, from 1.
pub(crate) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_python_splits_them() {
        for (text, lines) in [
            ("", &[][..]),
            ("a", &["a"]),
            ("a\n", &["a"]),
            ("a\r\nb\rc", &["a", "b", "c"]),
            ("\n\n", &["", ""]),
            ("p\u{1c}q\u{1d}r\u{1e}s", &["p", "q", "r", "s"]),
            ("a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}", &["a", "b", "c", "d", "e"]),
            ("a\u{1f}b", &["a\u{1f}b"]),
        ] {
            assert_eq!(python_lines(text), lines);
        }
    }
}
