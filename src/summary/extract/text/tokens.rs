//! Finds words and names in a text, in one pass and without regular expressions. A name is what a
//! later message can only repeat exactly: a path, an address, a number, a name from a program.

use crate::summary::extract::lexicon::FILE_ENDINGS;

/// A word or name, whatever its case. Two different texts have the same symbol only by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Symbol(pub u64);

/// What a name looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum NameKind {
    /// A path of several steps.
    Path,
    /// A file without a folder.
    File,
    /// An address of the web or of mail.
    Address,
    /// A date.
    Date,
    /// A number of three digits or more, or with a point.
    Number,
    /// Letters and digits together: an id.
    Mixed,
    /// A name from a program.
    Code,
    /// Capitals.
    Capitals,
    /// A word in quotation marks.
    Quoted,
}

/// The number of kinds.
pub(crate) const NAME_KINDS: usize = 9;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word.
    Word,
    /// A name.
    Name(NameKind),
}

/// A word or name in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// As the text spells it.
    pub text: &'t str,
    /// Where it begins.
    pub start: usize,
    /// The same for all spellings.
    pub symbol: Symbol,
    /// What it is.
    pub kind: TokenKind,
}

/// Longest name in bytes. Longer ones are data.
const LONGEST_NAME: usize = 120;

const OTHER: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const JOINER: u8 = 3;
const BEYOND_ASCII: u8 = 4;

static CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => LETTER,
            b'0'..=b'9' => DIGIT,
            b'.' | b'/' | b'-' | b'@' | b':' | b'+' | b'~' => JOINER,
            0x80.. => BEYOND_ASCII,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
};

/// Returns the symbol of a text.
pub(crate) fn symbol_of(text: &str) -> Symbol {
    let mut hash = (text.len() as u64).wrapping_mul(0xa5a3_564e_27f8_9d25);
    let (chunks, rest) = text.as_bytes().as_chunks::<8>();
    for chunk in chunks {
        hash = mix(hash, lower_bytes(u64::from_le_bytes(*chunk)));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    Symbol(mix(hash, lower_bytes(u64::from_le_bytes(last))))
}

/// Mixes eight bytes into a hash by both halves of a long product: tables look at any of its bits.
const fn mix(hash: u64, bytes: u64) -> u64 {
    let product = (hash ^ bytes ^ 0x9e37_79b9_7f4a_7c15) as u128 * 0xd6e8_feb8_6659_fd93_u128;
    (product >> 64) as u64 ^ product as u64
}

/// Returns eight bytes with those of `A` to `Z` in lower case.
const fn lower_bytes(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let low = bytes & (0x7f * ONES);
    let from_a = low + (0x80 - b'A' as u64) * ONES;
    let past_z = low + (0x7f - b'Z' as u64) * ONES;
    let is_upper = from_a & !past_z & !bytes & (0x80 * ONES);
    bytes | (is_upper >> 2)
}

/// Calls `visit` with the words and names of a text, in order.
pub(crate) fn visit_tokens<'t>(text: &'t str, visit: &mut impl FnMut(Token<'t>)) {
    Scanner {
        text,
        wants_words: true,
    }
    .scan(visit);
}

/// Calls `visit` with the names of a text, in order.
pub(crate) fn visit_names<'t>(text: &'t str, visit: &mut impl FnMut(Token<'t>, NameKind)) {
    Scanner {
        text,
        wants_words: false,
    }
    .scan(&mut |token| {
        if let TokenKind::Name(kind) = token.kind {
            visit(token, kind);
        }
    });
}

struct Scanner<'t> {
    text: &'t str,
    wants_words: bool,
}

/// What a run of letters, digits and joiners is made of.
#[derive(Default, Clone, Copy)]
struct Shape {
    digits: usize,
    uppers: usize,
    lowers: usize,
    underscores: usize,
    points: usize,
    slashes: usize,
    others: usize,
    /// An upper-case letter stands behind a lower-case one or a digit.
    has_hump: bool,
}

