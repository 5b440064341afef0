//! The sums over all entries, and the few entries worth naming: what every
//! summary view shows. Its size does not grow with the input.

use crate::plan::Stage;
use crate::report::conversions::{Conversions, ConvertedTotals};
use crate::report::{RedactionCounts, SummaryUsageTotals, TranscriptReport, TranscriptStatus};
use crate::retention::RetentionScores;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::AddAssign;

/// How many of the largest savings and of the failures are named.
const NAMED: usize = 20;

/// Sums over transcripts.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunTotals {
    /// Transcripts read.
    pub transcripts: u64,
    /// Changed.
    pub compacted: u64,
    /// Left as they were.
    pub unchanged: u64,
    /// Failed, records that could not be read included.
    pub failed: u64,
    /// Messages as logged.
    pub messages_before: u64,
    /// Messages in the output.
    pub messages_after: u64,
    /// Tokens as logged.
    pub tokens_before: u64,
    /// Tokens in the output.
    pub tokens_after: u64,
    /// Who counted the tokens.
    pub counters: BTreeSet<&'static str>,
    /// Results over a limit that is left.
    pub over_limit: u64,
    /// What each stage did.
    pub stages: BTreeMap<Stage, StageTotals>,
    /// What a model was asked; left out where none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<SummaryUsageTotals>,
    /// Transcripts that left in another format; left out where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub converted: Option<ConvertedTotals>,
    /// Secrets masked; left out where nothing was to be masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redacted: Option<RedactionCounts>,
    /// What summaries kept of what came after them, where that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<RetentionScores>,
}

/// What one stage did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StageTotals {
    /// In how many transcripts.
    pub transcripts: u64,
    /// Results evicted, arguments cut, results pruned, messages summarised; of stage overflow one a transcript.
    pub edits: u64,
    /// Tokens less than before the stage; can be negative where growth is allowed.
    pub tokens_saved: i64,
}

impl AddAssign<&Self> for RunTotals {
    fn add_assign(&mut self, other: &Self) {
        self.transcripts += other.transcripts;
        self.compacted += other.compacted;
        self.unchanged += other.unchanged;
        self.failed += other.failed;
        self.messages_before += other.messages_before;
        self.messages_after += other.messages_after;
        self.tokens_before += other.tokens_before;
        self.tokens_after += other.tokens_after;
        self.counters.extend(&other.counters);
        self.over_limit += other.over_limit;
        if let Some(scores) = other.recall {
            *self.recall.get_or_insert_default() += scores;
        }
        for (stage, sums) in &other.stages {
            let mine = self.stages.entry(*stage).or_default();
            mine.transcripts += sums.transcripts;
            mine.edits += sums.edits;
            mine.tokens_saved += sums.tokens_saved;
        }
        if let Some(asked) = &other.asked {
            *self.asked.get_or_insert_default() += asked;
        }
        if let Some(converted) = &other.converted {
            *self.converted.get_or_insert_default() += converted;
        }
        if let Some(redacted) = other.redacted {
            *self.redacted.get_or_insert_default() += redacted;
        }
    }
}

impl RunTotals {
    fn of(entry: &TranscriptReport) -> Self {
        let mut totals = Self {
            transcripts: 1,
            compacted: u64::from(entry.status == TranscriptStatus::Compacted),
            unchanged: u64::from(entry.status == TranscriptStatus::Unchanged),
            failed: u64::from(entry.status == TranscriptStatus::Failed),
            messages_before: entry.messages_before as u64,
            messages_after: entry.messages_after as u64,
            tokens_before: entry.tokens_before as u64,
            tokens_after: entry.tokens_after as u64,
            // What could not be read was counted by nobody.
            counters: (entry.tokens_before > 0)
                .then_some(entry.counter)
                .into_iter()
                .collect(),
            recall: entry.recall,
            ..Self::default()
        };
        if let Some(asked) = &entry.asked {
            *totals.asked.get_or_insert_default() += asked;
        }
        totals.redacted = entry.redacted;
        totals.converted = entry.converted.as_ref().map(ConvertedTotals::of);
        if entry.status != TranscriptStatus::Compacted {
            return totals;
        }
        // What shrinks further ends with the same summary.
        let shrunk = entry
            .reasons
            .iter()
            .any(|reason| reason.stage == Stage::Overflow && reason.applies);
        for reason in entry.reasons.iter().filter(|reason| reason.applies) {
            // A summary's own text is known only now.
            let (edits, after) = match reason.stage {
                Stage::Evict => (entry.evicted.len(), reason.tokens_after),
                Stage::Truncate => (entry.truncated_args, reason.tokens_after),
                Stage::Prune => (entry.pruned, reason.tokens_after),
                Stage::Summarize => (
                    entry.summarized_messages,
                    if shrunk {
                        reason.tokens_after
                    } else {
                        entry.tokens_after
                    },
                ),
                Stage::Overflow => (1, entry.tokens_after),
            };
            let sums = StageTotals {
                transcripts: 1,
                edits: edits as u64,
                tokens_saved: reason.tokens_before as i64 - after as i64,
            };
            totals.stages.insert(reason.stage, sums);
        }
        totals
    }
}

/// Totals and the entries worth naming.
#[derive(Debug, Clone, Default)]
pub struct RunDigest {
    /// The sums.
    pub totals: RunTotals,
    /// The largest savings: tokens, thread, place, counter, tokens before and after.
    pub largest: Vec<Saving>,
    /// The first failures: place and error.
    pub failures: Vec<(String, String)>,
    /// What conversions left out and changed, by kind.
    pub conversions: Conversions,
}

/// One transcript that got smaller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saving {
    /// Tokens less than before.
    pub saved: usize,
    /// Its id.
    pub thread_id: String,
    /// File and line.
    pub place: String,
    /// Who counted.
    pub counter: &'static str,
    /// Tokens before and after.
    pub tokens: [usize; 2],
}

impl RunDigest {
    /// Adds one entry; `over` is whether its result exceeds a limit.
    pub fn add(&mut self, entry: &TranscriptReport, over: bool) {
        let mut totals = RunTotals::of(entry);
        totals.over_limit = u64::from(over);
        self.totals += &totals;
        let place = format!("{}:{}", entry.file, entry.line);
        entry
            .converted
            .iter()
            .for_each(|converted| self.conversions.add(&entry.file, converted));
        if let Some(error) = &entry.error
            && self.failures.len() < NAMED
        {
            self.failures.push((place.clone(), error.clone()));
        }
        let saved = entry.tokens_before.saturating_sub(entry.tokens_after);
        if entry.status == TranscriptStatus::Compacted && saved > 0 {
            let thread_id = entry.thread_id.clone().unwrap_or_default();
            // Behind its equals, so that the first in input order is named.
            let at = self.largest.partition_point(|other| other.saved >= saved);
            self.largest.insert(
                at,
                Saving {
                    saved,
                    thread_id,
                    place,
                    counter: entry.counter,
                    tokens: [entry.tokens_before, entry.tokens_after],
                },
            );
            self.largest.truncate(NAMED);
        }
    }

    /// Adds a part that was summed by itself.
    pub fn merge(&mut self, part: Self) {
        self.totals += &part.totals;
        self.conversions.merge(part.conversions);
        self.failures.extend(part.failures);
        self.failures.truncate(NAMED);
        for saving in part.largest {
            let at = self
                .largest
                .partition_point(|other| other.saved >= saving.saved);
            self.largest.insert(at, saving);
        }
        self.largest.truncate(NAMED);
    }
}
