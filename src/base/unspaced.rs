//! Scripts that are written without blanks between words.

/// The characters of these scripts, from the first to the last: Thai and Lao, Burmese, Khmer, the
/// kana, and the ideographs of Chinese and Japanese.
const UNSPACED: [(char, char); 9] = [
    ('\u{0e00}', '\u{0eff}'),
    ('\u{1000}', '\u{109f}'),
    ('\u{1780}', '\u{17ff}'),
    ('\u{3005}', '\u{3007}'),
    ('\u{3040}', '\u{30ff}'),
    ('\u{3400}', '\u{4dbf}'),
    ('\u{4e00}', '\u{9fff}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{20000}', '\u{3ffff}'),
];

/// Returns true for a character of a script without blanks between words.
pub(crate) fn is_unspaced(c: char) -> bool {
    c >= UNSPACED[0].0 && UNSPACED.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// Returns these characters as a class of a regular expression.
pub(crate) fn unspaced_class() -> String {
    let ranges = UNSPACED.map(|(first, last)| format!("{first}-{last}"));
    format!("[{}]", ranges.concat())
}
