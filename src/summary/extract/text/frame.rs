//! Keeps text from breaking the frame around a summary: its tags and its headings.

use std::borrow::Cow;

/// Returns true if the text behind a `<` makes it a tag of the frame.
fn is_frame_tag(rest: &str) -> bool {
    let name = rest.strip_prefix('/').unwrap_or(rest);
    name.get(..7)
        .is_some_and(|name| name.eq_ignore_ascii_case("summary"))
}

/// Inserts a blank into `<summary>` and `</summary>`, so that they don't read as the frame.
pub(crate) fn break_frame_tags(line: &str) -> Cow<'_, str> {
    let mut tags = line
        .match_indices('<')
        .filter(|(at, _)| is_frame_tag(&line[at + 1..]))
        .peekable();
    if tags.peek().is_none() {
        return Cow::Borrowed(line);
    }
    let mut safe = String::with_capacity(line.len() + 8);
    let mut copied = 0;
    for (at, _) in tags {
        safe.push_str(&line[copied..=at]);
        safe.push(' ');
        copied = at + 1;
    }
    safe.push_str(&line[copied..]);
    Cow::Owned(safe)
}

/// Returns true if a line would be taken for a heading.
pub(crate) fn is_heading(line: &str) -> bool {
    line.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_the_frame_are_broken() {
        let line = "a <summary> b </SUMMARY> <sum>";
        assert_eq!(break_frame_tags(line), "a < summary> b < /SUMMARY> <sum>");
        assert!(matches!(break_frame_tags("a < b"), Cow::Borrowed(_)));
    }
}
