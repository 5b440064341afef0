//! The envelopes that harnesses put around the words of a user.
//!
//! A harness sends a request together with instructions, open files or an issue's frame. What the
//! user wants is the part inside. The table is shared by the retention metric and the embedded
//! summarizer (see `docs/reference/summaries.md`).

use aho_corasick::AhoCorasick;
use memchr::memmem::find;
use std::sync::LazyLock;

/// The text that a harness puts around a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestEnvelope {
    /// The text before the request.
    pub open: &'static str,
    /// The text behind the request. `None` if the request goes on to the end.
    pub close: Option<&'static str>,
}

/// All known envelopes. The first that holds a request is the right one.
static REQUEST_ENVELOPES: &[RequestEnvelope] = &[
    // The IDE extension of Codex: open tabs and the active file, then the request.
    RequestEnvelope::until_end("## My request for Codex:"),
    // SWE-smith: the issue, then instructions.
    RequestEnvelope::between("<pr_description>", "</pr_description>"),
    // OpenHands.
    RequestEnvelope::between("<issue_description>", "</issue_description>"),
    // SWE-agent.
    RequestEnvelope::between("ISSUE:", "INSTRUCTIONS:"),
    // Cline and Roo: the task, then details of the environment.
    RequestEnvelope::between("<task>", "</task>"),
    // AutoCodeRover.
    RequestEnvelope::between("<issue>", "</issue>"),
    // Cursor and others.
    RequestEnvelope::between("<user_query>", "</user_query>"),
    // Claude Code: the arguments of a slash command.
    RequestEnvelope::between("<command-args>", "</command-args>"),
];
/// The length in code points that the text in an envelope must exceed to be a request.
const MIN_REQUEST: usize = 10;

impl RequestEnvelope {
    const fn between(open: &'static str, close: &'static str) -> Self {
        Self { open, close: Some(close) }
    }

    const fn until_end(open: &'static str) -> Self {
        Self { open, close: None }
    }

    /// Returns the text in the first envelope of this kind.
    fn content(self, text: &str) -> Option<&str> {
        let inside = &text[find(text.as_bytes(), self.open.as_bytes())? + self.open.len()..];
        match self.close {
            Some(close) => {
                let end = find(inside.as_bytes(), close.as_bytes())?;
                Some(trim_blanks(&inside[..end]))
            }
            None => Some(inside.trim_start_matches(is_blank)),
        }
    }
}

/// Searches for the openings of all envelopes at once. Most texts have none.
static OPENINGS: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(REQUEST_ENVELOPES.iter().map(|envelope| envelope.open)).ok());

/// Returns the request in the words of a user: what an envelope holds, or all of the text if it is
/// in none. Blanks around the request are removed.
pub(crate) fn strip_envelope(text: &str) -> &str {
    if OPENINGS.as_ref().is_some_and(|search| !search.is_match(text)) {
        return trim_blanks(text);
    }
    REQUEST_ENVELOPES
        .iter()
        .filter_map(|envelope| envelope.content(text))
        .find(|request| request.chars().nth(MIN_REQUEST).is_some())
        .map_or_else(|| trim_blanks(text), trim_blanks)
}

/// Removes blanks around a text.
pub(crate) fn trim_blanks(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Returns true for white space as Python defines it, which includes the information separators.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_taken_out_of_its_envelope() {
        let codex = "# Context from my IDE setup:\n- a.rs\n\n## My request for Codex:\nMake the parser faster.\n";
        assert_eq!(strip_envelope(codex), "Make the parser faster.");
        let issue = "Solve it.\nISSUE:\n  The lexer drops tabs.  \n\nINSTRUCTIONS:\nUse the shell.";
        assert_eq!(strip_envelope(issue), "The lexer drops tabs.");
        let nested = "<task>\n<issue>Rename the two crates</issue></task>";
        assert_eq!(strip_envelope(nested), "<issue>Rename the two crates</issue>");
    }

    #[test]
    fn a_text_without_a_whole_envelope_is_the_request() {
        assert_eq!(strip_envelope(" Book it. \n"), "Book it.");
        assert_eq!(strip_envelope("<task>Book a flight to Oslo"), "<task>Book a flight to Oslo");
        // Ten code points are too few to be the request.
        let more = "<task>0123456789</task> and more";
        assert_eq!(strip_envelope(more), more);
    }
}
