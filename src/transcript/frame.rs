//! The message that stands for what was summarised (spec: deepagents, section 5).

use crate::transcript::text;
use serde::{Deserialize, Serialize};
use std::ops::Range;

const ARCHIVED: &str = "You are in the middle of a conversation that has been summarized.";
const SAVED: &str = "The full conversation history has been saved to ";
const NEED: &str = " should you need to refer back to it for details.";
const PLAIN: &str = "Here is a summary of the conversation to date:\n\n";
const OPEN: &str = "<summary>\n";
const CLOSE: &str = "\n</summary>";

/// What tells a summary from a text that it was put before, in one string.
pub const JOINT: &str = "\n\n---\n\n";
/// The same as it is spelled in a literal.
const JOINT_SPELLED: &str = "\\n\\n---\\n\\n";
const CLOSE_SPELLED: &str = "\\n</summary>";

/// How a summary is presented to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Frame {
    /// Deep Agents: names the archive's path.
    Archived,
    /// LangChain: the summary alone.
    Plain,
}

impl Frame {
    /// The text of the summary message.
    #[must_use]
    pub fn render(self, path: &str, summary: &str) -> String {
        match self {
            Self::Archived => format!("{ARCHIVED}\n\n{SAVED}{path}{NEED}\n\nA condensed summary follows:\n\n{OPEN}{summary}{CLOSE}"),
            Self::Plain => format!("{PLAIN}{summary}"),
        }
    }
}

/// Whether a user message (its literal) is a summary in one of the frames.
#[must_use]
pub fn is_summary(literal: &[u8]) -> bool {
    // Neither beginning holds anything that a literal escapes up to its first line break.
    let starts = |text: &str| literal.get(1..).is_some_and(|inner| inner.starts_with(text.lines().next().unwrap_or_default().as_bytes()));
    if starts(ARCHIVED) {
        let text = text::decode(literal);
        return text.contains(OPEN) && text.ends_with(CLOSE);
    }
    starts(PLAIN) && text::decode(literal).starts_with(PLAIN)
}

/// The archive that a summary names.
#[must_use]
pub fn path(framed: &str) -> Option<&str> {
    let (_, rest) = framed.strip_prefix(ARCHIVED)?.split_once(SAVED)?;
    rest.split_once(NEED).map(|(path, _)| path)
}

/// In a literal that begins with a summary and goes on with another text: where what tells them apart stands.
#[must_use]
pub fn split(literal: &[u8]) -> Option<Range<usize>> {
    let inner = literal.get(1..)?;
    let find = |needle: &str| memchr::memmem::find(literal, needle.as_bytes());
    let at = if inner.starts_with(ARCHIVED.as_bytes()) {
        find(&format!("{CLOSE_SPELLED}{JOINT_SPELLED}"))? + CLOSE_SPELLED.len()
    } else if inner.starts_with(PLAIN.lines().next()?.as_bytes()) {
        find(JOINT_SPELLED)?
    } else {
        return None;
    };
    // Cut out as a literal of its own it must be a summary: what follows it must not be needed for that.
    let summary = [&literal[..at], b"\""].concat();
    is_summary(&summary).then_some(at..at + JOINT_SPELLED.len())
}

/// The summary inside a framed message.
#[must_use]
pub fn inner(text: &str) -> &str {
    if let Some(summary) = text.strip_prefix(PLAIN) {
        return summary;
    }
    text.split_once(OPEN).map_or(text, |(_, rest)| rest.strip_suffix(CLOSE).unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_recognised_and_opened() {
        for frame in [Frame::Archived, Frame::Plain] {
            let text = frame.render("/h/t.md", "the \"facts\"\n</summary>");
            assert!(is_summary(&text::literal(&text)));
            assert_eq!(inner(&text), "the \"facts\"\n</summary>");
        }
        for frame in [Frame::Archived, Frame::Plain] {
            let text = frame.render("/h/t.md", "the \"facts\"");
            let literal = text::literal(&format!("{text}{JOINT}more\n\n---\n\nmore"));
            let at = split(&literal).unwrap();
            assert_eq!(text::decode(&literal[..=at.start]), text);
            assert_eq!(text::decode(&literal[at.end - 1..]), "more\n\n---\n\nmore");
            assert_eq!(split(&text::literal(&text)), None);
        }
        assert!(!is_summary(b"\"You are in the middle of a conversation that has been summarized.\""));
        assert!(!is_summary(b"\"Here is a summary of the conversation to date: x\""));
    }
}
