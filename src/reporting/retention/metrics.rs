//! The table of retention metrics: their names, what they look at, and which way is better; and the
//! bootstrap intervals of their shares over sessions.

use crate::base::sums::add_fields;
use crate::reporting::retention::ratio::{KeptRatio, MeanRatio};
use crate::reporting::retention::scores::RetentionScores;
use std::sync::LazyLock;

/// The text that a metric looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetricScope {
    /// The summary and the messages that count as seen beside it.
    SummaryAndTail,
    /// The summary alone.
    Summary,
    /// The summary alone, by questions that were asked.
    Questions,
}

impl MetricScope {
    /// Returns the name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SummaryAndTail => "summary_and_tail",
            Self::Summary | Self::Questions => "summary",
        }
    }
}

/// The direction in which a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BetterShare {
    /// A higher share is better.
    Higher,
    /// A lower share is better.
    Lower,
}

pub(crate) struct RetentionMetric {
    /// The name in JSON and for `--fail-under`.
    pub name: &'static str,
    /// The name in tables.
    pub label: &'static str,
    /// What the share counts, for people.
    pub meaning: &'static str,
    /// The text that it looks at.
    pub scope: MetricScope,
    /// The direction in which it is better.
    pub better: BetterShare,
    /// True if tables show it without being asked for all.
    pub is_brief: bool,
    /// Returns its value for one session.
    pub value: ValueOf,
}

type ValueOf = fn(&RetentionScores) -> MetricValue;

/// Returns where the value of a metric is; none if no metric has the name.
fn value_of(name: &str) -> Option<ValueOf> {
    Some(match name {
        "recall" => |scores| scores.recall.into(),
        "arguments" => |scores| scores.arguments.into(),
        "linked" => |scores| scores.linked.into(),
        "user" => |scores| scores.user.into(),
        "errors" => |scores| scores.errors.into(),
        "files" => |scores| scores.files.into(),
        "faithful" => |scores| scores.faithful.into(),
        "joined" => |scores| scores.alone.joined.into(),
        "goal_first60" => |scores| scores.alone.goal_first60.into(),
        "goal_last60" => |scores| scores.alone.goal_last60.into(),
        "used" => |scores| scores.alone.used.into(),
        "false_reads" => |scores| scores.alone.false_reads.into(),
        "answered" => |scores| scores.answers.answered.into(),
        "misleading" => |scores| scores.answers.misleading.into(),
        _ => return None,
    })
}

impl RetentionMetric {
    fn from_line(line: &'static str) -> Option<Self> {
        let mut cells = line.split(" | ");
        let name = cells.next()?;
        Some(Self {
            name,
            is_brief: match cells.next()? {
                "brief" => true,
                "full" => false,
                _ => return None,
            },
            scope: match cells.next()? {
                "whole" => MetricScope::SummaryAndTail,
                "summary" => MetricScope::Summary,
                "questions" => MetricScope::Questions,
                _ => return None,
            },
            better: match cells.next()? {
                "more" => BetterShare::Higher,
                "less" => BetterShare::Lower,
                _ => return None,
            },
            label: cells.next()?,
            meaning: cells.next()?,
            value: value_of(name)?,
        })
    }

    /// Returns its line in the legend of a table.
    pub(crate) fn legend(&self) -> String {
        let better = match self.better {
            BetterShare::Higher => "More",
            BetterShare::Lower => "Less",
        };
        let Self { label, name, meaning, .. } = self;
        format!("{label} ({name}): {meaning}. {better} is better.")
    }
}

/// The value of a metric: counts, and the share that follows from them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct MetricValue {
    /// The counts, of all cuts together.
    pub counts: KeptRatio,
    /// The numerator of the share: kept items, or the sum of the shares of cuts.
    pub part: f64,
    /// The denominator of the share: all items, or the number of cuts.
    pub whole: f64,
}