impl Shape {
    fn of(bytes: &[u8]) -> Self {
        let mut shape = Self::default();
        let mut was_lower = false;
        for &byte in bytes {
            match byte {
                b'a'..=b'z' => shape.lowers += 1,
                b'A'..=b'Z' => {
                    shape.uppers += 1;
                    shape.has_hump |= was_lower;
                }
                b'0'..=b'9' => shape.digits += 1,
                b'_' => shape.underscores += 1,
                b'.' => shape.points += 1,
                b'/' => shape.slashes += 1,
                _ => shape.others += 1,
            }
            was_lower = byte.is_ascii_lowercase();
        }
        shape
    }

    const fn letters(self) -> usize {
        self.uppers + self.lowers
    }

    /// Returns what a run without joiners is.
    fn plain_kind(self, length: usize) -> Option<NameKind> {
        if self.letters() == 0 {
            return (self.digits >= 3).then_some(NameKind::Number);
        }
        if self.underscores > 0 && length >= 3 {
            return Some(NameKind::Code);
        }
        if self.digits > 0 {
            return (length >= 4 || self.uppers > 0 && length >= 3).then_some(NameKind::Mixed);
        }
        if self.has_hump && length >= 4 {
            return Some(NameKind::Code);
        }
        (self.lowers == 0 && self.uppers >= 3).then_some(NameKind::Capitals)
    }
}

