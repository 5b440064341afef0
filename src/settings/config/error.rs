//! The errors of a configuration file.

use std::path::PathBuf;

/// A configuration file that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read as UTF-8.
    #[error("can't read the configuration {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("{} is not TOML", path.display())]
    NotToml {
        /// The file.
        path: PathBuf,
        /// The reason, with line and column.
        source: toml::de::Error,
    },
    /// A key is unknown, or its value is wrong.
    #[error("{}:{line}:{column}: {problem}\n{excerpt}", path.display())]
    WrongKey {
        /// The file.
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
    /// A file that was found may not choose a program, a server, a key or a file to read.
    #[error(
        "{}: [summarizer] {key}: a file that is found may not choose a program, a server or a key; \
         put it into ~/.config/epitome/epitome.toml, or name the file with --config",
        path.display()
    )]
    Untrusted {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
    },
    /// The API key is named twice.
    #[error(
        "{}: [summarizer] api_key_env and api_key_file: only one of them",
        path.display()
    )]
    TwoKeys {
        /// The file.
        path: PathBuf,
    },
}
