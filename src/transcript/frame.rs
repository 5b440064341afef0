//! The message that stands for what was summarised (spec: deepagents, section 5).

use crate::transcript::text;
use serde::{Deserialize, Serialize};

const ARCHIVED: &str = "You are in the middle of a conversation that has been summarized.";
const PLAIN: &str = "Here is a summary of the conversation to date:\n\n";
const OPEN: &str = "<summary>\n";
const CLOSE: &str = "\n</summary>";

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
            Self::Archived => format!(
                "{ARCHIVED}\n\nThe full conversation history has been saved to {path} should you need to refer back to it for details.\n\n\
                 A condensed summary follows:\n\n{OPEN}{summary}{CLOSE}"
            ),
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
        assert!(!is_summary(b"\"You are in the middle of a conversation that has been summarized.\""));
        assert!(!is_summary(b"\"Here is a summary of the conversation to date: x\""));
    }
}
