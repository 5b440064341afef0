//! The elements of a JSON array, or the values of a stream of them, found by brackets and strings
//! alone.
//!
//! Nothing is parsed here. Faults inside a value are found when the value is read.

/// A scanner of an array, or of values one behind the other, that arrives in pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueScanner {
    expected: ExpectedPart,
}

/// The part that must come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedPart {
    /// A value of a stream, which no array holds.
    Value,
    Open,
    /// The first element or the closing bracket.
    FirstOrEnd,
    /// An element, because a comma precedes it.
    Element,
    /// A comma or the closing bracket.
    CommaOrEnd,
    /// Nothing: the array is closed, or its last element is cut.
    Nothing,
}

/// A piece of the array's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScannedPart {
    /// The length in bytes.
    pub(super) length: usize,
    /// True for an element, false for the text between elements.
    pub(super) is_element: bool,
    /// The reason why this part is not valid here.
    pub(super) fault: Option<&'static str>,
}

impl ScannedPart {
    /// Returns a part of `length` bytes that is not an element.
    fn between(length: usize, fault: Option<&'static str>) -> Self {
        Self { length, is_element: false, fault }
    }
}

const MISSING_COMMA: &str = "a comma is missing before this element of the array";
const COMMA_TOO_MANY: &str = "an element of the array is missing before this comma";
const NO_ELEMENT: &str = "an element of the array is missing between its last comma and its end";
const BEHIND: &str = "this is after the end of the array";
const BETWEEN_VALUES: &str = "this is between two records";

impl ValueScanner {
    /// Creates a scanner of the elements of an array.
    pub(super) fn of_array() -> Self {
        Self { expected: ExpectedPart::Open }
    }

    /// Creates a scanner of values that stand one behind the other, each over any number of lines.
    pub(super) fn of_stream() -> Self {
        Self { expected: ExpectedPart::Value }
    }

    /// Returns the part at the start of `bytes`. Returns none if more bytes are needed, or `bytes`
    /// is empty.
    pub(super) fn next_part(&mut self, bytes: &[u8], eof: bool) -> Option<ScannedPart> {
        if self.expected == ExpectedPart::Open {
            let bracket = memchr::memchr(b'[', bytes);
            if bracket.is_some() {
                self.expected = ExpectedPart::FirstOrEnd;
            }
            // Blanks before the bracket are passed on as they come: they may be many.
            let length = bracket.map_or(bytes.len(), |at| at + 1);
            return (length > 0).then_some(ScannedPart::between(length, None));
        }
        let first = *bytes.first()?;
        if is_blank(&first) {
            let length = bytes.iter().take_while(|byte| is_blank(byte)).count();
            return Some(ScannedPart::between(length, None));
        }
        if first == b',' || first == b']' {
            return Some(ScannedPart::between(1, self.pass_separator(first)));
        }
        let complete = element_length(bytes);
        let length = complete.or(eof.then_some(bytes.len()))?;
        // A value that is neither object nor array is no record anywhere. Reading it reports that.
        let fault = match self.expected {
            _ if !matches!(first, b'{' | b'[') => None,
            ExpectedPart::CommaOrEnd => Some(MISSING_COMMA),
            ExpectedPart::Nothing => Some(BEHIND),
            _ => None,
        };
        if !matches!(self.expected, ExpectedPart::Nothing | ExpectedPart::Value) {
            // Reading a cut element reports that the file ends too early.
            self.expected =
                if complete.is_some() { ExpectedPart::CommaOrEnd } else { ExpectedPart::Nothing };
        }
        Some(ScannedPart { length, is_element: true, fault })
    }

    /// Moves behind a comma or closing bracket. Returns the fault if it is not valid here.
    fn pass_separator(&mut self, separator: u8) -> Option<&'static str> {
        if self.expected == ExpectedPart::Value {
            return Some(BETWEEN_VALUES);
        }
        let next = if separator == b',' { ExpectedPart::Element } else { ExpectedPart::Nothing };
        match std::mem::replace(&mut self.expected, next) {
            ExpectedPart::Nothing => {
                self.expected = ExpectedPart::Nothing;
                Some(BEHIND)
            }
            ExpectedPart::FirstOrEnd | ExpectedPart::Element if separator == b',' => {
                Some(COMMA_TOO_MANY)
            }
            ExpectedPart::Element => Some(NO_ELEMENT),
            _ => None,
        }
    }

    /// Returns true if the array is not closed yet.
    pub(super) fn is_open(self) -> bool {
        !matches!(self.expected, ExpectedPart::Nothing | ExpectedPart::Value)
    }

    /// Returns the values that are complete in `bytes`, which begins where the array or the stream
    /// begins.
    pub(super) fn complete(mut self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let ScannedPart { length, is_element, .. } = self.next_part(&bytes[at..], false)?;
                at += length;
                if self.expected == ExpectedPart::Nothing {
                    return None;
                }
                if is_element {
                    return Some(&bytes[at - length..at]);
                }
            }
        })
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns the length of the value at the start of `bytes`. Returns none if its end is missing.
fn element_length(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                // An unmatched closing bracket belongs to the array around the value.
                let Some(outer) = depth.checked_sub(1) else {
                    return Some(at.max(1));
                };
                depth = outer;
                at += 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            b',' if depth == 0 => return Some(at),
            _ => at += 1,
        }
        if depth == 0 && bytes[at - 1] == b'"' {
            return Some(at);
        }
    }
}

