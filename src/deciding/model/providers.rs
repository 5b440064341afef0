//! Providers of models: those that make them, and other names for them.

use super::table::ModelRow;

/// Providers that make their models, in the order of preference for a bare model name. All others
/// are resellers.
const FIRST_PARTIES: [&str; 12] = [
    "openai",
    "anthropic",
    "google",
    "mistral",
    "deepseek",
    "xai",
    "cohere",
    "alibaba",
    "moonshotai",
    "zai",
    "zhipuai",
    "minimax",
];

/// Other names for providers, as LangChain and routers use them.
const ALIASES: [(&str, &str); 16] = [
    ("azure_openai", "azure"),
    ("azure_ai", "azure"),
    ("bedrock", "amazon-bedrock"),
    ("bedrock_converse", "amazon-bedrock"),
    ("aws-bedrock", "amazon-bedrock"),
    ("google_genai", "google"),
    ("google_vertexai", "google"),
    ("vertex_ai", "google"),
    ("gemini", "google"),
    ("google_anthropic_vertex", "anthropic"),
    ("mistralai", "mistral"),
    ("copilot", "github-copilot"),
    ("x-ai", "xai"),
    ("z-ai", "zai"),
    ("moonshot", "moonshotai"),
    ("qwen", "alibaba"),
];

/// Returns true if the provider makes its models.
pub(super) fn is_maker(provider: &str) -> bool {
    FIRST_PARTIES.contains(&provider)
}

/// Returns the rank of a row's provider among the makers. Resellers rank last.
pub(super) fn maker_rank(row: &ModelRow) -> usize {
    FIRST_PARTIES.iter().position(|maker| *maker == row.provider).unwrap_or(FIRST_PARTIES.len())
}

/// Returns true if the provider, by any of its names, serves the row's model. No provider matches
/// all rows.
pub(super) fn is_served_by(row: &ModelRow, provider: Option<&str>) -> bool {
    provider.is_none_or(|provider| {
        let known = ALIASES
            .iter()
            .find(|(alias, _)| *alias == provider)
            .map_or(provider, |(_, known)| known);
        row.provider == known || row.provider == provider
    })
}

/// Splits a name into the provider before its first `:` or `/`, and the model.
pub(super) fn split_provider(name: &str) -> (Option<&str>, &str) {
    match name.split_once([':', '/']) {
        Some((provider, bare)) => (Some(provider), bare),
        None => (None, name),
    }
}

/// Returns the providers that make their models, for tests of every name.
#[cfg(test)]
pub(super) fn makers() -> &'static [&'static str] {
    &FIRST_PARTIES
}
