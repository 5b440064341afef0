//! Secrets, which are sent to a single server and appear nowhere else.

use std::fmt;

/// The minimum length in bytes of a text that is masked. Shorter texts are no secrets, and masking
/// them would garble other text.
const MIN_MASKED_BYTES: usize = 6;

/// The schemes that precede a secret in a header.
const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "apikey", "api-key"];

/// A key or a header value. It has no display and no serialisation, and its debug output is a mask.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// Wraps a text without the white space around it and without a byte order mark.
    pub(crate) fn new(text: &str) -> Self {
        Self(text.trim_start_matches('\u{feff}').trim().to_owned())
    }

    /// Returns the secret itself, to be sent.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns true if the secret has no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Masks this secret in a text, with or without its scheme (`Bearer`).
    pub(crate) fn mask(&self, text: &str) -> String {
        let bare = self
            .0
            .split_once(' ')
            .filter(|(scheme, _)| SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)));
        let bare = bare.map_or(self.0.as_str(), |(_, bare)| bare.trim_start());
        if bare.len() < MIN_MASKED_BYTES { text.to_owned() } else { text.replace(bare, "***") }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// Masks user and password in a URL, so that it can be shown.
pub(crate) fn url_without_credentials(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let host_end = rest.find('/').unwrap_or(rest.len());
    match rest[..host_end].rfind('@') {
        Some(at) if scheme.is_empty() => format!("***{}", &rest[at..]),
        Some(at) => format!("{scheme}://***{}", &rest[at..]),
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_masked_everywhere() {
        let key = Secret::new(" sk-very-secret\n");
        assert_eq!(
            (format!("{key:?}"), key.reveal()),
            ("Secret(***)".to_owned(), "sk-very-secret")
        );
        assert_eq!(key.mask("Incorrect key sk-very-secret."), "Incorrect key ***.");
        assert_eq!(
            Secret::new("Bearer sk-very-secret").mask("sk-very-secret, Bearer sk-very-secret"),
            "***, Bearer ***"
        );
        assert_eq!(Secret::new("Bearer a").mask("banana"), "banana");
        assert_eq!(Secret::new("a").mask("banana"), "banana");
        assert_eq!(url_without_credentials("https://me:pw@host/a@b"), "https://***@host/a@b");
        assert_eq!(url_without_credentials("https://host/a@b"), "https://host/a@b");
    }
}
