//! The messages that present a summary to the model (see
//! `docs/reference/deepagents.md` and `docs/reference/opencode.md`).

use crate::reading::transcript::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

const ARCHIVED: &str = "You are in the middle of a conversation that has been summarized.";
const SAVED: &str = "The full conversation history has been saved to ";
const NEED: &str = " should you need to refer back to it for details.";
const PLAIN: &str = "Here is a summary of the conversation to date:\n\n";
/// The start of [`PLAIN`] that is the same in a literal, without its line ends.
const PLAIN_LINE: &str = PLAIN.trim_ascii_end();
const OPEN: &str = "<summary>\n";
const CLOSE: &str = "\n</summary>";
/// The question that OpenCode puts before a summary, as the user.
pub(crate) const OPENCODE_QUESTION: &str = "What did we do so far?";
/// The words that OpenCode puts behind a summary and the messages that it kept, as the user.
const OPENCODE_CONTINUES: &str = "Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.";

/// The separator between a summary and the text that follows it in the same string.
pub(crate) const SUMMARY_JOINT: &str = "\n\n---\n\n";
/// [`SUMMARY_JOINT`] as spelled in a literal.
const JOINT_SPELLED: &str = "\\n\\n---\\n\\n";
/// [`CLOSE`] as spelled in a literal.
const CLOSE_SPELLED: &str = "\\n</summary>";

/// The form in which a summary is presented to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SummaryFrame {
    /// The form of Deep Agents, which names the archive's path.
    Archived,
    /// The form of LangChain: the summary alone.
    Plain,
    /// The form of OpenCode: the user asks for a summary, and the assistant answers with it.
    OpenCode,
}

impl SummaryFrame {
    /// All frames.
    pub const ALL: [Self; 3] = [Self::Archived, Self::Plain, Self::OpenCode];

    /// Returns the frame's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Archived => "archived",
            Self::Plain => "plain",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the messages that present a summary archived at `path`.
    #[must_use]
    pub fn render(self, path: &str, summary: &str) -> Vec<(Role, String)> {
        match self {
            Self::Archived => {
                let archive = format!("{ARCHIVED}\n\n{SAVED}{path}{NEED}");
                let framed = format!("A condensed summary follows:\n\n{OPEN}{summary}{CLOSE}");
                vec![(Role::User, format!("{archive}\n\n{framed}"))]
            }
            Self::Plain => vec![(Role::User, format!("{PLAIN}{summary}"))],
            Self::OpenCode => vec![
                (Role::User, OPENCODE_QUESTION.to_owned()),
                (Role::Assistant, summary.to_owned()),
            ],
        }
    }

    /// Returns the number of messages that present a summary.
    #[must_use]
    pub fn message_count(self) -> usize {
        match self {
            Self::Archived | Self::Plain => 1,
            Self::OpenCode => 2,
        }
    }
}

impl Transcript<'_> {
    /// Returns the literal of message `index`, if it is a text of the user.
    fn sole_user_text(&self, index: usize) -> Option<&[u8]> {
        let message = &self.messages[index];
        let text = sole_text(message).filter(|_| message.role == Role::User)?;
        Some(self.bytes(index, text))
    }

    /// Returns true if message `index` is OpenCode's question before a summary.
    pub(crate) fn is_summary_question(&self, index: usize) -> bool {
        self.sole_user_text(index).is_some_and(|literal| {
            // Each character is spelled as a byte, or as an escape of six.
            literal.len() <= OPENCODE_QUESTION.len() * 6 + 2
                && decode_literal(literal) == OPENCODE_QUESTION
        })
    }

    /// Returns true if message `index` has the form of a user message that presents a summary,
    /// wherever it stands.
    pub(crate) fn has_summary_form(&self, index: usize) -> bool {
        self.sole_user_text(index).is_some_and(is_framed_summary) || self.is_summary_question(index)
    }

    /// Returns true if message `index` is the answer to such a question: OpenCode's form of a
    /// summary.
    pub(crate) fn is_summary_answer(&self, index: usize) -> bool {
        let message = &self.messages[index];
        let is_plain_answer = message.role == Role::Assistant
            && message.calls.is_empty()
            && message.content != Content::Absent;
        // Only answers look back: each of many system messages would pass all before it.
        let before = || (0..index).rev().find(|&at| !self.messages[at].role.is_system());
        is_plain_answer && before().is_some_and(|at| self.is_summary_question(at))
    }

    /// Corrects which messages are marked as an earlier summary. Only the first message that is
    /// not a system message can be a summary, or the first behind messages of the user that stayed
    /// before it; later on, a text in the form of a summary is a quotation.
    pub(crate) fn keep_first_summary(&mut self) {
        let mut conversation = self
            .messages
            .iter()
            .enumerate()
            .filter(|(_, message)| !message.role.is_system())
            .map(|(index, _)| index);
        let (Some(first), second) = (conversation.next(), conversation.next()) else {
            return;
        };
        let summary = (first..self.messages.len())
            .take_while(|&index| {
                let message = &self.messages[index];
                message.role == Role::User || message.role.is_system()
            })
            .find(|&index| self.messages[index].earlier_summary)
            .unwrap_or(first);
        let later =
            self.messages[summary + 1..].iter_mut().filter(|message| !message.role.is_system());
        later.for_each(|message| message.earlier_summary = false);
        if let Some(second) = second.filter(|second| self.is_summary_answer(*second)) {
            self.messages[first].earlier_summary = true;
            self.messages[second].earlier_summary = true;
            self.newer_than_summary =
                (second + 1..self.messages.len()).rev().find(|index| self.asks_to_continue(*index));
        }
    }

    /// Returns true if message `index` ends with the words that OpenCode puts behind a summary.
    fn asks_to_continue(&self, index: usize) -> bool {
        self.sole_user_text(index).is_some_and(|literal| {
            // No character of the words is spelled as an escape.
            let text = literal.strip_suffix(b"\"").unwrap_or(literal);
            text.ends_with(OPENCODE_CONTINUES.as_bytes())
        })
    }
}

