//! The table of summarizers, with all that the program asks of one by its name.

use crate::deciding::policy::SummarizerKind;
use crate::summary::command::CommandSummarizer;
use crate::summary::extract::Extract;
use crate::summary::http::HttpSummarizer;
use crate::summary::summarizer::Summarizer;
use std::ffi::OsString;

/// The start of the name of a summarizer that is a program.
const COMMAND_PREFIX: &str = "command:";

/// A row of the table.
pub(crate) struct SummarizerEntry {
    /// The name that `--summarizer` takes.
    pub name: &'static str,
    /// The explanation in help.
    pub help: &'static str,
    /// True if a program or a server writes the summaries. That may take minutes, so conversations
    /// are read one at a time.
    pub is_external: bool,
    /// Parses the name. Returns `None` for the name of another summarizer.
    parse: fn(&str) -> Option<SummarizerKind>,
    build: SummarizerBuild,
}

enum SummarizerBuild {
    /// There is nothing to build.
    Nothing,
    Embedded(fn() -> Box<dyn Summarizer>),
    /// It is a program, which gets variables of the environment.
    Program,
    /// It asks a model, and is built by the caller, who knows the server.
    ByCaller,
}

static EXTRACT: SummarizerEntry = SummarizerEntry {
    name: "extract",
    help: "embedded, no model",
    is_external: false,
    parse: |name| (name == "extract").then_some(SummarizerKind::Extract),
    build: SummarizerBuild::Embedded(|| Box::new(Extract::default())),
};

static COMMAND: SummarizerEntry = SummarizerEntry {
    name: "command:PROGRAM",
    help: "prompt on its stdin, summary on its stdout",
    is_external: true,
    parse: |name| {
        name.strip_prefix(COMMAND_PREFIX)
            .filter(|line| !line.trim().is_empty())
            .map(|line| SummarizerKind::Command(line.to_owned()))
    },
    build: SummarizerBuild::Program,
};

static HTTP: SummarizerEntry = SummarizerEntry {
    name: "http",
    help: "a model",
    is_external: true,
    parse: |name| (name == "http").then_some(SummarizerKind::Http),
    build: SummarizerBuild::ByCaller,
};

static NO_SUMMARIZER: SummarizerEntry = SummarizerEntry {
    name: "none",
    help: "evict, truncate and prune only",
    is_external: false,
    parse: |name| (name == "none").then_some(SummarizerKind::None),
    build: SummarizerBuild::Nothing,
};

/// All summarizers, in the order of help and errors.
pub(crate) static SUMMARIZERS: [&SummarizerEntry; 4] = [&EXTRACT, &COMMAND, &HTTP, &NO_SUMMARIZER];

pub(crate) fn summarizer_entry(kind: &SummarizerKind) -> &'static SummarizerEntry {
    match kind {
        SummarizerKind::Extract => &EXTRACT,
        SummarizerKind::Command(_) => &COMMAND,
        SummarizerKind::Http => &HTTP,
        SummarizerKind::None => &NO_SUMMARIZER,
    }
}

pub(crate) fn summarizer_by_name(name: &str) -> Option<SummarizerKind> {
    SUMMARIZERS.iter().find_map(|entry| (entry.parse)(name))
}

/// Returns the name that [`summarizer_by_name`] parses to `kind`.
pub(crate) fn summarizer_name(kind: &SummarizerKind) -> String {
    match kind.command_line() {
        Some(line) => [COMMAND_PREFIX, line].concat(),
        None => summarizer_entry(kind).name.to_owned(),
    }
}

/// Builds a summarizer. Returns `None` for the kind `none`. `environment` gives the variables that
/// a program gets, `http` builds the summarizer that asks a model; each is called only if needed.
/// Fails if `http` fails.
pub(crate) fn build_summarizer<E>(
    kind: &SummarizerKind,
    environment: impl FnOnce() -> Vec<(OsString, OsString)>,
    http: impl FnOnce() -> Result<HttpSummarizer, E>,
) -> Result<Option<Box<dyn Summarizer>>, E> {
    Ok(match summarizer_entry(kind).build {
        SummarizerBuild::Nothing => None,
        SummarizerBuild::Embedded(build) => Some(build()),
        SummarizerBuild::Program => {
            let line = kind.command_line().unwrap_or_default();
            Some(Box::new(CommandSummarizer::new(line, environment())))
        }
        SummarizerBuild::ByCaller => Some(Box::new(http()?)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_to_the_kinds_of_their_rows() {
        for entry in SUMMARIZERS {
            let kind = summarizer_by_name(entry.name).unwrap();
            assert!(std::ptr::eq(summarizer_entry(&kind), entry));
            assert_eq!(summarizer_name(&kind), entry.name);
        }
        assert_eq!(summarizer_by_name("command: "), None);
        assert_eq!(summarizer_by_name("Extract"), None);
    }
}
