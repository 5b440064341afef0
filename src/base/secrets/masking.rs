//! Masks the secrets of a text: replaces each by the name of its kind.

use crate::base::secrets::encoded::find_secrets;
use crate::base::secrets::keywords::FoundSecret;
use std::borrow::Cow;

/// Replaces each secret by `[REDACTED kind]`. Also returns how many were replaced.
pub(crate) fn mask_secrets(text: &str) -> (Cow<'_, str>, u64) {
    match mask_found(text, 0, Vec::new()) {
        (_, 0) => (Cow::Borrowed(text), 0),
        (masked, count) => (Cow::Owned(masked), count),
    }
}

/// Masks the secrets of the part of `text` that begins at byte `at`, and what else was found in the
/// text.
///
/// The whole text is searched, because a secret that began before `at` would
/// not be recognized by its second half.
pub(super) fn mask_found(text: &str, at: usize, others: Vec<FoundSecret>) -> (String, u64) {
    let (mut masked, mut copied, mut count) = (String::new(), at, 0);
    let mut found = find_secrets(text);
    let is_secret = |other: &FoundSecret| {
        let next = found.partition_point(|secret| secret.range.end <= other.range.start);
        found
            .get(next)
            .is_some_and(|secret| secret.range.start < other.range.end)
    };
    let others: Vec<FoundSecret> = others
        .into_iter()
        .filter(|other| !is_secret(other))
        .collect();
    found.extend(others);
    found.sort_by_key(|found| found.range.start);
    for secret in found.iter().filter(|secret| secret.range.end > at) {
        if secret.range.start < copied && copied > at {
            continue;
        }
        masked.push_str(&text[copied..secret.range.start.max(copied)]);
        masked.push_str("[REDACTED ");
        masked.push_str(secret.kind);
        masked.push(']');
        copied = secret.range.end;
        count += 1;
    }
    if count > 0 || at > 0 {
        masked.push_str(&text[copied..]);
    }
    (masked, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked_kinds(text: &str) -> Vec<String> {
        let (masked, count) = mask_secrets(text);
        let kinds: Vec<String> = masked
            .split("[REDACTED ")
            .skip(1)
            .map(|rest| rest.split(']').next().unwrap().to_owned())
            .collect();
        assert_eq!(kinds.len() as u64, count, "{masked}");
        kinds
    }

    /// Joins the parts of an example. It is split so that no scanner takes this file for a leak.
    fn secret_from(parts: &[&str]) -> String {
        parts.concat()
    }

    fn web_token() -> String {
        secret_from(&[
            "eyJ",
            "hbGciOiJIUzI1NiJ9",
            ".eyJ",
            "zdWIiOiIxMjM0In0",
            ".abcdefghijkl",
        ])
    }

    #[test]
    fn secrets_of_all_kinds_are_masked() {
        let digits = "0123456789abcdefghijABCDEFGHIJ0123456789";
        for (secret, kind) in [
            (secret_from(&["AKIA", "ABCDEFGHIJKLMNOP"]), "aws_key"),
            (secret_from(&["ghp_", digits]), "github_token"),
            (secret_from(&["github_pat_", digits]), "github_token"),
            (secret_from(&["glpat-", &digits[..20]]), "gitlab_token"),
            (secret_from(&["sk-proj-", digits]), "api_key"),
            (secret_from(&["sk-ant-api03-", digits]), "api_key"),
            (secret_from(&["hf_", digits]), "api_key"),
            (secret_from(&["sk_live_", &digits[..24]]), "stripe_key"),
            (
                secret_from(&["xoxb-", "1234567890-", &digits[..20]]),
                "slack_token",
            ),
            (secret_from(&["AIza", &digits[..35]]), "google_key"),
            (secret_from(&["npm_", &digits[..36]]), "package_token"),
            (web_token(), "jwt"),
            (
                secret_from(&[
                    "-----BEGIN RSA ",
                    "PRIVATE KEY-----\nMIIE\nabc==\n-----END RSA ",
                    "PRIVATE KEY-----",
                ]),
                "private_key",
            ),
            (
                secret_from(&["-----BEGIN ", "PRIVATE KEY-----\\nMIIEabc\\nabc"]),
                "private_key",
            ),
        ] {
            assert_eq!(
                masked_kinds(&format!("The log says {secret} and goes on.")),
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
    fn only_the_secret_is_masked() {
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

    /// Call arguments are JSON in JSON, and histories hold them as Python strings: their lines
    /// begin with an escaped `\n`.
    #[test]
    fn escapes_before_a_secret_do_not_hide_it() {
        let digits = "0123456789abcdefghijABCDEFGHIJ0123456789";
        for (secret, kind) in [
            (secret_from(&["AKIA", "ABCDEFGHIJKLMNOP"]), "aws_key"),
            (secret_from(&["ghp_", digits]), "github_token"),
            (secret_from(&["glpat-", &digits[..20]]), "gitlab_token"),
            (secret_from(&["sk-proj-", digits]), "api_key"),
            (secret_from(&["hf_", digits]), "api_key"),
            (secret_from(&["npm_", &digits[..36]]), "package_token"),
            (web_token(), "jwt"),
            (
                secret_from(&["postgres://app:", "pa55w0rd", "@db/x"]),
                "password",
            ),
        ] {
            for before in [
                "", r"\n", r"\t", r"\r\n", r"\\n", r"\\\\n", r"\u000a", r"\x0a",
            ] {
                assert_eq!(
                    masked_kinds(&format!(r#"{{"content": "A=1;{before}{secret}\n"}}"#)),
                    [kind],
                    "{before}{secret}"
                );
            }
        }
        let key = secret_from(&[
            "-----BEGIN OPENSSH ",
            r"PRIVATE KEY-----\nb3BlbnNz\nc2g=\n-----END OPENSSH ",
            "PRIVATE KEY-----",
        ]);
        assert_eq!(masked_kinds(&format!("x{key}y")), ["private_key"]);
        assert_eq!(mask_secrets(r"C:\new\task-force").1, 0);
    }

    /// Base64 has characters that other secrets don't have.
    #[test]
    fn keys_in_base64_are_masked_whole() {
        let aws = secret_from(&["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"]);
        let azure = secret_from(&[
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
    fn secrets_of_command_lines_are_masked() {
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

    /// The assigned value looks harmless or like an address, but contains a secret.
    #[test]
    fn a_secret_within_an_assigned_value_is_masked() {
        let masked = |text: &str| mask_secrets(text).0.into_owned();
        assert_eq!(
            masked("secret: postgres://app:pa(55w0rd@db/x"),
            "secret: postgres://app:[REDACTED password]@db/x"
        );
        assert_eq!(
            masked(r#"{"secret": "https:\/\/app:pa55w0rd@db\/x"}"#),
            r#"{"secret": "https:\/\/app:[REDACTED password]@db\/x"}"#
        );
        let aws = secret_from(&["AKIA", "ABCDEFGHIJKLMNOP"]);
        assert_eq!(masked(&format!("token={aws}")), "token=[REDACTED aws_key]");
        assert_eq!(
            masked(&format!("token={aws} password={aws} {aws}"))
                .matches("[REDACTED aws_key]")
                .count(),
            3
        );
    }

    /// A long secret is masked to its end. Text that only begins like a secret is none.
    #[test]
    fn long_secrets_are_masked_whole_and_mere_beginnings_stay() {
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
    fn the_end_of_a_secret_is_masked_too() {
        let text = secret_from(&[
            "-----BEGIN ",
            "PRIVATE KEY-----\nMIIEabc\nabc\n-----END ",
            "PRIVATE KEY-----\nthen https://u:p4ss@h",
        ]);
        let end = |from: &str| mask_found(&text, text.find(from).unwrap(), Vec::new());
        assert_eq!(
            end("abc\n---"),
            (
                "[REDACTED private_key]\nthen https://u:[REDACTED password]@h".to_owned(),
                2
            )
        );
        assert_eq!(end("ss@h"), ("[REDACTED password]@h".to_owned(), 1));
        assert_eq!(end("@h"), ("@h".to_owned(), 0));
        assert_eq!(
            mask_found(&text, text.len(), Vec::new()),
            (String::new(), 0)
        );
    }

    #[test]
    fn text_without_secrets_stays_borrowed() {
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
