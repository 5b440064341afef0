//! Secrets in text, by their known forms: keys and tokens of common services,
//! private keys, passwords in addresses, values assigned to telling names.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Kinds and their forms. The group `s` is the secret; without one all of it is. In that order: the first that matches names it.
const FORMS: &[(&str, &str)] = &[
    ("private_key", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]*)"),
    ("private_key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    ("password", r#"\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'<>\\]*:(?<s>[^\s/@"'<>\\]+)@"#),
    ("aws_key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"),
    ("github_token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("gitlab_token", r"\bgl(?:pat|ptt|rt|dt|cbt|soat)-[A-Za-z0-9_-]{20,}"),
    ("api_key", r"\bsk-[A-Za-z0-9_-]{16,}"),
    ("api_key", r"\b(?:gsk|xai|fw|nvapi|pplx|csk|r8|hf|tvly)[_-][A-Za-z0-9_-]{28,}"),
    ("stripe_key", r"\b(?:(?:sk|rk|pk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}"),
    ("slack_token", r"\bx(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ("google_key", r"\bAIza[0-9A-Za-z_-]{35}|\bya29\.[0-9A-Za-z_-]{20,}|\bGOCSPX-[0-9A-Za-z_-]{20,}"),
    ("package_token", r"\bnpm_[A-Za-z0-9]{36}|\bpypi-[A-Za-z0-9_-]{50,}|\bdckr_pat_[A-Za-z0-9_-]{20,}|\bcio[A-Za-z0-9]{32}\b"),
    ("service_token", r"\bdo[opr]_v1_[a-f0-9]{64}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|\bSK[0-9a-f]{32}\b|\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("service_token", r"\b(?:hvs|hvb)\.[A-Za-z0-9_-]{20,}|\blin_api_[A-Za-z0-9]{30,}|\bntn_[A-Za-z0-9]{30,}|\bATATT3[A-Za-z0-9_=-]{50,}"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("credentials", r#"(?i)\bauthorization["'\\]*\s*[:=]\s*["'\\]*(?:bearer|basic|token|apikey)\s+(?<s>[A-Za-z0-9._~+/=-]{8,})"#),
    ("credentials", r"(?i)\bbearer\s+(?<s>[A-Za-z0-9._~+/=-]{20,})"),
    (
        ASSIGNED,
        r#"(?i)(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credential)s?["'\\]*\s*(?:=>|:=|=|:)\s*["'\\]*(?<s>[^\s"'\\,;(){}\[\]<>$&|]{8,})"#,
    ),
];
/// Anything may be assigned to such a name; a secret is told by how it looks.
const ASSIGNED: &str = "assigned_secret";
const SHORTEST_ASSIGNED: usize = 12;

static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let branch = |(number, (_, form)): (usize, &(&str, &str))| format!("(?<k{number}>{})", form.replace("(?<s>", &format!("(?<s{number}>")));
    let branches: Vec<String> = FORMS.iter().enumerate().map(branch).collect();
    // Tested below: it always compiles.
    Regex::new(&branches.join("|")).ok()
});

/// The text with each secret replaced by `[REDACTED kind]`, and how many there were.
#[must_use]
pub fn mask(text: &str) -> (Cow<'_, str>, u64) {
    let Some(any) = ANY.as_ref() else { return (Cow::Borrowed("[REDACTED]"), 1) };
    let mut count = 0;
    let masked = any.replace_all(text, |captures: &Captures<'_>| {
        let (all, replaced) = replacement(captures);
        count += u64::from(replaced.is_some());
        replaced.unwrap_or_else(|| all.to_owned())
    });
    (if count == 0 { Cow::Borrowed(text) } else { masked }, count)
}

/// What was matched, and what stands there instead; none where it is no secret.
fn replacement<'t>(captures: &Captures<'t>) -> (&'t str, Option<String>) {
    let all = captures.get_match();
    let matched = FORMS.iter().enumerate().find(|(number, _)| captures.name(&format!("k{number}")).is_some());
    let Some((number, (kind, _))) = matched else { return (all.as_str(), None) };
    let secret = captures.name(&format!("s{number}")).unwrap_or(all);
    if *kind == ASSIGNED && !looks_secret(secret.as_str()) {
        return (all.as_str(), None);
    }
    let (before, after) = (&all.as_str()[..secret.start() - all.start()], &all.as_str()[secret.end() - all.start()..]);
    (all.as_str(), Some(format!("{before}[REDACTED {kind}]{after}")))
}

