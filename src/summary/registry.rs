//! The table of summarizers, by the names that `--summarizer` takes.

use crate::policy::SummarizerKind;
use crate::summary::command::CommandSummarizer;
use crate::summary::extract::Extract;
use crate::summary::http::HttpSummarizer;
use crate::summary::summarizer::Summarizer;

/// A row of the table.
pub(crate) struct SummarizerEntry {
    /// The name on the command line.
    pub name: &'static str,
}

/// All summarizers, for help and errors.
pub(crate) static SUMMARIZERS: &[SummarizerEntry] = &[
    SummarizerEntry {
        name: "extract",
        // Embedded, no model: goal, user's words, errors, files, last state, references.
    },
    SummarizerEntry {
        name: "command:PROGRAM",
        // The prompt on the program's stdin, its stdout is the summary.
    },
    SummarizerEntry {
        name: "http",
        // A model: OpenAI-compatible chat completions, or Anthropic Messages.
    },
    SummarizerEntry {
        name: "none",
        // No summary: evict, truncate and prune only.
    },
];

/// Parses the name of a summarizer.
#[must_use]
pub(crate) fn summarizer_by_name(name: &str) -> Option<SummarizerKind> {
    match name {
        "extract" => Some(SummarizerKind::Extract),
        "http" => Some(SummarizerKind::Http),
        "none" => Some(SummarizerKind::None),
        _ => name
            .strip_prefix("command:")
            .filter(|line| !line.trim().is_empty())
            .map(|line| SummarizerKind::Command(line.to_owned())),
    }
}

/// Builds the summarizer of a policy; none if it has none. `http` builds the summarizer that asks a
/// model.
///
/// # Errors
/// Fails if `http` fails.
pub(crate) fn build_summarizer<E>(
    kind: &SummarizerKind,
    http: impl FnOnce() -> Result<HttpSummarizer, E>,
) -> Result<Option<Box<dyn Summarizer>>, E> {
    Ok(match kind {
        SummarizerKind::Extract => Some(Box::new(Extract)),
        SummarizerKind::Command(line) => Some(Box::new(CommandSummarizer::new(line))),
        SummarizerKind::Http => Some(Box::new(http()?)),
        SummarizerKind::None => None,
    })
}
