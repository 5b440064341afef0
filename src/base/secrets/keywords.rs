//! The keywords that secrets are found by, and the search for all of them in one pass.

use crate::base::secrets::token_forms::{TOKEN_FORMS, TokenForm};
use crate::base::secrets::{addresses, assigned, headers, inner_forms};
use crate::base::secrets::{assigned::ValueKind, scan::KeywordHit};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::ops::Range;
use std::sync::LazyLock;

/// Returns the byte range of the secret at a keyword, if there is one.
type FindSecret = fn(&KeywordHit<'_>) -> Option<Range<usize>>;

/// A form of secret that is recognized by what is around a keyword.
struct KeywordForm {
    /// The kind, named where the secret is masked.
    kind: &'static str,
    /// The keywords, in lower case and joined by `|`. Their case does not count.
    keywords: &'static str,
    find: FindSecret,
}

const fn form(kind: &'static str, keywords: &'static str, find: FindSecret) -> KeywordForm {
    KeywordForm { kind, keywords, find }
}

/// All forms that are no [tokens](TOKEN_FORMS).
const KEYWORD_FORMS: &[KeywordForm] = &[
    form("private_key", "-----begin ", inner_forms::find_private_key),
    form("kubernetes_secret", "kind: secret", inner_forms::find_cluster_secret),
    form("jwt", "eyj", inner_forms::find_web_token),
    form("password", "://|:\\/\\/|:/\\/|:\\//", addresses::find_password),
    form(
        "webhook",
        "hooks.slack.com/services/|hooks.slack.com/workflows/|\
         hooks.slack.com/triggers/|.webhook.office.com/webhookb2/|\
         discord.com/api/webhooks/|discordapp.com/api/webhooks/",
        addresses::find_hook,
    ),
    form("signature", "sig=|signature=", addresses::find_signature),
    form("credentials", "authorization", headers::find_authorization),
    form("credentials", "bearer", headers::find_bearer),
    form("credentials", "auth", headers::find_auth),
    form("cookie", "cookie", headers::find_cookie),
    form("assigned_secret", "-u|--user", headers::find_user_option),
    form(
        "assigned_secret",
        "sshpass|mysql|mysqldump|mariadb|redis-cli|mongo|mongosh|ldapsearch|ldapmodify|ldapadd|\
         keytool|wandb|login",
        headers::find_password_option,
    ),
    form("aws_key", "akia|asia", inner_forms::find_aws_pair),
    form("google_key", ":apa91b", inner_forms::find_push_key),
    form("password", ":5432:|*:*:", inner_forms::find_pgpass_password),
    form(
        "wallet_phrase",
        "mnemonic|seed phrase|recovery phrase|seed_phrase",
        inner_forms::find_wallet_phrase,
    ),
    form("telegram_token", ":aa", inner_forms::find_telegram_token),
    form("mail_key", "-us", inner_forms::find_mailchimp_key),
    form("service_token", "_mmk", inner_forms::find_maxmind_key),
    form("azure_key", "q~", inner_forms::find_azure_secret),
    form("service_token", ".atlasv1.", inner_forms::find_terraform_token),
    form("service_token", ".acc_|.acc-", inner_forms::find_authress_key),
    form(
        "aws_key",
        "secret_access_key|secretaccesskey|aws_secret|aws_secret_key|awssecretkey",
        assigned::find_base64_value,
    ),
    form(
        "azure_key",
        "accountkey|account_key|sharedaccesskey|shared_access_key",
        assigned::find_base64_value,
    ),
    form("assigned_secret", "identified", assigned::find_identified_by),
    form("assigned_secret", "password|passwd|passphrase|pwd|passwort|contraseña|密码", |hit| {
        assigned::find_value(hit, ValueKind::Password)
    }),
    form("assigned_secret", "pass|pw", assigned::find_pass_value),
    form("assigned_secret", include_str!("key_names.txt").trim_ascii_end(), |hit| {
        assigned::find_value(hit, ValueKind::Key)
    }),
    form("assigned_secret", "_key|_pat", assigned::find_variable_key_value),
    form(
        "service_key",
        include_str!("services.txt").trim_ascii_end(),
        assigned::find_service_value,
    ),
];

/// The meaning of a keyword of the automaton.
#[derive(Clone, Copy)]
enum KeywordMeaning {
    Token(&'static TokenForm),
    Keyword(&'static KeywordForm),
}

/// The automaton of all keywords, and the form of each.
struct KeywordSearch {
    automaton: AhoCorasick,
    forms: Vec<KeywordMeaning>,
}

static KEYWORDS: LazyLock<Option<KeywordSearch>> = LazyLock::new(|| {
    let tokens = TOKEN_FORMS.iter().flat_map(|form| {
        form.prefixes.split('|').map(|prefix| (prefix, KeywordMeaning::Token(form)))
    });
    let others = KEYWORD_FORMS.iter().flat_map(|form| {
        form.keywords.split('|').map(|word| (word, KeywordMeaning::Keyword(form)))
    });
    let (keywords, forms): (Vec<&str>, Vec<KeywordMeaning>) = tokens.chain(others).unzip();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(keywords)
        .ok()?;
    Some(KeywordSearch { automaton, forms })
});

pub(super) struct FoundSecret {
    /// The byte range of the secret in the text.
    pub(super) range: Range<usize>,
    /// The kind named in its place.
    pub(super) kind: &'static str,
}

/// Returns the secrets that are not spelled in base64, in the order of their keywords.
pub(super) fn find_plain_secrets(text: &str) -> Vec<FoundSecret> {
    // A test builds the automaton. If it were broken, nothing may pass unmasked.
    let Some(search) = KEYWORDS.as_ref() else {
        return vec![FoundSecret { range: 0..text.len(), kind: "all" }];
    };
    let mut found: Vec<FoundSecret> = Vec::new();
    for hit in search.automaton.find_overlapping_iter(text) {
        // What is in a secret is masked with it.
        if found
            .last()
            .is_some_and(|last| last.range.start < hit.start() && hit.start() < last.range.end)
        {
            continue;
        }
        let keyword = hit.range();
        let (kind, range) = match search.forms[hit.pattern().as_usize()] {
            KeywordMeaning::Token(form) => (form.kind, form.find(text, keyword)),
            KeywordMeaning::Keyword(form) => {
                (form.kind, (form.find)(&KeywordHit { text, keyword }))
            }
        };
        if let Some(range) = range.filter(|range| !range.is_empty()) {
            found.push(FoundSecret { range, kind });
        }
    }
    found
}

/// Sorts secrets by place, and joins those that overlap.
pub(super) fn join_overlaps(mut found: Vec<FoundSecret>) -> Vec<FoundSecret> {
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    let mut joined: Vec<FoundSecret> = Vec::with_capacity(found.len());
    for secret in found {
        match joined.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
            }
            _ => joined.push(secret),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_automaton_can_be_built() {
        assert!(KEYWORDS.is_some());
    }
}
