//! What tokens cost: an embedded table of the prices that we have a dated
//! source for, and the user's own. A price that is not known is not guessed.

use crate::model::split;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static EMBEDDED: LazyLock<BTreeMap<String, Price>> = LazyLock::new(|| {
    let rows = include_str!("prices.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .skip(1);
    rows.filter_map(|line| {
        let mut cells = line.split('\t');
        let name = cells.next()?.to_owned();
        let mut price = || cells.next().and_then(|cell| cell.parse().ok());
        Some((
            name,
            Price {
                input: price()?,
                cached_input: price(),
                cache_write: price(),
                output: price(),
            },
        ))
    })
    .collect()
});

/// Prices of one model, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Input that no cache holds.
    pub input: f64,
    /// Input that the provider's prompt cache holds.
    pub cached_input: Option<f64>,
    /// Input that is written into the cache; as `input` where the provider does not charge for that.
    pub cache_write: Option<f64>,
    /// Output.
    pub output: Option<f64>,
}

/// The prices known to a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prices {
    own: BTreeMap<String, Price>,
}

impl Prices {
    /// The user's prices, from TOML: one table a model, named as in logs or as `provider:model`.
    ///
    /// # Errors
    /// What is wrong with the text, with line and key.
    pub fn parse(text: &str) -> Result<Self, String> {
        let own: BTreeMap<String, Price> =
            toml::from_str(text).map_err(|error| error.to_string())?;
        for (model, price) in &own {
            let all = [
                Some(price.input),
                price.cached_input,
                price.cache_write,
                price.output,
            ];
            if all
                .into_iter()
                .flatten()
                .any(|price| !(price.is_finite() && price >= 0.0))
            {
                return Err(format!(
                    "[{model:?}]: a price is USD per million tokens, 0 or greater"
                ));
            }
        }
        Ok(Self { own })
    }

    /// The price of a model; the user's go before the embedded.
    #[must_use]
    pub fn find_price(&self, model: &str) -> Option<Price> {
        let (provider, bare) = split(model);
        let named = |prices: &BTreeMap<String, Price>| {
            let exact = prices.get(model);
            let other = || {
                prices.iter().find_map(|(name, price)| {
                    let (theirs, name) = split(name);
                    (name == bare && (provider.is_none() || theirs.is_none() || provider == theirs))
                        .then_some(price)
                })
            };
            exact.or_else(other).copied()
        };
        named(&self.own).or_else(|| named(&EMBEDDED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_price_has_a_source() {
        let rows = include_str!("prices.tsv").lines().skip(2);
        assert!(rows.clone().count() > 0);
        assert!(rows.clone().all(|row| {
            row.split('\t')
                .nth(5)
                .is_some_and(|source| source.contains("20"))
        }));
        assert_eq!(EMBEDDED.len(), rows.count());
    }

    #[test]
    fn own_prices_go_first_and_unknown_ones_are_not_guessed() {
        let prices =
            Prices::parse("[\"gpt-5.2\"]\ninput = 2.0\ncached_input = 0.2\n[\"x:y\"]\ninput = 1")
                .unwrap();
        assert_eq!(
            prices
                .find_price("openai:gpt-5.2")
                .map(|price| (price.input, price.cached_input)),
            Some((2.0, Some(0.2)))
        );
        assert_eq!(prices.find_price("x/y").map(|price| price.input), Some(1.0));
        assert_eq!(prices.find_price("z:y"), None);
        assert_eq!(
            Prices::default()
                .find_price("gpt-5.2")
                .map(|price| (price.input, price.cached_input)),
            Some((1.75, None))
        );
        assert!(Prices::parse("[a]\ninput = -1").is_err());
        assert!(
            Prices::parse("[a]\ninput = 1\ninptu = 2")
                .unwrap_err()
                .contains("inptu")
        );
    }
}
