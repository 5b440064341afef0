//! The limits of calls and cost in a run. The cost of a call is reserved before it is made.

use crate::deciding::policy::CallPrice;
use crate::summary::http::prelude::*;

/// The limits of a run, and what it has spent.
pub(super) struct CallBudget {
    max_calls: Option<u64>,
    max_cost: Option<f64>,
    price: Option<CallPrice>,
    spent: Mutex<SpentBudget>,
}

#[derive(Default)]
struct SpentBudget {
    calls: u64,
    /// US dollars of answered calls and of the reservations of calls under way.
    dollars: f64,
}

/// The highest cost of a call under way, in US dollars.
#[must_use]
pub(super) struct ReservedCost(f64);

impl CallBudget {
    pub(super) fn new(
        max_calls: Option<u64>,
        max_cost: Option<f64>,
        price: Option<CallPrice>,
    ) -> Self {
        Self { max_calls, max_cost, price, spent: Mutex::default() }
    }

    /// Reserves the highest cost of a call. Fails if the call would exceed a limit.
    pub(super) fn reserve(
        &self,
        input_tokens: u64,
        output_tokens: u64,
    ) -> Result<ReservedCost, NotAskedReason> {
        let dollars = self.cost(input_tokens, output_tokens).unwrap_or(0.0);
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(limit) = self.max_calls.filter(|limit| spent.calls >= *limit) {
            return Err(NotAskedReason::CallLimit { limit });
        }
        let cost = spent.dollars + dollars;
        if let Some(limit) = self.max_cost.filter(|limit| cost > *limit) {
            return Err(NotAskedReason::CostLimit { dollars, limit });
        }
        spent.calls += 1;
        spent.dollars += dollars;
        Ok(ReservedCost(dollars))
    }

    /// Replaces a reservation by the cost of the answered call.
    pub(super) fn settle(
        &self,
        ReservedCost(dollars): ReservedCost,
        input_tokens: u64,
        output_tokens: u64,
    ) {
        let cost = self.cost(input_tokens, output_tokens).unwrap_or(0.0);
        self.spent.lock().unwrap_or_else(PoisonError::into_inner).dollars += cost - dollars;
    }

    /// Returns the cost in US dollars, if a price is known.
    pub(super) fn cost(&self, input_tokens: u64, output_tokens: u64) -> Option<f64> {
        Some(self.price?.cost(input_tokens, output_tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_cost_are_limited() {
        let price = CallPrice { input: 1.0, output: 10.0 };
        let calls = CallBudget::new(Some(2), None, None);
        assert!(calls.reserve(1, 1).is_ok() && calls.reserve(1, 1).is_ok());
        let refusal = calls.reserve(1, 1).err();
        assert_eq!(refusal, Some(NotAskedReason::CallLimit { limit: 2 }));
        // Half a dollar of input and half a dollar of output.
        let dollars = CallBudget::new(None, Some(1.5), Some(price));
        let first = dollars.reserve(500_000, 50_000).ok().unwrap();
        let refusal = dollars.reserve(500_000, 50_000).err();
        let limit = NotAskedReason::CostLimit { dollars: 1.0, limit: 1.5 };
        assert_eq!(refusal, Some(limit), "reservations count");
        dollars.settle(first, 100_000, 10_000);
        assert!(dollars.reserve(500_000, 50_000).is_ok(), "only the actual cost is spent");
    }
}
