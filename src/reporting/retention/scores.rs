//! Scores what a compaction kept of what was needed, and its summary alone, without the messages
//! that stay beside it.

use crate::base::sums::add_fields;
use crate::reporting::retention::identifiers::{content_words, find_identifiers};
use crate::reporting::retention::ratio::{KeptRatio, MeanRatio};
use crate::reporting::retention::summary_needs::SummaryNeeds;
use crate::reporting::retention::word_search::{
    contains_each, contains_each_string, visit_occurrences,
};
use crate::reporting::retention::{
    cut::CompactedText, needs::FutureNeeds, questions::AnswerScores,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The bytes before a value in which a keyword counts as beside it.
const KEYWORD_BEFORE: usize = 160;
/// The bytes after a value in which a keyword counts as beside it.
const KEYWORD_AFTER: usize = 60;

/// The scores of one compaction, or the sums over several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct RetentionScores {
    /// Needed references.
    pub recall: KeptRatio,
    /// Needed references in arguments of calls.
    pub arguments: KeptRatio,
    /// Needed references in arguments of calls that are beside a keyword of theirs.
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
    /// The answers to questions, where some are asked: not of a report.
    #[serde(skip)]
    pub answers: AnswerScores,
}

impl RetentionScores {
    /// Scores the text that is left after a compaction.
    pub(crate) fn measure(needs: &FutureNeeds, text: &CompactedText) -> Self {
        let left = text.whole();
        let lower = left.to_lowercase();
        let words: BTreeSet<String> = content_words(&left).collect();
        let named: BTreeSet<String> = find_identifiers(&left).collect();
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let kept = |identifiers: &mut dyn Iterator<Item = &String>| {
            let identifiers: Vec<&str> = identifiers.map(String::as_str).collect();
            KeptRatio::from_kept(contains_each(&identifiers, &lower).into_iter())
        };
        let signed: BTreeSet<&str> = needs.errors.iter().flatten().map(String::as_str).collect();
        let signed: Vec<&str> = signed.into_iter().collect();
        let is_kept = contains_each(&signed, &lower);
        let is_kept = |identifier: &String| {
            let at = signed.binary_search(&identifier.as_str());
            at.is_ok_and(|at| is_kept[at])
        };
        Self {
            recall: kept(&mut needs.references.iter()),
            arguments: kept(&mut needs.arguments.keys()),
            linked: KeptRatio::from_kept(linked_arguments(&lower, &needs.arguments).into_iter()),
            user: KeptRatio::from_kept(needs.words.iter().map(|word| words.contains(word))),
            errors: KeptRatio::from_kept(
                needs.errors.iter().map(|signature| signature.iter().all(is_kept)),
            ),
            files: kept(&mut needs.files.iter()),
            faithful: KeptRatio::from_kept(contains_each_string(&named, &needs.source).into_iter()),
            alone: SummaryScores::measure(&needs.alone, &text.summary()),
            answers: AnswerScores::default(),
        }
    }
}

add_fields!(RetentionScores: recall, arguments, linked, user, errors, files, faithful, alone, answers);

/// Returns true for each identifier that `text` contains with one of its keywords near it on the
/// same line. An identifier without keywords only needs to occur. All is in lowercase.
fn linked_arguments(text: &str, arguments: &BTreeMap<String, BTreeSet<String>>) -> Vec<bool> {
    let identifiers: Vec<&str> = arguments.keys().map(String::as_str).collect();
    let keywords: Vec<&BTreeSet<String>> = arguments.values().collect();
    let mut is_linked = vec![false; identifiers.len()];
    visit_occurrences(&identifiers, text, |number, at| {
        if !is_linked[number] {
            let end = at + identifiers[number].len();
            is_linked[number] =
                keywords[number].is_empty() || has_keyword_near(text, at, end, keywords[number]);
        }
    });
    is_linked
}

/// Returns true if a keyword is near the part of a text from `at` to `end`, on the same line.
fn has_keyword_near(text: &str, at: usize, end: usize, keywords: &BTreeSet<String>) -> bool {
    // Lines can be as long as the text, and have many parts: no more than is near is looked at.
    let mut start = at.saturating_sub(KEYWORD_BEFORE);
    start = text.ceil_char_boundary(start).min(at);
    let mut before = &text[start..at];
    before = before.rsplit('\n').next().unwrap_or(before);
    let stop = text.floor_char_boundary((end + KEYWORD_AFTER).min(text.len()));
    let mut after = &text[end..stop.max(end)];
    after = after.split('\n').next().unwrap_or(after);
    keywords
        .iter()
        .any(|keyword| before.contains(keyword.as_str()) || after.contains(keyword.as_str()))
}

/// The words for which a request counts at most: a summary may shorten a longer one.
const SHORT_REQUEST: u64 = 60;

