//! Characters that show nothing, and texts without them: what one reads, and what a secret is found in.

use std::ops::Range;

/// Returns true for Unicode's `Default_Ignorable_Code_Point`s and the marks of annotations: all that a
/// terminal or a font shows as nothing.
pub(crate) fn is_invisible(c: char) -> bool {
    c > '\u{a0}'
        && matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Returns true for the bytes with which the UTF-8 of an invisible character begins.
const fn may_begin_invisible(byte: u8) -> bool {
    matches!(byte, 0xc2 | 0xcd | 0xd8 | 0xe1 | 0xe2 | 0xe3 | 0xef | 0xf0 | 0xf3)
}

/// Returns true if a text may hold an invisible character, or a byte with a property.
pub(crate) fn may_hold_invisible(text: &str, has_property: impl Fn(u8) -> bool) -> bool {
    // Without an exit for each byte the compiler compares many at once.
    text.as_bytes().chunks(256).any(|chunk| {
        chunk
            .iter()
            .fold(false, |found, byte| found | may_begin_invisible(*byte) | has_property(*byte))
    })
}

/// A text without its invisible characters, and where they were.
pub(crate) struct VisibleText {
    pub(crate) text: String,
    gaps: Vec<Gap>,
}

/// The place of a character that was removed.
struct Gap {
    /// The byte in the text that is left.
    at: usize,
    /// The bytes that were removed up to its end.
    removed: usize,
}

impl VisibleText {
    /// Removes the invisible characters of a text, if it has any.
    pub(crate) fn of(text: &str) -> Option<Self> {
        if !may_hold_invisible(text, |_| false) || !text.contains(is_invisible) {
            return None;
        }
        let mut visible = Self { text: String::with_capacity(text.len()), gaps: Vec::new() };
        for (at, c) in text.char_indices() {
            if is_invisible(c) {
                let removed = at + c.len_utf8() - visible.text.len();
                visible.gaps.push(Gap { at: visible.text.len(), removed });
            } else {
                visible.text.push(c);
            }
        }
        Some(visible)
    }

    /// Returns the range in the text with invisible characters that a range of this one was.
    pub(crate) fn original(&self, range: Range<usize>) -> Range<usize> {
        let removed = |gaps: usize| gaps.checked_sub(1).map_or(0, |last| self.gaps[last].removed);
        let before = self.gaps.partition_point(|gap| gap.at <= range.start);
        let within = self.gaps.partition_point(|gap| gap.at < range.end);
        range.start + removed(before)..range.end + removed(within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

    /// Marks of format that are drawn: signs before numbers, and the controls of hieroglyphs.
    fn is_drawn(c: char) -> bool {
        matches!(
            c,
            '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}'
        ) || matches!(c, '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}')
    }

    #[test]
    fn each_character_of_format_is_invisible_or_drawn() {
        for c in '\0'..=char::MAX {
            if c.general_category() == GeneralCategory::Format {
                assert_ne!(is_invisible(c), is_drawn(c), "{:x}", u32::from(c));
            }
            let mut bytes = [0; 4];
            let first = c.encode_utf8(&mut bytes).as_bytes()[0];
            assert!(!is_invisible(c) || may_begin_invisible(first), "{:x}", u32::from(c));
        }
        assert!(
            "\u{34f}\u{115f}\u{3164}\u{ffa0}\u{e0041}\u{e0100}\u{fe0f}".chars().all(is_invisible)
        );
    }

    #[test]
    fn ranges_lie_around_what_was_removed() {
        let text = "\u{ad}a\u{200b}\u{e0041}bc\u{feff}d\u{ad}";
        let visible = VisibleText::of(text).unwrap();
        assert_eq!(visible.text, "abcd");
        let original = |range| &text[visible.original(range)];
        assert_eq!(original(0..1), "a");
        assert_eq!(original(0..2), "a\u{200b}\u{e0041}b");
        assert_eq!(original(1..4), "bc\u{feff}d");
        assert!(VisibleText::of("日本 ç").is_none());
    }
}
