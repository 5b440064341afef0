//! Tokens that begin with a prefix of their own: the keys of services.
//!
//! Prefixes, alphabets and lengths are those that the services publish, and that maintained rule
//! sets agree on (`docs/reference/secrets.md` says which were compared).

use crate::base::secrets::scan::{is_word_byte, is_word_start};
use std::ops::Range;

/// The characters that the body of a token is made of.
#[derive(Debug, Clone, Copy)]
enum Alphabet {
    /// Digits and `a` to `f` in either case.
    Hex,
    /// Digits and upper-case letters.
    Upper,
    /// Letters and digits.
    Alnum,
    /// Letters, digits, `_` and `-`: base64 for addresses.
    Url,
    /// As `Url`, and `.` and `=`.
    Dotted,
    /// Letters, digits, `+`, `/` and `=`.
    Base64,
    /// As `Base64`, and `.`, `$` and `,`: hashes of passwords with their parameters.
    Crypt,
}

impl Alphabet {
    fn contains(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Upper => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || b"_-".contains(&byte),
            Self::Dotted => byte.is_ascii_alphanumeric() || b"_-.=".contains(&byte),
            Self::Base64 => byte.is_ascii_alphanumeric() || b"+/=".contains(&byte),
            Self::Crypt => byte.is_ascii_alphanumeric() || b"+/=.$,".contains(&byte),
        }
    }
}

/// The length of a token's body, in bytes.
#[derive(Debug, Clone, Copy)]
enum BodyLength {
    /// At least this many.
    AtLeast(usize),
    /// As `AtLeast`; the body has letters and digits. For prefixes that words have, too.
    Mixed(usize),
    /// Exactly this many, at the end of a word.
    Exactly(usize),
    /// As `Exactly`; the body has letters and digits.
    MixedExactly(usize),
}

use Alphabet::{Alnum, Base64, Crypt, Dotted, Hex, Upper, Url};
use BodyLength::{AtLeast, Exactly, Mixed, MixedExactly};

/// A form of token: prefixes, and the body behind them.
pub(super) struct TokenForm {
    /// The kind, named where the token is masked.
    pub(super) kind: &'static str,
    /// The prefixes, joined by `|`. Their case counts.
    pub(super) prefixes: &'static str,
    alphabet: Alphabet,
    length: BodyLength,
}

const fn token(
    kind: &'static str,
    prefixes: &'static str,
    alphabet: Alphabet,
    length: BodyLength,
) -> TokenForm {
    TokenForm { kind, prefixes, alphabet, length }
}

