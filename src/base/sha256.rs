//! SHA-256, which names texts that are too long to be their own names.

use ring::digest::{Context, SHA256};
use std::fmt::Write;

/// An incremental SHA-256 hash.
// TLS needs ring anyway, and without CPU support it is 1.5 times as fast as the crate sha2.
pub(crate) struct Sha256(Context);

impl Default for Sha256 {
    fn default() -> Self {
        Self(Context::new(&SHA256))
    }
}

impl Sha256 {
    /// Hashes `bytes`.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut hash = Self::default();
        hash.update(bytes);
        hash
    }

    /// Adds the next bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the first `digits` hexadecimal digits (at most 64) in lower case.
    pub(crate) fn hex_prefix(self, digits: usize) -> String {
        let mut hex = String::with_capacity(64);
        for byte in self.0.finish().as_ref() {
            let _ = write!(hex, "{byte:02x}");
        }
        hex.truncate(digits);
        hex
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_as_published() {
        // FIPS 180-2, appendix B.1.
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Sha256::from_bytes(b"abc").hex_prefix(64), digest);
        let mut parts = Sha256::from_bytes(b"a");
        parts.update(b"bc");
        assert_eq!(parts.hex_prefix(7), digest[..7]);
    }
}
