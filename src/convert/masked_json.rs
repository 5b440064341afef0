//! Masks what is written of a log in JSON: the strings of a line, each for itself.

use crate::base::secrets::Redaction;
use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::transcript::prelude::*;

/// The most bytes of a value that the name of its key alone makes a secret.
const LONGEST_NAMED: usize = 4096;

/// Masks all strings of a line of JSON, keys included. Returns how much was masked.
pub(crate) fn mask_json(line: &mut Vec<u8>, redaction: Redaction) -> u64 {
    let Some((mut splices, count)) = find_masked(line, redaction) else {
        return 0;
    };
    let mut masked = Vec::with_capacity(line.len());
    apply_splices(line, &mut splices, &mut masked);
    *line = masked;
    count
}

/// Returns how much of a JSON text would be masked.
pub(crate) fn count_masked(json: &[u8], redaction: Redaction) -> u64 {
    find_masked(json, redaction).map_or(0, |(_, count)| count)
}

fn find_masked(json: &[u8], redaction: Redaction) -> Option<(Vec<Splice>, u64)> {
    if !redaction.is_on() {
        return None;
    }
    let tree = JsonTree::new(json).ok()?;
    let (mut splices, mut count) = (Vec::new(), 0);
    collect_masked(tree.root(), None, redaction, &mut splices, &mut count);
    Some((splices, count))
}

/// Adds the masked strings below a node. `key` is the key that holds it: a name such as `password`
/// tells what its value is.
fn collect_masked(
    node: JsonNode<'_>,
    key: Option<&str>,
    redaction: Redaction,
    splices: &mut Vec<Splice>,
    count: &mut u64,
) {
    if node.is_kind(JsonKind::String) {
        let text = decode_literal(node.bytes());
        let (masked, found) = match redaction.mask(&text) {
            // The name alone may tell that the whole value is a secret.
            (_, 0) => match key.filter(|_| text.len() <= LONGEST_NAMED && !text.contains(' ')) {
                Some(key) => redaction.mask_from(&format!("{key}={text}"), key.len() + 1),
                None => return,
            },
            (masked, found) => (masked.into_owned(), found),
        };
        if found == 0 {
            return;
        }
        *count += found;
        return splices.push(Splice { span: node.span(), bytes: encode_literal(&masked) });
    }
    for item in node.items() {
        collect_masked(item, key, redaction, splices, count);
    }
    for (span, value) in node.entries() {
        let key = decode_literal(span.slice(node.record_bytes()));
        let (masked, found) = redaction.mask(&key);
        if found > 0 {
            *count += found;
            splices.push(Splice { span, bytes: encode_literal(&masked) });
        }
        collect_masked(value, Some(&key), redaction, splices, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_masked_and_the_line_stays_json() {
        let token = ["gh", "p_0123456789abcdefghijABCDEFGHIJ0123456789"].concat();
        let line = format!(
            r#"{{"a": "use {token}\nnow", "b": {{"password": "hunter2hunter2"}}, "c": "{{\"t\": \"{token}\"}}", "d": ["me@post.example.org"]}}"#
        );
        let mut secrets = line.clone().into_bytes();
        assert_eq!(mask_json(&mut secrets, Redaction::Secrets), 3);
        let text = String::from_utf8(secrets.clone()).unwrap();
        assert!(!text.contains(&token) && !text.contains("hunter2"), "{text}");
        assert!(text.contains("me@post.example.org"));
        let value: serde_json::Value = serde_json::from_slice(&secrets).unwrap();
        let inner = value["c"].as_str().unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(inner).is_ok(), "{inner}");
        let mut personal = line.clone().into_bytes();
        assert_eq!(mask_json(&mut personal, Redaction::Personal), 4);
        assert_eq!(count_masked(&personal, Redaction::Personal), 0);
        assert_eq!(mask_json(&mut line.into_bytes(), Redaction::Off), 0);
    }

    #[test]
    fn a_key_that_holds_personal_data_is_masked_and_its_value_stays() {
        for value in ["x", "a longer value", "one-that-is-longer-than-the-mark-of-an-address"] {
            let line = format!(r#"{{"anna.berg@post.example.org": "{value}"}}"#);
            let mut masked = line.into_bytes();
            assert_eq!(mask_json(&mut masked, Redaction::Personal), 1);
            let text = String::from_utf8(masked).unwrap();
            assert!(!text.contains("anna.berg") && text.contains(value), "{text}");
        }
    }
}
