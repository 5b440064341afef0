//! Names from the log as file names: safe, and distinct in a run (promise 9).

use crate::sha256::Sha256;
use hashbrown::HashMap;
use std::hash::{DefaultHasher, Hasher};

/// Longer names are cut.
const MAX_NAME: usize = 128;
/// What is left of a name that is cut, before its hash.
const CUT_NAME: usize = 64;
/// The file of a result whose call has no id.
const UNKNOWN: &str = "unknown";

/// A thread id as a file name: each byte outside `A-Z a-z 0-9 . _ -` as `%XX`.
/// Over 128 bytes: the first 64, `-`, and 16 hex digits of the id's SHA-256.
#[must_use]
pub fn thread_file_name(id: &str) -> String {
    let name = match id {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => percent_encode(id, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
        }),
    };
    if name.len() > MAX_NAME {
        format!(
            "{}-{}",
            &name[..CUT_NAME],
            Sha256::from_bytes(id.as_bytes()).hex_prefix(16)
        )
    } else {
        name
    }
}

/// A call id as a file name, as the reference: `.`, `/` and `\` become `_`. An
/// empty one is `unknown`; over 128 bytes it is `call-` and its SHA-256.
/// Control characters are percent-encoded: no file system wants them.
#[must_use]
pub fn result_file_name(call_id: &str) -> String {
    if call_id.is_empty() {
        return UNKNOWN.to_owned();
    }
    let name = percent_encode(&call_id.replace(['.', '/', '\\'], "_"), |byte| {
        byte >= 0x20 && byte != 0x7F
    });
    if call_id.len().max(name.len()) > MAX_NAME {
        format!(
            "call-{}",
            Sha256::from_bytes(call_id.as_bytes()).hex_prefix(64)
        )
    } else {
        name
    }
}

/// The id of a transcript that the log gives none: `session_` and 8 hex digits
/// of the SHA-256 of its records.
#[must_use]
pub fn anonymous_thread_id<'r>(records: impl IntoIterator<Item = &'r [u8]>) -> String {
    let mut hash = Sha256::default();
    for record in records {
        hash.update(record);
        hash.update(b"\n");
    }
    format!("session_{}", hash.hex_prefix(8))
}

fn percent_encode(text: &str, keep: impl Fn(u8) -> bool) -> String {
    // Most are as they should be.
    if text.bytes().all(&keep) {
        return text.to_owned();
    }
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

/// Gives out names in input order; the second of a kind gets `~2`, the third `~3`.
///
/// Only hashes are kept, so that memory stays small: two names of equal hash
/// would at worst get a number that they don't need.
#[derive(Debug, Default)]
pub struct NameRegistry {
    next: HashMap<u128, u32>,
}

impl NameRegistry {
    /// A name in a directory of a realm that nobody had before.
    pub fn claim_name(&mut self, realm: usize, directory: &str, name: &str) -> String {
        let key = key(realm, directory, name);
        let Some(&taken) = self.next.get(&key) else {
            self.next.insert(key, 2);
            return name.to_owned();
        };
        let mut number = taken;
        loop {
            let candidate = format!("{name}~{number}");
            let candidate_key = self::key(realm, directory, &candidate);
            number += 1;
            // `a~2` may be an id of its own.
            if !self.next.contains_key(&candidate_key) {
                self.next.insert(candidate_key, 2);
                self.next.insert(key, number);
                return candidate;
            }
        }
    }
}

fn key(realm: usize, directory: &str, name: &str) -> u128 {
    // The same in each run, so that names are: no random keys.
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        hasher.write_usize(realm);
        for part in [&[salt], directory.as_bytes(), &[0], name.as_bytes()] {
            hasher.write(part);
        }
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn thread_names_follow_the_published_rules() {
        for (id, name) in [
            ("../x", "..%2Fx"),
            ("a b%", "a%20b%25"),
            (".", "%2E"),
            ("..", "%2E%2E"),
            ("é", "%C3%A9"),
            ("A.b_c-1", "A.b_c-1"),
        ] {
            assert_eq!(thread_file_name(id), name);
        }
        let long = thread_file_name(&"x".repeat(129));
        assert_eq!((long.len(), &long[60..65]), (81, "xxxx-"));
    }

    #[test]
    fn result_names_follow_the_published_rules() {
        assert_eq!(result_file_name("a.b/c\\d"), "a_b_c_d");
        assert_eq!(result_file_name(""), "unknown");
        assert_eq!(result_file_name("a\0b\n"), "a%00b%0A");
        assert!(result_file_name(&"x".repeat(129)).starts_with("call-"));
    }

    #[test]
    fn a_taken_name_gets_a_number_that_is_free() {
        let mut registry = NameRegistry::default();
        let names: Vec<String> = ["a", "a~2", "a", "a", "a~2", "b"]
            .map(|name| registry.claim_name(0, "d", name))
            .into();
        assert_eq!(names, ["a", "a~2", "a~3", "a~4", "a~2~2", "b"]);
        assert_eq!(
            [
                registry.claim_name(0, "e", "a"),
                registry.claim_name(1, "d", "a")
            ],
            ["a", "a"]
        );
    }

    proptest! {
        #[test]
        fn no_name_leaves_its_directory_and_no_two_share_one(ids in proptest::collection::vec("[./\\\\~%a-b\0é]{0,3}", 1..40)) {
            let mut registry = NameRegistry::default();
            let mut seen = HashSet::new();
            for id in &ids {
                for (directory, name) in [("threads", thread_file_name(id)), ("results", result_file_name(id))] {
                    if id.is_empty() && directory == "threads" { continue; }
                    let name = registry.claim_name(0, directory, &name);
                    let components: Vec<_> = std::path::Path::new(&name).components().collect();
                    prop_assert!(matches!(components.as_slice(), [std::path::Component::Normal(_)]), "{name:?}");
                    prop_assert!(!name.contains('\0'));
                    prop_assert!(seen.insert((directory, name)));
                }
            }
        }
    }
}
