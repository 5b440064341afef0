//! Bootstrap confidence intervals of a share over sessions.

use crate::reporting::retention::metrics::MetricValue;

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
    use crate::reporting::retention::ratio::KeptRatio;

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
