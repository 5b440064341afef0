//! The elements of a JSON array, found without parsing them: brackets and
//! strings tell where each ends. What is wrong inside is found when it is read.

/// A walk over an array that arrives piece by piece.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct ArrayElements {
    comes: ExpectedPart,
}

/// What must come next.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum ExpectedPart {
    /// The opening bracket.
    #[default]
    Array,
    /// The first element, or the end.
    First,
    /// An element: a comma has gone by.
    Element,
    /// A comma, or the end.
    Comma,
    /// Nothing: the array is closed, or its last element is cut.
    Nothing,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ArrayPart {
    pub(super) length: usize,
    /// Else it is what stands between elements.
    pub(super) is_element: bool,
    /// Why an array is not written so.
    pub(super) fault: Option<&'static str>,
}

const MISSING_COMMA: &str = "a comma is missing before this element of the array";
const COMMA_TOO_MANY: &str = "an element of the array is missing before this comma";
const NO_ELEMENT: &str = "an element of the array is missing between its last comma and its end";
const BEHIND: &str = "this stands behind the end of the array";

impl ArrayElements {
    /// What comes next in `bytes`. None: more bytes are needed, or there are none left.
    pub(super) fn next(&mut self, bytes: &[u8], eof: bool) -> Option<ArrayPart> {
        let between = |length, fault| {
            Some(ArrayPart {
                length,
                is_element: false,
                fault,
            })
        };
        if self.comes == ExpectedPart::Array {
            let start = bytes.iter().position(|byte| *byte == b'[')? + 1;
            self.comes = ExpectedPart::First;
            return between(start, None);
        }
        let first = *bytes.first()?;
        if is_blank(&first) {
            return between(bytes.iter().take_while(|byte| is_blank(byte)).count(), None);
        }
        if first == b',' || first == b']' {
            let next = if first == b',' {
                ExpectedPart::Element
            } else {
                ExpectedPart::Nothing
            };
            let fault = match std::mem::replace(&mut self.comes, next) {
                ExpectedPart::Nothing => {
                    self.comes = ExpectedPart::Nothing;
                    Some(BEHIND)
                }
                ExpectedPart::First | ExpectedPart::Element if first == b',' => {
                    Some(COMMA_TOO_MANY)
                }
                ExpectedPart::Element => Some(NO_ELEMENT),
                _ => None,
            };
            return between(1, fault);
        }
        let whole = element_length(bytes);
        let length = whole.or(eof.then_some(bytes.len()))?;
        // What is no object or array is no record, wherever it stands: reading it will say so.
        let fault = match self.comes {
            _ if !matches!(first, b'{' | b'[') => None,
            ExpectedPart::Comma => Some(MISSING_COMMA),
            ExpectedPart::Nothing => Some(BEHIND),
            _ => None,
        };
        if self.comes != ExpectedPart::Nothing {
            // An element that is cut says itself that the file ends too early.
            self.comes = if whole.is_some() {
                ExpectedPart::Comma
            } else {
                ExpectedPart::Nothing
            };
        }
        Some(ArrayPart {
            length,
            is_element: true,
            fault,
        })
    }

    /// Whether more must come.
    pub(super) fn is_open(self) -> bool {
        self.comes != ExpectedPart::Nothing
    }

    /// The elements that are in `bytes` as a whole, from the beginning of the array.
    pub(super) fn complete(mut self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let ArrayPart {
                    length, is_element, ..
                } = self.next(&bytes[at..], false)?;
                at += length;
                if !self.is_open() {
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

/// Where the value at the start of `bytes` ends; none if it is not all there.
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
                // A closing bracket too many belongs to the array around it.
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

    /// The parts, whether each is an element, and why an array is not written so.
    fn told(text: &str) -> Vec<(&str, bool, Option<&'static str>)> {
        let mut elements = ArrayElements::default();
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(ArrayPart {
            length,
            is_element,
            fault,
        }) = elements.next(&text.as_bytes()[at..], true)
        {
            parts.push((&text[at..at + length], is_element, fault));
            at += length;
        }
        assert_eq!(at, text.len());
        parts
    }

    fn parts(text: &str) -> Vec<(&str, bool)> {
        told(text)
            .into_iter()
            .map(|(part, is_element, _)| (part, is_element))
            .collect()
    }

    fn faults(text: &str) -> Vec<(&str, &'static str)> {
        told(text)
            .into_iter()
            .filter_map(|(part, _, fault)| Some((part, fault?)))
            .collect()
    }

    #[test]
    fn covers_every_byte_and_tells_elements_apart() {
        let elements: Vec<&str> = parts("[\n {\"a\": \"]\\\"[\"},\n [1, [2]], \"s\", 12 ]\n")
            .into_iter()
            .filter(|part| part.1)
            .map(|part| part.0)
            .collect();
        assert_eq!(
            elements,
            ["{\"a\": \"]\\\"[\"}", "[1, [2]]", "\"s\"", "12 "]
        );
        assert_eq!(
            ArrayElements::default()
                .complete(b"[1, {}]\n{\"b\": 2}\n")
                .collect::<Vec<_>>(),
            [b"1".as_slice(), b"{}"]
        );
    }

    #[test]
    fn an_element_that_is_cut_is_still_an_element() {
        assert_eq!(
            parts("[{\"a\": 1}, {\"b\": \"x").last(),
            Some(&("{\"b\": \"x", true))
        );
        assert_eq!(parts("[]"), [("[", false), ("]", false)]);
    }

    #[test]
    fn what_no_array_holds_is_told_where_it_stands() {
        for good in ["[]", " [ {} ]\n", "[{\"a\": \",]\"},\n[1, 2], 3]"] {
            assert_eq!(faults(good), []);
        }
        assert_eq!(
            faults("[{} {\"a\": 1}[2]]"),
            [("{\"a\": 1}", MISSING_COMMA), ("[2]", MISSING_COMMA)]
        );
        assert_eq!(
            faults("[,{},,{},]"),
            [
                (",", COMMA_TOO_MANY),
                (",", COMMA_TOO_MANY),
                ("]", NO_ELEMENT)
            ]
        );
        assert_eq!(
            faults("[{}]\n{\"a\": 1} garbage,]"),
            [("{\"a\": 1}", BEHIND), (",", BEHIND), ("]", BEHIND)]
        );
    }

    #[test]
    fn an_array_that_is_not_closed_is_open_unless_its_cut_element_tells() {
        for (text, open) in [
            ("[{}", true),
            ("[{},", true),
            ("[{},\n", true),
            ("[{}]", false),
            ("[{}]\n", false),
            ("[{}, {\"a\"", false),
        ] {
            let mut elements = ArrayElements::default();
            let mut at = 0;
            while let Some(part) = elements.next(&text.as_bytes()[at..], true) {
                at += part.length;
            }
            assert_eq!(elements.is_open(), open, "{text}");
        }
    }
}