/// Returns the end of the string that begins at `start`.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of each part with `is_element` and `fault`.
    fn scan_parts<'t>(
        scanner: &mut ValueScanner,
        text: &'t str,
    ) -> Vec<(&'t str, bool, Option<&'static str>)> {
        let (mut parts, mut at) = (Vec::new(), 0);
        while let Some(ScannedPart { length, is_element, fault }) =
            scanner.next_part(&text.as_bytes()[at..], true)
        {
            parts.push((&text[at..at + length], is_element, fault));
            at += length;
        }
        assert_eq!(at, text.len());
        parts
    }

    fn parts_of(text: &str) -> Vec<(&str, bool)> {
        let parts = scan_parts(&mut ValueScanner::of_array(), text).into_iter();
        parts.map(|(part, is_element, _)| (part, is_element)).collect()
    }

    fn faults_of(text: &str) -> Vec<(&str, &'static str)> {
        let parts = scan_parts(&mut ValueScanner::of_array(), text).into_iter();
        parts.filter_map(|(part, _, fault)| Some((part, fault?))).collect()
    }

    #[test]
    fn parts_cover_every_byte() {
        let parts = parts_of("[\n {\"a\": \"]\\\"[\"},\n [1, [2]], \"s\", 12 ]\n").into_iter();
        let elements: Vec<&str> = parts.filter_map(|(part, is)| is.then_some(part)).collect();
        assert_eq!(elements, ["{\"a\": \"]\\\"[\"}", "[1, [2]]", "\"s\"", "12 "]);
        assert_eq!(
            ValueScanner::of_array().complete(b"[1, {}]\n{\"b\": 2}\n").collect::<Vec<_>>(),
            [b"1".as_slice(), b"{}"]
        );
    }

    #[test]
    fn a_cut_element_is_an_element() {
        assert_eq!(parts_of("[{\"a\": 1}, {\"b\": \"x").last(), Some(&("{\"b\": \"x", true)));
        assert_eq!(parts_of("[]"), [("[", false), ("]", false)]);
    }

    #[test]
    fn invalid_parts_have_a_fault() {
        for good in ["[]", " [ {} ]\n", "[{\"a\": \",]\"},\n[1, 2], 3]"] {
            assert_eq!(faults_of(good), []);
        }
        assert_eq!(
            faults_of("[{} {\"a\": 1}[2]]"),
            [("{\"a\": 1}", MISSING_COMMA), ("[2]", MISSING_COMMA)]
        );
        assert_eq!(
            faults_of("[,{},,{},]"),
            [(",", COMMA_TOO_MANY), (",", COMMA_TOO_MANY), ("]", NO_ELEMENT)]
        );
        assert_eq!(
            faults_of("[{}]\n{\"a\": 1} garbage,]"),
            [("{\"a\": 1}", BEHIND), (",", BEHIND), ("]", BEHIND)]
        );
    }

    #[test]
    fn values_of_a_stream_need_no_commas() {
        let (mut scanner, text) = (ValueScanner::of_stream(), "{\"a\":\n 1}\n{\"b\": 2}, {\"c\":");
        let parts = scan_parts(&mut scanner, text);
        let between = |text| (text, false, None);
        assert_eq!(
            parts,
            [
                ("{\"a\":\n 1}", true, None),
                between("\n"),
                ("{\"b\": 2}", true, None),
                (",", false, Some(BETWEEN_VALUES)),
                between(" "),
                ("{\"c\":", true, None),
            ]
        );
        assert!(!scanner.is_open());
    }

    #[test]
    fn an_unclosed_array_is_open_unless_its_last_element_is_cut() {
        let is_open = |text: &&str| {
            let mut elements = ValueScanner::of_array();
            scan_parts(&mut elements, text);
            elements.is_open()
        };
        assert!(["[{}", "[{},", "[{},\n"].iter().all(is_open));
        assert!(!["[{}]", "[{}]\n", "[{}, {\"a\""].iter().any(is_open));
    }
}
