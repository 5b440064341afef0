//! Figures that must be reached: `--fail-under METRIC=SHARE`.

use crate::reporting::retention::{BetterShare, METRICS, MetricValue, RetentionMetric};
use anyhow::{Context, Result, bail};

/// A figure and the share that it must reach.
pub(crate) struct RetentionGate {
    pub metric: &'static RetentionMetric,
    /// The least share, from 0 to 1; the highest, if a lower share is better.
    share: f64,
}

impl RetentionGate {
    /// Parses `METRIC=SHARE`. Fails if there is no such figure, or the share is no number from 0 to
    /// 1.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let Some((name, share)) = text.split_once('=') else {
            bail!("--fail-under {text}: expected METRIC=SHARE, such as recall=0.9");
        };
        let metric = METRICS.iter().find(|metric| metric.name == name).with_context(|| {
            let names: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
            format!(
                "--fail-under {text}: no figure is called {name}; there are {}",
                names.join(", ")
            )
        })?;
        match share.parse() {
            Ok(share) if (0.0..=1.0).contains(&share) => Ok(Self { metric, share }),
            _ => bail!("--fail-under {text}: the share must be a number from 0 to 1"),
        }
    }

    /// Parses the gates of a command line. Fails if one of them can't be parsed.
    pub(crate) fn parse_all(texts: &[String]) -> Result<Vec<Self>> {
        texts.iter().map(|text| Self::parse(text)).collect()
    }

    /// Returns a complaint if a value does not pass, or if there is none.
    ///
    /// `unmeasured` says why nothing was measured, or else in what. Where that is known, a figure
    /// of which less is better passes without a value: nothing was wrong.
    pub(crate) fn complaint(
        &self,
        subject: &str,
        value: MetricValue,
        unmeasured: impl FnOnce() -> Result<String, String>,
    ) -> Option<String> {
        let (name, share) = (self.metric.name, self.share);
        let Some(got) = value.share() else {
            let why = match (unmeasured(), self.metric.better) {
                (Ok(why), _) => why,
                (Err(_), BetterShare::Lower) => return None,
                (Err(place), BetterShare::Higher) => {
                    format!("there is nothing to measure it on in {place}")
                }
            };
            let wanted = match self.metric.better {
                BetterShare::Higher => "more",
                BetterShare::Lower => "less",
            };
            return Some(format!(
                "{subject}: {name} could not be measured, so it is not {share} or {wanted}: {why}"
            ));
        };
        match self.metric.better {
            BetterShare::Higher if got < share => {
                Some(format!("{subject}: {name} is {got:.3}, less than {share}"))
            }
            BetterShare::Lower if got > share => {
                Some(format!("{subject}: {name} is {got:.3}, more than {share}"))
            }
            BetterShare::Higher | BetterShare::Lower => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(gate: &str, part: f64, whole: f64) -> Option<String> {
        let value = MetricValue { part, whole, ..MetricValue::default() };
        let gate = RetentionGate::parse(gate).unwrap();
        gate.complaint("extract", value, || Err("3 cuts".to_owned()))
    }

    #[test]
    fn a_gate_holds_in_the_direction_of_its_figure() {
        assert_eq!(complaint("used=0.5", 1.0, 2.0), None);
        assert_eq!(
            complaint("used=0.5", 1.0, 4.0).unwrap(),
            "extract: used is 0.250, less than 0.5"
        );
        assert_eq!(complaint("false_reads=0", 0.0, 4.0), None);
        assert_eq!(
            complaint("false_reads=0", 1.0, 4.0).unwrap(),
            "extract: false_reads is 0.250, more than 0"
        );
    }

    #[test]
    fn what_can_not_be_measured_passes_only_if_less_is_better() {
        assert_eq!(complaint("false_reads=0", 0.0, 0.0), None);
        assert_eq!(
            complaint("joined=0", 0.0, 0.0).unwrap(),
            "extract: joined could not be measured, so it is not 0 or more: there is nothing to measure it on in 3 cuts"
        );
        let gate = RetentionGate::parse("false_reads=0").unwrap();
        let failed = || Ok("all 2 compactions failed".to_owned());
        let complaint = gate.complaint("extract", MetricValue::default(), failed);
        assert!(complaint.unwrap().ends_with("all 2 compactions failed"));
    }
}
