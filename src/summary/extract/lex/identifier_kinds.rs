//! What an identifier looks like, told from its characters alone.

use hashbrown::HashSet;
use std::sync::LazyLock;

/// What an identifier looks like; several can hold, so these are bits.
pub(crate) type Kinds = u8;
/// A path, file name, URL or mail address.
pub(crate) const PATH: Kinds = 1;
/// Letters with digits or underscores, a key or a leaf of JSON.
pub(crate) const CODE: Kinds = 2;
/// A number.
pub(crate) const NUMBER: Kinds = 4;
/// Quoted in the text.
pub(crate) const QUOTED: Kinds = 8;
/// A date, an acronym, a camel-case name, an argument: nothing that raises or lowers its rank.
pub(crate) const OTHER: Kinds = 16;
/// An everyday word or phrase, worth its place only when there is room.
pub(crate) const WORDS: Kinds = 32;

pub(crate) const LOWER: u16 = 1;
pub(crate) const UPPER: u16 = 2;
pub(crate) const DIGIT: u16 = 4;
pub(crate) const UNDER: u16 = 8;
pub(crate) const SLASH: u16 = 16;
pub(crate) const AT: u16 = 32;
pub(crate) const DOT: u16 = 64;
pub(crate) const COLON: u16 = 128;
pub(crate) const DASH: u16 = 256;
/// Part of a letter beyond ASCII.
pub(crate) const WIDE: u16 = 512;
pub(crate) const LETTER: u16 = LOWER | UPPER | WIDE;

/// Longer runs are data (base64, minified code), not something to refer to.
pub(crate) const LONGEST: usize = 120;
const EXTENSIONS: &[&str] = &[
    "py", "rs", "c", "h", "cc", "cpp", "js", "jsx", "ts", "tsx", "go", "java", "md", "json",
    "jsonl", "toml", "yaml", "yml", "txt", "sh", "html", "css", "pony", "sql", "csv", "lock",
    "cfg", "ini", "xml", "log", "pdf", "bin", "png", "jpg", "svg", "so", "rb", "php", "swift",
    "kt", "scala", "ipynb", "gz", "zip", "db",
];

/// Plain words that instructions shout: no acronyms.
static SHOUTED: LazyLock<HashSet<&str>> = LazyLock::new(|| SHOUTED_WORDS.iter().copied().collect());
const SHOUTED_WORDS: &[&str] = &[
    "ABOUT",
    "AFTER",
    "ALL",
    "ALSO",
    "ALWAYS",
    "AND",
    "ANY",
    "ARE",
    "ASK",
    "AVOID",
    "BAD",
    "BEFORE",
    "BEST",
    "BOTH",
    "BUT",
    "CAN",
    "CANNOT",
    "CHECK",
    "COMPLETE",
    "COMPLETELY",
    "CONTINUE",
    "CORRECT",
    "CURRENT",
    "DID",
    "DOES",
    "DON",
    "DONE",
    "EACH",
    "EITHER",
    "END",
    "ENTER",
    "EVERY",
    "EVERYTHING",
    "EXACTLY",
    "EXAMPLE",
    "FINAL",
    "FIRST",
    "FOR",
    "FORMAT",
    "FROM",
    "GET",
    "GOOD",
    "HAD",
    "HAS",
    "HAVE",
    "HERE",
    "HOW",
    "IMPORTANT",
    "INSIDE",
    "INSTEAD",
    "INSTRUCTION",
    "INSTRUCTIONS",
    "INTO",
    "ITS",
    "JUST",
    "KEEP",
    "KNOW",
    "LAST",
    "LEFT",
    "LET",
    "LIKE",
    "LOOK",
    "MADE",
    "MAKE",
    "MANY",
    "MAY",
    "MORE",
    "MOST",
    "MUCH",
    "MUST",
    "NEED",
    "NEVER",
    "NEW",
    "NEXT",
    "NONE",
    "NOT",
    "NOTE",
    "NOTES",
    "NOTHING",
    "NOW",
    "OFF",
    "OLD",
    "ONCE",
    "ONE",
    "ONLY",
    "OPEN",
    "OTHER",
    "OUR",
    "OUT",
    "OVER",
    "OWN",
    "PLEASE",
    "READ",
    "READY",
    "REMEMBER",
    "RIGHT",
    "SAME",
    "SEE",
    "SHALL",
    "SHE",
    "SHOULD",
    "SOLVE",
    "SOME",
    "START",
    "STILL",
    "STOP",
    "SUCH",
    "SURE",
    "TAKE",
    "TELL",
    "THAN",
    "THAT",
    "THE",
    "THEIR",
    "THEM",
    "THEN",
    "THERE",
    "THESE",
    "THEY",
    "THIS",
    "THOSE",
    "TIME",
    "TIP",
    "TIPS",
    "TOO",
    "TRUST",
    "TRY",
    "TWO",
    "UNDER",
    "UNTIL",
    "USE",
    "USED",
    "USING",
    "VERY",
    "WAIT",
    "WANT",
    "WARNING",
    "WAS",
    "WELL",
    "WERE",
    "WHAT",
    "WHEN",
    "WHERE",
    "WHICH",
    "WHILE",
    "WHO",
    "WHY",
    "WILL",
    "WITH",
    "WITHOUT",
    "WORK",
    "WOULD",
    "WRITE",
    "WRONG",
    "YES",
    "YET",
    "YOU",
    "YOUR",
    "YOURSELF",
];

