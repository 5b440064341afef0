//! Names from the log as file names: safe, and distinct in a run (promise 9).

use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Write;

/// Longer names are cut.
const MAX_NAME: usize = 128;
/// What is left of a name that is cut, before its hash.
const CUT_NAME: usize = 64;
/// The file of a result whose call has no id.
const UNKNOWN: &str = "unknown";

/// A thread id as a file name: each byte outside `A-Z a-z 0-9 . _ -` as `%XX`.
/// Over 128 bytes: the first 64, `-`, and 16 hex digits of the id's SHA-256.
#[must_use]
pub fn thread_file(id: &str) -> String {
    let name = match id {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => percent_encode(id, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')),
    };
    if name.len() > MAX_NAME { format!("{}-{}", &name[..CUT_NAME], &sha256_hex(id.as_bytes())[..16]) } else { name }
}

/// A call id as a file name, as the reference: `.`, `/` and `\` become `_`. An
/// empty one is `unknown`; over 128 bytes it is `call-` and its SHA-256.
/// Control characters are percent-encoded: no file system wants them.
#[must_use]
pub fn result_file(call_id: &str) -> String {
    if call_id.is_empty() {
        return UNKNOWN.to_owned();
    }
    let name = percent_encode(&call_id.replace(['.', '/', '\\'], "_"), |byte| byte >= 0x20 && byte != 0x7F);
    if call_id.len().max(name.len()) > MAX_NAME { format!("call-{}", sha256_hex(call_id.as_bytes())) } else { name }
}

/// The id of a transcript that the log gives none: `session_` and 8 hex digits
/// of the SHA-256 of its records.
#[must_use]
pub fn anonymous_thread<'r>(records: impl IntoIterator<Item = &'r [u8]>) -> String {
    let mut hash = Sha256::new();
    for record in records {
        hash.update(record);
        hash.update(b"\n");
    }
    format!("session_{}", &hex(&hash.finalize())[..8])
}

fn percent_encode(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut out = Vec::with_capacity(text.len());
    for &byte in text.as_bytes() {
        if keep(byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
    // Only whole ASCII bytes were replaced.
    String::from_utf8_lossy(&out).into_owned()
}

fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        // Writing to a String can't fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// Gives out names in input order; the second of a kind gets `~2`, the third `~3`.
///
/// Only hashes are kept, so that memory stays small: two names of equal hash
/// would at worst get a number that they don't need.
#[derive(Debug, Default)]
pub struct Registry {
    next: HashMap<u128, u32>,
}

impl Registry {
    /// A name in a directory that nobody had before.
    pub fn claim(&mut self, directory: &str, name: &str) -> String {
        let key = key(directory, name);
        let mut number = self.next.get(&key).copied().unwrap_or(1);
        loop {
            let candidate = if number == 1 { name.to_owned() } else { format!("{name}~{number}") };
            let candidate_key = self::key(directory, &candidate);
            number += 1;
            // `a~2` may be an id of its own.
            if number == 2 || !self.next.contains_key(&candidate_key) {
                self.next.entry(candidate_key).or_insert(2);
                self.next.insert(key, number);
                return candidate;
            }
        }
    }
}

fn key(directory: &str, name: &str) -> u128 {
    let hash = Sha256::new().chain_update(directory).chain_update([0]).chain_update(name).finalize();
    hash.iter().take(16).fold(0, |key, &byte| (key << 8) | u128::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn thread_names_follow_the_published_rules() {
        for (id, name) in [("../x", "..%2Fx"), ("a b%", "a%20b%25"), (".", "%2E"), ("..", "%2E%2E"), ("é", "%C3%A9"), ("A.b_c-1", "A.b_c-1")] {
            assert_eq!(thread_file(id), name);
        }
        let long = thread_file(&"x".repeat(129));
        assert_eq!((long.len(), &long[60..65]), (81, "xxxx-"));
    }

    #[test]
    fn result_names_follow_the_published_rules() {
        assert_eq!(result_file("a.b/c\\d"), "a_b_c_d");
        assert_eq!(result_file(""), "unknown");
        assert_eq!(result_file("a\0b\n"), "a%00b%0A");
        assert!(result_file(&"x".repeat(129)).starts_with("call-"));
    }

    #[test]
    fn a_taken_name_gets_a_number_that_is_free() {
        let mut registry = Registry::default();
        let names: Vec<String> = ["a", "a~2", "a", "a", "a~2", "b"].map(|name| registry.claim("d", name)).into();
        assert_eq!(names, ["a", "a~2", "a~3", "a~4", "a~2~2", "b"]);
        assert_eq!(registry.claim("e", "a"), "a");
    }

    proptest! {
        #[test]
        fn no_name_leaves_its_directory_and_no_two_share_one(ids in proptest::collection::vec("[./\\\\~%a-b\0é]{0,3}", 1..40)) {
            let mut registry = Registry::default();
            let mut seen = HashSet::new();
            for id in &ids {
                for (directory, name) in [("threads", thread_file(id)), ("results", result_file(id))] {
                    if id.is_empty() && directory == "threads" { continue; }
                    let name = registry.claim(directory, &name);
                    let components: Vec<_> = std::path::Path::new(&name).components().collect();
                    prop_assert!(matches!(components.as_slice(), [std::path::Component::Normal(_)]), "{name:?}");
                    prop_assert!(!name.contains('\0'));
                    prop_assert!(seen.insert((directory, name)));
                }
            }
        }
    }
}
