//! Secrets in text, by their known forms: keys and tokens of common services,
//! private keys, passwords in addresses, values assigned to telling names.

mod forms;

use forms::FORMS;
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

/// Where a word begins; in JSON in JSON, and as Python writes strings, also behind an escape. ASCII: the other kind of
/// boundary is decided many hundred times as slowly in a text with one character that is not.
const START: &str = r"(?:(?-u:\b)|\\(?:[nrtfbv]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}))";

static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let branches = FORMS.iter().enumerate().map(|(number, form)| {
        let group = format!("(?<s{number}>");
        if form.start.contains("(?<s>") {
            form.start.replace("(?<s>", &group)
        } else {
            format!("{START}{group}{})", form.start)
        }
    });
    Regex::new(
        &branches
            .map(|branch| format!("(?:{branch})"))
            .collect::<Vec<_>>()
            .join("|"),
    )
    .ok()
});

/// The text with each secret replaced by `[REDACTED kind]`, and how many there were.
#[must_use]
pub fn mask_secrets(text: &str) -> (Cow<'_, str>, u64) {
    match mask_secrets_from(text, 0) {
        (_, 0) => (Cow::Borrowed(text), 0),
        (masked, count) => (Cow::Owned(masked), count),
    }
}

/// The same of what begins `at` this byte. Half a secret is not recognised, so all of the text is looked at.
#[must_use]
pub fn mask_secrets_from(text: &str, at: usize) -> (String, u64) {
    let (mut masked, mut copied, mut count) = (String::new(), at, 0);
    each(text, |secret, kind| {
        if secret.end > at {
            masked.push_str(&text[copied..secret.start.max(copied)]);
            masked.push_str(&format!("[REDACTED {kind}]"));
            (copied, count) = (secret.end, count + 1);
        }
    });
    masked.push_str(&text[copied..]);
    (masked, count)
}

