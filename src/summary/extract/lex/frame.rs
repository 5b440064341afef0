//! Keeps text from breaking the frame around a summary: its tags and its headings.

use std::borrow::Cow;

/// Returns true if a text holds a tag of the frame, and so can't stand in a summary as it is.
pub(crate) fn has_frame_tag(text: &str) -> bool {
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| is_frame_tag(&text[at + 1..]))
}

/// Returns true if the text behind a `<` makes it a tag of the frame.
fn is_frame_tag(rest: &str) -> bool {
    let name = rest.strip_prefix('/').unwrap_or(rest);
    name.get(..7)
        .is_some_and(|name| name.eq_ignore_ascii_case("summary"))
}

/// Inserts a blank into `<summary>` and `</summary>`, so that they don't read as the frame.
pub(crate) fn break_frame_tags(line: String) -> String {
    if !has_frame_tag(&line) {
        return line;
    }
    let mut safe = String::with_capacity(line.len() + 8);
    let mut copied = 0;
    for (at, _) in line
        .match_indices('<')
        .filter(|(at, _)| is_frame_tag(&line[at + 1..]))
    {
        safe.push_str(&line[copied..=at]);
        safe.push(' ');
        copied = at + 1;
    }
    safe.push_str(&line[copied..]);
    safe
}

/// Escapes a leading `#`, as in Markdown, so that the line is no heading.
pub(crate) fn escape_heading(line: &str) -> Cow<'_, str> {
    if line.starts_with('#') {
        Cow::Owned(format!("\\{line}"))
    } else {
        Cow::Borrowed(line)
    }
}
