//! What a run may spend. A call is paid from it before it is made.

use crate::policy::Price;
use std::sync::{Mutex, PoisonError};

/// Calls and dollars that are left.
pub(super) struct CallBudget {
    max_calls: Option<u64>,
    max_cost: Option<f64>,
    price: Option<Price>,
    spent: Mutex<Spent>,
}

#[derive(Default)]
struct Spent {
    calls: u64,
    /// Of calls that were answered, and of what calls under way may come to.
    dollars: f64,
}

/// What a call under way may come to.
#[must_use]
pub(super) struct ReservedCost(f64);

impl CallBudget {
    pub(super) fn new(max_calls: Option<u64>, max_cost: Option<f64>, price: Option<Price>) -> Self {
        Self {
            max_calls,
            max_cost,
            price,
            spent: Mutex::default(),
        }
    }

    /// Sets aside what a call may come to.
    ///
    /// # Errors
    /// Which limit it would break.
    pub(super) fn reserve(
        &self,
        input_tokens: u64,
        output_tokens: u64,
    ) -> Result<ReservedCost, String> {
        let dollars = self.cost(input_tokens, output_tokens).unwrap_or(0.0);
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(most) = self.max_calls.filter(|most| spent.calls >= *most) {
            return Err(format!(
                "not asked: the limit of {most} calls is reached (--max-calls)"
            ));
        }
        if let Some(most) = self.max_cost.filter(|most| spent.dollars + dollars > *most) {
            return Err(format!(
                "not asked: with this call, of about ${dollars:.4}, the run could cost more than ${most} (--max-cost)"
            ));
        }
        spent.calls += 1;
        spent.dollars += dollars;
        Ok(ReservedCost(dollars))
    }

    /// Replaces what was set aside by what it came to.
    pub(super) fn settle(
        &self,
        ReservedCost(dollars): ReservedCost,
        input_tokens: u64,
        output_tokens: u64,
    ) {
        let cost = self.cost(input_tokens, output_tokens).unwrap_or(0.0);
        self.spent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .dollars += cost - dollars;
    }

    /// US dollars, where a price is known.
    pub(super) fn cost(&self, input_tokens: u64, output_tokens: u64) -> Option<f64> {
        Some(self.price?.of(input_tokens, output_tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_dollars_end() {
        let price = Price {
            input: 1.0,
            output: 10.0,
        };
        let calls = CallBudget::new(Some(2), None, None);
        assert!(calls.reserve(1, 1).is_ok() && calls.reserve(1, 1).is_ok());
        assert!(
            calls
                .reserve(1, 1)
                .is_err_and(|why| why.contains("--max-calls"))
        );
        // Half a dollar of input and half of output.
        let dollars = CallBudget::new(None, Some(1.5), Some(price));
        let first = dollars.reserve(500_000, 50_000).ok().unwrap();
        assert!(
            dollars
                .reserve(500_000, 50_000)
                .is_err_and(|why| why.contains("--max-cost")),
            "what is under way counts"
        );
        dollars.settle(first, 100_000, 10_000);
        assert!(
            dollars.reserve(500_000, 50_000).is_ok(),
            "only what it came to is spent"
        );
    }
}
