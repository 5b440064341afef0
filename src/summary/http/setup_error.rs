//! Reasons why a model can't be asked at all.

use std::path::PathBuf;
use thiserror::Error;

/// A failure to prepare requests to a model. The messages contain their causes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum HttpSetupError {
    #[error("can't start threads: {0}")]
    Threads(String),
    /// The directory of the answer cache can't be used.
    #[error("can't use the cache {}: {reason}; name another with summarizer.cache", directory.display())]
    Cache { directory: PathBuf, reason: String },
    /// A header has a name or a value that HTTP does not allow.
    #[error("the header {0:?} can't be sent: a name is a token, a value has no line ends")]
    InvalidHeader(String),
    #[error("{0} holds no certificate in PEM (summarizer.ca_file)")]
    NoCertificate(String),
    #[error("can't set up HTTPS ({error}: {causes}); {remedy}")]
    Client { error: String, causes: String, remedy: String },
}
