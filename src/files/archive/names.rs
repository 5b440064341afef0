//! File names made from names in the log: safe, and distinct within a run.
//!
//! A name from the log never leads out of the directory it is used in, and two
//! different names never share a file.

use crate::base::sha256::Sha256;
use crate::files::archive::spilled_names::SpilledNames;
use hashbrown::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::io;

/// The longest file name, in bytes. Longer names are cut.
const MAX_NAME_BYTES: usize = 128;
/// The bytes kept of a name that is cut. A hash of the whole name follows them.
const CUT_NAME_BYTES: usize = 64;
/// The file name of a result whose call has no id.
const NO_CALL_ID: &str = "unknown";

/// Returns a thread id as a file name.
///
/// Each byte outside `A-Z a-z 0-9 . _ -` becomes `%XX`. A name of more than 128
/// bytes becomes its first 64 bytes, `-` and 16 hex digits of the id's SHA-256.
pub(crate) fn thread_file_name(id: &str) -> String {
    let name = match id {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => percent_encode(id, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
        }),
    };
    if name.len() > MAX_NAME_BYTES {
        format!("{}-{}", &name[..CUT_NAME_BYTES], Sha256::from_bytes(id.as_bytes()).hex_prefix(16))
    } else {
        name
    }
}

/// Returns a call id as the file name of its evicted result.
///
/// As in the reference implementation, `.`, `/` and `\` become `_`. Control characters are
/// percent-encoded, because file systems reject them. An empty id becomes `unknown`. A name of more
/// than 128 bytes becomes `call-` and the id's SHA-256.
pub(crate) fn result_file_name(call_id: &str) -> String {
    if call_id.is_empty() {
        return NO_CALL_ID.to_owned();
    }
    let name = percent_encode(&call_id.replace(['.', '/', '\\'], "_"), |byte| {
        byte >= 0x20 && byte != 0x7F
    });
    if call_id.len().max(name.len()) > MAX_NAME_BYTES {
        format!("call-{}", Sha256::from_bytes(call_id.as_bytes()).hex_prefix(64))
    } else {
        name
    }
}

/// Returns the thread id of a transcript that the log gives no id.
///
/// It is `session_` and 8 hex digits of the SHA-256 of the records, each followed by a line end.
pub(crate) fn anonymous_thread_id<'r>(records: impl IntoIterator<Item = &'r [u8]>) -> String {
    let mut hash = Sha256::default();
    for record in records {
        hash.update(record);
        hash.update(b"\n");
    }
    format!("session_{}", hash.hex_prefix(8))
}

/// The rule by which archive files are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// By thread id. A repeated name gets a number, in input order.
    Order,
    /// By thread id and a hash of the records: equal names stand for equal contents.
    Content,
}

/// Returns the file name of a thread by the content of its records: the name of its id, `-` and 32
/// hex digits of the SHA-256 of the records, which are joined by line ends.
pub(crate) fn content_thread_name<'r>(
    id: &str,
    records: impl IntoIterator<Item = &'r [u8]>,
) -> String {
    let mut hash = Sha256::default();
    for (index, record) in records.into_iter().enumerate() {
        if index > 0 {
            hash.update(b"\n");
        }
        hash.update(record);
    }
    format!("{}-{}", thread_file_name(id), hash.hex_prefix(32))
}

/// Percent-encodes the bytes for which `keep` is false.
fn percent_encode(text: &str, keep: impl Fn(u8) -> bool) -> String {
    // Most names need no encoding.
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
    // The result is valid UTF-8: `keep` is true for all or none of the bytes above 0x7F.
    String::from_utf8_lossy(&out).into_owned()
}

/// The number of names that a registry keeps in memory, some 50 bytes each.
const MAX_NAMES_IN_MEMORY: usize = 400_000;

/// Gives out file names in input order: a repeated name gets `~2`, then `~3`.
///
/// Only hashes are kept, and from some number on in a temporary file, so the registry stays small.
/// Two names with the same hash would only get a number that they don't need.
#[derive(Debug)]
pub(crate) struct NameRegistry {
    /// The number to try next for each name given out lately.
    next_numbers: HashMap<u128, u32>,
    max_in_memory: usize,
    spilled: Option<SpilledNames>,
    /// The temporary file can't be written: all further names stay in memory.
    keeps_all: bool,
    /// The last of the numbers that were given out where the temporary file can't be read.
    last_unread: u32,
}

impl Default for NameRegistry {
    fn default() -> Self {
        Self::with_limit(MAX_NAMES_IN_MEMORY)
    }
}

impl NameRegistry {
    fn with_limit(max_in_memory: usize) -> Self {
        Self {
            next_numbers: HashMap::new(),
            max_in_memory,
            spilled: None,
            keeps_all: false,
            last_unread: u32::MAX,
        }
    }