/// Calls `found` with each secret, in order, and its kind.
fn each(text: &str, mut found: impl FnMut(Range<usize>, &'static str)) {
    // Tested below: it always compiles.
    let Some(any) = ANY.as_ref() else {
        return found(0..text.len(), "all");
    };
    let mut at = 0;
    while let Some(captures) = any.captures_at(text, at) {
        match secret(&captures, text) {
            Some((secret, kind)) => {
                at = secret.end;
                found(secret, kind);
            }
            // What is none may hold one.
            None => at = text.ceil_char_boundary(captures.get_match().start() + 1),
        }
    }
}

/// Where the secret of a match is, and its kind.
fn secret(captures: &Captures<'_>, text: &str) -> Option<(Range<usize>, &'static str)> {
    let (form, start) = FORMS
        .iter()
        .enumerate()
        .find_map(|(number, form)| Some((form, captures.name(&format!("s{number}"))?)))?;
    let range = (form.extent)(&text[start.start()..], start.len())?;
    Some((
        start.start() + range.start..start.start() + range.end,
        form.kind,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        let (masked, count) = mask_secrets(text);
        let kinds: Vec<String> = masked
            .split("[REDACTED ")
            .skip(1)
            .map(|rest| rest.split(']').next().unwrap().to_owned())
            .collect();
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
            (
                made(&["xoxb-", "1234567890-", &digits[..20]]),
                "slack_token",
            ),
            (made(&["AIza", &digits[..35]]), "google_key"),
            (made(&["npm_", &digits[..36]]), "package_token"),
            (
                made(&[
                    "eyJ",
                    "hbGciOiJIUzI1NiJ9",
                    ".eyJ",
                    "zdWIiOiIxMjM0In0",
                    ".abcdefghijkl",
                ]),
                "jwt",
            ),
            (
                made(&[
                    "-----BEGIN RSA ",
                    "PRIVATE KEY-----\nMIIE\nabc==\n-----END RSA ",
                    "PRIVATE KEY-----",
                ]),
                "private_key",
            ),
            (
                made(&["-----BEGIN ", "PRIVATE KEY-----\\nMIIEabc\\nabc"]),
                "private_key",
            ),
        ] {
            assert_eq!(
                kinds(&format!("The log says {secret} and goes on.")),
                [kind],
                "{secret}"
            );
            let (masked, _) = mask_secrets(&secret);
            assert!(
                !masked.contains(&secret[secret.len() - 6..]) || kind == "private_key",
                "{masked}"
            );
        }
    }

    #[test]
    fn only_the_secret_goes() {
        let masked = |text: &str| mask_secrets(text).0.into_owned();
        assert_eq!(
            masked("psql postgres://app:pa55w0rd@db:5432/x"),
            "psql postgres://app:[REDACTED password]@db:5432/x"
        );
        assert_eq!(
            masked("Authorization: Bearer abcdefgh12345678"),
            "Authorization: Bearer [REDACTED credentials]"
        );
        assert_eq!(
            masked(r#"{\"password\": \"correct4horse5\"}"#),
            r#"{\"password\": \"[REDACTED assigned_secret]\"}"#
        );
        assert_eq!(
            masked("DB_PASSWORD=s3cr3tpassw0rd\nx"),
            "DB_PASSWORD=[REDACTED assigned_secret]\nx"
        );
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
            (
                made(&[
                    "eyJ",
                    "hbGciOiJIUzI1NiJ9",
                    ".eyJ",
                    "zdWIiOiIxMjM0In0",
                    ".abcdefghijkl",
                ]),
                "jwt",
            ),
            (made(&["postgres://app:", "pa55w0rd", "@db/x"]), "password"),
        ] {
            for before in [
                "", r"\n", r"\t", r"\r\n", r"\\n", r"\\\\n", r"\u000a", r"\x0a",
            ] {
                assert_eq!(
                    kinds(&format!(r#"{{"content": "A=1;{before}{secret}\n"}}"#)),
                    [kind],
                    "{before}{secret}"
                );
            }
        }
        let key = made(&[
            "-----BEGIN OPENSSH ",
            r"PRIVATE KEY-----\nb3BlbnNz\nc2g=\n-----END OPENSSH ",
            "PRIVATE KEY-----",
        ]);
        assert_eq!(kinds(&format!("x{key}y")), ["private_key"]);
        assert_eq!(mask_secrets(r"C:\new\task-force").1, 0);
    }

    /// Base64 has signs that other secrets don't have.
    #[test]
    fn keys_in_base64_go_whole() {
        let aws = made(&["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"]);
        let azure = made(&[
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/",
            "K1SZFPTOtr/KBHBeksoGMGw==",
        ]);
        for (text, secret) in [
            (format!("aws_secret_access_key = {aws}\n"), &aws),
            (format!("export AWS_SECRET_ACCESS_KEY=\"{aws}\""), &aws),
            (format!(r#"{{\"SecretAccessKey\": \"{aws}\"}}"#), &aws),
            (
                format!("AccountName=x;AccountKey={azure};EndpointSuffix=y"),
                &azure,
            ),
            (format!("SharedAccessKey={azure}"), &azure),
        ] {
            let (masked, count) = mask_secrets(&text);
            assert!(
                count == 1
                    && !masked.contains(&secret[..8])
                    && !masked.contains(&secret[secret.len() - 6..]),
                "{masked}"
            );
        }
    }

    #[test]
    fn secrets_of_command_lines_go() {
        let masked = |text: &str| mask_secrets(text).0.into_owned();
        assert_eq!(
            masked("deploy --password s3cr3tpassw0rd --verbose"),
            "deploy --password [REDACTED assigned_secret] --verbose"
        );
        assert_eq!(
            masked("x --api-key 'abcdef123456789'"),
            "x --api-key '[REDACTED assigned_secret]'"
        );
        assert_eq!(
            masked("curl -u admin:hunter2hunter2 https://h/"),
            "curl -u admin:[REDACTED assigned_secret] https://h/"
        );
        assert_eq!(
            masked("the secret number 1234567890ab is public, --password-file /etc/pw12345678"),
            "the secret number 1234567890ab is public, --password-file /etc/pw12345678"
        );
    }

    /// What is assigned looks harmless, or like an address; what is in it is not.
    #[test]
    fn a_secret_within_what_is_assigned_goes() {
        let masked = |text: &str| mask_secrets(text).0.into_owned();
        assert_eq!(
            masked("secret: postgres://app:pa(55w0rd@db/x"),
            "secret: postgres://app:[REDACTED password]@db/x"
        );
        assert_eq!(
            masked(r#"{"secret": "https:\/\/app:pa55w0rd@db\/x"}"#),
            r#"{"secret": "https:\/\/app:[REDACTED password]@db\/x"}"#
        );
        let aws = made(&["AKIA", "ABCDEFGHIJKLMNOP"]);
        assert_eq!(masked(&format!("token={aws}")), "token=[REDACTED aws_key]");
        assert_eq!(
            masked(&format!("token={aws} password={aws} {aws}"))
                .matches("[REDACTED aws_key]")
                .count(),
            3
        );
    }

    /// However long, all of it goes; and what only begins like a secret is none.
    #[test]
    fn long_secrets_go_whole_and_beginnings_stay() {
        let token = format!("token={} x", "a1".repeat(2_000));
        assert_eq!(mask_secrets(&token).0, "token=[REDACTED assigned_secret] x");
        for piece in [
            "password=a/",
            "eyJabcdefgh-",
            "://a:b",
            "-----BEGIN PRIVATE KEY-----\n:",
            "token: https://a:b ",
            "\u{e9} secret ",
        ] {
            let text = piece.repeat(2_000);
            let masked = mask_secrets(&text);
            assert!(masked.1 == 0 || piece.starts_with("-----"), "{piece}");
        }
    }

    #[test]
    fn the_end_of_a_secret_goes_too() {
        let text = made(&[
            "-----BEGIN ",
            "PRIVATE KEY-----\nMIIEabc\nabc\n-----END ",
            "PRIVATE KEY-----\nthen https://u:p4ss@h",
        ]);
        let end = |from: &str| mask_secrets_from(&text, text.find(from).unwrap());
        assert_eq!(
            end("abc\n---"),
            (
                "[REDACTED private_key]\nthen https://u:[REDACTED password]@h".to_owned(),
                2
            )
        );
        assert_eq!(end("ss@h"), ("[REDACTED password]@h".to_owned(), 1));
        assert_eq!(end("@h"), ("@h".to_owned(), 0));
        assert_eq!(mask_secrets_from(&text, text.len()), (String::new(), 0));
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
            assert!(
                matches!(mask_secrets(text), (Cow::Borrowed(same), 0) if same == text),
                "{text}: {}",
                mask_secrets(text).0
            );
        }
    }

    #[test]
    fn masking_twice_changes_nothing() {
        let once = mask_secrets("PASSWORD=abcdefgh1234, http://u:p4ss@h/")
            .0
            .into_owned();
        assert_eq!(mask_secrets(&once), (Cow::Borrowed(once.as_str()), 0));
    }
}
