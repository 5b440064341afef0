//! The forms of secrets: how each kind begins, and how far it extends.

use memchr::memmem;
use std::ops::Range;

/// Finds the byte range of a secret. See [`SecretForm::extent`].
type FindExtent = fn(&str, usize) -> Option<Range<usize>>;

/// One form of secret.
pub(super) struct SecretForm {
    /// The kind, named where the secret is masked.
    pub(super) kind: &'static str,
    /// A regular expression for the beginning of the secret.
    ///
    /// The secret begins with the group `s`. Without such a group it begins with the
    /// match, which must be at the start of a word. Parts that may be long are left to
    /// `extent`: the expression reads all following text as long as a branch is undecided.
    pub(super) start: &'static str,
    /// Returns the byte range of the secret, or `None` if the text there is no secret.
    ///
    /// The arguments are the text from the group on, and the length of the group in bytes.
    pub(super) extent: FindExtent,
}

/// Creates a form whose secret is the group itself.
const fn fixed_form(kind: &'static str, start: &'static str) -> SecretForm {
    SecretForm {
        kind,
        start,
        extent: |_, matched| Some(0..matched),
    }
}

/// Creates a form whose secret extends beyond the group.
const fn extended_form(kind: &'static str, start: &'static str, extent: FindExtent) -> SecretForm {
    SecretForm {
        kind,
        start,
        extent,
    }
}

