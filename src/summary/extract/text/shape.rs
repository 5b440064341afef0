//! What a run of letters, digits and joiners looks like, and what kind of name that makes it.

use crate::summary::extract::lexicon::FILE_ENDINGS;
use hashbrown::HashSet;
use std::sync::LazyLock;

/// What a name looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum NameKind {
    /// A path of several steps.
    Path,
    /// A file without a folder.
    File,
    /// An address of the web or of mail.
    Address,
    Date,
    /// A number of three digits or more, or with a point.
    Number,
    /// Letters and digits together: an id.
    Mixed,
    /// A name from a program.
    Code,
    Capitals,
    /// A word in quotation marks.
    Quoted,
}

pub(crate) const NAME_KINDS: usize = 9;

/// The longest run in bytes that is looked at. Longer ones are data.
pub(crate) const LONGEST_RUN: usize = 240;

/// A run of letters, digits and joiners: how many there are of each, a byte for each count.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct RunShape {
    /// The length of the run; above [`LONGEST_RUN`] nothing is counted.
    pub length: usize,
    counts: u64,
}

const LOWER: u64 = 1;
const UPPER: u64 = 1 << 8;
const DIGIT: u64 = 1 << 16;
const UNDERSCORE: u64 = 1 << 24;
const POINT: u64 = 1 << 32;
const SLASH: u64 = 1 << 40;
const COLON: u64 = 1 << 48;
/// Other joiners.
const OTHER: u64 = 1 << 56;
const COUNT: u64 = 0xff;
const JOINERS: u64 = (POINT | SLASH | COLON | OTHER) * COUNT;

/// What each byte adds to the counts; 0 for bytes that end a run.
static COUNTS: [u64; 256] = {
    let mut counts = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        counts[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            b'.' => POINT,
            b'/' => SLASH,
            b':' => COLON,
            b'-' | b'@' | b'+' | b'~' => OTHER,
            _ => 0,
        };
        byte += 1;
    }
    counts
};

/// Returns true for a byte of ASCII that ends a run.
pub(crate) fn is_between(byte: u8) -> bool {
    COUNTS[usize::from(byte)] == 0 && byte.is_ascii()
}

/// Returns true for a byte that ends a run.
pub(crate) fn ends_run(byte: u8) -> bool {
    COUNTS[usize::from(byte)] == 0
}

impl RunShape {
    /// Returns the shape of the run that a text begins with.
    pub(crate) fn of_run(bytes: &[u8]) -> Self {
        let mut shape = Self::default();
        for byte in bytes {
            let count = COUNTS[usize::from(*byte)];
            if count == 0 {
                return shape;
            }
            shape.length += 1;
            shape.counts = shape.counts.wrapping_add(count);
        }
        shape
    }

    /// Returns true for a run of lower-case letters that `first` begins, which may be a capital.
    pub(crate) const fn is_word(self, first: u8) -> bool {
        let letters = self.counts - if first.is_ascii_uppercase() { UPPER } else { 0 };
        letters <= COUNT && self.length > 0 && self.length <= LONGEST_RUN
    }

    const fn count(self, what: u64) -> usize {
        ((self.counts / what) & COUNT) as usize
    }

    pub(crate) const fn digits(self) -> usize {
        self.count(DIGIT)
    }

    const fn colons(self) -> usize {
        self.count(COLON)
    }

    /// Returns true if there are the marks of an address.
    pub(crate) const fn has_address(self) -> bool {
        self.count(COLON) > 0 && self.count(SLASH) > 1
    }

    pub(crate) const fn has_joiners(self) -> bool {
        self.counts & JOINERS != 0
    }

    const fn letters(self) -> usize {
        self.count(LOWER) + self.count(UPPER)
    }

