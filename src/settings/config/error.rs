//! The errors of a configuration file.

use std::path::PathBuf;

/// A configuration file that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read as UTF-8.
    #[error("can't read the configuration {}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// The file of a value can't be read as UTF-8.
    #[error("--set: can't read {}", path.display())]
    UnreadableValue { path: PathBuf, source: std::io::Error },
    /// The file is not TOML.
    #[error("{} is not TOML", path.display())]
    NotToml {
        path: PathBuf,
        /// The reason, with line and column.
        source: toml::de::Error,
    },
    /// A key is unknown, or its value is wrong.
    #[error("{}:{line}:{column}: {problem}\n{excerpt}", path.display())]
    WrongKey {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in code points, from 1.
        column: usize,
        /// The key, its value, and what would be right.
        problem: String,
        /// The line, with a caret below the column.
        excerpt: String,
    },
    /// A file that was found sets more than policy.
    #[error(
        "{}: {key}: a configuration file that was not named may not choose {what}; put it into \
         ~/.config/epitome/epitome.toml, or name the file with --config",
        path.display()
    )]
    Untrusted {
        path: PathBuf,
        /// The key, with its table.
        key: String,
        /// What it may not choose.
        what: &'static str,
    },
    /// The policy of an export that is not known as one of this user names what is outside of it.
    #[error(
        "{}: {key}: this export was not made by you on this machine, so it may not choose \
         a server, a key or a file; export again here{}",
        path.display(), if *key == "base_url" { ", or name the server with --set summarizer.base_url=URL" } else { "" }
    )]
    Reaching { path: PathBuf, key: &'static str },
    /// A file that somebody else may have written is not a configuration. The error quotes nothing
    /// of it: it may be a secret.
    #[error(
        "{}:{line}:{column}: not a configuration of epitome, so it is not used (see --config; --no-config ignores \
         it)",
        path.display()
    )]
    Foreign {
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in code points, from 1.
        column: usize,
    },
    /// The API key is named twice.
    #[error(
        "{}: [summarizer] api_key_env and api_key_file: only one of them",
        path.display()
    )]
    TwoKeys { path: PathBuf },
}

impl ConfigError {
    /// Returns the error without what it quotes of the file, whose text this is.
    pub(super) fn without_content(self, text: &str) -> Self {
        let (path, (line, column)) = match self {
            Self::WrongKey { path, line, column, .. } => (path, (line, column)),
            Self::NotToml { path, source } => {
                let start = source.span().map_or(0, |span| span.start);
                (path, line_and_column(text, start))
            }
            other => return other,
        };
        Self::Foreign { path, line, column }
    }
}

/// Returns the line and the column of a byte of a text, from 1.
pub(super) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}
