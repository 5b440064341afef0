//! Secrets that span several lines or parts: private keys, web tokens, secrets of Kubernetes.

use crate::base::secrets::scan::{KeywordHit, bounded_prefix, is_word_start, strip_word};
use memchr::memmem;
use std::ops::Range;

/// The longest private key in bytes, including its header lines. An RSA key of 16384 bits takes a
/// fifth of it.
const MAX_KEY_BYTES: usize = 64 * 1024;
/// The longest words between `BEGIN` and `PRIVATE KEY`, in bytes.
const MAX_KEY_KIND_BYTES: usize = 40;
/// The longest header of a JSON Web Token, in bytes.
const MAX_HEADER_BYTES: usize = 2 * 1024;
/// The longest further part of a JSON Web Token, in bytes.
const MAX_PART_BYTES: usize = 16 * 1024;
/// The bytes between the kind and the data of a Kubernetes secret.
const MAX_METADATA_BYTES: usize = 500;
/// The longest data of a Kubernetes secret, in bytes.
const MAX_DATA_BYTES: usize = 8 * 1024;

/// Finds a private key: up to its last line, or over the key characters if there is none.
pub(super) fn find_private_key(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let behind = hit.behind();
    let kind = bounded_prefix(behind, MAX_KEY_KIND_BYTES + 20, |c| {
        c.is_ascii_uppercase() || c.is_ascii_digit() || c == ' '
    })?;
    let words =
        kind.strip_suffix("PRIVATE KEY").or_else(|| kind.strip_suffix("PRIVATE KEY BLOCK"))?;
    if words.len() > MAX_KEY_KIND_BYTES || !behind[kind.len()..].starts_with("-----") {
        return None;
    }
    let start = hit.keyword.start;
    let matched = hit.keyword.end - start + kind.len() + "-----".len();
    let text = &hit.text[start..];
    let text = &text[..text.floor_char_boundary(MAX_KEY_BYTES)];
    if let Some(end) = memmem::find(&text.as_bytes()[matched..], b"-----END ") {
        let end = matched + end + "-----END ".len();
        let line_end = memmem::find(&text.as_bytes()[end..], b"-----")
            .map_or(end, |dashes| end + dashes + "-----".len());
        return Some(start..start + line_end);
    }
    let body = text[matched..]
        .find(|c: char| !c.is_ascii_alphanumeric() && !c.is_whitespace() && !"+/=\\".contains(c))
        .unwrap_or(text.len() - matched);
    Some(start..start + matched + body)
}

/// Finds a JSON Web Token: three parts separated by dots. The second begins with `eyJ`, like the
/// first.
pub(super) fn find_web_token(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let start = hit.keyword.start;
    if !hit.text[start..].starts_with("eyJ") || !is_word_start(hit.text.as_bytes(), start) {
        return None;
    }
    let header = token_part(&hit.text[start..], MAX_HEADER_BYTES)?;
    let rest = hit.text[start + header.len()..].strip_prefix('.')?;
    if !rest.starts_with("eyJ") {
        return None;
    }
    let claims = token_part(rest, MAX_PART_BYTES)?;
    let rest = rest[claims.len()..].strip_prefix('.')?;
    let signature = token_part(rest, MAX_PART_BYTES)?;
    Some(start..hit.range_of(signature).end)
}

/// Returns the part of a JSON Web Token at the start of a text. Returns none if it is shorter than
/// 8 bytes or too long.
fn token_part(text: &str, max: usize) -> Option<&str> {
    bounded_prefix(text, max, |c| c.is_ascii_alphanumeric() || "_-".contains(c))
        .filter(|part| part.len() >= 8)
}

/// Finds the data of a Kubernetes secret in YAML: the lines behind `data:` that are indented
/// further.
pub(super) fn find_cluster_secret(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let behind = hit.behind();
    if behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let head = &behind[..behind.floor_char_boundary(MAX_METADATA_BYTES)];
    let data = head.lines().skip(1).find(|line| {
        let line = line.trim_end();
        strip_word(line, "data:").or_else(|| strip_word(line, "stringData:")) == Some("")
    })?;
    let start = hit.range_of(data).end + 1;
    let block = hit.text.get(start..)?;
    let block = &block[..block.floor_char_boundary(MAX_DATA_BYTES)];
    let lines = block.split_inclusive('\n');
    let length: usize = lines
        .take_while(|line| {
            line.starts_with([' ', '\t']) && line.contains(':') || line.starts_with("  ")
        })
        .map(str::len)
        .sum();
    let found = block[..length].trim_end();
    (!found.is_empty()).then(|| start..start + found.len())
}
