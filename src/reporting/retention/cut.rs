//! Cuts through a session: what a compaction may replace, what is its future, and the text that is
//! left before it.

use crate::reading::transcript::Role;
use crate::reporting::retention::passage::Passage;

/// The number of messages before a cut that count as seen, whatever is compacted.
pub(crate) const SEEN_TAIL: usize = 4;
/// The shares of a session, as fractions, after which it is cut.
const CUT_SHARES: [(usize, usize); 3] = [(2, 5), (3, 5), (4, 5)];
/// The shortest session that is cut, in messages. The future of a shorter one says little.
const MIN_MESSAGES: usize = 10;
/// The fewest messages before a cut that are worth compacting.
const MIN_COMPACTED: usize = 3;

/// A cut through a session.
///
/// Messages `head..tail` may be compacted, `tail..end` count as seen, and those
/// from `end` on are the future.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SessionCut {
    /// The number of leading system messages.
    pub head: usize,
    /// The index of the first message that counts as seen.
    pub tail: usize,
    /// The index of the first message of the future, an assistant message.
    pub end: usize,
}

impl SessionCut {
    /// Returns the cut before the first assistant message from `end` on.
    ///
    /// Returns `None` if there is no such message, or too little to compact before it.
    pub(crate) fn before_message(passages: &[Passage], end: usize) -> Option<Self> {
        let head = leading_system_messages(passages);
        let end = next_assistant(passages, end)?;
        let mut tail = end.checked_sub(SEEN_TAIL)?;
        // Results stay with their calls.
        while tail > head && passages[tail].role.is_result() {
            tail -= 1;
        }
        (tail >= head + MIN_COMPACTED).then_some(Self { head, tail, end })
    }

    /// Returns the cut before the first assistant message after a share of the messages.
    ///
    /// Returns `None` if there is no such message, or too little to compact before it.
    pub(crate) fn after_share(
        passages: &[Passage],
        numerator: usize,
        denominator: usize,
    ) -> Option<Self> {
        let head = leading_system_messages(passages);
        let end = head + (passages.len() - head) * numerator / denominator;
        Self::before_message(passages, end)
    }

    /// Returns the cut that a compaction made before message `first_kept`.
    ///
    /// Returns `None` if the compaction replaced too little, or if the session ends soon after it.
    pub(crate) fn after_compaction(passages: &[Passage], first_kept: usize) -> Option<Self> {
        let head = leading_system_messages(passages);
        let end = next_assistant(passages, first_kept + SEEN_TAIL)?;
        (first_kept >= head + MIN_COMPACTED).then_some(Self { head, tail: first_kept, end })
    }
}

/// Returns the cuts through a session, at most three.
pub(crate) fn session_cuts(passages: &[Passage]) -> Vec<SessionCut> {
    if passages.len() < MIN_MESSAGES {
        return Vec::new();
    }
    let mut cuts: Vec<SessionCut> = Vec::new();
    for (numerator, denominator) in CUT_SHARES {
        if let Some(cut) = SessionCut::after_share(passages, numerator, denominator)
            && !cuts.contains(&cut)
        {
            cuts.push(cut);
        }
    }
    cuts
}

/// Returns the number of system messages at the start of a session.
fn leading_system_messages(passages: &[Passage]) -> usize {
    passages.iter().take_while(|passage| passage.role.is_system()).count()
}

/// Returns the index of the first assistant message from `start` on.
fn next_assistant(passages: &[Passage], start: usize) -> Option<usize> {
    (start..passages.len()).find(|&index| passages[index].role == Role::Assistant)
}

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

    fn session(roles: &str) -> Vec<Passage> {
        let role = |c| match c {
            's' => Role::System,
            'u' => Role::User,
            't' => Role::Tool,
            _ => Role::Assistant,
        };
        roles.chars().map(|c| Passage::said(role(c), "")).collect()
    }

    #[test]
    fn cuts_are_before_assistant_messages_and_keep_pairs_whole() {
        let cut = |head, tail, end| SessionCut { head, tail, end };
        let cuts = |roles| session_cuts(&session(roles));
        assert_eq!(cuts("suauauauauau"), [cut(1, 4, 8), cut(1, 6, 10)]);
        assert_eq!(cuts("uatatattttatu"), [cut(0, 5, 10)]);
        let after = |at| SessionCut::after_compaction(&session("suauauaua"), at);
        assert_eq!([after(3), after(4), after(5)], [None, Some(cut(1, 4, 8)), None]);
        assert!(cuts("uauauaua").is_empty() && cuts("uuuuuuuuuuuu").is_empty());
    }

    #[test]
    fn the_summary_ends_where_the_seen_messages_begin() {
        let tail = ["c", "d"].map(|text| Passage::said(Role::User, text));
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
