//! README and the pages below `docs/`: their samples run, their links lead somewhere, and the page of
//! options is complete.

/// Examples of help texts.
#[cfg(unix)]
mod help_examples;
/// Relative links and their anchors, and the table of contents.
mod links;
/// The page of options beside the help and the schema of the configuration.
mod options;
/// Pages and their fenced blocks.
mod page;
/// A folder with what the samples name.
#[cfg(unix)]
pub(crate) mod project;
/// The animated picture of the README.
#[cfg(unix)]
mod recording;
/// Samples run, and their output compared.
#[cfg(unix)]
mod samples;
