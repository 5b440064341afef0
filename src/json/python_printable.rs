//! Which characters Python's `repr` writes as they are.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Ranges of which every character is printable: those that most logs are written in.
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

/// Python's `str.isprintable` of one character that is not ASCII.
#[must_use]
pub fn is_python_printable(c: char) -> bool {
    use GeneralCategory::{
        Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator, Surrogate,
        Unassigned,
    };
    COMMON
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&c))
        || !matches!(
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

/// Code points that `repr` writes for a character that is not printable ASCII: 1, or its escape.
#[must_use]
pub fn repr_width(c: char) -> usize {
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
    fn what_is_common_is_printable() {
        use GeneralCategory::{
            Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator,
            Surrogate, Unassigned,
        };
        for c in COMMON.iter().flat_map(|(first, last)| *first..=*last) {
            let category = c.general_category();
            let hidden = matches!(
                category,
                Control
                    | Format
                    | Surrogate
                    | PrivateUse
                    | Unassigned
                    | LineSeparator
                    | ParagraphSeparator
                    | SpaceSeparator
            );
            assert!(!hidden, "{c:?} {category:?}");
        }
    }

    #[test]
    fn escapes_have_python_s_widths() {
        let widths = [
            '\u{7F}',
            '\u{A0}',
            '\u{E9}',
            '\u{200B}',
            '\u{E000}',
            '\u{1F600}',
            '\u{10FFFF}',
        ]
        .map(repr_width);
        assert_eq!(widths, [4, 4, 1, 6, 6, 1, 10]);
    }
}