/// All forms. The first that matches names the secret.
pub(super) const SECRET_FORMS: &[SecretForm] = &[
    extended_form(
        "private_key",
        r"(?<s>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)",
        key_block_extent,
    ),
    fixed_form("private_key", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    extended_form("password", r":\\?/\\?/(?<s>)", password_extent),
    fixed_form("aws_key", r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?-u:\b)"),
    fixed_form(
        "github_token",
        r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}",
    ),
    fixed_form(
        "gitlab_token",
        r"gl(?:pat|ptt|rt|dt|cbt|soat)-[A-Za-z0-9_-]{20,}",
    ),
    fixed_form("api_key", r"sk-[A-Za-z0-9_-]{16,}"),
    fixed_form(
        "api_key",
        r"(?:gsk|xai|fw|nvapi|pplx|csk|r8|hf|tvly)[_-][A-Za-z0-9_-]{28,}",
    ),
    fixed_form(
        "stripe_key",
        r"(?:(?:sk|rk|pk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}",
    ),
    fixed_form(
        "slack_token",
        r"x(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}",
    ),
    fixed_form(
        "google_key",
        r"AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}",
    ),
    fixed_form(
        "package_token",
        r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|dckr_pat_[A-Za-z0-9_-]{20,}|cio[A-Za-z0-9]{32}(?-u:\b)",
    ),
    fixed_form(
        "service_token",
        r"do[opr]_v1_[a-f0-9]{64}|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}|SK[0-9a-f]{32}(?-u:\b)|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    ),
    fixed_form(
        "service_token",
        r"(?:hvs|hvb)\.[A-Za-z0-9_-]{20,}|lin_api_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|ATATT3[A-Za-z0-9_=-]{50,}",
    ),
    extended_form("jwt", r"eyJ[A-Za-z0-9_-]{8}", jwt_extent),
    fixed_form(
        "aws_key",
        r#"(?i)(?:secret_?access_?key|aws_?secret(?:_?key)?)["'\\]*\s*(?:=>|:=|=|:)\s*["'\\]*(?<s>[A-Za-z0-9/+\\]{40,48})"#,
    ),
    fixed_form(
        "azure_key",
        r#"(?i)(?:account|shared_?access)_?key["'\\]*\s*[:=]\s*["'\\]*(?<s>[A-Za-z0-9/+\\]{40,}={0,2})"#,
    ),
    fixed_form(
        "credentials",
        r#"(?i)authorization["'\\]*\s*[:=]\s*["'\\]*(?:bearer|basic|token|apikey)\s+(?<s>[A-Za-z0-9._~+/=-]{8,})"#,
    ),
    fixed_form("credentials", r"(?i)bearer\s+(?<s>[A-Za-z0-9._~+/=-]{20,})"),
    extended_form(
        "assigned_secret",
        r#"(?i)(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credential)s?["'\\]*\s*(?:=>|:=|=|:)\s*["'\\]*(?<s>)"#,
        assigned_extent,
    ),
    // Program arguments.
    extended_form(
        "assigned_secret",
        r#"(?i)\s--?[a-z0-9-]{0,32}(?:password|passwd|token|secret|api-?key|access-?key)\s+["'\\]*(?<s>)"#,
        assigned_extent,
    ),
    extended_form(
        "assigned_secret",
        r#"\s(?:-u|--user)[\s=]["'\\]*[^\s:"'\\]{1,64}:(?<s>)"#,
        assigned_extent,
    ),
];

/// The longest private key in bytes, including its header lines. An RSA key of 16384 bits takes a
/// fifth of it.
const MAX_KEY_BYTES: usize = 64 * 1024;
/// The longest user name before a password, in bytes.
const MAX_USER_BYTES: usize = 256;
/// The longest password in an address, in bytes.
const MAX_PASSWORD_BYTES: usize = 2048;
/// The longest part of a JSON Web Token, in bytes.
const MAX_TOKEN_BYTES: usize = 16 * 1024;
/// The bytes of an assigned value that are inspected.
const MAX_INSPECTED_BYTES: usize = 256;
/// The shortest assigned value that counts as a secret, in bytes.
const MIN_ASSIGNED_BYTES: usize = 12;

/// Returns the length in bytes of the longest prefix of matching characters.
///
/// Returns `None` if it is longer than `max`.
fn prefix_len(text: &str, max: usize, is_part: impl Fn(char) -> bool) -> Option<usize> {
    text.char_indices()
        .find(|&(at, c)| at > max || !is_part(c))
        .map_or(Some(text.len()), |(at, _)| Some(at))
        .filter(|&length| length <= max)
}

/// Returns the extent of a private key: up to its last line, or over the key characters if there is
/// none.
fn key_block_extent(text: &str, matched: usize) -> Option<Range<usize>> {
    let text = &text[..text.floor_char_boundary(MAX_KEY_BYTES)];
    if let Some(end) = memmem::find(&text.as_bytes()[matched..], b"-----END ") {
        let end = matched + end + "-----END ".len();
        let line_end = memmem::find(&text.as_bytes()[end..], b"-----")
            .map_or(end, |dashes| end + dashes + "-----".len());
        return Some(0..line_end);
    }
    let body = text[matched..]
        .find(|c: char| !c.is_ascii_alphanumeric() && !c.is_whitespace() && !"+/=\\".contains(c))
        .unwrap_or(text.len() - matched);
    Some(0..matched + body)
}

/// Returns the extent of the password in `user:password@`.
fn password_extent(text: &str, _: usize) -> Option<Range<usize>> {
    let user = prefix_len(text, MAX_USER_BYTES, |c| {
        !c.is_whitespace() && !"/:@\"'<>\\".contains(c)
    })?;
    let rest = text[user..].strip_prefix(':')?;
    let length = prefix_len(rest, MAX_PASSWORD_BYTES, |c| {
        !c.is_whitespace() && !"/@\"'<>\\".contains(c)
    })?;
    (length > 0 && rest[length..].starts_with('@')).then_some(user + 1..user + 1 + length)
}

/// Returns the extent of a JSON Web Token: three parts separated by dots.
///
/// The second part begins with `eyJ`, like the first.
fn jwt_extent(text: &str, _: usize) -> Option<Range<usize>> {
    let header_end = token_part_end(text, 0)?;
    if !text[header_end..].starts_with(".eyJ") {
        return None;
    }
    let claims_end = token_part_end(text, header_end + 1)?;
    if !text[claims_end..].starts_with('.') {
        return None;
    }
    Some(0..token_part_end(text, claims_end + 1)?)
}

/// Returns the end of the part of a JSON Web Token that begins at `at`.
///
/// Returns `None` if it is shorter than 8 bytes or too long.
fn token_part_end(text: &str, at: usize) -> Option<usize> {
    prefix_len(&text[at..], MAX_TOKEN_BYTES, |c| {
        c.is_ascii_alphanumeric() || "_-".contains(c)
    })
    .filter(|length| *length >= 8)
    .map(|length| at + length)
}

/// Returns the extent of an assigned value, if it looks like a secret.
///
/// A name such as `token` is not enough: the value must be at least 12 bytes long, contain
/// letters and digits, and be no path. `hunter2hunter2` is a secret, `max_tokens=128000`
/// and `token: string` are none.
fn assigned_extent(text: &str, _: usize) -> Option<Range<usize>> {
    let inspected = &text[..text.floor_char_boundary(MAX_INSPECTED_BYTES)];
    let value = &inspected[..inspected.find(ends_value).unwrap_or(inspected.len())];
    let looks_secret = value.len() >= MIN_ASSIGNED_BYTES
        && value.contains(|c: char| c.is_ascii_digit())
        && value.contains(|c: char| c.is_ascii_alphabetic())
        && !value.contains('/');
    looks_secret.then(|| 0..text.find(ends_value).unwrap_or(text.len()))
}

/// Returns true if a character can't be part of an assigned value.
fn ends_value(c: char) -> bool {
    c.is_whitespace() || "\"'\\,;(){}[]<>$&|".contains(c)
}
