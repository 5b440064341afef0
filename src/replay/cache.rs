//! The provider's prompt cache, as far as a log shows it: what two consecutive
//! calls have in common at their beginning is read from the cache, unless too
//! much time lies between them. Counted in whole messages.

use serde::Serialize;
use std::ops::AddAssign;

/// How the cache served one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cached {
    /// The thread's first call: there is nothing to read.
    First,
    /// All of the call before it is read.
    Hit,
    /// Something in the middle changed: only what stands before that is read.
    Broken,
    /// The cache has gone cold.
    Expired,
}

/// Sums over calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Sums {
    /// Tokens sent.
    pub(crate) tokens: u64,
    /// Of these, tokens that the cache holds.
    pub(crate) cached: u64,
    /// Calls that broke the cache.
    pub(crate) broken: u64,
    /// Calls that found it cold.
    pub(crate) expired: u64,
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.cached += other.cached;
        self.broken += other.broken;
        self.expired += other.expired;
    }
}

impl Sums {
    /// Adds one call.
    pub(crate) fn add(&mut self, tokens: usize, cached: usize, how: Cached) {
        self.tokens += tokens as u64;
        self.cached += cached as u64;
        self.broken += u64::from(how == Cached::Broken);
        self.expired += u64::from(how == Cached::Expired);
    }
}

/// The cache of one thread over time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cache {
    life: f64,
    last: Option<f64>,
    calls: usize,
}

impl Cache {
    /// A cache that lives so many seconds after each use.
    pub(crate) fn new(life: u32) -> Self {
        Self {
            life: f64::from(life),
            last: None,
            calls: 0,
        }
    }

    /// A call at a time (if the log names one): how it is served, and how many of `common` tokens are read;
    /// `whole` says whether all of the call before it is still there.
    pub(crate) fn call(&mut self, at: Option<f64>, common: usize, whole: bool) -> (Cached, usize) {
        let gap = self.last.zip(at).map(|(last, now)| now - last);
        self.last = at.or(self.last);
        self.calls += 1;
        match gap {
            _ if self.calls == 1 => (Cached::First, 0),
            Some(gap) if gap > self.life => (Cached::Expired, 0),
            _ if whole => (Cached::Hit, common),
            _ => (Cached::Broken, common),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_known_gap_that_is_longer_than_its_life_is_a_miss() {
        let mut cache = Cache::new(300);
        assert_eq!(cache.call(Some(0.0), 0, true), (Cached::First, 0));
        assert_eq!(cache.call(Some(300.0), 10, true), (Cached::Hit, 10));
        assert_eq!(cache.call(None, 20, false), (Cached::Broken, 20));
        assert_eq!(cache.call(Some(600.5), 30, true), (Cached::Expired, 0));
    }
}