impl MetricValue {
    /// Returns the share, from 0 to 1. Returns `None` if there is nothing that it is a share of.
    pub(crate) fn share(self) -> Option<f64> {
        (self.whole > 0.0).then(|| self.part / self.whole)
    }
}

add_fields!(MetricValue: counts, part, whole);

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
impl From<KeptRatio> for MetricValue {
    fn from(counts: KeptRatio) -> Self {
        Self { counts, part: counts.kept as f64, whole: counts.total as f64 }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
impl From<MeanRatio> for MetricValue {
    fn from(mean: MeanRatio) -> Self {
        Self { counts: mean.counts, part: mean.shares, whole: mean.cuts as f64 }
    }
}

/// The name of each metric, whether tables show it unasked, what it looks at, which way is better, its
/// name in tables, and what it counts. `docs/reference/summaries.md` defines them.
const TABLE: &str = include_str!("metrics.txt");

/// All metrics, in the order of reports.
pub(crate) static METRICS: LazyLock<Vec<RetentionMetric>> =
    LazyLock::new(|| TABLE.lines().filter_map(RetentionMetric::from_line).collect());

/// The number of resamples for one interval.
const RESAMPLES: usize = 1000;
/// The seed of the random numbers. It is fixed, so that the same log gives the same interval.
const SEED: u64 = 1;

/// The bounds of a 95 % confidence interval.
pub(crate) type ConfidenceInterval = [f64; 2];

/// Returns the 95 % bootstrap interval of the share over all sessions.
///
/// Whole sessions are resampled, because the cuts of a session depend on each
/// other. Returns `None` if fewer than two sessions needed anything.
pub(crate) fn bootstrap_interval(sessions: &[MetricValue]) -> Option<ConfidenceInterval> {
    if sessions.iter().filter(|session| session.whole > 0.0).count() < 2 {
        return None;
    }
    let mut state = SEED;
    let mut shares: Vec<f64> =
        (0..RESAMPLES).filter_map(|_| resampled_share(sessions, &mut state)).collect();
    shares.sort_unstable_by(f64::total_cmp);
    Some([quantile(&shares, 25)?, quantile(&shares, 975)?])
}

/// Returns the share over as many sessions, drawn with replacement.
fn resampled_share(sessions: &[MetricValue], state: &mut u64) -> Option<f64> {
    let mut sum = MetricValue::default();
    for _ in sessions {
        sum += sessions[next_below(state, sessions.len())];
    }
    sum.share()
}

/// Returns the value at a quantile, in thousandths, of sorted values.
fn quantile(sorted: &[f64], thousandths: usize) -> Option<f64> {
    sorted.get(thousandths * sorted.len() / 1000).or(sorted.last()).copied()
}

/// Returns the next random number below `limit`, by splitmix64.
///
/// The bias of the remainder is below 2^-40 for any log.
#[expect(clippy::cast_possible_truncation, reason = "the remainder is below a usize")]
fn next_below(state: &mut u64, limit: usize) -> usize {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 31)) % limit as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_metric() {
        assert_eq!(METRICS.len(), TABLE.lines().count());
    }

    #[test]
    fn intervals_contain_the_share_and_narrow_with_more_sessions() {
        let ratios = |sessions: u64| {
            (0..sessions)
                .map(|at| MetricValue::from(KeptRatio { kept: at % 4, total: 4 }))
                .collect::<Vec<_>>()
        };
        let [wide, narrow] =
            [ratios(8), ratios(400)].map(|sessions| bootstrap_interval(&sessions).unwrap());
        assert!(wide[0] < 0.375 && 0.375 < wide[1] && narrow[0] < 0.375 && 0.375 < narrow[1]);
        assert!(narrow[1] - narrow[0] < (wide[1] - wide[0]) / 3.0);
        assert_eq!(bootstrap_interval(&ratios(8)), Some(wide));
        assert_eq!(bootstrap_interval(&ratios(1)), None);
    }
}
