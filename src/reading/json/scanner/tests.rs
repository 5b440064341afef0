//! The scanner compared with other parsers, and its errors on broken text.

use super::{Scanner, is_unfinished_json, validate_json};
use proptest::prelude::*;

#[test]
fn reads_depth_127_and_rejects_128() {
    for (depth, good) in [(127, true), (128, false), (100_000, false)] {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(validate_json(nested.as_bytes()).is_ok(), good, "{depth}");
    }
}

#[test]
fn keeps_what_other_parsers_reject() {
    for text in [r#""\ud83d""#, r#"{"a":1,"a":2}"#, "123456789012345678901234567890", "1e400", "-0"]
    {
        assert!(validate_json(text.as_bytes()).is_ok(), "{text}");
    }
}

#[test]
fn distinguishes_cut_text_from_wrong_text() {
    let complete = r#"{"a": ["b\u00e9", true, -1.5e3, null]}"#;
    for end in 0..complete.len() {
        assert!(is_unfinished_json(&complete.as_bytes()[..end]), "{}", &complete[..end]);
    }
    for wrong in ["{\"a\" 1", "[1 2", "{\"a\": \"x\ny", "[tru,"] {
        assert!(!is_unfinished_json(wrong.as_bytes()), "{wrong}");
    }
}

#[test]
fn decodes_keys() {
    let mut keys = Vec::new();
    let mut scanner = Scanner::new(br#"{"r\u006fle": 1}"#);
    scanner
        .read_object(|s, key| {
            keys.push(String::from_utf8(key.to_vec()).unwrap());
            s.skip_value().map(drop)
        })
        .unwrap();
    assert_eq!(keys, ["role"]);
}

fn loose_json() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        proptest::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"", "\\", "\\n", "\\u00e9", "0", "1", "-",
            "1.5", "e", "E+2", ".", " ", "\t", "true", "null", "fals", "é", "\u{1}", "01", "\\x",
            "x",
        ]),
        0..12,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn accepts_what_serde_json_accepts(text in loose_json()) {
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        prop_assert_eq!(validate_json(text.as_bytes()).is_ok(), theirs, "{}", text);
    }
}
