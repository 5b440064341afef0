//! When the next request may go: full jitter between retries, the server's own
//! word as the minimum, and all threads hold while it wants a pause.

use crate::summary::stop::StopFlag;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How soon a stop is noticed while waiting.
const LOOK: Duration = Duration::from_millis(50);

/// The pause that a server asked for, shared by all threads.
#[derive(Default)]
pub(super) struct RequestPacing {
    until: Mutex<Option<Instant>>,
}

impl RequestPacing {
    /// No request goes before the server's pause is over.
    pub(super) fn hold(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut held = self.until.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some(held.map_or(until, |held| held.max(until)));
    }

    /// Waits for the end of a pause. False if it would last past the deadline, or the run stops.
    pub(super) fn wait(&self, deadline: Instant, stop: &StopFlag) -> bool {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        match until {
            Some(until) if until > deadline => false,
            Some(until) => sleep_until(until, stop),
            None => stop.cause().is_none(),
        }
    }
}

/// Sleeps. False if the run stops meanwhile.
pub(super) fn sleep_until(until: Instant, stop: &StopFlag) -> bool {
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
    let bound = FIRST_WAIT
        .saturating_mul(1 << attempt.min(16))
        .min(LONGEST_WAIT);
    let wait = bound.mul_f64(fastrand::f64());
    // Beyond the server's word too, or all threads come back at the same moment.
    least.map_or(wait, |least| least + wait.min(FIRST_WAIT))
}

/// Longer than any deadline; what is added to a clock must stay below its end.
const LONGEST_PAUSE: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// `Retry-After`: seconds or a date. `retry-after-ms` is more exact where it is sent.
pub(super) fn retry_after(
    seconds_or_date: Option<&str>,
    milliseconds: Option<&str>,
    now: SystemTime,
) -> Option<Duration> {
    let number = |text: &str| {
        text.trim()
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite() && *number >= 0.0)
    };
    let bounded = |seconds: f64| Duration::from_secs_f64(seconds.min(LONGEST_PAUSE.as_secs_f64()));
    if let Some(milliseconds) = milliseconds.and_then(number) {
        return Some(bounded(milliseconds / 1e3));
    }
    let text = seconds_or_date?;
    match number(text) {
        Some(seconds) => Some(bounded(seconds)),
        // A date that has passed means: now.
        None => Some(
            httpdate::parse_http_date(text.trim())
                .ok()?
                .duration_since(now)
                .unwrap_or_default()
                .min(LONGEST_PAUSE),
        ),
    }
}

/// What may be left, and when there is more of it: of OpenAI, which others have taken over, and of Anthropic.
const LIMITS: [[&str; 2]; 5] = [
    [
        "x-ratelimit-remaining-requests",
        "x-ratelimit-reset-requests",
    ],
    ["x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
    [
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ],
    [
        "anthropic-ratelimit-input-tokens-remaining",
        "anthropic-ratelimit-input-tokens-reset",
    ],
    [
        "anthropic-ratelimit-output-tokens-remaining",
        "anthropic-ratelimit-output-tokens-reset",
    ],
];

/// How long there is nothing left of some limit, by the headers of an answer; none where there is. A pause longer than
/// the longest wait is not kept: a server that means it says so again.
pub(super) fn until_reset<'h>(
    header: impl Fn(&str) -> Option<&'h str>,
    now: SystemTime,
) -> Option<Duration> {
    let spent = LIMITS
        .iter()
        .filter(|[remaining, _]| header(remaining).is_some_and(|left| left.trim() == "0"));
    let pause = spent
        .filter_map(|[_, reset]| reset_after(header(reset)?.trim(), now))
        .max()?;
    Some(pause.min(LONGEST_WAIT))
}

