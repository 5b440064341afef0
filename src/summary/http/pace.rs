//! When the next request may go: full jitter between retries, the server's own
//! word as the minimum, and all threads hold while it wants a pause.

use crate::summary::stop::Stop;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How soon a stop is noticed while waiting.
const LOOK: Duration = Duration::from_millis(50);

/// The pause that a server asked for, shared by all threads.
#[derive(Default)]
pub(super) struct Pace {
    until: Mutex<Option<Instant>>,
}

impl Pace {
    /// No request goes before the server's pause is over.
    pub(super) fn hold(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut held = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some(held.map_or(until, |held| held.max(until)));
    }

    /// Waits for the end of a pause. False if it would last past the deadline, or the run stops.
    pub(super) fn wait(&self, deadline: Instant, stop: &Stop) -> bool {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        match until {
            Some(until) if until > deadline => false,
            Some(until) => sleep_until(until, stop),
            None => stop.cause().is_none(),
        }
    }
}

/// Sleeps. False if the run stops meanwhile.
pub(super) fn sleep_until(until: Instant, stop: &Stop) -> bool {
    while stop.cause().is_none() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        std::thread::sleep(left.min(LOOK));
    }
    false
}

/// How long to wait before attempt `attempt` + 1: anything up to a bound that doubles; never less than the server said.
pub(super) fn backoff(attempt: u64, least: Option<Duration>) -> Duration {
    let bound = FIRST_WAIT.saturating_mul(1 << attempt.min(16)).min(LONGEST_WAIT);
    let wait = bound.mul_f64(fastrand::f64());
    // Beyond the server's word too, or all threads come back at the same moment.
    least.map_or(wait, |least| least + wait.min(FIRST_WAIT))
}

/// `Retry-After`: seconds or a date. `retry-after-ms` is more exact where it is sent.
pub(super) fn retry_after(seconds_or_date: Option<&str>, milliseconds: Option<&str>, now: SystemTime) -> Option<Duration> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    if let Some(milliseconds) = milliseconds.and_then(number) {
        return Duration::try_from_secs_f64(milliseconds / 1e3).ok();
    }
    let text = seconds_or_date?;
    match number(text) {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        // A date that has passed means: now.
        None => Some(httpdate::parse_http_date(text.trim()).ok()?.duration_since(now).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_says_when() {
        let now = httpdate::parse_http_date("Wed, 01 Jul 2026 12:00:00 GMT").unwrap();
        let after = |text| retry_after(Some(text), None, now);
        assert_eq!(after("7"), Some(Duration::from_secs(7)));
        assert_eq!(after(" 0.5 "), Some(Duration::from_millis(500)));
        assert_eq!(after("Wed, 01 Jul 2026 12:00:30 GMT"), Some(Duration::from_secs(30)));
        assert_eq!(after("Wed, 01 Jul 2026 11:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!([after("soon"), after("-1"), after("NaN"), after("1e300")], [None; 4]);
        assert_eq!(retry_after(Some("2"), Some("1500"), now), Some(Duration::from_millis(1500)));
    }

    #[test]
    fn waits_are_random_bounded_and_never_shorter_than_the_server_wants() {
        let waits: Vec<Duration> = (0..200).map(|_| backoff(3, None)).collect();
        assert!(waits.iter().all(|wait| *wait <= FIRST_WAIT * 8));
        assert!(waits.iter().any(|wait| *wait < FIRST_WAIT * 4) && waits.iter().any(|wait| *wait > FIRST_WAIT * 4), "full jitter");
        assert!((0..50).all(|attempt| backoff(attempt, None) <= LONGEST_WAIT));
        assert!((0..50).all(|attempt| backoff(attempt, Some(Duration::from_secs(9))) >= Duration::from_secs(9)));
    }

    #[test]
    fn a_pause_holds_all_and_a_stop_ends_it() {
        let (pace, stop) = (Pace::default(), Stop::default());
        pace.hold(Duration::from_secs(3600));
        assert!(!pace.wait(Instant::now() + Duration::from_secs(1), &stop), "past the deadline");
        stop.because("enough");
        assert!(!pace.wait(Instant::now() + Duration::from_secs(7200), &stop));
    }
}