/// All forms of tokens.
pub(super) const TOKEN_FORMS: &[TokenForm] = &[
    // Clouds.
    token("aws_key", "AKIA|ASIA|ABIA|ACCA", Upper, Exactly(16)),
    token("aws_key", "ABSK", Base64, AtLeast(100)),
    token("aws_key", "bedrock-api-key-", Base64, AtLeast(20)),
    token("google_key", "AIza", Url, AtLeast(35)),
    token("google_key", "ya29.|GOCSPX-", Url, AtLeast(20)),
    token("google_key", "1//0", Url, AtLeast(40)),
    token("cloud_key", "LTAI", Alnum, Mixed(12)),
    token("cloud_key", "AKID", Alnum, Mixed(28)),
    token("cloud_key", "AQVN|YCAJ", Url, Mixed(20)),
    token("aws_key", "A3T", Upper, Exactly(17)),
    token("cloud_key", "t1.", Dotted, Mixed(85)),
    token("cloud_key", "dop_v1_|doo_v1_|dor_v1_", Hex, AtLeast(64)),
    token("cloud_key", "HRKU-AA", Url, AtLeast(50)),
    token("cloud_key", "fo1_", Url, Mixed(40)),
    token("cloud_key", "fm1a_|fm1r_|fm2_", Base64, AtLeast(80)),
    token("cloud_key", "v1.0-", Url, AtLeast(150)),
    token("cloud_key", "tk-us-", Url, Mixed(40)),
    token("cloud_key", "rnd_|nfp_", Alnum, Mixed(30)),
    token("cloud_key", "vercel_blob_rw_", Url, Mixed(30)),
    // Code hosts and build services.
    token("github_token", "ghp_|gho_|ghu_|ghs_|ghr_", Url, AtLeast(30)),
    token("github_token", "github_pat_", Url, AtLeast(22)),
    token(
        "gitlab_token",
        "glpat-|glptt-|glrt-|gldt-|glcbt-|glsoat-|glffct-|glft-|glimt-|glagent-|\
         gloas-|GR1348941",
        Url,
        AtLeast(20),
    ),
    token("gitlab_token", "_gitlab_session=", Alnum, AtLeast(32)),
    token("service_token", "ATATT3|ATCTT3", Dotted, AtLeast(50)),
    token("service_token", "ATBB", Alnum, Mixed(28)),
    token("service_token", "sgp_", Url, AtLeast(40)),
    token("service_token", "sntrys_|sntryu_", Dotted, AtLeast(40)),
    token("service_token", "squ_|sqp_|sqa_", Hex, Exactly(40)),
    token("service_token", "AKCp|cmVmd", Alnum, Mixed(55)),
    token("service_token", "API-", Upper, Exactly(26)),
    token("service_token", "pul-", Hex, Exactly(40)),
    token("service_token", "pat.|sat.", Dotted, Mixed(66)),
    token("service_token", "s-s4t2ud-|s-s4t2af-", Hex, AtLeast(64)),
    token("service_token", "ico-", Alnum, Exactly(32)),
    token("service_token", "hvs.|hvb.", Url, AtLeast(20)),
    token("service_token", "dp.pt.|dp.st.|dp.ct.|dp.sa.", Dotted, AtLeast(40)),
    token("service_token", "sha256~", Url, Exactly(43)),
    token("service_token", "pnu_", Alnum, Exactly(36)),
    // Package registries.
    token("package_token", "npm_", Alnum, AtLeast(36)),
    token("package_token", "pypi-", Url, AtLeast(50)),
    token("package_token", "dckr_pat_|dckr_oat_", Url, AtLeast(20)),
    token("package_token", "cio", Alnum, Exactly(32)),
    token("package_token", "oy2", Alnum, Exactly(43)),
    token("package_token", "rubygems_", Hex, AtLeast(48)),
    token("package_token", "CLOJARS_", Alnum, AtLeast(60)),
    // Models.
    token("api_key", "sk-", Url, Mixed(16)),
    token("api_key", "hf_|api_org_", Alnum, AtLeast(30)),
    token(
        "api_key",
        "gsk_|xai-|nvapi-|pplx-|csk-|r8_|tvly-|lsv2_pt_|lsv2_sk_|jina_|pcsk_|\
         tgp_v1_|e2b_|ctx7sk-",
        Url,
        Mixed(28),
    ),
    token("api_key", "fc-", Hex, Exactly(32)),
    token("api_key", "fw_", Alnum, Mixed(20)),
    token("api_key", "sk_", Hex, Exactly(48)),
    token("api_key", "dapi", Hex, Exactly(32)),
    // Payments, shops, messages.
    token(
        "stripe_key",
        "sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_|pk_live_|pk_test_|whsec_",
        Alnum,
        AtLeast(10),
    ),
    token("payment_key", "sq0atp-|sq0csp-|EAAA", Url, Mixed(22)),
    token("payment_key", "shippo_live_|shippo_test_", Hex, AtLeast(40)),
    token("payment_key", "EZAK|EZTK", Alnum, Exactly(54)),
    token("payment_key", "duffel_live_|duffel_test_", Url, AtLeast(40)),
    token("payment_key", "FLWSECK_TEST-|FLWSECK-|FLWPUBK_TEST-", Url, AtLeast(12)),
    token("payment_key", "live_|test_", Hex, Exactly(35)),
    token("payment_key", "live_pub_|test_pub_", Hex, Exactly(31)),
    token(
        "payment_key",
        "access-sandbox-|access-development-|access-production-",
        Url,
        AtLeast(36),
    ),
    token("shopify_token", "shpat_|shpca_|shppa_|shpss_", Hex, AtLeast(32)),
    token(
        "slack_token",
        "xoxa-|xoxb-|xoxc-|xoxd-|xoxe-|xoxo-|xoxp-|xoxr-|xoxs-|xapp-",
        Url,
        AtLeast(10),
    ),
    token("social_token", "EAAC|EAAM|EAAG", Alnum, AtLeast(60)),
    token("mail_key", "SG.", Dotted, Mixed(33)),
    token("mail_key", "xkeysib-|xsmtpsib-", Url, AtLeast(60)),
    token("mail_key", "key-|pubkey-", Hex, Exactly(32)),
    token("twilio_key", "SK", Hex, Exactly(32)),
    // Observation, data and others.
    token("service_token", "glc_", Base64, Mixed(32)),
    token("service_token", "glsa_", Url, Mixed(32)),
    token("service_token", "dt0c01.|dt0s01.|dt0s16.", Dotted, AtLeast(60)),
    token("service_token", "NRAK-|NRII-|NRJS-", Url, Mixed(19)),
    token("service_token", "phx_", Alnum, Mixed(32)),
    token("service_token", "lin_api_|lin_oauth_|ntn_", Alnum, AtLeast(30)),
    token("service_token", "secret_", Alnum, Exactly(43)),
    token("service_token", "PMAK-", Url, AtLeast(50)),
    token("service_token", "rdme_", Alnum, Mixed(60)),
    token("service_token", "tfp_", Dotted, Mixed(40)),
    token("service_token", "fio-u-", Dotted, Mixed(50)),
    token("service_token", "dnkey-", Url, Mixed(60)),
    token("service_token", "p8e-", Alnum, Exactly(32)),
    token("service_token", "sm_aat_|sm_pat_|sm_sat_", Alnum, Exactly(16)),
    token("service_token", "4b1d", Alnum, Exactly(38)),
    token("service_token", "pk.eyJ|sk.eyJ", Dotted, AtLeast(60)),
    token("database_key", "pscale_tkn_|pscale_oauth_|pscale_pw_", Dotted, AtLeast(32)),
    token("database_key", "sbp_", Hex, AtLeast(40)),
    token("database_key", "sb_secret_", Url, Mixed(20)),
    token("service_token", "figd_", Url, Mixed(36)),
    token("service_token", "s.", Alnum, MixedExactly(24)),
    // Keys of people.
    // `-----BEGIN PRIVATE`, and the same with the name of a kind before it, in base64.
    token(
        "private_key",
        "LS0tLS1CRUdJTiBQUklWQVRF|LS0tLS1CRUdJTiBSU0EgUFJJVkFURS|LS0tLS1CRUdJTiBFQyBQUklWQVRF|\
         LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVE|LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURS|\
         LS0tLS1CRUdJTiBEU0EgUFJJVkFURS|LS0tLS1CRUdJTiBQR1AgUFJJVkFURS",
        Base64,
        AtLeast(20),
    ),
    // Hashes of passwords, as in the files of Unix and Apache.
    token(
        "password_hash",
        "$1$|$5$|$6$|$y$|$7$|$2a$|$2b$|$2y$|$apr1$|$argon2i$|$argon2id$|$pbkdf2-sha256$",
        Crypt,
        Mixed(22),
    ),
    token("password_hash", "{SHA}|{SSHA}", Base64, Mixed(27)),
    token("private_key", "AGE-SECRET-KEY-1", Upper, AtLeast(50)),
    token("password_store_key", "A3-", Url, Mixed(31)),
    token("password_store_key", "ops_eyJ", Base64, AtLeast(100)),
    token("grafana_key", "eyJrIjoi", Base64, AtLeast(60)),
    token("jwt", "ZXlK", Base64, Mixed(60)),
    token("cloud_key", "sl.", Dotted, Mixed(120)),
    token("service_token", "pat", Dotted, Mixed(79)),
];