/// Letters and digits, no path and no word: `hunter2hunter2`, not `max_tokens=128000` or `token: string`.
fn looks_secret(text: &str) -> bool {
    let has = |class: fn(&char) -> bool| text.chars().any(|c| class(&c));
    text.len() >= SHORTEST_ASSIGNED && has(char::is_ascii_digit) && has(char::is_ascii_alphabetic) && !text.contains('/') && !text.starts_with('[')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        let (masked, count) = mask(text);
        let kinds: Vec<String> = masked.split("[REDACTED ").skip(1).map(|rest| rest.split(']').next().unwrap().to_owned()).collect();
        assert_eq!(kinds.len() as u64, count, "{masked}");
        kinds
    }

    #[test]
    fn the_forms_compile() {
        assert!(ANY.is_some());
    }

    /// Put together here, so that no scanner takes this file for a leak.
    fn made(parts: &[&str]) -> String {
        parts.concat()
    }

    #[test]
    fn secrets_of_all_kinds_go() {
        let digits = "0123456789abcdefghijABCDEFGHIJ0123456789";
        for (secret, kind) in [
            (made(&["AKIA", "ABCDEFGHIJKLMNOP"]), "aws_key"),
            (made(&["ghp_", digits]), "github_token"),
            (made(&["github_pat_", digits]), "github_token"),
            (made(&["glpat-", &digits[..20]]), "gitlab_token"),
            (made(&["sk-proj-", digits]), "api_key"),
            (made(&["sk-ant-api03-", digits]), "api_key"),
            (made(&["hf_", digits]), "api_key"),
            (made(&["sk_live_", &digits[..24]]), "stripe_key"),
            (made(&["xoxb-", "1234567890-", &digits[..20]]), "slack_token"),
            (made(&["AIza", &digits[..35]]), "google_key"),
            (made(&["npm_", &digits[..36]]), "package_token"),
            (made(&["eyJ", "hbGciOiJIUzI1NiJ9", ".eyJ", "zdWIiOiIxMjM0In0", ".abcdefghijkl"]), "jwt"),
            (made(&["-----BEGIN RSA ", "PRIVATE KEY-----\nMIIE\nabc==\n-----END RSA ", "PRIVATE KEY-----"]), "private_key"),
            (made(&["-----BEGIN ", "PRIVATE KEY-----\\nMIIEabc\\nabc"]), "private_key"),
        ] {
            assert_eq!(kinds(&format!("The log says {secret} and goes on.")), [kind], "{secret}");
            let (masked, _) = mask(&secret);
            assert!(!masked.contains(&secret[secret.len() - 6..]) || kind == "private_key", "{masked}");
        }
    }

    #[test]
    fn only_the_secret_goes() {
        let masked = |text: &str| mask(text).0.into_owned();
        assert_eq!(masked("psql postgres://app:pa55w0rd@db:5432/x"), "psql postgres://app:[REDACTED password]@db:5432/x");
        assert_eq!(masked("Authorization: Bearer abcdefgh12345678"), "Authorization: Bearer [REDACTED credentials]");
        assert_eq!(masked(r#"{\"password\": \"correct4horse5\"}"#), r#"{\"password\": \"[REDACTED assigned_secret]\"}"#);
        assert_eq!(masked("DB_PASSWORD=s3cr3tpassw0rd\nx"), "DB_PASSWORD=[REDACTED assigned_secret]\nx");
    }

    #[test]
    fn what_is_none_stays_borrowed() {
        for text in [
            "max_tokens=128000, token: string, api_key = os.environ[\"KEY\"]",
            "https://example.com:8080/a@b, mail me@example.com",
            "secret: see docs/secrets/v2/readme",
            "task-force sk-1 ghp_short, the password is required",
            "commit 0123456789abcdef0123456789abcdef01234567",
        ] {
            assert!(matches!(mask(text), (Cow::Borrowed(same), 0) if same == text), "{text}: {}", mask(text).0);
        }
    }

    #[test]
    fn masking_twice_changes_nothing() {
        let once = mask("PASSWORD=abcdefgh1234, http://u:p4ss@h/").0.into_owned();
        assert_eq!(mask(&once), (Cow::Borrowed(once.as_str()), 0));
    }
}
