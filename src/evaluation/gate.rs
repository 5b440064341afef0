//! Figures that must be reached: `--fail-under METRIC=SHARE`.

use crate::retention::{METRICS, RetentionMetric};
use thiserror::Error;

/// The reason why a `--fail-under` can't be used.
#[derive(Debug, Error)]
pub(crate) enum GateError {
    /// It has no `=`.
    #[error("--fail-under {0}: expected METRIC=SHARE, such as recall=0.9")]
    NoShare(String),
    /// It names no figure of an evaluation.
    #[error(
        "--fail-under {text}: no figure is called {name}; there are {}",
        metric_names()
    )]
    UnknownMetric {
        /// The option as it was given.
        text: String,
        /// The name.
        name: String,
    },
    /// The share is out of range, or no number.
    #[error("--fail-under {0}: the share must be a number from 0 to 1")]
    InvalidShare(String),
}

/// Returns the names of all figures, for people.
fn metric_names() -> String {
    let names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
    names.join(", ")
}

/// A figure and the least share that it must reach.
pub(crate) struct RetentionGate {
    /// The figure.
    pub metric: &'static RetentionMetric,
    /// The least share, from 0 to 1.
    pub share: f64,
}

impl RetentionGate {
    /// Parses `METRIC=SHARE`.
    ///
    /// # Errors
    /// Fails if there is no such figure, or the share is no number from 0 to 1.
    pub(crate) fn parse(text: &str) -> Result<Self, GateError> {
        let (name, share) = text
            .split_once('=')
            .ok_or_else(|| GateError::NoShare(text.to_owned()))?;
        let metric = METRICS
            .iter()
            .find(|metric| metric.name == name)
            .ok_or_else(|| GateError::UnknownMetric {
                text: text.to_owned(),
                name: name.to_owned(),
            })?;
        let share = share.parse().ok();
        let share = share
            .filter(|share| (0.0..=1.0).contains(share))
            .ok_or_else(|| GateError::InvalidShare(text.to_owned()))?;
        Ok(Self { metric, share })
    }
}
