//! What a compaction kept of what was needed.

use super::identifiers::{identifiers, places, present, words};
use super::needs::FutureNeeds;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::AddAssign;

/// A name counts as beside a value so many bytes before it, or so many after.
const BEFORE: usize = 160;
const BEHIND: usize = 60;

/// So many of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct KeptRatio {
    /// What was kept.
    pub kept: u64,
    /// What was needed.
    pub of: u64,
}

impl KeptRatio {
    fn of(kept: impl Iterator<Item = bool>) -> Self {
        kept.fold(Self::default(), |ratio, kept| Self {
            kept: ratio.kept + u64::from(kept),
            of: ratio.of + 1,
        })
    }

    /// The share; `None` where nothing was needed.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.kept as f64 / self.of as f64)
    }
}

impl AddAssign for KeptRatio {
    fn add_assign(&mut self, other: Self) {
        self.kept += other.kept;
        self.of += other.of;
    }
}

/// A figure of the metric.
pub struct RetentionMetric {
    /// Its name in JSON and for `--fail-under`.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// Its value in a score.
    pub of: fn(&RetentionScores) -> KeptRatio,
}

/// All figures, in the order of reports.
pub static METRICS: &[RetentionMetric] = &[
    RetentionMetric {
        name: "recall",
        about: "identifiers that the assistant writes later and that only the compacted part held",
        of: |scores| scores.recall,
    },
    RetentionMetric {
        name: "arguments",
        about: "those of them that it writes in arguments of calls",
        of: |scores| scores.arguments,
    },
    RetentionMetric {
        name: "linked",
        about: "those of them that stand beside their name",
        of: |scores| scores.linked,
    },
    RetentionMetric {
        name: "user",
        about: "the user's content words",
        of: |scores| scores.user,
    },
    RetentionMetric {
        name: "errors",
        about: "error lines, each kind once",
        of: |scores| scores.errors,
    },
    RetentionMetric {
        name: "files",
        about: "files in arguments of calls",
        of: |scores| scores.files,
    },
    RetentionMetric {
        name: "faithful",
        about: "identifiers of the result that its source holds",
        of: |scores| scores.faithful,
    },
];

/// What one compaction kept, or several together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RetentionScores {
    /// Needed references.
    pub recall: KeptRatio,
    /// Needed references in arguments of calls.
    pub arguments: KeptRatio,
    /// Those beside their name.
    pub linked: KeptRatio,
    /// The user's content words.
    pub user: KeptRatio,
    /// Errors.
    pub errors: KeptRatio,
    /// Files.
    pub files: KeptRatio,
    /// Identifiers of the result that the source holds, of all in it.
    pub faithful: KeptRatio,
}

impl RetentionScores {
    /// Judges what is left after a compaction.
    #[must_use]
    pub fn measure(needs: &FutureNeeds, left: &str) -> Self {
        let lower = left.to_lowercase();
        let said: BTreeSet<String> = words(left).collect();
        let named: BTreeSet<String> = identifiers(left).collect();
        Self {
            recall: KeptRatio::of(needs.references.iter().map(|one| present(one, &lower))),
            arguments: KeptRatio::of(needs.arguments.keys().map(|one| present(one, &lower))),
            linked: KeptRatio::of(
                needs
                    .arguments
                    .iter()
                    .map(|(one, names)| linked(one, names, &lower)),
            ),
            user: KeptRatio::of(needs.words.iter().map(|word| said.contains(word))),
            errors: KeptRatio::of(
                needs
                    .errors
                    .iter()
                    .map(|error| error.iter().all(|one| present(one, &lower))),
            ),
            files: KeptRatio::of(needs.files.iter().map(|file| present(file, &lower))),
            faithful: KeptRatio::of(named.iter().map(|one| needs.source.contains(one.as_str()))),
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
    }
}

/// Whether the identifier stands in `text` with a word of its name near it on the same line.
fn linked(identifier: &str, names: &BTreeSet<String>, text: &str) -> bool {
    if names.is_empty() {
        return present(identifier, text);
    }
    places(identifier, text).any(|at| {
        let end = at + identifier.len();
        let line = text[..at].rfind('\n').map_or(0, |start| start + 1);
        let line_end = text[end..]
            .find('\n')
            .map_or(text.len(), |length| end + length);
        let start = (line.max(at.saturating_sub(BEFORE))..=at)
            .find(|&start| text.is_char_boundary(start))
            .unwrap_or(at);
        let stop = (end..=line_end.min(end + BEHIND))
            .rfind(|&stop| text.is_char_boundary(stop))
            .unwrap_or(end);
        names.iter().any(|name| {
            text[start..at].contains(name.as_str()) || text[end..stop].contains(name.as_str())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::cut::SessionCut;
    use super::super::passage::{ArgumentLeaf, Passage, PassageCall};
    use super::*;
    use crate::transcript::Role;

    fn session() -> Vec<Passage> {
        let call = |path: &str, value: &str| {
            let leaf = ArgumentLeaf {
                path: path.to_owned(),
                value: value.to_owned(),
            };
            Passage::new(
                Role::Assistant,
                String::new(),
                vec![PassageCall {
                    name: "book".to_owned(),
                    leaves: vec![leaf],
                }],
            )
        };
        let said = |role, text: &str| Passage::new(role, text.to_owned(), Vec::new());
        vec![
            said(Role::User, "Book HAT175 and HAT084, no insurance"),
            call("path", "/notes/a.md"),
            said(
                Role::Tool,
                "{\"payment\": \"card_77\", \"other\": \"card_88\"}\nKeyError: 'pay_9'",
            ),
            said(Role::Assistant, "HAT084?"),
            call("flight_number", "HAT175"),
            said(Role::Tool, "now card_88"),
            call("payment_id", "card_77"),
            said(Role::Assistant, "card_88 and HAT084 it is"),
        ]
    }

    #[test]
    fn only_what_nobody_says_again_is_needed() {
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
    fn present_linked_and_faithful() {
        let needs = FutureNeeds::from_cut(
            &session(),
            SessionCut {
                head: 0,
                tail: 3,
                end: 4,
            },
        );
        let scores = RetentionScores::measure(
            &needs,
            "flight: HAT175\nalso: card_77 made_up_1\nno insurance",
        );
        assert_eq!(scores.recall, KeptRatio { kept: 2, of: 2 });
        assert_eq!(scores.linked, KeptRatio { kept: 1, of: 2 });
        assert_eq!(scores.faithful, KeptRatio { kept: 2, of: 3 });
        assert_eq!((scores.files.kept, scores.errors.kept), (0, 0));
        assert_eq!(scores.user, KeptRatio { kept: 2, of: 4 });
        assert_eq!(
            RetentionScores::measure(&needs, "HAT1750 card_777")
                .recall
                .kept,
            0
        );
    }
}