    /// Returns a name that was not given out before in this directory under this policy.
    ///
    /// The archives of policies lie in different directories: each of them may have the same name.
    pub(crate) fn claim_name(
        &mut self,
        policy_index: usize,
        directory: &str,
        name: &str,
    ) -> String {
        match self.find_free_name(policy_index, directory, name) {
            Ok(free) => free,
            Err(_) => {
                // No other name has this number, whatever is in the file.
                self.last_unread -= 1;
                format!("{name}~{}", self.last_unread)
            }
        }
    }

    fn find_free_name(
        &mut self,
        policy_index: usize,
        directory: &str,
        name: &str,
    ) -> io::Result<String> {
        let key = name_key(policy_index, directory, name);
        let Some(taken) = self.next_number(key)? else {
            self.insert(key, 2);
            return Ok(name.to_owned());
        };
        let mut number = taken;
        loop {
            let candidate = format!("{name}~{number}");
            let candidate_key = name_key(policy_index, directory, &candidate);
            number += 1;
            // `a~2` may be taken by an id that is spelled so.
            if self.next_number(candidate_key)?.is_none() {
                self.insert(candidate_key, 2);
                self.insert(key, number);
                return Ok(candidate);
            }
        }
    }

    fn next_number(&mut self, key: u128) -> io::Result<Option<u32>> {
        match (self.next_numbers.get(&key), &mut self.spilled) {
            (Some(number), _) => Ok(Some(*number)),
            (None, Some(spilled)) => spilled.find(key),
            (None, None) => Ok(None),
        }
    }

    fn insert(&mut self, key: u128, number: u32) {
        self.next_numbers.insert(key, number);
        if self.next_numbers.len() >= self.max_in_memory && !self.keeps_all {
            let names = self.next_numbers.iter();
            let names = names.map(|(key, number)| (*key, *number)).collect();
            let spilled = self.spilled.get_or_insert_with(SpilledNames::new);
            match spilled.push(names) {
                Ok(()) => self.next_numbers.clear(),
                Err(_) => self.keeps_all = true,
            }
        }
    }
}

/// Returns the file name of an evicted user message, in the form of a UUID. It is made of the
/// thread's id and the message's index.
pub(crate) fn message_file_name(thread_id: &str, message: usize) -> String {
    let digits = Sha256::from_bytes(format!("{thread_id}\n{message}").as_bytes()).hex_prefix(32);
    let (a, rest) = digits.split_at(8);
    let (b, rest) = rest.split_at(4);
    let (c, rest) = rest.split_at(4);
    let (d, e) = rest.split_at(4);
    format!("{a}-{b}-{c}-{d}-{e}")
}

/// Returns a 128-bit hash of a name in its directory under a policy.
fn name_key(policy_index: usize, directory: &str, name: &str) -> u128 {
    let high = salted_hash(0, policy_index, directory, name);
    let low = salted_hash(1, policy_index, directory, name);
    u128::from(high) << 64 | u128::from(low)
}

/// Hashes a name with a salt. The hash has no random key: each run must give the same names.
fn salted_hash(salt: u8, policy_index: usize, directory: &str, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_usize(policy_index);
    for part in [&[salt], directory.as_bytes(), &[0], name.as_bytes()] {
        hasher.write(part);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::test_table::rows;
    use proptest::prelude::*;
    use std::collections::HashSet;

    #[test]
    fn thread_names_follow_the_published_rules() {
        for [id, name] in rows(
            "../x | ..%2Fx\na b% | a%20b%25\n. | %2E\n.. | %2E%2E\né | %C3%A9\nA.b_c-1 | A.b_c-1",
        ) {
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
    fn equal_records_have_equal_names() {
        let name = |records: &[&str]| {
            content_thread_name("a/b", records.iter().map(|record| record.as_bytes()))
        };
        // The SHA-256 of `abc`, published in FIPS 180-2.
        assert_eq!(name(&["abc"]), "a%2Fb-ba7816bf8f01cfea414140de5dae2223");
        assert_ne!(name(&["abc"]), name(&["ab", "c"]));
        assert!(content_thread_name(&"x".repeat(500), []).len() < 128);
    }

    #[test]
    fn a_taken_name_gets_a_number_that_is_free() {
        let mut registry = NameRegistry::default();
        let names: Vec<String> =
            ["a", "a~2", "a", "a", "a~2", "b"].map(|name| registry.claim_name(0, "d", name)).into();
        assert_eq!(names, ["a", "a~2", "a~3", "a~4", "a~2~2", "b"]);
        assert_eq!(
            [registry.claim_name(0, "e", "a"), registry.claim_name(1, "d", "a")],
            ["a", "a"]
        );
    }

    proptest! {
        #[test]
        fn names_put_aside_change_no_name(ids in proptest::collection::vec("[ab]{1,2}(~[23])?", 1..60), limit in 1..8_usize) {
            let (mut all, mut few) = (NameRegistry::default(), NameRegistry::with_limit(limit));
            for id in &ids {
                prop_assert_eq!(all.claim_name(0, "d", id), few.claim_name(0, "d", id));
            }
        }

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
