//! Secrets in base64: a run of it that spells a text with a secret is masked whole.

use crate::base::secrets::keywords::{FoundSecret, find_plain_secrets, join_overlaps};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// The shortest run that is decoded, in bytes.
const MIN_RUN_BYTES: usize = 24;
/// The longest run that is decoded, in bytes: longer ones are files.
const MAX_RUN_BYTES: usize = 64 << 10;
/// The bytes whose text tells whether the rest is text, too.
const PROBE_BYTES: usize = 16;

/// Returns the secrets of a text, in order and apart from each other.
pub(super) fn find_secrets(text: &str) -> Vec<FoundSecret> {
    let mut found = find_plain_secrets(text);
    found.extend(find_encoded_secrets(text));
    join_overlaps(found)
}

/// Returns the runs of base64 that hold a secret, in order.
fn find_encoded_secrets(text: &str) -> Vec<FoundSecret> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut seen = 0;
    // A run that is long enough covers the probe, or begins behind it.
    while let Some(probe) = bytes.get(seen + MIN_RUN_BYTES - 1) {
        let at = seen + MIN_RUN_BYTES - 1;
        if !is_base64(*probe) {
            seen = at + 1;
            continue;
        }
        let before = bytes[seen..at].iter().rev();
        let start = at - before.take_while(|byte| is_base64(**byte)).count();
        let behind = bytes[at..].iter();
        let end = at + behind.take_while(|byte| is_base64(**byte)).count();
        seen = end;
        let first_secret = |text: String| find_plain_secrets(&text).into_iter().next();
        if let Some(secret) = decode_text(&text[start..end]).and_then(first_secret) {
            found.push(FoundSecret { range: start..end, kind: secret.kind });
        }
    }
    found
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// Returns the text that a run of base64 spells.
fn decode_text(run: &str) -> Option<String> {
    if !(MIN_RUN_BYTES..=MAX_RUN_BYTES).contains(&run.len())
        || !is_text(&decode(&run[..PROBE_BYTES])?)
    {
        return None;
    }
    // A run that was cut in its middle spells a text up to there.
    let whole = if run.len() % 4 == 1 { run.len() - 1 } else { run.len() };
    let bytes = decode(&run[..whole])?;
    is_text(&bytes).then(|| String::from_utf8(bytes).ok())?
}

fn decode(run: &str) -> Option<Vec<u8>> {
    let engine = if run.contains(['-', '_']) { URL_SAFE_NO_PAD } else { STANDARD_NO_PAD };
    engine.decode(run).ok()
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte >= b' ' || b"\n\r\t".contains(byte))
}
