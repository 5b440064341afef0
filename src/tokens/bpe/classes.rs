//! What a character is, as the encodings' patterns ask: from the tables of the
//! regex library with which the encodings were defined, so that both always agree.

use regex_syntax::hir::{Class, HirKind};
use std::sync::LazyLock;

/// Uppercase and titlecase letters (Lu, Lt).
pub(super) const UPPER: u8 = 1;
/// Lowercase letters (Ll).
pub(super) const LOWER: u8 = 1 << 1;
/// Letters without case (Lm, Lo).
pub(super) const CASELESS: u8 = 1 << 2;
/// Marks (M).
pub(super) const MARK: u8 = 1 << 3;
/// Numbers (N).
pub(super) const NUMBER: u8 = 1 << 4;
/// White space (`\s`).
pub(super) const SPACE: u8 = 1 << 5;
/// `\r` and `\n`, which are white space as well.
pub(super) const LINE_END: u8 = 1 << 6;

/// Any letter (L).
pub(super) const LETTER: u8 = UPPER | LOWER | CASELESS;

/// All code points' classes; a table, because two loads a character are all that splitting can afford.
static CLASSES: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    let mut classes = vec![0; 0x11_0000];
    for (pattern, class) in [
        (r"[\p{Lu}\p{Lt}]", UPPER),
        (r"\p{Ll}", LOWER),
        (r"[\p{Lm}\p{Lo}]", CASELESS),
        (r"\p{M}", MARK),
        (r"\p{N}", NUMBER),
        (r"\s", SPACE),
        (r"[\r\n]", LINE_END),
    ] {
        for (first, last) in ranges(pattern) {
            classes[first as usize..=last as usize].iter_mut().for_each(|one| *one |= class);
        }
    }
    classes.into_boxed_slice()
});

/// The code points that a class matches. The patterns are ours: a test parses all of them.
fn ranges(pattern: &str) -> Vec<(u32, u32)> {
    match regex_syntax::parse(pattern).map(|hir| hir.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(class))) => class.ranges().iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect(),
        Ok(HirKind::Class(Class::Bytes(class))) => class.ranges().iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect(),
        _ => Vec::new(),
    }
}

/// Text whose characters are looked at by class.
#[derive(Clone, Copy)]
pub(super) struct Classified<'t> {
    /// UTF-8.
    pub(super) bytes: &'t [u8],
    classes: &'static [u8],
}

impl<'t> Classified<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), classes: &CLASSES }
    }

    /// The class of the character at `at` and where the next begins; none at the end.
    #[inline]
    pub(super) fn at(self, at: usize) -> Option<(u8, usize)> {
        let first = *self.bytes.get(at)?;
        if first < 0x80 {
            return Some((self.classes[usize::from(first)], at + 1));
        }
        let tail = |place: usize| usize::from(self.bytes.get(at + place).copied().unwrap_or_default() & 0x3F);
        let bits = usize::from(first);
        let (point, length) = match first {
            0..0xE0 => ((bits & 0x1F) << 6 | tail(1), 2),
            0xE0..0xF0 => ((bits & 0x0F) << 12 | tail(1) << 6 | tail(2), 3),
            _ => ((bits & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4),
        };
        Some((self.classes.get(point).copied().unwrap_or_default(), at + length))
    }

    /// Whether a character of one of these classes stands at `at`.
    #[inline]
    pub(super) fn is(self, at: usize, classes: u8) -> bool {
        self.at(at).is_some_and(|(class, _)| class & classes != 0)
    }

    /// Where the run of characters of these classes ends that begins at `at`.
    #[inline]
    pub(super) fn run(self, mut at: usize, classes: u8) -> usize {
        while let Some((class, next)) = self.at(at)
            && class & classes != 0
        {
            at = next;
        }
        at
    }

    /// Where the run of characters of none of these classes ends.
    #[inline]
    pub(super) fn run_without(self, mut at: usize, classes: u8) -> usize {
        while let Some((class, next)) = self.at(at)
            && class & classes == 0
        {
            at = next;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_unicode_s() {
        let class = |c: char| Classified::new(c.encode_utf8(&mut [0; 4])).at(0).map(|(class, _)| class);
        let got = ['A', 'ǅ', 'é', '中', 'ʰ', '\u{301}', '5', '½', '\n', '\u{3000}', '!', '😀'].map(class);
        let want = [UPPER, UPPER, LOWER, CASELESS, CASELESS, MARK, NUMBER, NUMBER, SPACE | LINE_END, SPACE, 0, 0];
        assert_eq!(got, want.map(Some));
    }
}
