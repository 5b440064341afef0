//! The messages that stand for what was summarised (spec: deepagents, section 5; opencode, A.1, "Compaction").

use crate::json::decode_literal;
use crate::transcript::document::Transcript;
use crate::transcript::message::{BlockKind, Content, ContentBlock};
use crate::transcript::role::Role;
use serde::{Deserialize, Serialize};
use std::ops::Range;

const ARCHIVED: &str = "You are in the middle of a conversation that has been summarized.";
const SAVED: &str = "The full conversation history has been saved to ";
const NEED: &str = " should you need to refer back to it for details.";
const PLAIN: &str = "Here is a summary of the conversation to date:\n\n";
/// How it begins; what a literal escapes comes later.
const PLAIN_LINE: &str = PLAIN.trim_ascii_end();
const OPEN: &str = "<summary>\n";
const CLOSE: &str = "\n</summary>";
/// What OpenCode lets the user ask before the summary.
pub const OPENCODE_QUESTION: &str = "What did we do so far?";

/// What tells a summary from a text that it was put before, in one string.
pub const SUMMARY_JOINT: &str = "\n\n---\n\n";
/// The same as it is spelled in a literal.
const JOINT_SPELLED: &str = "\\n\\n---\\n\\n";
const CLOSE_SPELLED: &str = "\\n</summary>";

/// How a summary is presented to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SummaryFrame {
    /// Deep Agents: names the archive's path.
    Archived,
    /// LangChain: the summary alone.
    Plain,
    /// OpenCode: the user asks what was done, the assistant answers with the summary.
    OpenCode,
}

impl SummaryFrame {
    /// All frames.
    pub const ALL: [Self; 3] = [Self::Archived, Self::Plain, Self::OpenCode];

    /// The frame's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Archived => "archived",
            Self::Plain => "plain",
            Self::OpenCode => "opencode",
        }
    }

    /// The messages that present a summary.
    #[must_use]
    pub fn render(self, path: &str, summary: &str) -> Vec<(Role, String)> {
        match self {
            Self::Archived => {
                vec![(
                    Role::User,
                    format!(
                        "{ARCHIVED}\n\n{SAVED}{path}{NEED}\n\nA condensed summary follows:\n\n{OPEN}{summary}{CLOSE}"
                    ),
                )]
            }
            Self::Plain => vec![(Role::User, format!("{PLAIN}{summary}"))],
            Self::OpenCode => vec![
                (Role::User, OPENCODE_QUESTION.to_owned()),
                (Role::Assistant, summary.to_owned()),
            ],
        }
    }

    /// How many messages present a summary.
    #[must_use]
    pub fn messages(self) -> usize {
        match self {
            Self::Archived | Self::Plain => 1,
            Self::OpenCode => 2,
        }
    }
}

impl Transcript<'_> {
    /// Whether message `index` is the question before a summary as OpenCode asks it.
    #[must_use]
    pub fn is_question(&self, index: usize) -> bool {
        let message = &self.messages[index];
        let span = match &message.content {
            Content::Text(span) => *span,
            Content::Blocks(blocks) => match blocks.as_slice() {
                [
                    ContentBlock {
                        kind: BlockKind::Text(span),
                        ..
                    },
                ] => *span,
                _ => return false,
            },
            Content::Absent => return false,
        };
        // Each of its characters is a byte, or an escape of six.
        let may_be = span.end - span.start <= OPENCODE_QUESTION.len() * 6 + 2;
        message.role == Role::User
            && may_be
            && decode_literal(self.bytes(index, span)) == OPENCODE_QUESTION
    }

    /// Whether message `index` answers such a question: OpenCode's shape of a summary.
    #[must_use]
    pub fn is_answer(&self, index: usize) -> bool {
        let message = &self.messages[index];
        let says = message.role == Role::Assistant
            && message.calls.is_empty()
            && message.content != Content::Absent;
        let before = (0..index)
            .rev()
            .find(|&at| !self.messages[at].role.is_system());
        says && before.is_some_and(|at| self.is_question(at))
    }

    /// Tells which messages are an earlier summary. It stands before all but system messages: what reads like one
    /// later on is somebody's words.
    pub fn keep_first_summary(&mut self) {
        let mut conversation = self
            .messages
            .iter()
            .enumerate()
            .filter(|(_, message)| !message.role.is_system())
            .map(|(index, _)| index);
        let (Some(first), second) = (conversation.next(), conversation.next()) else {
            return;
        };
        let later = self.messages[first + 1..]
            .iter_mut()
            .filter(|message| !message.role.is_system());
        later.for_each(|message| message.earlier_summary = false);
        if let Some(second) = second.filter(|second| self.is_answer(*second)) {
            self.messages[first].earlier_summary = true;
            self.messages[second].earlier_summary = true;
        }
    }
}

