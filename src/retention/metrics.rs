//! The table of retention metrics: their names, what they look at, and which way is better.

use crate::retention::mean_ratio::MeanRatio;
use crate::retention::ratio::KeptRatio;
use crate::retention::scores::RetentionScores;
use std::ops::AddAssign;

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
    /// The scopes of what is always measured, in the order of reports.
    pub(crate) const MEASURED: [Self; 2] = [Self::SummaryAndTail, Self::Summary];

    /// Returns the name in JSON.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SummaryAndTail => "summary_and_tail",
            Self::Summary | Self::Questions => "summary",
        }
    }

    /// Returns the heading above the figures of this scope.
    #[must_use]
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::SummaryAndTail => "Summary with the last messages before the cut",
            Self::Summary => "Summary alone",
            Self::Questions => "Questions that the summary answers",
        }
    }

    /// Iterates over the metrics of this scope, in the order of reports.
    pub(crate) fn metrics(self) -> impl Iterator<Item = &'static RetentionMetric> {
        METRICS.iter().filter(move |metric| metric.scope == self)
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

/// A retention metric.
pub(crate) struct RetentionMetric {
    /// The name in JSON and for `--fail-under`.
    pub name: &'static str,
    /// The text that it looks at.
    pub scope: MetricScope,
    /// The direction in which it is better.
    pub better: BetterShare,
    /// Returns the value of the metric.
    pub value: fn(&RetentionScores) -> MetricValue,
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
    #[must_use]
    pub(crate) fn share(self) -> Option<f64> {
        (self.whole > 0.0).then(|| self.part / self.whole)
    }
}

impl AddAssign for MetricValue {
    fn add_assign(&mut self, other: Self) {
        self.counts += other.counts;
        self.part += other.part;
        self.whole += other.whole;
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
impl From<KeptRatio> for MetricValue {
    fn from(counts: KeptRatio) -> Self {
        Self {
            counts,
            part: counts.kept as f64,
            whole: counts.total as f64,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
impl From<MeanRatio> for MetricValue {
    fn from(mean: MeanRatio) -> Self {
        Self {
            counts: mean.counts,
            part: mean.shares,
            whole: mean.cuts as f64,
        }
    }
}

const fn of_whole(
    name: &'static str,
    value: fn(&RetentionScores) -> MetricValue,
) -> RetentionMetric {
    RetentionMetric {
        name,
        scope: MetricScope::SummaryAndTail,
        better: BetterShare::Higher,
        value,
    }
}

const fn of_summary(
    name: &'static str,
    value: fn(&RetentionScores) -> MetricValue,
) -> RetentionMetric {
    RetentionMetric {
        scope: MetricScope::Summary,
        ..of_whole(name, value)
    }
}

/// All metrics, in the order of reports. `docs/reference/summaries.md` defines them.
pub(crate) static METRICS: &[RetentionMetric] = &[
    of_whole("recall", |scores| scores.recall.into()),
    of_whole("arguments", |scores| scores.arguments.into()),
    of_whole("linked", |scores| scores.linked.into()),
    of_whole("user", |scores| scores.user.into()),
    of_whole("errors", |scores| scores.errors.into()),
    of_whole("files", |scores| scores.files.into()),
    of_whole("faithful", |scores| scores.faithful.into()),
    of_summary("joined", |scores| scores.alone.joined.into()),
    of_summary("goal_first", |scores| scores.alone.goal_first.into()),
    of_summary("goal_last", |scores| scores.alone.goal_last.into()),
    of_summary("goal_first60", |scores| scores.alone.goal_first60.into()),
    of_summary("goal_last60", |scores| scores.alone.goal_last60.into()),
    of_summary("used", |scores| scores.alone.used.into()),
    RetentionMetric {
        better: BetterShare::Lower,
        ..of_summary("false_reads", |scores| scores.alone.false_reads.into())
    },
    RetentionMetric {
        scope: MetricScope::Questions,
        ..of_summary("answered", |scores| scores.answers.answered.into())
    },
    RetentionMetric {
        scope: MetricScope::Questions,
        better: BetterShare::Lower,
        ..of_summary("misleading", |scores| scores.answers.misleading.into())
    },
];
