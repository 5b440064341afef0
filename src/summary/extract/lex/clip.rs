//! Shortens a line without cutting a word or an identifier in two.

use std::borrow::Cow;

/// The mark at the end of a clipped text.
pub(crate) const CLIP_MARK: &str = " …";
/// The mark at the beginning of a text of which what comes first is left out.
pub(crate) const GAP_BEFORE: &str = "… ";
/// What stands in place of a text of which no word fits.
pub(crate) const OMISSION: &str = "…";
/// The first character of the scripts that write without spaces.
const FIRST_WIDE: char = '\u{2E80}';

/// Returns true if a character belongs to a script that writes without spaces. Any place between
/// two of them is a word boundary.
pub(crate) fn is_wide(c: char) -> bool {
    c >= FIRST_WIDE
}

/// Returns the longest prefix of a line that fits in `room` bytes, with a mark if it is clipped.
/// Returns `None` if no word fits.
pub(crate) fn clip_line(line: &str, room: usize) -> Option<Cow<'_, str>> {
    if line.is_empty() || line.len() <= room {
        return (!line.is_empty()).then_some(Cow::Borrowed(line));
    }
    let text = line.strip_suffix(CLIP_MARK).unwrap_or(line);
    let end = word_boundary(text, floor_char(text, room.checked_sub(CLIP_MARK.len())?));
    let kept = text[..end].trim_end_matches([' ', ',', '\n']);
    (!kept.is_empty()).then(|| Cow::Owned(format!("{kept}{CLIP_MARK}")))
}

/// Returns the last place at or before byte `end` that cuts no word.
pub(crate) fn word_boundary(text: &str, end: usize) -> usize {
    if end >= text.len() {
        return text.len();
    }
    let mut at = floor_char(text, end);
    let mut next = text[at..].chars().next();
    for before in text[..at].chars().rev() {
        if next.is_none_or(|next| is_boundary(before, next)) {
            return at;
        }
        at -= before.len_utf8();
        next = Some(before);
    }
    0
}

fn is_boundary(before: char, next: char) -> bool {
    let closes = matches!(before, ',' | ';' | ')' | ']' | '}') && !next.is_ascii_digit();
    before.is_whitespace() || next.is_whitespace() || (is_wide(before) && is_wide(next)) || closes
}

/// Returns the last character boundary at or before byte `at`.
pub(crate) fn floor_char(text: &str, at: usize) -> usize {
    if at >= text.len() {
        text.len()
    } else {
        (0..=at)
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_ends_at_a_word() {
        assert_eq!(
            clip_line("order A1B2C3D4 now", 18).unwrap(),
            "order A1B2C3D4 now"
        );
        assert_eq!(clip_line("order A1B2C3D4 now", 17).unwrap(), "order …");
        assert_eq!(
            clip_line("order A1B2C3D4 now", 18 + 4).unwrap(),
            "order A1B2C3D4 now"
        );
        assert_eq!(
            clip_line("order A1B2C3D4 now it", 20).unwrap(),
            "order A1B2C3D4 …"
        );
        assert_eq!(clip_line("A1B2C3D4E5F6", 5), None);
        assert_eq!(
            clip_line("请帮我预订明天的航班", 24).unwrap(),
            "请帮我预订明 …"
        );
    }
}