/// The scores of one summary, or the sums over several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SummaryScores {
    /// Future calls that need several references, out of those: all of them are on one line.
    pub joined: KeptRatio,
    /// Content words of the first request, which counts for 60 words at most.
    pub goal_first60: MeanRatio,
    /// Content words of the last request, where there are several; it counts for 60 words at most.
    pub goal_last60: MeanRatio,
    /// Identifiers of the summary, from the compacted messages, that the assistant writes later.
    pub used: KeptRatio,
    /// Paths listed as read or written that nothing read or wrote.
    pub false_reads: KeptRatio,
}

impl SummaryScores {
    /// Scores the text of a summary.
    pub(super) fn measure(needs: &SummaryNeeds, summary: &str) -> Self {
        let lower = summary.to_lowercase();
        let words: BTreeSet<String> = content_words(summary).collect();
        let kept_words = |request: &BTreeSet<String>| {
            KeptRatio::from_kept(request.iter().map(|word| words.contains(word)))
        };
        let first = kept_words(&needs.requests.first);
        let last = kept_words(&needs.requests.last);
        let named: BTreeSet<String> = find_identifiers(summary).collect();
        let named: Vec<&str> = named.iter().map(String::as_str).collect();
        let is_taken = contains_each(&named, &needs.compacted).into_iter();
        let taken: Vec<&str> = named
            .iter()
            .zip(is_taken)
            .filter_map(|(identifier, is_taken)| is_taken.then_some(*identifier))
            .collect();
        Self {
            joined: KeptRatio::from_kept(joined_calls(&needs.joint_calls, &lower).into_iter()),
            goal_first60: MeanRatio::from_cut(first.capped(SHORT_REQUEST)),
            goal_last60: MeanRatio::from_cut(last.capped(SHORT_REQUEST)),
            used: KeptRatio::from_kept(contains_each(&taken, &needs.written_later).into_iter()),
            false_reads: needs.files.false_claims(summary),
        }
    }
}

/// Returns true for each call whose references are all on one line of a summary.
fn joined_calls(calls: &[BTreeSet<String>], summary: &str) -> Vec<bool> {
    let references: BTreeSet<&str> = calls.iter().flatten().map(String::as_str).collect();
    let references: Vec<&str> = references.into_iter().collect();
    let line_ends: Vec<usize> = memchr::memchr_iter(b'\n', summary.as_bytes()).collect();
    // The lines that hold each reference.
    let mut lines_of: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); references.len()];
    visit_occurrences(&references, summary, |number, at| {
        lines_of[number].insert(line_ends.partition_point(|end| *end < at));
    });
    let lines_of = |reference: &String| {
        let number = references.binary_search(&reference.as_str());
        number.ok().map(|number| &lines_of[number])
    };
    let is_joined = |call: &BTreeSet<String>| {
        let Some(lines) = call.iter().map(lines_of).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let rarest = lines.iter().min_by_key(|lines| lines.len());
        rarest.is_some_and(|rarest| {
            let mut common = rarest.iter();
            common.any(|line| lines.iter().all(|lines| lines.contains(line)))
        })
    };
    calls.iter().map(is_joined).collect()
}

add_fields!(SummaryScores: joined, goal_first60, goal_last60, used, false_reads);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::transcript::Role;
    use crate::reporting::retention::{cut::SessionCut, passage::Passage};

    fn session() -> Vec<Passage> {
        let call = |path, value| Passage::calling("book", &[(path, value)]);
        let message = Passage::said;
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
        let needs = FutureNeeds::from_cut(&session(), SessionCut { head: 0, tail: 3, end: 4 });
        assert_eq!(needs.references.iter().collect::<Vec<_>>(), ["card_77", "hat175"]);
        assert_eq!(needs.arguments["hat175"].iter().collect::<Vec<_>>(), ["flight"]);
        assert_eq!(needs.files.iter().collect::<Vec<_>>(), ["/notes/a.md"]);
        assert_eq!(needs.errors.iter().next().unwrap(), &["keyerror", "pay_9"]);
        assert!(needs.words.contains("insurance"));
    }

    #[test]
    fn kept_linked_and_faithful_identifiers_are_counted() {
        let needs = FutureNeeds::from_cut(&session(), SessionCut { head: 0, tail: 3, end: 4 });
        let left = |text: &str| CompactedText::new(vec![text.to_owned()], &[]);
        let text = left("flight: HAT175\nalso: card_77 made_up_1\nno insurance");
        let scores = RetentionScores::measure(&needs, &text);
        assert_eq!(scores.recall, KeptRatio { kept: 2, total: 2 });
        assert_eq!(scores.linked, KeptRatio { kept: 1, total: 2 });
        assert_eq!(scores.faithful, KeptRatio { kept: 2, total: 3 });
        assert_eq!((scores.files.kept, scores.errors.kept), (0, 0));
        assert_eq!(scores.user, KeptRatio { kept: 2, total: 4 });
        assert_eq!(RetentionScores::measure(&needs, &left("HAT1750 card_777")).recall.kept, 0);
    }
}
