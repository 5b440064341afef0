//! Masks the secrets of a text: replaces each by the name of its kind.

use crate::base::secrets::encoded::find_secrets;
use crate::base::secrets::keywords::FoundSecret;
use std::borrow::Cow;

/// Replaces each secret by `[REDACTED kind]`. Also returns how many were replaced.
pub(crate) fn mask_secrets(text: &str) -> (Cow<'_, str>, u64) {
    match mask_found(text, 0, Vec::new()) {
        (_, 0) => (Cow::Borrowed(text), 0),
        (masked, count) => (Cow::Owned(masked), count),
    }
}

/// Masks the secrets of the part of `text` that begins at byte `at`, and what else was found in the
/// text.
///
/// The whole text is searched, because a secret that began before `at` would
/// not be recognized by its second half.
pub(super) fn mask_found(text: &str, at: usize, others: Vec<FoundSecret>) -> (String, u64) {
    let (mut masked, mut copied, mut count) = (String::new(), at, 0);
    let mut found = find_secrets(text);
    let is_secret = |other: &FoundSecret| {
        let next = found.partition_point(|secret| secret.range.end <= other.range.start);
        found.get(next).is_some_and(|secret| secret.range.start < other.range.end)
    };
    let others: Vec<FoundSecret> = others.into_iter().filter(|other| !is_secret(other)).collect();
    found.extend(others);
    found.sort_by_key(|found| found.range.start);
    for secret in found.iter().filter(|secret| secret.range.end > at) {
        if secret.range.start < copied && copied > at {
            continue;
        }
        masked.push_str(&text[copied..secret.range.start.max(copied)]);
        masked.push_str("[REDACTED ");
        masked.push_str(secret.kind);
        masked.push(']');
        copied = secret.range.end;
        count += 1;
    }
    if count > 0 || at > 0 {
        masked.push_str(&text[copied..]);
    }
    (masked, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A long secret is masked to its end. Text that only begins like a secret is not masked.
    #[test]
    fn long_secrets_are_masked_whole_and_mere_beginnings_stay() {
        let token = format!("token={} x", "a1".repeat(2_000));
        assert_eq!(mask_secrets(&token).0, "token=[REDACTED assigned_secret] x");
        for piece in [
            "password=a/",
            "eyJabcdefgh-",
            "://a:b",
            "-----BEGIN PRIVATE KEY-----\n:",
            "token: https://a:b ",
            "\u{e9} secret ",
        ] {
            let text = piece.repeat(2_000);
            let masked = mask_secrets(&text);
            assert!(masked.1 == 0 || piece.starts_with("-----"), "{piece}");
        }
    }

    #[test]
    fn the_end_of_a_secret_is_masked_too() {
        // Split, so that no scanner takes this file for a leak.
        let text = [
            "-----BEGIN ",
            "PRIVATE KEY-----\nMIIEabc\nabc\n-----END ",
            "PRIVATE KEY-----\nthen https://u:p4ss@h",
        ]
        .concat();
        let end = |from: &str| mask_found(&text, text.find(from).unwrap(), Vec::new());
        assert_eq!(
            end("abc\n---"),
            ("[REDACTED private_key]\nthen https://u:[REDACTED password]@h".to_owned(), 2)
        );
        assert_eq!(end("ss@h"), ("[REDACTED password]@h".to_owned(), 1));
        assert_eq!(end("@h"), ("@h".to_owned(), 0));
        assert_eq!(mask_found(&text, text.len(), Vec::new()), (String::new(), 0));
    }

    #[test]
    fn masking_twice_changes_nothing() {
        let once = mask_secrets("PASSWORD=abcdefgh1234, http://u:p4ss@h/").0.into_owned();
        assert_eq!(mask_secrets(&once), (Cow::Borrowed(once.as_str()), 0));
    }
}
