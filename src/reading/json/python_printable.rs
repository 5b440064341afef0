//! The characters that Python's `repr` writes unescaped.
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): the table of
//! categories takes 4.8 times as long.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Ranges of printable characters that are common in logs. They save the look-up of the category.
const COMMON: [(char, char); 8] = [
    ('\u{A1}', '\u{AC}'),
    ('\u{AE}', '\u{377}'),
    ('\u{400}', '\u{52F}'),
    ('\u{2010}', '\u{2027}'),
    ('\u{2190}', '\u{2426}'),
    ('\u{2500}', '\u{2B73}'),
    ('\u{4E00}', '\u{9FFF}'),
    ('\u{AC00}', '\u{D7A3}'),
];

/// Returns Python's `str.isprintable` for a character beyond ASCII.
pub(crate) fn is_python_printable(c: char) -> bool {
    COMMON.iter().any(|(first, last)| (*first..=*last).contains(&c)) || is_of_printable_category(c)
}

fn is_of_printable_category(c: char) -> bool {
    use GeneralCategory::{
        Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator, Surrogate,
        Unassigned,
    };
    !matches!(
        c.general_category(),
        Control
            | Format
            | Surrogate
            | PrivateUse
            | Unassigned
            | LineSeparator
            | ParagraphSeparator
            | SpaceSeparator
    )
}

/// Returns the number of code points that `repr` writes for a character other than printable ASCII:
/// 1, or the length of its escape.
pub(crate) fn repr_width(c: char) -> usize {
    if is_python_printable(c) && c != '\u{7F}' {
        return 1;
    }
    match u32::from(c) {
        0..=0xFF => r"\x00".len(),
        0x100..=0xFFFF => r"\u0000".len(),
        _ => r"\U00000000".len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_ranges_are_printable() {
        for c in COMMON.iter().flat_map(|(first, last)| *first..=*last) {
            assert!(is_of_printable_category(c), "{c:?}");
        }
    }

    #[test]
    fn escapes_have_the_widths_of_python() {
        let widths =
            ['\u{7F}', '\u{A0}', '\u{E9}', '\u{200B}', '\u{E000}', '\u{1F600}', '\u{10FFFF}']
                .map(repr_width);
        assert_eq!(widths, [4, 4, 1, 6, 6, 1, 10]);
    }
}
