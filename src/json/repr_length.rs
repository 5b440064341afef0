//! The length of call arguments as Python's `repr` writes them, told from the
//! literal that holds their JSON, in one walk and without decoding it.
//!
//! What is unusual (fractions, equal keys, escaped ASCII) is not decided here:
//! [`literal_repr_length`] then says nothing, and the caller reads the arguments in full.

use crate::json::code_unit::{is_high_surrogate, parse_hex4};
use crate::json::lanes::{LANES, Lanes, Level, Simd, dispatch};
use crate::json::python_printable::repr_width;
use crate::json::span::Span;

/// Deeper nesting is left to the full reader.
const MAX_DEPTH: u32 = 64;
/// Objects with more keys are left to the full reader: it must find equal ones.
const MAX_KEYS: usize = 16;
/// Longer integers are left to the full reader: Python refuses some.
const MAX_DIGITS: usize = 4000;

/// Code points of `repr(json.loads(text))` where `span` is the JSON literal
/// of a text that holds a JSON object. `None`: something is unusual or wrong.
#[must_use]
pub fn literal_repr_length(bytes: &[u8], span: Span) -> Option<usize> {
    let mut walk = ReprMeasurer {
        bytes: &bytes[..span.end.checked_sub(1)?],
        ahead: bytes,
        at: span.start + 1,
        block: 0,
        events: 0,
        quotes: 0,
    };
    walk.load();
    walk.blanks();
    let points = walk.object(0)?;
    walk.blanks();
    walk.rest().is_empty().then_some(points)
}

/// Backslashes with what is no ASCII, and single quotes.
#[inline(always)]
fn events<S: Simd>(simd: S, bytes: &[u8], at: usize) -> (u64, u64) {
    let lanes = Lanes::load(simd, bytes, at);
    (
        lanes.mask_byte(b'\\') | lanes.mask_beyond_ascii(),
        lanes.mask_byte(b'\''),
    )
}

/// The content of a literal whose text is JSON: that JSON with its quotes and backslashes escaped once more.
struct ReprMeasurer<'a> {
    /// Up to the end of the content.
    bytes: &'a [u8],
    /// And beyond: bytes are looked at many at a time.
    ahead: &'a [u8],
    at: usize,
    /// Where the bytes begin that `events` and `quotes` tell of.
    block: usize,
    /// Backslashes, and what is no ASCII.
    events: u64,
    /// Single quotes.
    quotes: u64,
}

impl<'a> ReprMeasurer<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    fn load(&mut self) {
        (self.events, self.quotes) =
            dispatch!(Level::new(), simd => events(simd, self.ahead, self.at));
        self.block = self.at;
    }

    fn value(&mut self, depth: u32) -> Option<usize> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.rest().first()? {
            b'\\' => self.string().map(|(points, _)| points),
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b't' => self.word(b"true", "True"),
            b'f' => self.word(b"false", "False"),
            b'n' => self.word(b"null", "None"),
            _ => self.integer(),
        }
    }

    fn object(&mut self, depth: u32) -> Option<usize> {
        self.take(b"{")?;
        self.blanks();
        let mut points = "{}".len();
        if self.take(b"}").is_some() {
            return Some(points);
        }
        let mut keys: [&[u8]; MAX_KEYS] = [&[]; MAX_KEYS];
        let mut count = 0;
        loop {
            let (key_points, key) = self.string()?;
            // A key with an escape may equal another that is spelled otherwise.
            if count == MAX_KEYS
                || memchr::memchr(b'\\', key).is_some()
                || keys[..count].contains(&key)
            {
                return None;
            }
            keys[count] = key;
            count += 1;
            self.blanks();
            self.take(b":")?;
            self.blanks();
            points += key_points + ": ".len() + self.value(depth + 1)?;
            self.blanks();
            if self.take(b"}").is_some() {
                return Some(points);
            }
            self.take(b",")?;
            self.blanks();
            points += ", ".len();
        }
    }

    fn array(&mut self, depth: u32) -> Option<usize> {
        self.take(b"[")?;
        self.blanks();
        let mut points = "[]".len();
        if self.take(b"]").is_some() {
            return Some(points);
        }
        loop {
            points += self.value(depth + 1)?;
            self.blanks();
            if self.take(b"]").is_some() {
                return Some(points);
            }
            self.take(b",")?;
            self.blanks();
            points += ", ".len();
        }
    }

    /// A string: the length of its `repr`, and its content as it is spelled here.
    fn string(&mut self) -> Option<(usize, &'a [u8])> {
        self.take(br#"\""#)?;
        let start = self.at;
        // Bytes that stand for themselves count one each; what does not is corrected where it stands.
        let (mut written, mut spelled, mut single, mut double) = (0, 0, 0, 0);
        while self.at < self.bytes.len() {
            if self.at >= self.block + LANES {
                self.load();
            }
            let onwards = u64::MAX << (self.at - self.block);
            let events = self.events & onwards;
            let place = events.trailing_zeros();
            let before = u64::MAX.unbounded_shl(place);
            single += (self.quotes & onwards & !before).count_ones() as usize;
            self.at = self.block + place as usize;
            if events == 0 {
                continue;
            }
            let rest = self.bytes.get(self.at..)?;
            let unit = match rest {
                [b'\\', b'"', ..] => {
                    let content = &self.bytes[start..self.at];
                    self.at += 2;
                    // Python prefers single quotes, and escapes them only where the text holds both kinds.
                    let escaped = if single > 0 && double > 0 { single } else { 0 };
                    return Some((
                        content.len() - spelled + written + "''".len() + escaped,
                        content,
                    ));
                }
                [b'\\', b'\\', b'\\', b'"', ..] => {
                    double += 1;
                    EscapedPoint {
                        spelled: 4,
                        written: 1,
                    }
                }
                _ => unit(rest)?,
            };
            spelled += unit.spelled;
            written += unit.written;
            self.at += unit.spelled;
        }
        None
    }

    fn integer(&mut self) -> Option<usize> {
        let negative = usize::from(self.take(b"-").is_some());
        let digits = self
            .rest()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let zero = self.rest().first() == Some(&b'0');
        if digits == 0 || digits > MAX_DIGITS || (zero && digits + negative > 1) {
            return None;
        }
        self.at += digits;
        (!matches!(self.rest().first(), Some(b'.' | b'e' | b'E'))).then_some(negative + digits)
    }

    fn word(&mut self, word: &[u8], python: &str) -> Option<usize> {
        self.take(word)?;
        Some(python.len())
    }

    fn take(&mut self, bytes: &[u8]) -> Option<()> {
        self.rest()
            .starts_with(bytes)
            .then(|| self.at += bytes.len())
    }

    fn blanks(&mut self) {
        loop {
            self.at += match self.rest() {
                [b' ', ..] => 1,
                [b'\\', b'n' | b'r' | b't', ..] => 2,
                _ => return,
            }
        }
    }
}

