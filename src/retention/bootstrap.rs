//! How sure a share is: bootstrap intervals over sessions.

use super::scores::KeptRatio;

/// Resamples for one interval.
const RESAMPLES: usize = 1000;
/// The same log always gives the same interval.
const SEED: u64 = 1;

/// A 95 % interval.
pub type ConfidenceInterval = [f64; 2];

/// The 95 % bootstrap interval of the share over all, resampling whole sessions: cuts of one session depend on each other.
/// `None` with fewer than two sessions that needed anything.
#[must_use]
pub fn bootstrap_interval(sessions: &[KeptRatio]) -> Option<ConfidenceInterval> {
    if sessions.iter().filter(|session| session.of > 0).count() < 2 {
        return None;
    }
    let mut state = SEED;
    let mut shares: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let mut sum = KeptRatio::default();
            (0..sessions.len()).for_each(|_| sum += sessions[below(&mut state, sessions.len())]);
            sum.share()
        })
        .collect();
    shares.sort_unstable_by(f64::total_cmp);
    let at = |thousandth: usize| {
        shares
            .get(thousandth * shares.len() / 1000)
            .or(shares.last())
            .copied()
    };
    Some([at(25)?, at(975)?])
}

/// The next number below `limit` (splitmix64; the bias of the remainder is below 2^-40 for any log).
#[expect(
    clippy::cast_possible_truncation,
    reason = "the remainder is below a usize"
)]
fn below(state: &mut u64, limit: usize) -> usize {
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
    fn intervals_hold_the_share_and_narrow_with_more_sessions() {
        let of = |sessions: u64| {
            (0..sessions)
                .map(|at| KeptRatio {
                    kept: at % 4,
                    of: 4,
                })
                .collect::<Vec<_>>()
        };
        let [wide, narrow] =
            [of(8), of(400)].map(|sessions| bootstrap_interval(&sessions).unwrap());
        assert!(wide[0] < 0.375 && 0.375 < wide[1] && narrow[0] < 0.375 && 0.375 < narrow[1]);
        assert!(narrow[1] - narrow[0] < (wide[1] - wide[0]) / 3.0);
        assert_eq!(bootstrap_interval(&of(8)), Some(wide));
        assert_eq!(bootstrap_interval(&of(1)), None);
    }
}
