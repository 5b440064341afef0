//! The pace of requests: full jitter between retries, at least the pause that the
//! server asks for, and a pause holds the requests of all threads.

use crate::base::stop_flag::StopFlag;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const FIRST_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// The interval at which a sleeping thread checks the stop flag.
const STOP_POLL: Duration = Duration::from_millis(50);

/// The pause that the server asked for, shared by all threads.
#[derive(Default)]
pub(super) struct RequestPacing {
    until: Mutex<Option<Instant>>,
}

impl RequestPacing {
    /// Holds all requests for the length of a pause.
    pub(super) fn hold_requests(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut held = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some(held.map_or(until, |held| held.max(until)));
    }

    /// Waits for the end of the pause. Returns false if the pause would last past the deadline, or
    /// the run stops.
    pub(super) fn wait_until_clear(&self, deadline: Instant, stop: &StopFlag) -> bool {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        match until {
            Some(until) if until > deadline => false,
            Some(until) => sleep_until(until, stop),
            None => stop.cause().is_none(),
        }
    }
}

/// Sleeps. Returns false if the run stops in the meantime.
pub(super) fn sleep_until(until: Instant, stop: &StopFlag) -> bool {
    while stop.cause().is_none() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(left.min(STOP_POLL));
    }
    false
}

/// Returns the wait after attempt `attempt`, counted from 0: a random time up to a bound that
/// doubles with each attempt, and at least the pause that the server asked for.
pub(super) fn backoff(attempt: u64, least: Option<Duration>) -> Duration {
    let bound = FIRST_BACKOFF.saturating_mul(1 << attempt.min(16)).min(MAX_BACKOFF);
    let wait = bound.mul_f64(fastrand::f64());
    // Jitter is added to the pause of the server too, or all threads would come back at the same
    // moment.
    least.map_or(wait, |least| least + wait.min(FIRST_BACKOFF))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_is_random_and_bounded_and_respects_the_server() {
        let waits: Vec<Duration> = (0..200).map(|_| backoff(3, None)).collect();
        assert!(waits.iter().all(|wait| *wait <= FIRST_BACKOFF * 8));
        assert!(
            waits.iter().any(|wait| *wait < FIRST_BACKOFF * 4)
                && waits.iter().any(|wait| *wait > FIRST_BACKOFF * 4),
            "full jitter"
        );
        assert!((0..50).all(|attempt| backoff(attempt, None) <= MAX_BACKOFF));
        assert!((0..50).all(
            |attempt| backoff(attempt, Some(Duration::from_secs(9))) >= Duration::from_secs(9)
        ));
    }

    #[test]
    fn a_pause_holds_requests_and_a_stop_ends_it() {
        let (pace, stop) = (RequestPacing::default(), StopFlag::default());
        pace.hold_requests(Duration::from_secs(3600));
        assert!(
            !pace.wait_until_clear(Instant::now() + Duration::from_secs(1), &stop),
            "past the deadline"
        );
        stop.set_failure("enough");
        assert!(!pace.wait_until_clear(Instant::now() + Duration::from_secs(7200), &stop));
    }
}