    /// Trims joiners off both ends of a run, but for those that begin a path.
    pub(crate) fn without_outer_joiners(
        mut self,
        bytes: &[u8],
        mut start: usize,
        mut end: usize,
    ) -> (usize, usize, Self) {
        let is_joiner = |at: usize| COUNTS[usize::from(bytes[at])] & JOINERS != 0;
        while end > start && is_joiner(end - 1) {
            end -= 1;
            self.counts -= COUNTS[usize::from(bytes[end])];
        }
        while start < end && is_joiner(start) {
            let begins_path = bytes[start] == b'/'
                || matches!(bytes[start], b'~') && bytes[start + 1] == b'/'
                || bytes[start] == b'.' && matches!(bytes[start + 1], b'/' | b'.' | b'a'..=b'z');
            if begins_path {
                break;
            }
            self.counts -= COUNTS[usize::from(bytes[start])];
            start += 1;
        }
        self.length = end - start;
        (start, end, self)
    }
}

/// Returns what a run without joiners is.
pub(crate) fn plain_kind(run: &str, shape: RunShape) -> Option<NameKind> {
    let length = shape.length;
    let (lowers, uppers, digits) = (shape.count(LOWER), shape.count(UPPER), shape.digits());
    if shape.letters() == 0 {
        return (digits >= 3).then_some(NameKind::Number);
    }
    if shape.count(UNDERSCORE) > 0 && length >= 3 {
        return Some(NameKind::Code);
    }
    if digits > 0 {
        return (length >= 4 || uppers > 0 && length >= 3).then_some(NameKind::Mixed);
    }
    if length >= 4 && lowers > 0 && uppers > 0 && has_hump(run) {
        return Some(NameKind::Code);
    }
    (lowers == 0 && uppers >= 3).then_some(NameKind::Capitals)
}

/// Returns true if an upper-case letter comes after a lower-case one.
fn has_hump(run: &str) -> bool {
    let mut pairs = run.as_bytes().windows(2);
    pairs.any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

static ENDINGS: LazyLock<HashSet<&str>> = LazyLock::new(|| FILE_ENDINGS.iter().copied().collect());

/// Returns what a run with joiners is as a whole. Returns `None` if its pieces stand for themselves.
pub(crate) fn joined_kind(run: &str, shape: RunShape) -> Option<NameKind> {
    let bytes = run.as_bytes();
    let (points, slashes, others) = (shape.count(POINT), shape.count(SLASH), shape.count(OTHER));
    let has = |byte| others > 0 && memchr::memchr(byte, bytes).is_some();
    if has(b'@') && slashes == 0 && shape.colons() == 0 {
        let (name, host) = run.split_once('@')?;
        return (!name.is_empty() && host.contains('.')).then_some(NameKind::Address);
    }
    if shape.colons() > 0 {
        return None;
    }
    if slashes > 0 {
        // `and/or` is no path.
        let is_path = shape.letters() > 0
            && (slashes > 1
                || points + shape.count(UNDERSCORE) + shape.digits() > 0
                || bytes[0] == b'/' && bytes.len() > 3);
        return is_path.then_some(NameKind::Path);
    }
    if shape.letters() == 0 {
        return number_kind(bytes, shape);
    }
    if points > 0
        && let Some((name, ending)) = run.rsplit_once('.')
        && name.len() >= 2
    {
        if ENDINGS.contains(ending) {
            return Some(NameKind::File);
        }
        if others == 0 && !run.contains("..") && run.len() >= 5 && ending.len() > 1 {
            return Some(NameKind::Code);
        }
    }
    // An id such as `gpt-4o` or a UUID, not `non-refundable`.
    (points == 0 && shape.digits() > 0 && others > 0 && run.len() >= 4 && !has(b'+'))
        .then_some(NameKind::Mixed)
}

fn number_kind(bytes: &[u8], shape: RunShape) -> Option<NameKind> {
    let is_date = bytes.len() >= 10 && bytes[4] == b'-' && bytes[7] == b'-' && shape.digits() >= 8;
    if is_date {
        return Some(NameKind::Date);
    }
    let is_number = shape.count(POINT) > 0 && shape.count(OTHER) == 0 && shape.digits() >= 2;
    is_number.then_some(NameKind::Number)
}
