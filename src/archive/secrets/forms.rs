//! How secrets look: how each kind begins, and how far it goes.

use memchr::memmem;
use std::ops::Range;

/// One form of secret.
pub(super) struct Form {
    /// What is said in its place.
    pub(super) kind: &'static str,
    /// How it begins. The group `s` begins the secret; without one all of it does, where a word begins. What may be long is
    /// left to `extent`: while a branch of the expression is undecided, all that follows is read for it, again and again.
    pub(super) start: &'static str,
    /// Where the secret is in the text from the group on; the group has so many bytes. None if there is no secret.
    pub(super) extent: fn(&str, usize) -> Option<Range<usize>>,
}

const fn whole(kind: &'static str, start: &'static str) -> Form {
    Form {
        kind,
        start,
        extent: |_, matched| Some(0..matched),
    }
}

const fn grown(
    kind: &'static str,
    start: &'static str,
    extent: fn(&str, usize) -> Option<Range<usize>>,
) -> Form {
    Form {
        kind,
        start,
        extent,
    }
}

/// In that order: the first that matches names it.
pub(super) const FORMS: &[Form] = &[
    grown(
        "private_key",
        r"(?<s>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)",
        key_block,
    ),
    whole("private_key", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    grown("password", r":\\?/\\?/(?<s>)", password),
    whole("aws_key", r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?-u:\b)"),
    whole(
        "github_token",
        r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}",
    ),
    whole(
        "gitlab_token",
        r"gl(?:pat|ptt|rt|dt|cbt|soat)-[A-Za-z0-9_-]{20,}",
    ),
    whole("api_key", r"sk-[A-Za-z0-9_-]{16,}"),
    whole(
        "api_key",
        r"(?:gsk|xai|fw|nvapi|pplx|csk|r8|hf|tvly)[_-][A-Za-z0-9_-]{28,}",
    ),
    whole(
        "stripe_key",
        r"(?:(?:sk|rk|pk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}",
    ),
    whole(
        "slack_token",
        r"x(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}",
    ),
    whole(
        "google_key",
        r"AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}",
    ),
    whole(
        "package_token",
        r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|dckr_pat_[A-Za-z0-9_-]{20,}|cio[A-Za-z0-9]{32}(?-u:\b)",
    ),
    whole(
        "service_token",
        r"do[opr]_v1_[a-f0-9]{64}|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}|SK[0-9a-f]{32}(?-u:\b)|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    ),
    whole(
        "service_token",
        r"(?:hvs|hvb)\.[A-Za-z0-9_-]{20,}|lin_api_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|ATATT3[A-Za-z0-9_=-]{50,}",
    ),
    grown("jwt", r"eyJ[A-Za-z0-9_-]{8}", jwt),
    whole(
        "aws_key",
        r#"(?i)(?:secret_?access_?key|aws_?secret(?:_?key)?)["'\\]*\s*(?:=>|:=|=|:)\s*["'\\]*(?<s>[A-Za-z0-9/+\\]{40,48})"#,
    ),
    whole(
        "azure_key",
        r#"(?i)(?:account|shared_?access)_?key["'\\]*\s*[:=]\s*["'\\]*(?<s>[A-Za-z0-9/+\\]{40,}={0,2})"#,
    ),
    whole(
        "credentials",
        r#"(?i)authorization["'\\]*\s*[:=]\s*["'\\]*(?:bearer|basic|token|apikey)\s+(?<s>[A-Za-z0-9._~+/=-]{8,})"#,
    ),
    whole("credentials", r"(?i)bearer\s+(?<s>[A-Za-z0-9._~+/=-]{20,})"),
    grown(
        "assigned_secret",
        r#"(?i)(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credential)s?["'\\]*\s*(?:=>|:=|=|:)\s*["'\\]*(?<s>)"#,
        assigned,
    ),
    // Arguments of programs.
    grown(
        "assigned_secret",
        r#"(?i)\s--?[a-z0-9-]{0,32}(?:password|passwd|token|secret|api-?key|access-?key)\s+["'\\]*(?<s>)"#,
        assigned,
    ),
    grown(
        "assigned_secret",
        r#"\s(?:-u|--user)[\s=]["'\\]*[^\s:"'\\]{1,64}:(?<s>)"#,
        assigned,
    ),
];

/// The longest private key with all that stands around it; RSA with 16384 bits takes a fifth of it.
const MOST_KEY: usize = 64 * 1024;
const MOST_USER: usize = 256;
const MOST_PASSWORD: usize = 2048;
const MOST_TOKEN: usize = 16 * 1024;
/// How far a value is looked at for what tells a secret.
const MOST_LOOKED_AT: usize = 256;
const SHORTEST_ASSIGNED: usize = 12;

/// How many bytes from the start are such characters; none if more than `most` are.
fn run(text: &str, most: usize, is_part: impl Fn(char) -> bool) -> Option<usize> {
    text.char_indices()
        .find(|&(at, c)| at > most || !is_part(c))
        .map_or(Some(text.len()), |(at, _)| Some(at))
        .filter(|&length| length <= most)
}

/// To its last line; where that is missing, as far as it looks like a key.
fn key_block(text: &str, matched: usize) -> Option<Range<usize>> {
    let most = &text[..text.floor_char_boundary(MOST_KEY)];
    if let Some(end) = memmem::find(&most.as_bytes()[matched..], b"-----END ") {
        let end = matched + end + "-----END ".len();
        let line = memmem::find(&most.as_bytes()[end..], b"-----")
            .map_or(end, |dashes| end + dashes + "-----".len());
        return Some(0..line);
    }
    let is_body = |c: char| c.is_ascii_alphanumeric() || c.is_whitespace() || "+/=\\".contains(c);
    Some(
        0..matched
            + most[matched..]
                .find(|c| !is_body(c))
                .unwrap_or(most.len() - matched),
    )
}

/// Behind `://`: `user:password@`.
fn password(text: &str, _: usize) -> Option<Range<usize>> {
    let user = run(text, MOST_USER, |c| {
        !c.is_whitespace() && !"/:@\"'<>\\".contains(c)
    })?;
    let rest = text[user..].strip_prefix(':')?;
    let length = run(rest, MOST_PASSWORD, |c| {
        !c.is_whitespace() && !"/@\"'<>\\".contains(c)
    })?;
    (length > 0 && rest[length..].starts_with('@')).then_some(user + 1..user + 1 + length)
}

/// Three parts; the second begins as the first.
fn jwt(text: &str, _: usize) -> Option<Range<usize>> {
    let part = |at: usize| {
        run(&text[at..], MOST_TOKEN, |c| {
            c.is_ascii_alphanumeric() || "_-".contains(c)
        })
        .filter(|length| *length >= 8)
        .map(|length| at + length)
    };
    let head = part(0)?;
    let body = if text[head..].starts_with(".eyJ") {
        part(head + 1)?
    } else {
        return None;
    };
    let end = if text[body..].starts_with('.') {
        part(body + 1)?
    } else {
        return None;
    };
    Some(0..end)
}

/// Anything may be assigned to a telling name; a secret is told by how it looks: letters and digits, no path and no word.
/// `hunter2hunter2`, not `max_tokens=128000` or `token: string`.
fn assigned(text: &str, _: usize) -> Option<Range<usize>> {
    let is_end = |c: char| c.is_whitespace() || "\"'\\,;(){}[]<>$&|".contains(c);
    let looked_at = &text[..text.floor_char_boundary(MOST_LOOKED_AT)];
    let value = &looked_at[..looked_at.find(is_end).unwrap_or(looked_at.len())];
    let has = |class: fn(&char) -> bool| value.chars().any(|c| class(&c));
    let looks_secret = value.len() >= SHORTEST_ASSIGNED
        && has(char::is_ascii_digit)
        && has(char::is_ascii_alphabetic)
        && !value.contains('/');
    looks_secret.then(|| 0..text.find(is_end).unwrap_or(text.len()))
}
