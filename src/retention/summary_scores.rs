//! Scores a summary alone, without the messages that stay beside it.

use crate::retention::identifiers::{content_words, find_identifiers};
use crate::retention::mean_ratio::MeanRatio;
use crate::retention::ratio::KeptRatio;
use crate::retention::summary_needs::SummaryNeeds;
use crate::retention::word_search::contains_identifier;
use serde::Serialize;
use std::collections::BTreeSet;
use std::ops::AddAssign;

/// The words for which a request counts at most in the figures that allow it to be shortened.
const SHORT_REQUEST: u64 = 60;

/// The scores of one summary, or the sums over several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct SummaryScores {
    /// Future calls that need several references, out of those: all of them are on one line.
    pub joined: KeptRatio,
    /// Content words of the first request.
    pub goal_first: MeanRatio,
    /// Content words of the last request, where there are several.
    pub goal_last: MeanRatio,
    /// Content words of the first request, which counts for 60 words at most.
    pub goal_first60: MeanRatio,
    /// Content words of the last request, which counts for 60 words at most.
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
        let taken: BTreeSet<String> = find_identifiers(summary)
            .filter(|identifier| contains_identifier(&needs.compacted, identifier))
            .collect();
        let is_joined = |references: &BTreeSet<String>| {
            lower.split('\n').any(|line| {
                references
                    .iter()
                    .all(|reference| contains_identifier(line, reference))
            })
        };
        Self {
            joined: KeptRatio::from_kept(needs.joint_calls.iter().map(is_joined)),
            goal_first: MeanRatio::from_cut(first),
            goal_last: MeanRatio::from_cut(last),
            goal_first60: MeanRatio::from_cut(first.capped(SHORT_REQUEST)),
            goal_last60: MeanRatio::from_cut(last.capped(SHORT_REQUEST)),
            used: KeptRatio::from_kept(
                taken
                    .iter()
                    .map(|identifier| contains_identifier(&needs.written_later, identifier)),
            ),
            false_reads: needs.files.false_claims(summary),
        }
    }
}

impl AddAssign for SummaryScores {
    fn add_assign(&mut self, other: Self) {
        self.joined += other.joined;
        self.goal_first += other.goal_first;
        self.goal_last += other.goal_last;
        self.goal_first60 += other.goal_first60;
        self.goal_last60 += other.goal_last60;
        self.used += other.used;
        self.false_reads += other.false_reads;
    }
}
