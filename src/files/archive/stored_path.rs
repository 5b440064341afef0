//! A path as it is in JSON, also where it is no text.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A path in JSON: its text, or its bytes where it is no UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum StoredPath {
    /// A path in UTF-8.
    Text(String),
    /// The bytes of any other path.
    Bytes(Vec<u8>),
}

impl From<&Path> for StoredPath {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_os_str().as_encoded_bytes().to_vec()),
        }
    }
}

impl From<StoredPath> for PathBuf {
    fn from(stored: StoredPath) -> Self {
        match stored {
            StoredPath::Text(text) => text.into(),
            StoredPath::Bytes(bytes) => from_bytes(bytes).into(),
        }
    }
}

#[cfg(unix)]
fn from_bytes(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn from_bytes(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}