impl<'t> Scanner<'t> {
    fn scan(&self, visit: &mut impl FnMut(Token<'t>)) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match CLASSES[usize::from(bytes[at])] {
                OTHER => at += 1,
                BEYOND_ASCII => at = self.scan_beyond_ascii(at, visit),
                class => {
                    // A plain word, with a capital or without, is most of any text.
                    let lower = lower_end(bytes, at + usize::from(bytes[at].is_ascii_uppercase()));
                    let end = run_end(bytes, lower);
                    if end == lower {
                        self.visit_lower(at, end, visit);
                    } else if class != JOINER || end - at > 2 {
                        self.visit_run(at, end, visit);
                    }
                    at = end;
                }
            }
        }
    }

    /// Visits a run of lower-case letters, the first of which may be a capital.
    fn visit_lower(&self, start: usize, end: usize, visit: &mut impl FnMut(Token<'t>)) {
        if end - start >= 3 && self.is_quoted(start, end) {
            self.visit_name(start, end, NameKind::Quoted, visit);
        } else if end - start > 1 {
            self.visit_word(start, end, visit);
        }
    }

    /// Visits a run of letters, digits and joiners.
    fn visit_run(&self, start: usize, end: usize, visit: &mut impl FnMut(Token<'t>)) {
        let run = &self.text[start..end];
        if run.as_bytes().contains(&b':')
            && let Some(at) = run.find("://")
        {
            let from = start
                + run[..at]
                    .rfind(|c: char| !c.is_ascii_alphabetic())
                    .map_or(0, |at| at + 1);
            let end = url_end(self.text.as_bytes(), from);
            return self.visit_name(from, end, NameKind::Address, visit);
        }
        let (start, end) = trim_joiners(self.text.as_bytes(), start, end);
        if start >= end {
            return;
        }
        let run = &self.text[start..end];
        let shape = Shape::of(run.as_bytes());
        if shape.points + shape.slashes + shape.others == 0 {
            return self.visit_plain(start, end, shape, visit);
        }
        if let Some(kind) = joined_kind(run, shape) {
            return self.visit_name(start, end, kind, visit);
        }
        // Pieces between the joiners that join least: colons first, then points, then dashes.
        for joiner in [b':', b'@', b'+', b'~', b'/', b'-', b'.'] {
            if memchr::memchr(joiner, run.as_bytes()).is_some() {
                let mut from = start;
                for piece in run.split(joiner as char) {
                    let to = from + piece.len();
                    if from < to {
                        self.visit_run(from, to, visit);
                    }
                    from = to + 1;
                }
                return;
            }
        }
    }

    fn visit_plain(
        &self,
        start: usize,
        end: usize,
        shape: Shape,
        visit: &mut impl FnMut(Token<'t>),
    ) {
        let kind = shape.plain_kind(end - start).or_else(|| {
            (self.is_quoted(start, end) && end - start >= 3).then_some(NameKind::Quoted)
        });
        if let Some(kind) = kind {
            self.visit_name(start, end, kind, visit);
        } else if self.wants_words && (end - start > 1 || shape.digits > 0) {
            let text = &self.text[start..end];
            visit(Token {
                text,
                start,
                symbol: symbol_of(text),
                kind: TokenKind::Word,
            });
        }
    }

    fn is_quoted(&self, start: usize, end: usize) -> bool {
        let bytes = self.text.as_bytes();
        let (Some(open), Some(&close)) = (start.checked_sub(1), bytes.get(end)) else {
            return false;
        };
        matches!(close, b'`' | b'"') && bytes[open] == close
    }

    fn visit_name(
        &self,
        start: usize,
        end: usize,
        kind: NameKind,
        visit: &mut impl FnMut(Token<'t>),
    ) {
        if end - start > LONGEST_NAME || end <= start {
            return;
        }
        let text = &self.text[start..end];
        visit(Token {
            text,
            start,
            symbol: symbol_of(text),
            kind: TokenKind::Name(kind),
        });
    }

    /// Visits a word beyond ASCII. Of scripts without blanks every two characters are a word.
    fn scan_beyond_ascii(&self, start: usize, visit: &mut impl FnMut(Token<'t>)) -> usize {
        let mut end = start;
        for c in self.text[start..].chars() {
            if is_ideograph(c) {
                if end == start {
                    end += c.len_utf8();
                    let next = self.text[end..].chars().next().filter(|c| is_ideograph(*c));
                    let is_last = start > 0
                        && self.text[..start]
                            .chars()
                            .next_back()
                            .is_some_and(is_ideograph);
                    match next {
                        Some(next) => self.visit_word(start, end + next.len_utf8(), visit),
                        None if is_last => {}
                        None => self.visit_word(start, end, visit),
                    }
                    return end;
                }
                break;
            }
            if !(c.is_alphanumeric() || c == '_') {
                if end == start {
                    return end + c.len_utf8();
                }
                break;
            }
            end += c.len_utf8();
        }
        self.visit_word(start, end, visit);
        end
    }

    fn visit_word(&self, start: usize, end: usize, visit: &mut impl FnMut(Token<'t>)) {
        if self.wants_words {
            let text = &self.text[start..end];
            visit(Token {
                text,
                start,
                symbol: symbol_of(text),
                kind: TokenKind::Word,
            });
        }
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// Returns the end of a run of lower-case letters.
fn lower_end(bytes: &[u8], start: usize) -> usize {
    let length = bytes[start..]
        .iter()
        .position(|byte| !byte.is_ascii_lowercase());
    length.map_or(bytes.len(), |length| start + length)
}

/// Returns the end of a run of letters, digits and joiners.
fn run_end(bytes: &[u8], start: usize) -> usize {
    let length = bytes[start..]
        .iter()
        .position(|byte| matches!(CLASSES[usize::from(*byte)], OTHER | BEYOND_ASCII));
    length.map_or(bytes.len(), |length| start + length)
}

fn url_end(bytes: &[u8], start: usize) -> usize {
    let is_end = |byte: &u8| {
        *byte <= b' '
            || matches!(
                byte,
                b'"' | b'\'' | b'<' | b'>' | b')' | b']' | b'}' | b'`' | b'\\'
            )
    };
    let mut end = bytes[start..]
        .iter()
        .position(is_end)
        .map_or(bytes.len(), |at| start + at);
    while end > start
        && matches!(
            bytes[end - 1],
            b'.' | b',' | b':' | b';' | b'!' | b'?' | b'*'
        )
    {
        end -= 1;
    }
    // The end may be inside of a character beyond ASCII.
    end
}

/// Trims joiners off both ends, but for those that begin a path.
fn trim_joiners(bytes: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
    while end > start && CLASSES[usize::from(bytes[end - 1])] == JOINER {
        end -= 1;
    }
    while start < end && CLASSES[usize::from(bytes[start])] == JOINER {
        let begins_path = bytes[start] == b'/'
            || matches!(bytes[start], b'~') && bytes[start + 1] == b'/'
            || bytes[start] == b'.' && matches!(bytes[start + 1], b'/' | b'.' | b'a'..=b'z');
        if begins_path {
            break;
        }
        start += 1;
    }
    (start, end)
}

/// Returns what a run with joiners is as a whole. Returns `None` if its pieces stand for themselves.
fn joined_kind(run: &str, shape: Shape) -> Option<NameKind> {
    let bytes = run.as_bytes();
    let has = |byte| shape.others > 0 && memchr::memchr(byte, bytes).is_some();
    if has(b'@') && !has(b'/') && !has(b':') {
        let (name, host) = run.split_once('@')?;
        return (!name.is_empty() && host.contains('.')).then_some(NameKind::Address);
    }
    if has(b':') {
        return None;
    }
    if shape.slashes > 0 {
        // `and/or` is no path.
        let is_path = shape.letters() > 0
            && (shape.slashes > 1
                || shape.points + shape.underscores + shape.digits > 0
                || bytes[0] == b'/' && bytes.len() > 3);
        return is_path.then_some(NameKind::Path);
    }
    if shape.letters() == 0 {
        return number_kind(run, shape);
    }
    if let Some((name, ending)) = run.rsplit_once('.')
        && name.len() >= 2
    {
        if FILE_ENDINGS.contains(&ending) {
            return Some(NameKind::File);
        }
        if shape.others == 0 && !run.contains("..") && run.len() >= 5 && ending.len() > 1 {
            return Some(NameKind::Code);
        }
    }
    // An id such as `gpt-4o` or a UUID, not `non-refundable`.
    (shape.points == 0 && shape.digits > 0 && shape.others > 0 && run.len() >= 4 && !has(b'+'))
        .then_some(NameKind::Mixed)
}

fn number_kind(run: &str, shape: Shape) -> Option<NameKind> {
    let bytes = run.as_bytes();
    let is_date = bytes.len() >= 10 && bytes[4] == b'-' && bytes[7] == b'-' && shape.digits >= 8;
    if is_date {
        return Some(NameKind::Date);
    }
    (shape.points > 0 && shape.others == 0 && shape.digits >= 2).then_some(NameKind::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(&str, NameKind)> {
        let mut names = Vec::new();
        visit_names(text, &mut |token, kind| names.push((token.text, kind)));
        names
    }

    #[test]
    fn names_are_found_by_their_shape() {
        use NameKind::*;
        assert_eq!(
            names(
                "Edit src/a_b.rs:12, see https://x.io/a?b=1. and ./run, not and/or; `dead` HAT136 4,500 $1203.50"
            ),
            [
                ("src/a_b.rs", Path),
                ("https://x.io/a?b=1", Address),
                ("./run", Path),
                ("dead", Quoted),
                ("HAT136", Mixed),
                ("500", Number),
                ("1203.50", Number)
            ]
        );
        assert_eq!(
            names(
                "On 2024-05-20 mia@a.org ran foo_bar(MyType, x) in main.py; JSON, gpt-4o e.g. v1"
            ),
            [
                ("2024-05-20", Date),
                ("mia@a.org", Address),
                ("foo_bar", Code),
                ("MyType", Code),
                ("main.py", File),
                ("JSON", Capitals),
                ("gpt-4o", Mixed)
            ]
        );
    }

    #[test]
    fn words_have_one_symbol_whatever_their_case() {
        let mut symbols = Vec::new();
        visit_tokens("Never never 不要", &mut |token| {
            symbols.push(token.symbol)
        });
        assert_eq!(symbols.len(), 3);
        assert_eq!(symbols[0], symbols[1]);
    }
}
