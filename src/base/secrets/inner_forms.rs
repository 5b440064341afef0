//! Secrets that are recognized by a part inside of them: tokens, private keys, JSON Web Tokens, the data
//! of Kubernetes secrets.

use crate::base::secrets::scan::{
    KeywordHit, bounded_prefix, is_word_byte, is_word_start, skip_some, strip_word,
};
use crate::base::secrets::token_forms::is_mixed;
use memchr::memmem;
use std::ops::{Range, RangeInclusive};

/// Returns the start of the run of bytes that ends at `end`. A longer run counts as one of the
/// greatest length. Returns none if it is too short.
fn run_before(
    bytes: &[u8],
    end: usize,
    lengths: RangeInclusive<usize>,
    is_part: impl Fn(u8) -> bool,
) -> Option<usize> {
    let from = end.saturating_sub(*lengths.end());
    let run = bytes[from..end].iter().rev().take_while(|byte| is_part(**byte)).count();
    lengths.contains(&run).then(|| end - run)
}

fn run_behind<'t>(
    hit: &KeywordHit<'t>,
    least: usize,
    is_part: impl Fn(char) -> bool,
) -> Option<&'t str> {
    bounded_prefix(hit.behind(), 512, is_part).filter(|run| run.len() >= least)
}

fn is_url_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Finds the token of a Telegram bot: `123456789:AA...`.
pub(super) fn find_telegram_token(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    if !hit.text[hit.keyword.clone()].starts_with(":AA") {
        return None;
    }
    let start =
        run_before(hit.text.as_bytes(), hit.keyword.start, 6..=16, |byte| byte.is_ascii_digit())?;
    let run = run_behind(hit, 30, is_url_char)?;
    (run.len() <= 40).then(|| start..hit.keyword.end + run.len())
}

/// Finds a key of Mailchimp: 32 hexadecimal digits and `-us12`.
pub(super) fn find_mailchimp_key(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let bytes = hit.text.as_bytes();
    let start = run_before(bytes, hit.keyword.start, 32..=32, |byte| byte.is_ascii_hexdigit())?;
    let digits = hit.behind().bytes().take(3).take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&digits).then(|| start..hit.keyword.end + digits)
}

/// Finds a key of `MaxMind`: `..._mmk`.
pub(super) fn find_maxmind_key(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let start = run_before(hit.text.as_bytes(), hit.keyword.start, 36..=36, is_word_byte)?;
    (hit.text.as_bytes()[start + 6] == b'_').then_some(start..hit.keyword.end)
}

/// Finds a client secret of Azure: three characters, a digit, and `Q~`.
pub(super) fn find_azure_secret(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.~-".contains(&byte);
    let start = hit.keyword.start.checked_sub(4)?;
    let before = &hit.text.as_bytes()[start..hit.keyword.start];
    let run = run_behind(hit, 30, |c| c.is_ascii() && is_part(c as u8))?;
    let is_secret = hit.text[hit.keyword.clone()].starts_with('Q')
        && before.iter().all(|byte| is_part(*byte))
        && before[3].is_ascii_digit()
        && run.len() <= 40;
    is_secret.then(|| start..hit.keyword.end + run.len())
}

/// Finds a token of Terraform: 14 characters, `.atlasv1.`, and more.
pub(super) fn find_terraform_token(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let is_alnum = |byte: u8| byte.is_ascii_alphanumeric();
    let start = run_before(hit.text.as_bytes(), hit.keyword.start, 14..=14, is_alnum)?;
    let run = run_behind(hit, 50, |c| is_url_char(c) || c == '=')?;
    Some(start..hit.keyword.end + run.len())
}

/// Finds an access key of Authress: `sc_....acc_...`.
pub(super) fn find_authress_key(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let start = run_before(hit.text.as_bytes(), hit.keyword.start, 10..=49, is_part)?;
    let before = hit.text.get(start..hit.keyword.start)?;
    let prefixes = ["authress_", "scauth_", "ext_", "sc_"];
    let start = start + prefixes.iter().find_map(|prefix| before.find(prefix))?;
    let run = run_behind(hit, 40, |c| is_url_char(c) || ".=/+".contains(c))?;
    Some(start..hit.keyword.end + run.len())
}

/// Finds the key of AWS that is beside its id: `AKIA...,wJalr...`.
pub(super) fn find_aws_pair(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let id = run_behind(hit, 16, |c| c.is_ascii_uppercase() || c.is_ascii_digit())?;
    let rest = skip_some(&hit.behind()[id.len()..], 6, |c| ",;:|\t\"' ".contains(c));
    let key = bounded_prefix(rest, 40, |c| c.is_ascii_alphanumeric() || "+/".contains(c))?;
    let is_pair = id.len() == 16 && key.len() == 40 && is_mixed(key.as_bytes());
    is_pair.then(|| hit.range_of(key))
}

/// Finds a server key of Firebase: `AAAA...:APA91b...`.
pub(super) fn find_push_key(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let bytes = hit.text.as_bytes();
    let is_part = |byte: u8| is_word_byte(byte) || byte == b'-';
    let start = run_before(bytes, hit.keyword.start, 7..=24, is_part)?;
    let run = run_behind(hit, 100, is_url_char)?;
    Some(start..hit.keyword.end + run.len())
}

/// Finds the password in a line of `.pgpass`: `host:port:database:user:password`.
pub(super) fn find_pgpass_password(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let line = bounded_prefix(hit.behind(), 512, |c| !"\n\\\"' ".contains(c))?;
    let is_name = |name: &&str| !name.is_empty() && !name.contains('/');
    let mut fields = line.rsplitn(3, ':');
    let password = fields.next().filter(|password| password.len() >= 4)?;
    let is_host = hit.text[hit.keyword.clone()].starts_with('*');
    let begins = hit.before(1).is_empty() || hit.before(1).ends_with(['\n', 'n', '"', '\'', ' ']);
    ((begins || !is_host) && fields.filter(is_name).count() == 2).then(|| hit.range_of(password))
}

/// Finds the words of a wallet: 12 or more, all short and in lower case.
pub(super) fn find_wallet_phrase(hit: &KeywordHit<'_>) -> Option<Range<usize>> {
    let rest = skip_some(hit.behind(), 8, |c| " \t\\\"'`:=".contains(c));
    let rest = strip_word(rest, "is ").unwrap_or(rest);
    let rest = skip_some(rest, 4, |c| " \\\"':".contains(c));
    let phrase = bounded_prefix(rest, 512, |c| c.is_ascii_lowercase() || c == ' ')?.trim_end();
    let mut words = phrase.split(' ');
    let are_short = words.by_ref().all(|word| (3..=8).contains(&word.len()));
    (are_short && phrase.split(' ').count() >= 12).then(|| hit.range_of(phrase))
}

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
