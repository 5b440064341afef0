//! Which keys of an object stand in it twice.

use crate::json::span::Span;

/// Objects with more keys than this are not searched for equal ones.
const MOST: usize = 16;

/// The keys of an object that went by so far.
#[derive(Debug, Default)]
pub(super) struct SeenKeys {
    /// Where their literals begin.
    starts: [usize; MOST],
    count: usize,
    /// A bit for each of their marks: a key whose bit is not set is none of them.
    marks: u64,
}

impl SeenKeys {
    /// Adds a key, by the span of its literal in `bytes`. Whether it is spelled as one before it.
    #[inline]
    pub(super) fn observe_key(&mut self, bytes: &[u8], key: Span) -> bool {
        let Some(free) = self.starts.get_mut(self.count) else {
            return false;
        };
        *free = key.start;
        let mark = 1 << mark(key.slice(bytes));
        let is_known = self.marks & mark != 0 && self.hold(bytes, key);
        self.marks |= mark;
        self.count += 1;
        is_known
    }

    #[cold]
    fn hold(&self, bytes: &[u8], key: Span) -> bool {
        // With its quotes: what begins with it is it.
        self.starts[..self.count]
            .iter()
            .any(|start| bytes[*start..].starts_with(key.slice(bytes)))
    }
}

/// A number below 64 that few keys of one object have in common: from a key's length and how it begins.
#[inline]
fn mark(literal: &[u8]) -> u32 {
    let first = literal.get(1).copied().unwrap_or_default();
    (literal.len() as u32 ^ (u32::from(first) * 25)) % 64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys that are told to be there already.
    fn told(text: &str) -> Vec<&str> {
        let (mut keys, mut at) = (SeenKeys::default(), 0);
        let spans = text.split_inclusive(' ').map(|part| {
            let span = Span {
                start: at,
                end: at + part.trim_end().len(),
            };
            at += part.len();
            span
        });
        spans
            .filter(|span| keys.observe_key(text.as_bytes(), *span))
            .map(|span| &text[span.start..span.end])
            .collect()
    }

    #[test]
    fn a_key_that_stood_before_is_told() {
        assert!(
            told(r#""role" "content" "name" "rule" "roles" "" "tool_calls" "tool_call_id""#)
                .is_empty()
        );
        assert_eq!(
            told(r#""role" "content" "role" "" "cont" """#),
            [r#""role""#, r#""""#]
        );
        // The same mark is not yet the same key.
        assert_eq!(mark(br#""role""#), mark(br#""rule""#));
        assert_eq!(told(r#""role" "rule" "rule""#), [r#""rule""#]);
    }

    #[test]
    fn only_so_many_keys_are_compared() {
        let keys = |count: usize| {
            (0..count)
                .map(|number| format!("\"{number}\" "))
                .collect::<String>()
        };
        assert_eq!(told(&(keys(MOST - 1) + "\"0\"")), ["\"0\""]);
        assert!(told(&(keys(MOST) + "\"0\"")).is_empty());
    }
}
