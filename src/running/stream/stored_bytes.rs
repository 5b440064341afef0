//! Bytes as they stand in a row.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// Bytes in JSON: a string, or an object with the key `base64` where they are no UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum StoredBytes {
    /// Bytes in UTF-8.
    Text(String),
    /// Any other bytes.
    Base64 {
        /// The bytes in the standard alphabet, with padding.
        base64: String,
    },
}

impl From<Vec<u8>> for StoredBytes {
    fn from(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(
            |error| Self::Base64 {
                base64: STANDARD.encode(error.as_bytes()),
            },
            Self::Text,
        )
    }
}

impl StoredBytes {
    /// Returns the length in a row, but for escapes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Text(text) | Self::Base64 { base64: text } => text.len(),
        }
    }

    /// Returns the bytes; none if they are no base64.
    pub(crate) fn into_bytes(self) -> Option<Vec<u8>> {
        match self {
            Self::Text(text) => Some(text.into_bytes()),
            Self::Base64 { base64 } => STANDARD.decode(base64).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let json = serde_json::to_string(&StoredBytes::from(bytes.clone())).unwrap();
            let stored: StoredBytes = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(stored.into_bytes(), Some(bytes));
        }
    }
}
