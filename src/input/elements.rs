//! The elements of a JSON array, found without parsing them: brackets and
//! strings tell where each ends. What is wrong inside is found when it is read.

/// A walk over an array that arrives piece by piece.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Elements {
    /// Whether the opening bracket has gone by.
    inside: bool,
    /// Whether the closing one has: what follows does not belong to the array.
    closed: bool,
}

impl Elements {
    /// The length of what comes next in `bytes`, and whether it is an element
    /// (else it is what stands between them). None: more bytes are needed, or
    /// there are none left.
    pub(super) fn next(&mut self, bytes: &[u8], eof: bool) -> Option<(usize, bool)> {
        let between = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b'[' | b']');
        if !self.inside {
            let start = bytes.iter().position(|byte| *byte == b'[')? + 1;
            self.inside = true;
            return Some((start, false));
        }
        match bytes.first()? {
            // An element may itself be an array: only before the first one is `[` something between.
            b'[' => {}
            b']' => {
                self.closed = true;
                return Some((1, false));
            }
            byte if between(byte) => {
                let length = bytes.iter().take_while(|byte| between(byte) && !matches!(byte, b'[' | b']')).count();
                return Some((length, false));
            }
            _ => {}
        }
        match element_length(bytes) {
            Some(length) => Some((length, true)),
            None if eof => Some((bytes.len(), true)), // cut: reading it will say so
            None => None,
        }
    }

    /// The elements that are in `bytes` as a whole, from the beginning of the array.
    pub(super) fn complete(mut self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let (length, is_element) = self.next(&bytes[at..], false)?;
                at += length;
                if self.closed {
                    return None;
                }
                if is_element {
                    return Some(&bytes[at - length..at]);
                }
            }
        })
    }
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
                let Some(outer) = depth.checked_sub(1) else { return Some(at.max(1)) };
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

    fn parts(text: &str) -> Vec<(&str, bool)> {
        let mut elements = Elements::default();
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some((length, is_element)) = elements.next(&text.as_bytes()[at..], true) {
            parts.push((&text[at..at + length], is_element));
            at += length;
        }
        assert_eq!(at, text.len());
        parts
    }

    #[test]
    fn covers_every_byte_and_tells_elements_apart() {
        let elements: Vec<&str> = parts("[\n {\"a\": \"]\\\"[\"},\n [1, [2]], \"s\", 12 ]\n").into_iter().filter(|part| part.1).map(|part| part.0).collect();
        assert_eq!(elements, ["{\"a\": \"]\\\"[\"}", "[1, [2]]", "\"s\"", "12 "]);
        assert_eq!(Elements::default().complete(b"[1, {}]\n{\"b\": 2}\n").collect::<Vec<_>>(), [b"1".as_slice(), b"{}"]);
    }

    #[test]
    fn an_element_that_is_cut_is_still_an_element() {
        assert_eq!(parts("[{\"a\": 1}, {\"b\": \"x").last(), Some(&("{\"b\": \"x", true)));
        assert_eq!(parts("[]"), [("[", false), ("]", false)]);
    }
}
