//! The text that a compaction leaves of a session up to a cut.

use crate::reporting::retention::passage::Passage;

/// What a compaction leaves of the messages before a cut, without system messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompactedText {
    /// The texts of the messages that are left.
    messages: Vec<String>,
    /// The number of messages before those that count as seen.
    summary: usize,
}

impl CompactedText {
    /// Creates it from the texts of all messages that are left.
    ///
    /// Those that equal the messages of `tail`, which count as seen, are no part of the summary.
    /// If the last messages differ from these, all of the text counts as the summary.
    pub(crate) fn new(messages: Vec<String>, tail: &[Passage]) -> Self {
        let kept = messages.len().checked_sub(tail.len()).filter(|&start| {
            messages[start..].iter().zip(tail).all(|(text, passage)| *text == passage.full_text())
        });
        Self { summary: kept.unwrap_or(messages.len()), messages }
    }

    /// Returns all text that is left.
    pub(crate) fn whole(&self) -> String {
        self.messages.join("\n")
    }

    /// Returns the text before the messages that count as seen.
    pub(crate) fn summary(&self) -> String {
        self.messages[..self.summary].join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::transcript::Role;

    #[test]
    fn the_summary_ends_where_the_seen_messages_begin() {
        let tail = ["c", "d"].map(|text| Passage::new(Role::User, text.to_owned(), Vec::new()));
        let left = |texts: &[&str]| {
            let messages = texts.iter().map(|text| (*text).to_owned()).collect();
            CompactedText::new(messages, &tail)
        };
        assert_eq!(left(&["a", "b", "c", "d"]).summary(), "a\nb");
        assert_eq!(left(&["a", "b", "c", "d"]).whole(), "a\nb\nc\nd");
        assert_eq!(left(&["a", "d"]).summary(), "a\nd");
        assert_eq!(left(&["a"]).summary(), "a");
    }
}
