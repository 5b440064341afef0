//! Secrets in text, by their known forms: keys and tokens of common services,
//! private keys, passwords in addresses, values assigned to telling names.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Kinds and their forms. The group `s` is the secret; a form without one is the secret, and begins where a word does.
/// In that order: the first that matches names it.
const FORMS: &[(&str, &str)] = &[
    ("private_key", r"(?<s>-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]*))"),
    ("private_key", r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    ("password", r#"\b[a-zA-Z][a-zA-Z0-9+.-]*:\\?/\\?/[^\s/:@"'<>\\]*:(?<s>[^\s/@"'<>\\]+)@"#),
    ("aws_key", r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"),
    ("github_token", r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("gitlab_token", r"gl(?:pat|ptt|rt|dt|cbt|soat)-[A-Za-z0-9_-]{20,}"),
    ("api_key", r"sk-[A-Za-z0-9_-]{16,}"),
    ("api_key", r"(?:gsk|xai|fw|nvapi|pplx|csk|r8|hf|tvly)[_-][A-Za-z0-9_-]{28,}"),
    ("stripe_key", r"(?:(?:sk|rk|pk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}"),
    ("slack_token", r"x(?:ox[abeoprs]|app)-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{20,}"),
    ("google_key", r"AIza[0-9A-Za-z_-]{35}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}"),
    ("package_token", r"npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|dckr_pat_[A-Za-z0-9_-]{20,}|cio[A-Za-z0-9]{32}\b"),
    ("service_token", r"do[opr]_v1_[a-f0-9]{64}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|SK[0-9a-f]{32}\b|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("service_token", r"(?:hvs|hvb)\.[A-Za-z0-9_-]{20,}|lin_api_[A-Za-z0-9]{30,}|ntn_[A-Za-z0-9]{30,}|ATATT3[A-Za-z0-9_=-]{50,}"),
    ("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("aws_key", r#"(?i)(?:secret_?access_?key|aws_?secret(?:_?key)?)["'\\]*\s*(?:=>|:=|=|:)\s*["'\\]*(?<s>[A-Za-z0-9/+\\]{40,48})"#),
    ("azure_key", r#"(?i)(?:account|shared_?access)_?key["'\\]*\s*[:=]\s*["'\\]*(?<s>[A-Za-z0-9/+\\]{40,}={0,2})"#),
    ("credentials", r#"(?i)authorization["'\\]*\s*[:=]\s*["'\\]*(?:bearer|basic|token|apikey)\s+(?<s>[A-Za-z0-9._~+/=-]{8,})"#),
    ("credentials", r"(?i)bearer\s+(?<s>[A-Za-z0-9._~+/=-]{20,})"),
    (
        ASSIGNED,
        r#"(?i)(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credential)s?["'\\]*\s*(?:=>|:=|=|:)\s*["'\\]*(?<s>[^\s"'\\,;(){}\[\]<>$&|]{8,})"#,
    ),
    // Arguments of programs.
    (ASSIGNED, r#"(?i)\s--?[a-z0-9-]*(?:password|passwd|token|secret|api-?key|access-?key)\s+["'\\]*(?<s>[^\s"'\\,;(){}\[\]<>$&|]{8,})"#),
    (ASSIGNED, r#"\s(?:-u|--user)[\s=]["'\\]*[^\s:"'\\]+:(?<s>[^\s"'\\]{8,})"#),
];
/// Where a word begins; in JSON in JSON, and as Python writes strings, also behind an escape.
const START: &str = r"(?:\b|\\(?:[nrtfbv]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}))";
/// Anything may be assigned to such a name; a secret is told by how it looks.
const ASSIGNED: &str = "assigned_secret";
const SHORTEST_ASSIGNED: usize = 12;

static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let branch = |(number, (_, form)): (usize, &(&str, &str))| {
        let form = if form.contains("(?<s>") { form.replace("(?<s>", &format!("(?<s{number}>")) } else { format!("{START}(?<s{number}>{form})") };
        format!("(?<k{number}>{form})")
    };
    let branches: Vec<String> = FORMS.iter().enumerate().map(branch).collect();
    // Tested below: it always compiles.
    Regex::new(&branches.join("|")).ok()
});

/// The text with each secret replaced by `[REDACTED kind]`, and how many there were.
#[must_use]
pub fn mask(text: &str) -> (Cow<'_, str>, u64) {
    let Some(any) = ANY.as_ref() else { return (Cow::Borrowed("[REDACTED]"), 1) };
    let (mut masked, mut copied, mut at, mut count) = (String::new(), 0, 0, 0);
    while let Some((secret, kind)) = any.captures_at(text, at).and_then(|captures| secret(&captures)) {
        if kind == ASSIGNED && !looks_secret(&text[secret.clone()]) {
            // It may begin with what is a secret by its own form.
            at = secret.start;
            continue;
        }
        masked.push_str(&text[copied..secret.start]);
        masked.push_str(&format!("[REDACTED {kind}]"));
        (copied, at, count) = (secret.end, secret.end, count + 1);
    }
    if count == 0 {
        return (Cow::Borrowed(text), 0);
    }
    masked.push_str(&text[copied..]);
    (Cow::Owned(masked), count)
}

/// Where the secret of a match is, and its kind.
fn secret(captures: &Captures<'_>) -> Option<(Range<usize>, &'static str)> {
    let (number, (kind, _)) = FORMS.iter().enumerate().find(|(number, _)| captures.name(&format!("k{number}")).is_some())?;
    Some((captures.name(&format!("s{number}"))?.range(), kind))
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

    /// Arguments of calls are JSON in JSON, histories have them as Python writes them: a line of theirs begins with `\n`.
    #[test]
    fn escapes_before_a_secret_do_not_hide_it() {
        let digits = "0123456789abcdefghijABCDEFGHIJ0123456789";
        for (secret, kind) in [
            (made(&["AKIA", "ABCDEFGHIJKLMNOP"]), "aws_key"),
            (made(&["ghp_", digits]), "github_token"),
            (made(&["glpat-", &digits[..20]]), "gitlab_token"),
            (made(&["sk-proj-", digits]), "api_key"),
            (made(&["hf_", digits]), "api_key"),
            (made(&["npm_", &digits[..36]]), "package_token"),
            (made(&["eyJ", "hbGciOiJIUzI1NiJ9", ".eyJ", "zdWIiOiIxMjM0In0", ".abcdefghijkl"]), "jwt"),
            (made(&["postgres://app:", "pa55w0rd", "@db/x"]), "password"),
        ] {
            for before in ["", r"\n", r"\t", r"\r\n", r"\\n", r"\\\\n", r"\u000a", r"\x0a"] {
                assert_eq!(kinds(&format!(r#"{{"content": "A=1;{before}{secret}\n"}}"#)), [kind], "{before}{secret}");
            }
        }
        let key = made(&["-----BEGIN OPENSSH ", r"PRIVATE KEY-----\nb3BlbnNz\nc2g=\n-----END OPENSSH ", "PRIVATE KEY-----"]);
        assert_eq!(kinds(&format!("x{key}y")), ["private_key"]);
        assert_eq!(mask(r"C:\new\task-force").1, 0);
    }

    /// Base64 has signs that other secrets don't have.
    #[test]
    fn keys_in_base64_go_whole() {
        let aws = made(&["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"]);
        let azure = made(&["Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/", "K1SZFPTOtr/KBHBeksoGMGw=="]);
        for (text, secret) in [
            (format!("aws_secret_access_key = {aws}\n"), &aws),
            (format!("export AWS_SECRET_ACCESS_KEY=\"{aws}\""), &aws),
            (format!(r#"{{\"SecretAccessKey\": \"{aws}\"}}"#), &aws),
            (format!("AccountName=x;AccountKey={azure};EndpointSuffix=y"), &azure),
            (format!("SharedAccessKey={azure}"), &azure),
        ] {
            let (masked, count) = mask(&text);
            assert!(count == 1 && !masked.contains(&secret[..8]) && !masked.contains(&secret[secret.len() - 6..]), "{masked}");
        }
    }

    #[test]
    fn secrets_of_command_lines_go() {
        let masked = |text: &str| mask(text).0.into_owned();
        assert_eq!(masked("deploy --password s3cr3tpassw0rd --verbose"), "deploy --password [REDACTED assigned_secret] --verbose");
        assert_eq!(masked("x --api-key 'abcdef123456789'"), "x --api-key '[REDACTED assigned_secret]'");
        assert_eq!(masked("curl -u admin:hunter2hunter2 https://h/"), "curl -u admin:[REDACTED assigned_secret] https://h/");
        assert_eq!(
            masked("the secret number 1234567890ab is public, --password-file /etc/pw12345678"),
            "the secret number 1234567890ab is public, --password-file /etc/pw12345678"
        );
    }

    /// What is assigned looks harmless, or like an address; what is in it is not.
    #[test]
    fn a_secret_within_what_is_assigned_goes() {
        let masked = |text: &str| mask(text).0.into_owned();
        assert_eq!(masked("secret: postgres://app:pa(55w0rd@db/x"), "secret: postgres://app:[REDACTED password]@db/x");
        assert_eq!(masked(r#"{"secret": "https:\/\/app:pa55w0rd@db\/x"}"#), r#"{"secret": "https:\/\/app:[REDACTED password]@db\/x"}"#);
        let aws = made(&["AKIA", "ABCDEFGHIJKLMNOP"]);
        assert_eq!(masked(&format!("token={aws}")), "token=[REDACTED aws_key]");
        assert_eq!(masked(&format!("token={aws} password={aws} {aws}")).matches("[REDACTED aws_key]").count(), 3);
    }

    #[test]
    fn what_is_none_stays_borrowed() {
        for text in [
            "max_tokens=128000, token: string, api_key = os.environ[\"KEY\"]",
            "https://example.com:8080/a@b, mail me@example.com",
            "secret: see docs/secrets/v2/readme",
            r"C:\new\task-force, a\nsk-learn",
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
