//! What a model accepts as input, from the embedded table `limits.tsv`
//! (facts from models.dev, MIT, as of 2026-07-02).

use std::sync::LazyLock;

/// Providers that make their models, in the order of preference for a bare
/// model name. Others resell, and their limits are their own.
const FIRST_PARTIES: [&str; 12] =
    ["openai", "anthropic", "google", "mistral", "deepseek", "xai", "cohere", "alibaba", "moonshotai", "zai", "zhipuai", "minimax"];

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model {
    /// Who serves it.
    pub provider: &'static str,
    /// Its exact name.
    pub name: &'static str,
    /// The most input tokens it takes.
    pub max_input_tokens: u64,
}

static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| include_str!("limits.tsv").lines().skip(1).filter_map(row).collect());

/// `provider  model  context  input  output`. The input limit where the table
/// has one within the context (gpt-5: 272,000 of 400,000), else the context.
fn row(line: &'static str) -> Option<Model> {
    let mut cells = line.split('\t');
    let (provider, name) = (cells.next()?, cells.next()?);
    let context: u64 = cells.next()?.parse().ok()?;
    let input = cells.next().and_then(|cell| cell.parse().ok()).filter(|input| (1..=context).contains(input));
    let max_input_tokens = input.unwrap_or(context);
    (max_input_tokens > 0).then_some(Model { provider, name, max_input_tokens })
}

/// Looks a model up by its exact name: `provider:model`, `provider/model` or
/// `model`. A bare name means the first party's; else the smallest limit.
#[must_use]
pub fn lookup(name: &str) -> Option<Model> {
    let (provider, bare) = split(name);
    let named = |model: &&Model| model.name == bare && provider.is_none_or(|provider| provider == model.provider);
    let rank = |model: &&Model| {
        let party = FIRST_PARTIES.iter().position(|party| *party == model.provider).unwrap_or(FIRST_PARTIES.len());
        (party, model.max_input_tokens)
    };
    let exact = || MODELS.iter().filter(|model| model.name == name).min_by_key(rank);
    MODELS.iter().filter(named).min_by_key(rank).or_else(exact).copied()
}

/// What a provider asks for a model, in US dollars per million tokens of input and of output, where that is known.
#[must_use]
pub fn price(provider: &str, name: &str) -> Option<(f64, f64)> {
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        let named = cells.next()? == provider && cells.next()? == name;
        Some((cells.next()?.parse().ok()?, cells.next()?.parse().ok()?)).filter(|_| named)
    };
    include_str!("prices.tsv").lines().skip(1).find_map(row)
}

/// The provider of a model: what stands before its `:` or `/`, else the table's.
#[must_use]
pub fn provider(name: &str) -> Option<String> {
    match split(name) {
        (Some(provider), _) => Some(provider.to_owned()),
        (None, bare) => lookup(bare).map(|model| model.provider.to_owned()),
    }
}

/// The known model whose name is nearest, for warnings.
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    let (_, bare) = split(name);
    let score = |model: &&Model| strsim::jaro_winkler(model.name, bare);
    MODELS.iter().max_by(|a, b| score(a).total_cmp(&score(b))).filter(|model| score(model) > 0.8).map(|model| model.name)
}

fn split(name: &str) -> (Option<&str>, &str) {
    match name.split_once([':', '/']) {
        Some((provider, bare)) => (Some(provider), bare),
        None => (None, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_limit_counts_not_the_window() {
        assert_eq!(lookup("openai:gpt-5.2").map(|model| model.max_input_tokens), Some(272_000));
        assert_eq!(lookup("gpt-4o").map(|model| (model.provider, model.max_input_tokens)), Some(("openai", 128_000)));
    }

    #[test]
    fn names_are_exact() {
        assert_eq!(lookup("gpt-5-2"), None);
        assert_eq!(nearest("gpt-5-2"), Some("gpt-5.2"));
        assert_eq!(provider("fake:fake").as_deref(), Some("fake"));
    }
}
