//! The cost of the input of model calls, in US dollars.

use crate::deciding::model::ModelPrice;
use crate::measuring::replay::prompt_cache::CallSums;
use serde::Serialize;
use std::ops::AddAssign;

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
        Self {
            uncached: sums.tokens as f64 / PRICE_UNIT * price.input,
            cached,
        }
    }
}

impl AddAssign for InputCost {
    fn add_assign(&mut self, other: Self) {
        self.uncached += other.uncached;
        self.cached = self.cached.zip(other.cached).map(|(sum, cost)| sum + cost);
    }
}
