//! Detection of keys that are repeated in an object.
//!
//! Measured by `cargo bench --features benching --bench tricks` (2026-11): comparing each key
//! with all before it takes 1.13 times as long.

use crate::reading::json::Span;

/// Only this many keys of an object are compared.
const MAX_KEYS: usize = 16;

/// The keys of an object that were read so far.
#[derive(Debug, Default)]
pub(crate) struct SeenKeys {
    /// Offsets of their literals.
    starts: [usize; MAX_KEYS],
    count: usize,
    /// A bit for the fingerprint of each key. A key whose bit is not set is new.
    fingerprints: u64,
}

impl SeenKeys {
    /// Adds a key, given by the span of its literal in `bytes`. Returns true if an earlier key is
    /// spelled the same.
    #[inline]
    pub(crate) fn observe_key(&mut self, bytes: &[u8], key: Span) -> bool {
        let Some(free) = self.starts.get_mut(self.count) else {
            return false;
        };
        *free = key.start;
        let bit = 1 << fingerprint(key.slice(bytes));
        let is_repeated = self.fingerprints & bit != 0 && self.contains(bytes, key);
        self.fingerprints |= bit;
        self.count += 1;
        is_repeated
    }

    /// Returns true if a key is equal to an earlier key.
    #[cold]
    fn contains(&self, bytes: &[u8], key: Span) -> bool {
        // The literal includes its quotes, so a prefix match is an equal key.
        self.starts[..self.count].iter().any(|start| bytes[*start..].starts_with(key.slice(bytes)))
    }
}

/// Returns a number below 64 that seldom repeats among the keys of an object. It depends on the
/// key's length and first byte.
#[inline]
fn fingerprint(literal: &[u8]) -> u32 {
    let first = literal.get(1).copied().unwrap_or_default();
    (literal.len() as u32 ^ (u32::from(first) * 25)) % 64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the keys in `text` that repeat an earlier key.
    fn repeated_keys(text: &str) -> Vec<&str> {
        let (mut keys, mut at) = (SeenKeys::default(), 0);
        let spans = text.split_inclusive(' ').map(|part| {
            let span = Span { start: at, end: at + part.trim_end().len() };
            at += part.len();
            span
        });
        spans
            .filter(|span| keys.observe_key(text.as_bytes(), *span))
            .map(|span| &text[span.start..span.end])
            .collect()
    }

    #[test]
    fn repeated_keys_are_found() {
        let keys = r#""role" "content" "name" "rule" "roles" "" "tool_calls" "tool_call_id""#;
        assert_eq!(repeated_keys(keys), [""; 0]);
        let twice = repeated_keys(r#""role" "content" "role" "" "cont" """#);
        assert_eq!(twice, [r#""role""#, r#""""#]);
        // Equal fingerprints don't make equal keys.
        assert_eq!(fingerprint(br#""role""#), fingerprint(br#""rule""#));
        assert_eq!(repeated_keys(r#""role" "rule" "rule""#), [r#""rule""#]);
    }

    #[test]
    fn only_the_first_keys_are_compared() {
        let keys =
            |count: usize| (0..count).map(|number| format!("\"{number}\" ")).collect::<String>();
        assert_eq!(repeated_keys(&(keys(MAX_KEYS - 1) + "\"0\"")), ["\"0\""]);
        assert!(repeated_keys(&(keys(MAX_KEYS) + "\"0\"")).is_empty());
    }
}