/// One code point that does not stand for itself.
struct EscapedPoint {
    /// Bytes that it takes here.
    spelled: usize,
    /// Code points that `repr` writes for it.
    written: usize,
}

/// The code point that `rest` begins with: escaped for JSON, for the literal around it or for both, or no ASCII.
fn unit(rest: &[u8]) -> Option<EscapedPoint> {
    let (spelled, written) = match rest {
        // Raw control characters, which Python takes here.
        [b'\\', b'n' | b'r' | b't', ..] => (2, 2),
        [b'\\', b'\\', b'n' | b'r' | b't', ..] => (3, 2),
        [b'\\', b'\\', b'b' | b'f', ..] => (3, r"\x08".len()),
        [b'\\', b'\\', b'/', ..] => (3, 1),
        [b'\\', b'\\', b'\\', b'\\', ..] => (4, 2),
        [b'\\', b'\\', escape @ ..] => escaped(escape, br"\\u", 2)?,
        [b'\\', escape @ ..] => escaped(escape, br"\u", 1)?,
        _ => {
            let c = rest[..rest.len().min(4)]
                .utf8_chunks()
                .next()?
                .valid()
                .chars()
                .next()?;
            (c.len_utf8(), repr_width(c))
        }
    };
    Some(EscapedPoint { spelled, written })
}

/// `uXXXX`, and its second half introduced alike; `before` bytes of backslashes stand before it.
fn escaped(escape: &[u8], introduced: &[u8], before: usize) -> Option<(usize, usize)> {
    let unit = |digits: &[u8]| digits.first_chunk::<4>().and_then(parse_hex4);
    let first = unit(escape.strip_prefix(b"u")?)?;
    let second = || unit(escape[5..].strip_prefix(introduced)?);
    let (spelled, c) = if is_high_surrogate(first) {
        let c = char::decode_utf16([first, second()?]).next()?.ok()?;
        (2 * (before + 5), c)
    } else {
        (before + 5, char::from_u32(u32::from(first))?)
    };
    // What is ASCII may be a quote, which matters more than its length.
    (!c.is_ascii()).then(|| (spelled, repr_width(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::encode::encode_literal;

    #[test]
    fn ordinary_arguments_are_measured_and_unusual_ones_are_not() {
        let literal = |literal: &[u8]| {
            literal_repr_length(
                literal,
                Span {
                    start: 0,
                    end: literal.len(),
                },
            )
        };
        let of = |json: &str| literal(&encode_literal(json));
        assert_eq!(of("{}"), Some(2));
        assert_eq!(of("{\"a\": \"it's\"}"), Some("{'a': \"it's\"}".len()));
        assert_eq!(
            of(r#"{"a": "it's \"x\"", "b": [1, -2, true, null]}"#),
            Some(r#"{'a': 'it\'s "x"', 'b': [1, -2, True, None]}"#.len())
        );
        assert_eq!(
            of("{\"a\":\"x\\ny\nz\\\\\"}\n"),
            Some(r"{'a': 'x\ny\nz\\'}".len())
        );
        assert_eq!(
            of("{\"é\": \"\u{200b}é\\u00e9\\ud83d\\ude00'\"}"),
            Some("{'é': \"\\u200béé😀'\"}".chars().count())
        );
        assert_eq!(
            literal(br#""{\"a\": \"\u00e9\ud83d\ude00\"}""#),
            Some("{'a': 'é😀'}".chars().count())
        );
        for unusual in [
            "[]",
            "{\"a\":1.5}",
            "{\"a\":1,\"a\":2}",
            "{\"a\":\"\\ud83d\"}",
            "{\"a\":\"\\u0041\"}",
            "{\"a\":01}",
            "{\"a\":1",
            "{\"a\":1}x",
            "{\"a\" 1}",
            "{\"a\":-0}",
            "",
        ] {
            assert_eq!(of(unusual), None, "{unusual}");
        }
    }
}