const LONGEST_EXTENSION: usize = 5;

const CLASS: [u16; 256] = classes();

const fn classes() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDER,
            b'/' => SLASH,
            b'@' => AT,
            b'.' => DOT,
            b':' => COLON,
            b'-' | b'+' | b'~' => DASH,
            128.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    table
}

pub(crate) fn is_date(bytes: &[u8]) -> bool {
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 {
                *byte == b'-'
            } else {
                byte.is_ascii_digit()
            }
        })
}

/// The classes of all bytes.
pub(crate) fn class_of(bytes: &[u8]) -> u16 {
    bytes
        .iter()
        .fold(0, |class, &byte| class | CLASS[usize::from(byte)])
}

/// What kind of identifier a whole text without blanks is, given its classes. `None` for plain words, short and overlong ones.
pub(crate) fn kinds(text: &str, class: u16) -> Option<Kinds> {
    let bytes = text.as_bytes();
    if !(3..=LONGEST).contains(&bytes.len()) {
        return None;
    }
    if class == DIGIT {
        return Some(NUMBER);
    }
    let has = |wanted: u16| class & wanted != 0;
    // Most are letters with digits or underscores.
    if !has(AT | SLASH | DASH | DOT)
        && has(LOWER | UPPER)
        && (has(UNDER) || (has(DIGIT) && bytes.len() >= 4))
    {
        return Some(CODE);
    }
    if has(AT)
        && has(LETTER)
        && text
            .find('@')
            .is_some_and(|at| at > 0 && text[at..].contains('.'))
    {
        return Some(PATH);
    }
    if has(SLASH) {
        return path(text, class);
    }
    if has(DASH) && is_date(bytes) {
        return Some(OTHER);
    }
    if !has(LETTER) {
        return (has(DIGIT)
            && bytes.iter().filter(|byte| byte.is_ascii_digit()).count()
                >= if has(DOT) { 2 } else { 3 })
        .then_some(NUMBER);
    }
    if has(DOT) && is_file(text) {
        return Some(PATH);
    }
    if (has(DIGIT) && bytes.len() >= 4) || (has(UNDER) && has(LOWER | UPPER)) {
        return Some(CODE);
    }
    let camel = has(UPPER)
        && has(LOWER)
        && bytes
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    (camel || (class == UPPER && bytes.len() <= 40 && !SHOUTED.contains(text))).then_some(OTHER)
}

/// What kind of identifier a whole text is.
pub(crate) fn kinds_of(text: &str) -> Option<Kinds> {
    kinds(text, class_of(text.as_bytes()))
}

/// `and/or` is no path: one of the marks of a path must be there.
fn path(text: &str, class: u16) -> Option<Kinds> {
    let slashes = || text.bytes().filter(|&byte| byte == b'/').count();
    if class & LETTER == 0 {
        return (class & DIGIT != 0 && slashes() == 2).then_some(OTHER);
    }
    let rooted = || text.starts_with(['/', '.', '~']) && text.len() > 3;
    (class & (DIGIT | UNDER | DOT) != 0 || rooted() || slashes() > 1).then_some(PATH)
}

/// Whether a name ends like a file.
pub(crate) fn is_file(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Most dots join names: what follows them is longer.
    let near = bytes.len().saturating_sub(LONGEST_EXTENSION + 1);
    bytes[near..]
        .iter()
        .rposition(|byte| *byte == b'.')
        .is_some_and(|dot| {
            let extension = &bytes[near + dot + 1..];
            near + dot > 0
                && EXTENSIONS
                    .iter()
                    .any(|known| extension.eq_ignore_ascii_case(known.as_bytes()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_by_the_characters() {
        for (text, wanted) in [
            ("src/main.rs", Some(PATH)),
            ("a@b.org", Some(PATH)),
            ("and/or", None),
            ("UM3OG5", Some(CODE)),
            ("max_width", Some(CODE)),
            ("12/31/2024", Some(OTHER)),
            ("JFK", Some(OTHER)),
            ("IMPORTANT", None),
            ("1,234.50", Some(NUMBER)),
            ("12", None),
            ("word", None),
        ] {
            assert_eq!(kinds_of(text), wanted, "{text}");
        }
        assert!(SHOUTED_WORDS.is_sorted());
    }
}
