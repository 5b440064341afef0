//! The text that stands for a result that was cleared.

use crate::base::text::python_lines;
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
    let pieces = view.content_pieces(index);
    let images = pieces.iter().filter(|piece| matches!(piece, ContentPiece::Image)).count();
    let texts = pieces.into_iter().filter_map(ContentPiece::text);
    let lines: usize = texts.map(|text| python_lines(&text).len()).sum();
    let text = match (template.split_once(OPEN), images) {
        (Some((before, rest)), _) => match (rest.split_once(CLOSE), images) {
            (Some((_, after)), 0) => format!("{before}{after}"),
            (Some((inside, after)), _) => format!("{before}{inside}{after}"),
            (None, _) => template.to_owned(),
        },
        (None, _) => template.to_owned(),
    };
    text.replace(LINES, &lines.to_string()).replace(IMAGES, &images.to_string())
}

/// Returns true if a text is a placeholder with its numbers filled in already.
pub(crate) fn is_rendered_placeholder(text: &str, template: &str) -> bool {
    let Some((words, _)) = template.split_once('{') else {
        return false;
    };
    !words.is_empty() && text.starts_with(words) && !text.contains('\n')
}
