//! A model of the provider's prompt cache, and the cost of the input of calls. The messages that two
//! consecutive calls share at their start are read from the cache, unless it has expired between them.
//! Counted in whole messages.

use crate::base::sums::add_fields;
use crate::deciding::model::ModelPrice;
use serde::Serialize;
use std::ops::AddAssign;

/// The result of looking up one call in the prompt cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CacheLookup {
    /// The first call of a thread: the cache is empty.
    First,
    /// The whole previous call is read from the cache.
    Hit,
    /// An earlier message changed: only the messages before it are read.
    Broken,
    /// The cache expired since the previous call.
    Expired,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct CallSums {
    /// Tokens sent.
    pub(crate) tokens: u64,
    /// The part of `tokens` that is read from the cache.
    pub(crate) cached: u64,
    /// Calls that changed an earlier message.
    pub(crate) broken: u64,
    /// Calls that found the cache expired.
    pub(crate) expired: u64,
}

add_fields!(CallSums: tokens, cached, broken, expired);

impl CallSums {
    /// Adds one call of `tokens` tokens, `cached` of them read from the cache.
    pub(crate) fn add_call(&mut self, tokens: usize, cached: usize, lookup: CacheLookup) {
        self.tokens += tokens as u64;
        self.cached += cached as u64;
        self.broken += u64::from(lookup == CacheLookup::Broken);
        self.expired += u64::from(lookup == CacheLookup::Expired);
    }

    /// Returns the tokens that are not read from the cache.
    pub(crate) fn uncached(&self) -> u64 {
        self.tokens - self.cached
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct PromptCache {
    /// Seconds until an unused entry expires.
    life: f64,
    /// The time of the last call, in seconds.
    last_used: Option<f64>,
    calls: usize,
}

impl PromptCache {
    /// Returns an empty cache whose entries live `life` seconds after each use.
    pub(crate) fn new(life: u32) -> Self {
        Self { life: f64::from(life), last_used: None, calls: 0 }
    }

    /// Looks up a call made at `time` (in seconds, if the log has it) that shares its first
    /// `common` tokens with the previous call. `extends_previous` is true if the call only adds to
    /// the previous one. Returns the lookup and the number of tokens read.
    pub(crate) fn look_up(
        &mut self,
        time: Option<f64>,
        common: usize,
        extends_previous: bool,
    ) -> (CacheLookup, usize) {
        let gap = self.last_used.zip(time).map(|(last, now)| now - last);
        self.last_used = time.or(self.last_used);
        self.calls += 1;
        match gap {
            _ if self.calls == 1 => (CacheLookup::First, 0),
            Some(gap) if gap > self.life => (CacheLookup::Expired, 0),
            _ if extends_previous => (CacheLookup::Hit, common),
            _ => (CacheLookup::Broken, common),
        }
    }
}

/// Tokens that a price is quoted for.
const PRICE_UNIT: f64 = 1e6;

/// The cost of calls under a policy, and without any policy.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct ReplayCost {
    /// The cost under the policy.
    pub(crate) sent: InputCost,
    /// The cost without any policy.
    pub(crate) logged: InputCost,
}

/// The cost with and without the prompt cache, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct InputCost {
    /// The cost as if there were no cache.
    pub(crate) uncached: f64,
    /// The cost with the cache. None (null) if the price of cached input is not known.
    pub(crate) cached: Option<f64>,
}

impl InputCost {
    /// Returns the cost of calls at a price.
    #[expect(clippy::cast_precision_loss)]
    pub(crate) fn of_calls(sums: &CallSums, price: ModelPrice) -> Self {
        let fresh = sums.uncached() as f64 / PRICE_UNIT;
        let cached = price.cached_input.map(|cached| {
            sums.cached as f64 / PRICE_UNIT * cached
                + fresh * price.cache_write.unwrap_or(price.input)
        });
        Self { uncached: sums.tokens as f64 / PRICE_UNIT * price.input, cached }
    }
}

impl AddAssign for InputCost {
    fn add_assign(&mut self, other: Self) {
        self.uncached += other.uncached;
        self.cached = self.cached.zip(other.cached).map(|(sum, cost)| sum + cost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_known_gap_longer_than_its_life_expires_the_cache() {
        let mut cache = PromptCache::new(300);
        assert_eq!(cache.look_up(Some(0.0), 0, true), (CacheLookup::First, 0));
        assert_eq!(cache.look_up(Some(300.0), 10, true), (CacheLookup::Hit, 10));
        assert_eq!(cache.look_up(None, 20, false), (CacheLookup::Broken, 20));
        assert_eq!(cache.look_up(Some(600.5), 30, true), (CacheLookup::Expired, 0));
    }
}
