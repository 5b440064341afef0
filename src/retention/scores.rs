//! Scores what a compaction kept of what was needed.

use crate::retention::compacted_text::CompactedText;
use crate::retention::identifiers::{content_words, find_identifiers};
use crate::retention::needs::FutureNeeds;
use crate::retention::ratio::KeptRatio;
use crate::retention::summary_scores::SummaryScores;
use crate::retention::word_search::{contains_identifier, find_occurrences};
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::AddAssign;

/// The bytes before a value in which a keyword counts as beside it.
const KEYWORD_BEFORE: usize = 160;
/// The bytes after a value in which a keyword counts as beside it.
const KEYWORD_AFTER: usize = 60;

/// The scores of one compaction, or the sums over several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct RetentionScores {
    /// Needed references.
    pub recall: KeptRatio,
    /// Needed references in arguments of calls.
    pub arguments: KeptRatio,
    /// Needed references in arguments of calls that stand beside a keyword of theirs.
    pub linked: KeptRatio,
    /// Content words of the user.
    pub user: KeptRatio,
    /// Errors.
    pub errors: KeptRatio,
    /// Files.
    pub files: KeptRatio,
    /// Identifiers of the result that the source contains, out of all its identifiers.
    pub faithful: KeptRatio,
    /// The scores of the summary alone.
    #[serde(flatten)]
    pub alone: SummaryScores,
}

impl RetentionScores {
    /// Scores the text that is left after a compaction.
    #[must_use]
    pub(crate) fn measure(needs: &FutureNeeds, text: &CompactedText) -> Self {
        let left = text.whole();
        let lower = left.to_lowercase();
        let words: BTreeSet<String> = content_words(&left).collect();
        let named: BTreeSet<String> = find_identifiers(&left).collect();
        let is_kept = |identifier: &String| contains_identifier(&lower, identifier);
        Self {
            recall: KeptRatio::from_kept(needs.references.iter().map(is_kept)),
            arguments: KeptRatio::from_kept(needs.arguments.keys().map(is_kept)),
            linked: KeptRatio::from_kept(
                needs
                    .arguments
                    .iter()
                    .map(|(identifier, keywords)| is_linked(&lower, identifier, keywords)),
            ),
            user: KeptRatio::from_kept(needs.words.iter().map(|word| words.contains(word))),
            errors: KeptRatio::from_kept(
                needs
                    .errors
                    .iter()
                    .map(|signature| signature.iter().all(is_kept)),
            ),
            files: KeptRatio::from_kept(needs.files.iter().map(is_kept)),
            faithful: KeptRatio::from_kept(
                named
                    .iter()
                    .map(|identifier| needs.source.contains(identifier.as_str())),
            ),
            alone: SummaryScores::measure(&needs.alone, &text.summary()),
        }
    }
}

impl AddAssign for RetentionScores {
    fn add_assign(&mut self, other: Self) {
        self.recall += other.recall;
        self.arguments += other.arguments;
        self.linked += other.linked;
        self.user += other.user;
        self.errors += other.errors;
        self.files += other.files;
        self.faithful += other.faithful;
        self.alone += other.alone;
    }
}

/// Returns true if `text` contains the identifier with a keyword near it on the same line.
///
/// An identifier without keywords only needs to occur. All arguments are in lowercase.
fn is_linked(text: &str, identifier: &str, keywords: &BTreeSet<String>) -> bool {
    if keywords.is_empty() {
        return contains_identifier(text, identifier);
    }
    find_occurrences(identifier, text).any(|at| {
        let end = at + identifier.len();
        let line_start = text[..at].rfind('\n').map_or(0, |start| start + 1);
        let line_end = text[end..]
            .find('\n')
            .map_or(text.len(), |length| end + length);
        let start = (line_start.max(at.saturating_sub(KEYWORD_BEFORE))..=at)
            .find(|&start| text.is_char_boundary(start))
            .unwrap_or(at);
        let stop = (end..=line_end.min(end + KEYWORD_AFTER))
            .rfind(|&stop| text.is_char_boundary(stop))
            .unwrap_or(end);
        keywords.iter().any(|keyword| {
            text[start..at].contains(keyword.as_str()) || text[end..stop].contains(keyword.as_str())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retention::cut::SessionCut;
    use crate::retention::passage::{Passage, PassageCall};
    use crate::transcript::Role;

    fn session() -> Vec<Passage> {
        let call = |path: &str, value: &str| {
            let call = PassageCall::from_text("book", std::iter::once((path, value)));
            Passage::new(Role::Assistant, String::new(), vec![call])
        };
        let message = |role, text: &str| Passage::new(role, text.to_owned(), Vec::new());
        vec![
            message(Role::User, "Book HAT175 and HAT084, no insurance"),
            call("path", "/notes/a.md"),
            message(
                Role::Tool,
                "{\"payment\": \"card_77\", \"other\": \"card_88\"}\nKeyError: 'pay_9'",
            ),
            message(Role::Assistant, "HAT084?"),
            call("flight_number", "HAT175"),
            message(Role::Tool, "now card_88"),
            call("payment_id", "card_77"),
            message(Role::Assistant, "card_88 and HAT084 it is"),
        ]
    }

    #[test]
    fn only_identifiers_that_nobody_repeats_are_needed() {
        let needs = FutureNeeds::from_cut(
            &session(),
            SessionCut {
                head: 0,
                tail: 3,
                end: 4,
            },
        );
        assert_eq!(
            needs.references.iter().collect::<Vec<_>>(),
            ["card_77", "hat175"]
        );
        assert_eq!(
            needs.arguments["hat175"].iter().collect::<Vec<_>>(),
            ["flight"]
        );
        assert_eq!(needs.files.iter().collect::<Vec<_>>(), ["/notes/a.md"]);
        assert_eq!(needs.errors.iter().next().unwrap(), &["keyerror", "pay_9"]);
        assert!(needs.words.contains("insurance"));
    }

    #[test]
    fn kept_linked_and_faithful_identifiers_are_counted() {
        let needs = FutureNeeds::from_cut(
            &session(),
            SessionCut {
                head: 0,
                tail: 3,
                end: 4,
            },
        );
        let left = |text: &str| CompactedText::new(vec![text.to_owned()], &[]);
        let scores = RetentionScores::measure(
            &needs,
            &left("flight: HAT175\nalso: card_77 made_up_1\nno insurance"),
        );
        assert_eq!(scores.recall, KeptRatio { kept: 2, total: 2 });
        assert_eq!(scores.linked, KeptRatio { kept: 1, total: 2 });
        assert_eq!(scores.faithful, KeptRatio { kept: 2, total: 3 });
        assert_eq!((scores.files.kept, scores.errors.kept), (0, 0));
        assert_eq!(scores.user, KeptRatio { kept: 2, total: 4 });
        assert_eq!(
            RetentionScores::measure(&needs, &left("HAT1750 card_777"))
                .recall
                .kept,
            0
        );
    }
}
