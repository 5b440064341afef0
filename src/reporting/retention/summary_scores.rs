//! Scores a summary alone, without the messages that stay beside it.

use crate::base::sums::add_fields;
use crate::reporting::retention::identifiers::{content_words, find_identifiers};
use crate::reporting::retention::ratio::{KeptRatio, MeanRatio};
use crate::reporting::retention::summary_needs::SummaryNeeds;
use crate::reporting::retention::word_search::{contains_each, visit_occurrences};
use serde::Serialize;
use std::collections::BTreeSet;

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
