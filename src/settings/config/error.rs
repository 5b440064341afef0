//! The errors of a configuration file that name a place in it.

use crate::base::text::line_and_column;
use anyhow::{Error, anyhow};
use std::path::{Path, PathBuf};

/// A configuration file that can't be read as one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// The cause has line and column.
    #[error("{} is not TOML", path.display())]
    NotToml { path: PathBuf, source: toml::de::Error },
    /// A key is unknown, or its value is wrong. Below the problem is the line, with a caret below the
    /// column.
    #[error("{}:{line}:{column}: {problem}\n{excerpt}", path.display())]
    WrongKey { path: PathBuf, line: usize, column: usize, problem: String, excerpt: String },
}

/// Returns an error without what it quotes of a file that somebody else may have written, whose text
/// this is: it may be a secret.
pub(super) fn without_content(error: Error, path: &Path, text: &str) -> Error {
    let (line, column) = match error.downcast_ref() {
        Some(ConfigError::WrongKey { line, column, .. }) => (*line, *column),
        Some(ConfigError::NotToml { source, .. }) => {
            line_and_column(text, source.span().map_or(0, |span| span.start))
        }
        None => return error,
    };
    anyhow!(
        "{}:{line}:{column}: not a configuration of epitome, so it is not used (see --config; --no-config ignores it)",
        path.display()
    )
}
