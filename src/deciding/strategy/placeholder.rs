//! The placeholder of a cleared result, which may say how much it replaces.

use crate::reading::transcript::view::{ContentPiece, TranscriptView};

/// The lines of the result, in a placeholder.
const LINES: &str = "{lines}";
/// The pictures of the result, in a placeholder.
const IMAGES: &str = "{images}";
/// The begin of what is left out where the result has no pictures.
const OPEN: &str = "[[";
/// The end of it.
const CLOSE: &str = "]]";

/// Returns the placeholder of message `index`, with its numbers filled in.
pub(crate) fn render_placeholder(
    view: TranscriptView<'_, '_>,
    index: usize,
    template: &str,
) -> String {
    if !template.contains('{') && !template.contains(OPEN) {
        return template.to_owned();
    }
    let images = view
        .content_pieces(index)
        .iter()
        .filter(|piece| matches!(piece, ContentPiece::Image))
        .count();
    let lines: usize = view
        .content_pieces(index)
        .into_iter()
        .filter_map(ContentPiece::text)
        .map(|text| count_lines(&text))
        .sum();
    let text = match (template.split_once(OPEN), images) {
        (Some((before, rest)), _) => match (rest.split_once(CLOSE), images) {
            (Some((_, after)), 0) => format!("{before}{after}"),
            (Some((inside, after)), _) => format!("{before}{inside}{after}"),
            (None, _) => template.to_owned(),
        },
        (None, _) => template.to_owned(),
    };
    text.replace(LINES, &lines.to_string())
        .replace(IMAGES, &images.to_string())
}

/// Returns true if a text is a placeholder with its numbers filled in already.
pub(crate) fn is_rendered_placeholder(text: &str, template: &str) -> bool {
    let Some((words, _)) = template.split_once('{') else {
        return false;
    };
    !words.is_empty() && text.starts_with(words) && !text.contains('\n')
}

/// Returns the number of lines of a text, as Python's `str.splitlines` splits it.
fn count_lines(text: &str) -> usize {
    let mut lines = 0;
    let mut is_open = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        is_open = true;
        let ends = matches!(
            character,
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
        );
        if ends {
            if character == '\r' && characters.peek() == Some(&'\n') {
                characters.next();
            }
            lines += 1;
            is_open = false;
        }
    }
    lines + usize::from(is_open)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_split_as_python_splits_them() {
        for (text, lines) in [
            ("", 0),
            ("a", 1),
            ("a\n", 1),
            ("a\nb", 2),
            ("a\r\nb\rc", 3),
            ("\n\n\n", 3),
            ("p\u{1c}q\u{1d}r\u{1e}s", 4),
            ("a\u{b}b\u{c}c\u{85}d\u{2028}e\u{2029}", 5),
            ("a\u{1f}b", 1),
        ] {
            assert_eq!(count_lines(text), lines, "{text:?}");
        }
    }
}
