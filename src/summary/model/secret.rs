//! Text that is sent to one server and appears nowhere else.

use std::fmt;

/// Shorter ones are no secrets, and masking them would garble other text.
const SHORTEST_MASKED: usize = 6;

/// What stands before a secret in a header.
const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "apikey", "api-key"];

/// A key. It has no display, no serialisation, and debug prints a mask.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes the text, without the blanks and line ends around it, and without the mark that some editors begin a file with.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim_start_matches('\u{feff}').trim().to_owned())
    }

    /// The text itself, to be sent.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether there is no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same text with this secret masked, with or without the scheme before it (`Bearer`).
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        let bare = self.0.split_once(' ').filter(|(scheme, _)| {
            SCHEMES
                .iter()
                .any(|known| scheme.eq_ignore_ascii_case(known))
        });
        let bare = bare.map_or(self.0.as_str(), |(_, bare)| bare.trim_start());
        if bare.len() < SHORTEST_MASKED {
            text.to_owned()
        } else {
            text.replace(bare, "***")
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// An address without the user and password in it, to be shown.
#[must_use]
pub fn url_without_credentials(url: &str) -> String {
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
    fn it_shows_nowhere() {
        let key = Secret::new(" sk-very-secret\n");
        assert_eq!(
            (format!("{key:?}"), key.reveal()),
            ("Secret(***)".to_owned(), "sk-very-secret")
        );
        assert_eq!(
            key.mask("Incorrect key sk-very-secret."),
            "Incorrect key ***."
        );
        assert_eq!(
            Secret::new("Bearer sk-very-secret").mask("sk-very-secret, Bearer sk-very-secret"),
            "***, Bearer ***"
        );
        assert_eq!(Secret::new("Bearer a").mask("banana"), "banana");
        assert_eq!(Secret::new("a").mask("banana"), "banana");
        assert_eq!(
            url_without_credentials("https://me:pw@host/a@b"),
            "https://***@host/a@b"
        );
        assert_eq!(
            url_without_credentials("https://host/a@b"),
            "https://host/a@b"
        );
    }
}