/// Whether a user message (its literal) is a summary in one of the frames.
#[inline]
#[must_use]
pub fn is_framed_summary(literal: &[u8]) -> bool {
    // Few texts even begin so.
    let first = [ARCHIVED.as_bytes()[0], PLAIN.as_bytes()[0]];
    literal.get(1).is_some_and(|byte| first.contains(byte)) && has_summary_frame(literal)
}

fn has_summary_frame(literal: &[u8]) -> bool {
    let starts = |text: &str| {
        literal
            .get(1..)
            .is_some_and(|inner| inner.starts_with(text.as_bytes()))
    };
    if starts(ARCHIVED) {
        let text = decode_literal(literal);
        return text.contains(OPEN) && text.ends_with(CLOSE);
    }
    starts(PLAIN_LINE) && decode_literal(literal).starts_with(PLAIN)
}

/// The archive that a summary names.
#[must_use]
pub fn archive_path_in(framed: &str) -> Option<&str> {
    let (_, rest) = framed.strip_prefix(ARCHIVED)?.split_once(SAVED)?;
    rest.split_once(NEED).map(|(path, _)| path)
}

/// In a literal that begins with a summary and goes on with another text: where what tells them apart stands.
#[must_use]
pub fn find_summary_joint(literal: &[u8]) -> Option<Range<usize>> {
    let inner = literal.get(1..)?;
    let find = |needle: &str| memchr::memmem::find(literal, needle.as_bytes());
    let at = if inner.starts_with(ARCHIVED.as_bytes()) {
        find(&format!("{CLOSE_SPELLED}{JOINT_SPELLED}"))? + CLOSE_SPELLED.len()
    } else if inner.starts_with(PLAIN_LINE.as_bytes()) {
        find(JOINT_SPELLED)?
    } else {
        return None;
    };
    // Cut out as a literal of its own it must be a summary: what follows it must not be needed for that.
    let summary = [&literal[..at], b"\""].concat();
    is_framed_summary(&summary).then_some(at..at + JOINT_SPELLED.len())
}

/// The summary inside a framed message.
#[must_use]
pub fn unframe_summary(text: &str) -> &str {
    if let Some(summary) = text.strip_prefix(PLAIN) {
        return summary;
    }
    text.split_once(OPEN)
        .map_or(text, |(_, rest)| rest.strip_suffix(CLOSE).unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::encode_literal;

    #[test]
    fn a_frame_is_recognised_and_opened() {
        for frame in [SummaryFrame::Archived, SummaryFrame::Plain] {
            let messages = frame.render("/h/t.md", "the \"facts\"\n</summary>");
            let [(Role::User, text)] = messages.as_slice() else {
                panic!("a single user message")
            };
            assert!(is_framed_summary(&encode_literal(text)));
            assert_eq!(unframe_summary(text), "the \"facts\"\n</summary>");
        }
        for frame in [SummaryFrame::Archived, SummaryFrame::Plain] {
            let [(_, text)] = &frame.render("/h/t.md", "the \"facts\"")[..] else {
                panic!("a single message")
            };
            let literal = encode_literal(&format!("{text}{SUMMARY_JOINT}more\n\n---\n\nmore"));
            let at = find_summary_joint(&literal).unwrap();
            assert_eq!(decode_literal(&literal[..=at.start]), *text);
            assert_eq!(
                decode_literal(&literal[at.end - 1..]),
                "more\n\n---\n\nmore"
            );
            assert_eq!(find_summary_joint(&encode_literal(text)), None);
        }
        assert!(!is_framed_summary(
            b"\"You are in the middle of a conversation that has been summarized.\""
        ));
        assert!(!is_framed_summary(
            b"\"Here is a summary of the conversation to date: x\""
        ));
    }
}
