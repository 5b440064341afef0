//! Exactly the secrets of the texts in `fixtures/secrets/texts.toml` are masked. That file says how they
//! are spelled.

use crate::base::secrets::mask_secrets;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde::Deserialize;
use std::borrow::Cow;

#[derive(Deserialize)]
struct SecretTexts {
    kinds: Vec<String>,
    tokens: Vec<String>,
    surroundings: Vec<String>,
    harmless: Vec<String>,
}

fn texts() -> SecretTexts {
    toml::from_str(include_str!("../../../fixtures/secrets/texts.toml")).unwrap()
}

/// Replaces the signs for random text.
fn expand(row: &str) -> String {
    let (mut out, mut rest) = (String::new(), row);
    while let Some(at) = rest.find(['%', '#', '^']) {
        let alphabet: &[u8] = match rest.as_bytes()[at] {
            b'%' => b"aB3dEf7HiJ2kLmN9oPqR5sTu",
            b'#' => b"0a9b3c7d1e5f",
            _ => b"Q7RZ2YP3XV5",
        };
        out.push_str(&rest[..at]);
        let digits: String = rest[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        rest = &rest[at + 1 + digits.len()..];
        let Ok(length) = digits.parse::<usize>() else {
            out.push('%');
            continue;
        };
        out.extend(alphabet.iter().cycle().take(length).map(|byte| char::from(*byte)));
    }
    out + rest
}

/// Returns a row without marks, and with `[kind]` for each secret: `[]` if the row names none.
fn text_and_masked(row: &str) -> (String, String) {
    let (mut text, mut masked) = (String::new(), String::new());
    for (number, part) in expand(row).split(['«', '»']).enumerate() {
        let is_secret = number % 2 == 1 && !part.is_empty();
        let (kind, part) = part.split_once('|').filter(|_| is_secret).unwrap_or(("", part));
        text += part;
        masked += &match is_secret {
            true => format!("[{kind}]"),
            false => part.to_owned(),
        };
    }
    (text, masked)
}

/// Checks that exactly the secrets of a text are masked.
fn check(text: &str, wanted: &str) -> Result<(), String> {
    let masked = mask_secrets(text).0.replace("[REDACTED ", "[");
    let mut left = masked.as_str();
    for (number, part) in wanted.split("[]").enumerate() {
        let behind = match number {
            0 => Some(left),
            _ => left
                .strip_prefix('[')
                .and_then(|left| left.split_once(']'))
                .map(|(_, behind)| behind),
        };
        left = behind
            .and_then(|behind| behind.strip_prefix(part))
            .ok_or_else(|| format!("wanted {wanted}\nis     {masked}"))?;
    }
    match left {
        "" => Ok(()),
        _ => Err(format!("wanted {wanted}\nis     {masked}")),
    }
}

#[test]
fn each_kind_is_masked_and_the_rest_stays() {
    let texts = texts();
    let rows = texts.kinds.iter().chain(&texts.tokens).chain(&texts.surroundings);
    let failures: Vec<String> = rows
        .map(|row| text_and_masked(row))
        .filter_map(|(text, masked)| check(&text, &masked).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn text_without_secrets_stays_borrowed() {
    for text in texts().harmless {
        let masked = mask_secrets(&text);
        assert!(matches!(masked, (Cow::Borrowed(same), 0) if same == text), "{}", masked.0);
    }
}

#[test]
fn escapes_before_a_secret_do_not_hide_it() {
    for (text, masked) in texts().kinds.iter().map(|row| text_and_masked(row)) {
        for before in ["", r"\n", r"\t", r"\r\n", r"\\n", r"\\\\n", r"\u000a", r"\x0a"] {
            let wrap = |inner: &str| format!(r#"{{"content": "A=1;{before}{inner}\n"}}"#);
            assert_eq!(check(&wrap(&text), &wrap(&masked)), Ok(()));
        }
    }
}

#[test]
fn a_sign_of_assignment_may_be_escaped_as_in_an_address() {
    let (masked, _) = mask_secrets("user=me&password%3Dhunter2x&x=1");
    assert_eq!(masked, "user=me&password%3D[REDACTED assigned_secret]&x=1");
}

#[test]
fn a_secret_in_base64_is_masked_with_all_of_it() {
    let env = expand("MODE=test\nAPI_KEY=%30\nDEBUG=1\n");
    for encoded in [STANDARD.encode(&env), URL_SAFE_NO_PAD.encode(&env)] {
        let (masked, count) = mask_secrets(&encoded);
        assert_eq!(count, 1, "{masked}");
        assert!(masked.trim_end_matches('=').ends_with(']'), "{masked}");
    }
    let harmless = STANDARD.encode("All of this is a text as any other, without a key.");
    assert_eq!(mask_secrets(&harmless).1, 0);
}

#[test]
fn secrets_are_found_in_json_and_behind_escapes() {
    for row in texts().tokens {
        let text = text_and_masked(&row).0.replace(' ', "\\\\n");
        let escaped = format!("{{\"a\": \"x\\\\n{text}\\\\n\"}}");
        let (masked, count) = mask_secrets(&escaped);
        let wanted = row.matches('«').count() as u64;
        assert_eq!(count, wanted, "{masked}");
    }
}
