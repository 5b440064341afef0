//! The pace of requests: full jitter between retries, at least the pause that the
//! server asks for, and a pause holds the requests of all threads.

use crate::summary::http::prelude::*;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

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

/// The longest pause that a spent limit causes.
const MAX_LIMIT_PAUSE: Duration = Duration::from_secs(60);
/// The longest pause that `Retry-After` causes: longer than any deadline, but short enough to be
/// added to a clock.
const MAX_RETRY_PAUSE: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// Parses the headers `retry-after` (seconds or a date) and `retry-after-ms`, which is more exact.
pub(super) fn retry_after(
    seconds_or_date: Option<&str>,
    milliseconds: Option<&str>,
    now: SystemTime,
) -> Option<Duration> {
    if let Some(milliseconds) = milliseconds.and_then(parse_non_negative) {
        return Some(bounded_seconds(milliseconds / 1e3));
    }
    let text = seconds_or_date?;
    match parse_non_negative(text) {
        Some(seconds) => Some(bounded_seconds(seconds)),
        // A date in the past means no pause.
        None => Some(
            httpdate::parse_http_date(text.trim())
                .ok()?
                .duration_since(now)
                .unwrap_or_default()
                .min(MAX_RETRY_PAUSE),
        ),
    }
}

fn parse_non_negative(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
}

fn bounded_seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.min(MAX_RETRY_PAUSE.as_secs_f64()))
}

/// The headers that tell what is left of a limit, and when the limit resets: those of OpenAI, which
/// others have adopted, and those of Anthropic.
const LIMIT_HEADERS: [[&str; 2]; 5] = [
    ["x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"],
    ["x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
    ["anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"],
    ["anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"],
    ["anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"],
];

/// Returns the time until all spent limits reset, by the headers of an answer. Returns none if no
/// limit is spent. The time is bounded: a server that needs a longer pause repeats its headers.
pub(super) fn until_reset<'h>(
    header: impl Fn(&str) -> Option<&'h str>,
    now: SystemTime,
) -> Option<Duration> {
    let spent = LIMIT_HEADERS
        .iter()
        .filter(|[remaining, _]| header(remaining).is_some_and(|left| left.trim() == "0"));
    let pause = spent.filter_map(|[_, reset]| parse_reset(header(reset)?.trim(), now)).max()?;
    Some(pause.min(MAX_LIMIT_PAUSE))
}

/// Parses the time of a reset: `1h6m0.5s`, `20ms`, seconds, or a date and time.
fn parse_reset(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(at) = OffsetDateTime::parse(text, &Rfc3339) {
        return Some(SystemTime::from(at).duration_since(now).unwrap_or_default());
    }
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
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
    Duration::try_from_secs_f64(seconds).ok().filter(|_| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::test_table::rows;

    #[test]
    fn backoff_is_random_and_bounded_and_respects_the_server() {
        let waits: Vec<Duration> = (0..200).map(|_| backoff(3, None)).collect();
        assert!(waits.iter().all(|wait| *wait <= FIRST_BACKOFF * 8));
        // Full jitter.
        assert!(waits.iter().any(|wait| *wait < FIRST_BACKOFF * 4));
        assert!(waits.iter().any(|wait| *wait > FIRST_BACKOFF * 4));
        assert!((0..50).all(|attempt| backoff(attempt, None) <= MAX_BACKOFF));
        let asked = Duration::from_secs(9);
        assert!((0..50).all(|attempt| backoff(attempt, Some(asked)) >= asked));
    }

    #[test]
    fn a_pause_holds_requests_and_a_stop_ends_it() {
        let (pace, stop) = (RequestPacing::default(), StopFlag::default());
        pace.hold_requests(Duration::from_secs(3600));
        let deadline = Instant::now() + Duration::from_secs(1);
        assert!(!pace.wait_until_clear(deadline, &stop), "past the deadline");
        stop.set_failure("enough");
        assert!(!pace.wait_until_clear(Instant::now() + Duration::from_secs(7200), &stop));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Wed, 01 Jul 2026 12:00:00 GMT").unwrap();
        let after = |text| retry_after(Some(text), None, now);
        for [text, millis] in rows(
            "
            7 | 7000
            0.5 | 500
            Wed, 01 Jul 2026 12:00:30 GMT | 30000
            Wed, 01 Jul 2026 11:00:00 GMT | 0",
        ) {
            assert_eq!(after(text).unwrap().as_millis().to_string(), millis, "{text}");
        }
        assert_eq!(["soon", "-1", "NaN", "inf"].map(after), [None; 4]);
        let far = ["1e300", "18446744073709551615", "Fri, 31 Dec 9999 23:59:59 GMT"];
        assert_eq!(far.map(after), [Some(MAX_RETRY_PAUSE); 3]);
        assert_eq!(retry_after(Some("2"), Some("1500"), now), Some(Duration::from_millis(1500)));
    }

    #[test]
    fn a_spent_limit_causes_a_pause() {
        let now = httpdate::parse_http_date("Wed, 01 Jul 2026 12:00:00 GMT").unwrap();
        for [text, millis] in rows(
            "1s | 1000\n6m0s | 360000\n20ms | 20\n1h2m3.5s | 3723500\n7 | 7000\n2026-07-01T12:00:30Z | 30000",
        ) {
            assert_eq!(parse_reset(text, now).unwrap().as_millis().to_string(), millis, "{text}");
        }
        assert_eq!(["", "soon", "1d", "-1s"].map(|text| parse_reset(text, now)), [None; 4]);
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
        assert_eq!(answer("0", "24h"), Some(MAX_LIMIT_PAUSE));
    }
}