/// `1h6m0.5s`, `20ms`, seconds, or a time.
fn reset_after(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(at) = OffsetDateTime::parse(text, &Rfc3339) {
        return Some(SystemTime::from(at).duration_since(now).unwrap_or_default());
    }
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().ok()?;
        let unit = rest[digits..]
            .find(|c: char| c.is_ascii_digit())
            .map_or(rest.len(), |length| digits + length);
        seconds += number
            * match &rest[digits..unit] {
                "h" => 3600.0,
                "m" => 60.0,
                "s" | "" => 1.0,
                "ms" => 1e-3,
                _ => return None,
            };
        rest = &rest[unit..];
    }
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|_| !text.is_empty())
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
        assert_eq!(
            after("Wed, 01 Jul 2026 12:00:30 GMT"),
            Some(Duration::from_secs(30))
        );
        assert_eq!(after("Wed, 01 Jul 2026 11:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(
            [after("soon"), after("-1"), after("NaN"), after("inf")],
            [None; 4]
        );
        assert_eq!(
            [
                after("1e300"),
                after("18446744073709551615"),
                after("Fri, 31 Dec 9999 23:59:59 GMT")
            ],
            [Some(LONGEST_PAUSE); 3]
        );
        assert_eq!(
            retry_after(Some("2"), Some("1500"), now),
            Some(Duration::from_millis(1500))
        );
    }

    #[test]
    fn a_limit_that_is_spent_is_waited_for() {
        let now = httpdate::parse_http_date("Wed, 01 Jul 2026 12:00:00 GMT").unwrap();
        for (text, seconds) in [
            ("1s", 1.0),
            ("6m0s", 360.0),
            ("20ms", 0.02),
            ("1h2m3.5s", 3723.5),
            ("7", 7.0),
            ("2026-07-01T12:00:30Z", 30.0),
        ] {
            assert_eq!(
                reset_after(text, now),
                Some(Duration::from_secs_f64(seconds)),
                "{text}"
            );
        }
        assert_eq!(
            [
                reset_after("", now),
                reset_after("soon", now),
                reset_after("1d", now),
                reset_after("-1s", now)
            ],
            [None; 4]
        );
        let answer = |remaining: &'static str, reset: &'static str| {
            let header = move |name: &str| match name {
                "x-ratelimit-remaining-requests" => Some("59"),
                "x-ratelimit-reset-requests" => Some("40s"),
                "x-ratelimit-remaining-tokens" => Some(remaining),
                "x-ratelimit-reset-tokens" => Some(reset),
                _ => None,
            };
            until_reset(header, now)
        };
        assert_eq!(answer("0", "3s"), Some(Duration::from_secs(3)));
        assert_eq!([answer("7", "3s"), answer("0", "when it suits")], [None; 2]);
        assert_eq!(answer("0", "24h"), Some(LONGEST_WAIT));
    }

    #[test]
    fn waits_are_random_bounded_and_never_shorter_than_the_server_wants() {
        let waits: Vec<Duration> = (0..200).map(|_| backoff(3, None)).collect();
        assert!(waits.iter().all(|wait| *wait <= FIRST_WAIT * 8));
        assert!(
            waits.iter().any(|wait| *wait < FIRST_WAIT * 4)
                && waits.iter().any(|wait| *wait > FIRST_WAIT * 4),
            "full jitter"
        );
        assert!((0..50).all(|attempt| backoff(attempt, None) <= LONGEST_WAIT));
        assert!((0..50).all(
            |attempt| backoff(attempt, Some(Duration::from_secs(9))) >= Duration::from_secs(9)
        ));
    }

    #[test]
    fn a_pause_holds_all_and_a_stop_ends_it() {
        let (pace, stop) = (RequestPacing::default(), StopFlag::default());
        pace.hold(Duration::from_secs(3600));
        assert!(
            !pace.wait(Instant::now() + Duration::from_secs(1), &stop),
            "past the deadline"
        );
        stop.set_failure("enough");
        assert!(!pace.wait(Instant::now() + Duration::from_secs(7200), &stop));
    }
}
