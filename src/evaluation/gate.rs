//! Figures that must be reached: `--fail-under METRIC=SHARE`.

use crate::retention::{METRICS, RetentionMetric};
use anyhow::{Context, Result, bail};

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
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let (name, share) = text.split_once('=').with_context(|| {
            format!("--fail-under {text}: expected METRIC=SHARE, such as recall=0.9")
        })?;
        let Some(metric) = METRICS.iter().find(|metric| metric.name == name) else {
            let names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
            bail!(
                "--fail-under {text}: no figure is called {name}; there are {}",
                names.join(", ")
            );
        };
        let share = share.parse().ok();
        let Some(share) = share.filter(|share| (0.0..=1.0).contains(share)) else {
            bail!("--fail-under {text}: the share must be a number from 0 to 1")
        };
        Ok(Self { metric, share })
    }
}
