//! Prices of tokens: an embedded table of prices with a dated source, and the
//! user's own. An unknown price is not guessed.

use super::table::split_provider;
use crate::base::error::describe_toml_error;
use anyhow::{Result, anyhow, bail};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The seconds after which a cache of unknown life expires: those of Anthropic's.
const CACHE_LIFE: u32 = 300;

static EMBEDDED: LazyLock<BTreeMap<String, ModelPrice>> = LazyLock::new(|| {
    let rows = include_str!("prices.tsv").lines().filter(|line| !line.starts_with('#'));
    rows.skip(1).filter_map(parse_price_row).collect()
});

fn parse_price_row(line: &str) -> Option<(String, ModelPrice)> {
    let mut cells = line.split('\t');
    let name = cells.next()?.to_owned();
    let mut prices = cells.map(|cell| cell.parse().ok());
    let price = ModelPrice {
        input: prices.next()??,
        cached_input: prices.next().flatten(),
        cache_write: prices.next().flatten(),
        output: prices.next().flatten(),
        cache_life: None,
    };
    Some((name, price))
}

/// The prices of a model, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ModelPrice {
    /// The price of input that is not cached.
    pub input: f64,
    /// The price of input that the provider's prompt cache holds.
    pub cached_input: Option<f64>,
    /// The price of input that is written to the cache; by default that of `input`.
    pub cache_write: Option<f64>,
    pub output: Option<f64>,
    /// The seconds after which an unused entry of the provider's prompt cache expires.
    pub cache_life: Option<u32>,
}

impl ModelPrice {
    /// Returns true if every price is a number from 0.
    fn is_valid(&self) -> bool {
        [Some(self.input), self.cached_input, self.cache_write, self.output]
            .into_iter()
            .flatten()
            .all(|price| price.is_finite() && price >= 0.0)
    }
}

/// A row of the user's table. Without a price of input, what it leaves out is that of the embedded row,
/// but for `cache_life`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnPrice {
    input: Option<f64>,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
    output: Option<f64>,
    cache_life: Option<u32>,
}

impl OwnPrice {
    /// Returns the price of a model, or `None` if no row says what its input costs.
    fn complete(self, model: &str) -> Option<ModelPrice> {
        let known = find_in(&EMBEDDED, model).filter(|_| self.input.is_none());
        Some(ModelPrice {
            input: self.input.or(known.map(|known| known.input))?,
            cached_input: self.cached_input.or(known.and_then(|known| known.cached_input)),
            cache_write: self.cache_write.or(known.and_then(|known| known.cache_write)),
            output: self.output.or(known.and_then(|known| known.output)),
            cache_life: self.cache_life,
        })
    }
}

/// The prices known to a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Prices {
    own: BTreeMap<String, ModelPrice>,
}

impl Prices {
    /// Parses the user's prices from TOML: a table for each model, named as in logs or as
    /// `provider:model`. Fails if the text is not TOML, a key is unknown, a price is negative, or that
    /// of input is not known.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut own = BTreeMap::new();
        let rows = toml::from_str::<BTreeMap<String, OwnPrice>>(text)
            .map_err(|error| anyhow!(describe_toml_error(text, &error)))?;
        for (model, price) in rows {
            match price.complete(&model) {
                Some(price) => own.insert(model, price),
                None => bail!("[{model:?}]: input, in USD per million tokens, is missing"),
            };
        }
        match own.iter().find(|(_, price)| !price.is_valid()) {
            Some((model, _)) => {
                bail!("[{model:?}]: a price is USD per million tokens, 0 or greater")
            }
            None => Ok(Self { own }),
        }
    }

    /// Returns the seconds after which an unused entry of a model's prompt cache expires.
    pub(crate) fn cache_life(&self, model: Option<&str>) -> u32 {
        let price = model.and_then(|model| self.find_price(model));
        price.and_then(|price| price.cache_life).unwrap_or(CACHE_LIFE)
    }

    /// Returns the price of a model. The user's prices take precedence over the embedded ones.
    pub(crate) fn find_price(&self, model: &str) -> Option<ModelPrice> {
        find_in(&self.own, model).or_else(|| find_in(&EMBEDDED, model))
    }
}

/// Returns the price of exactly this name, or else of the same model unless the two names have
/// different providers.
fn find_in(prices: &BTreeMap<String, ModelPrice>, model: &str) -> Option<ModelPrice> {
    if let Some(price) = prices.get(model) {
        return Some(*price);
    }
    let (provider, bare) = split_provider(model);
    prices
        .iter()
        .find(|(name, _)| {
            let (other_provider, name) = split_provider(name);
            name == bare
                && (provider.is_none() || other_provider.is_none() || provider == other_provider)
        })
        .map(|(_, price)| *price)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_price_has_a_source() {
        let rows = include_str!("prices.tsv").lines().skip(2);
        assert!(rows.clone().count() > 0);
        let has_source =
            |row: &str| row.split('\t').nth(5).is_some_and(|source| source.contains("20"));
        assert!(rows.clone().all(has_source));
        assert_eq!(EMBEDDED.len(), rows.count());
    }

    #[test]
    fn own_prices_take_precedence_and_unknown_prices_are_not_guessed() {
        let prices =
            Prices::parse("[\"gpt-5.2\"]\ninput = 2.0\ncached_input = 0.2\n[\"x:y\"]\ninput = 1")
                .unwrap();
        let own = prices.find_price("openai:gpt-5.2").unwrap();
        assert_eq!((own.input, own.cached_input), (2.0, Some(0.2)));
        assert_eq!(prices.find_price("x/y").map(|price| price.input), Some(1.0));
        assert_eq!(prices.find_price("z:y"), None);
        let embedded = Prices::default().find_price("gpt-5.2").unwrap();
        assert_eq!((embedded.input, embedded.cached_input), (1.75, None));
        assert!(Prices::parse("[a]\ninput = -1").is_err());
        let lived = Prices::parse("[\"gpt-5.2\"]\ncache_life = 3600").unwrap();
        assert_eq!(lived.find_price("gpt-5.2").map(|price| price.input), Some(1.75));
        assert_eq!(lived.cache_life(Some("openai:gpt-5.2")), 3600);
        let unknown = Prices::parse("[\"x:y\"]\ncache_life = 9").unwrap_err();
        assert!(unknown.to_string().contains("input"), "{unknown}");
        let misspelt = Prices::parse("[a]\ninput = 1\ninptu = 2").unwrap_err();
        assert!(misspelt.to_string().contains("inptu"), "{misspelt}");
    }
}