/// Returns the text of a message that holds nothing else.
fn sole_text(message: &Message) -> Option<Span> {
    match &message.content {
        Content::Text(span) => Some(*span),
        Content::Blocks(blocks) => match blocks.as_slice() {
            [MessageBlock { kind: BlockKind::Text(span), .. }] => Some(*span),
            _ => None,
        },
        Content::Absent => None,
    }
}

/// Returns true if the literal of a user message is a summary in the archived or the plain form.
#[inline]
pub(crate) fn is_framed_summary(literal: &[u8]) -> bool {
    // Few texts have the same first byte.
    let first = [ARCHIVED.as_bytes()[0], PLAIN.as_bytes()[0]];
    literal.get(1).is_some_and(|byte| first.contains(byte)) && has_summary_frame(literal)
}

fn has_summary_frame(literal: &[u8]) -> bool {
    if content_starts_with(literal, ARCHIVED) {
        let text = decode_literal(literal);
        return text.contains(OPEN) && text.ends_with(CLOSE);
    }
    content_starts_with(literal, PLAIN_LINE) && decode_literal(literal).starts_with(PLAIN)
}

/// Returns true if the content of a literal begins with `text`, spelled without escapes.
fn content_starts_with(literal: &[u8], text: &str) -> bool {
    literal.get(1..).is_some_and(|inner| inner.starts_with(text.as_bytes()))
}

/// Returns the path of the archive that a summary names.
pub(crate) fn archive_path_in(framed: &str) -> Option<&str> {
    let (_, rest) = framed.strip_prefix(ARCHIVED)?.split_once(SAVED)?;
    rest.split_once(NEED).map(|(path, _)| path)
}

impl Transcript<'_> {
    /// Returns the name of the file in which an earlier summary says that the history is.
    pub(crate) fn archived_name(&self) -> Option<String> {
        let summary = self.messages.iter().position(|message| message.earlier_summary)?;
        let text = decode_literal(self.bytes(summary, sole_text(&self.messages[summary])?));
        let (_, file) = archive_path_in(&text)?.rsplit_once('/')?;
        file.strip_suffix(".md").map(str::to_owned)
    }
}

/// Returns the range of the separator in a literal that begins with a summary and continues with
/// another text.
pub(crate) fn find_summary_joint(literal: &[u8]) -> Option<Range<usize>> {
    let at = if content_starts_with(literal, ARCHIVED) {
        let close = format!("{CLOSE_SPELLED}{JOINT_SPELLED}");
        memchr::memmem::find(literal, close.as_bytes())? + CLOSE_SPELLED.len()
    } else if content_starts_with(literal, PLAIN_LINE) {
        memchr::memmem::find(literal, JOINT_SPELLED.as_bytes())?
    } else {
        return None;
    };
    // The part before the separator must be a summary by itself.
    let summary = [&literal[..at], b"\""].concat();
    is_framed_summary(&summary).then_some(at..at + JOINT_SPELLED.len())
}

/// Returns the summary inside a framed message.
pub(crate) fn unframe_summary(text: &str) -> &str {
    if let Some(summary) = text.strip_prefix(PLAIN) {
        return summary;
    }
    text.split_once(OPEN).map_or(text, |(_, rest)| rest.strip_suffix(CLOSE).unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_recognized_and_removed() {
        for frame in [SummaryFrame::Archived, SummaryFrame::Plain] {
            let messages = frame.render("/h/t.md", "the \"facts\"\n</summary>");
            let [(Role::User, text)] = messages.as_slice() else { panic!("a single user message") };
            assert!(is_framed_summary(&encode_literal(text)));
            assert_eq!(unframe_summary(text), "the \"facts\"\n</summary>");
            let (_, text) = &frame.render("/h/t.md", "the \"facts\"")[0];
            let literal = encode_literal(&format!("{text}{SUMMARY_JOINT}more\n\n---\n\nmore"));
            let at = find_summary_joint(&literal).unwrap();
            assert_eq!(decode_literal(&literal[..=at.start]), *text);
            assert_eq!(decode_literal(&literal[at.end - 1..]), "more\n\n---\n\nmore");
            assert_eq!(find_summary_joint(&encode_literal(text)), None);
        }
        assert!(!is_framed_summary(
            b"\"You are in the middle of a conversation that has been summarized.\""
        ));
        assert!(!is_framed_summary(b"\"Here is a summary of the conversation to date: x\""));
    }
}