/// The first bytes of a body that decide whether it is that of a token. No form asks for more.
const DECIDING: usize = 512;

impl TokenForm {
    /// Returns the byte range of the token whose prefix is at `prefix`, if there is one.
    pub(super) fn find(&self, text: &str, prefix: Range<usize>) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let spelling = &bytes[prefix.clone()];
        let is_prefix = self.prefixes.split('|').any(|prefix| prefix.as_bytes() == spelling);
        if !is_prefix || !is_word_start(bytes, prefix.start) {
            return None;
        }
        let rest = &bytes[prefix.end..];
        // What begins like a token and is none is passed again from each prefix in it.
        let body = self.body_of(&rest[..rest.len().min(DECIDING)]);
        let is_token = match self.length {
            AtLeast(least) => body.len() >= least,
            Mixed(least) => body.len() >= least && is_mixed(body),
            Exactly(length) | MixedExactly(length) => {
                let behind = bytes.get(prefix.end + length);
                let is_free = matches!(self.length, Exactly(_)) || is_mixed(body);
                body.len() == length && is_free && !behind.is_some_and(|byte| is_word_byte(*byte))
            }
        };
        is_token.then(|| prefix.start..prefix.end + self.body_of(rest).len())
    }

    /// Returns the body at the beginning of a text.
    fn body_of<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let run = text.iter().position(|byte| !self.alphabet.contains(*byte));
        trim_punctuation(&text[..run.unwrap_or(text.len())])
    }
}

/// Removes what ends a sentence.
fn trim_punctuation(body: &[u8]) -> &[u8] {
    let end = body.iter().rposition(|byte| !b".-".contains(byte));
    &body[..end.map_or(0, |last| last + 1)]
}

/// Returns true if there are letters and digits, as in nearly all random texts.
pub(super) fn is_mixed(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_digit) && bytes.iter().any(u8::is_ascii_alphabetic)
}
