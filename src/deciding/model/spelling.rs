//! Other spellings of a model's name. If a name is in no table, the rules remove, one after the
//! other, the parts that do not distinguish models. The name that remains after each rule is looked
//! up exactly. `epitome models --help` lists the rules.

use crate::base::names::names;

/// A rule by which a lookup got from the given name to a row of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpellingRule {
    /// Removes `models/` and `ft:…:…` around the model.
    Wrapping,
    /// Removes a router before `provider/model`.
    Route,
    /// Removes `us.` before `anthropic.claude-…`.
    Region,
    /// Removes `anthropic.` before `claude-…`.
    Vendor,
    /// Removes `-v1:0`, `@20250929` and `:free` at the end.
    Version,
    /// Removes `-2025-12-11`, `-20250929` and `-latest` at the end.
    Date,
    /// Removes nothing: the model is known by dated names only.
    OnlyDated,
    /// Removes nothing: takes the whole name as a reseller's. OpenAI does not serve
    /// `openai:gpt-oss-120b`, but resellers list that model as `openai/gpt-oss-120b`.
    ResellerName,
}

names!(pub SpellingRule::about:
    Wrapping "without `models/` or `ft:` around it",
    Route "without the router before it",
    Region "without its region",
    Vendor "without the maker's prefix",
    Version "without its version or variant",
    Date "without its date",
    OnlyDated "of the spellings with a date, the one with the smallest limit",
    ResellerName "as a name that resellers have for it");

/// The regions that Bedrock puts before a name.
const REGIONS: [&str; 10] = ["us", "eu", "apac", "ap", "au", "jp", "ca", "sa", "us-gov", "global"];
/// The makers that Bedrock puts before a name.
const VENDORS: &str = "anthropic amazon meta mistral cohere deepseek openai qwen moonshotai";

/// A function that applies a rule. It returns none if there is nothing to remove.
type RuleFunction = fn(&str) -> Option<String>;

/// Returns the spellings to look up after the name itself, each with the rules that led to it.
pub(super) fn other_spellings(name: &str) -> Vec<(String, Vec<SpellingRule>)> {
    let steps: [(SpellingRule, RuleFunction); 6] = [
        (SpellingRule::Wrapping, without_wrapping),
        (SpellingRule::Route, without_route),
        (SpellingRule::Region, without_region),
        (SpellingRule::Vendor, without_vendor),
        (SpellingRule::Version, without_version),
        (SpellingRule::Date, without_date),
    ];
    let mut spellings: Vec<(String, Vec<SpellingRule>)> = Vec::new();
    let mut rules = Vec::new();
    let mut current = name.to_owned();
    for (rule, step) in steps {
        if let Some(next) = step(&current).filter(|next| !next.is_empty()) {
            rules.push(rule);
            spellings.push((next.clone(), rules.clone()));
            current = next;
        }
    }
    spellings
}

/// Returns a name without its date, or none if it has no date.
pub(super) fn without_date(name: &str) -> Option<String> {
    if let Some(base) = name.strip_suffix("-latest") {
        return Some(base.to_owned());
    }
    let (base, last) = name.rsplit_once('-')?;
    if is_number(last, 8) {
        return Some(base.to_owned());
    }
    let (base, month) = base.rsplit_once('-')?;
    let (base, year) = base.rsplit_once('-')?;
    (is_number(year, 4) && is_number(month, 2) && is_number(last, 2)).then(|| base.to_owned())
}

/// Returns true if a text is a number of this many digits.
fn is_number(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn without_wrapping(name: &str) -> Option<String> {
    let (provider, bare) = split_with_separator(name);
    let inner = match bare.strip_prefix("ft:") {
        Some(tuned) => tuned.split(':').next(),
        None if provider == "ft:" => bare.split(':').next(),
        None => bare.strip_prefix("models/"),
    };
    let provider = if provider == "ft:" { "" } else { provider };
    match inner {
        Some(inner) => Some(format!("{provider}{inner}")),
        None => name.strip_prefix("models/").map(str::to_owned),
    }
}

/// Removes the router of `openrouter/openai/gpt-5`, whose rest names its provider.
fn without_route(name: &str) -> Option<String> {
    let (route, rest) = split_with_separator(name);
    (!route.is_empty() && rest.contains('/')).then(|| rest.to_owned())
}

fn without_region(name: &str) -> Option<String> {
    let (provider, bare) = split_with_separator(name);
    let (region, rest) = bare.split_once('.')?;
    let is_vendor = rest.split_once('.').is_some_and(|(vendor, _)| is_maker_prefix(vendor));
    (REGIONS.contains(&region) && is_vendor).then(|| format!("{provider}{rest}"))
}

fn is_maker_prefix(vendor: &str) -> bool {
    VENDORS.split(' ').any(|maker| maker == vendor)
}

/// Makes the maker's prefix the provider, whoever serves the model.
fn without_vendor(name: &str) -> Option<String> {
    let (_, bare) = split_with_separator(name);
    let (vendor, rest) = bare.split_once('.')?;
    is_maker_prefix(vendor).then(|| format!("{vendor}/{rest}"))
}

fn without_version(name: &str) -> Option<String> {
    if let Some((base, _)) = name.rsplit_once('@') {
        return Some(base.to_owned());
    }
    let (provider, bare) = split_with_separator(name);
    // The colon of `-v1:0` does not end a provider.
    let model = if is_version(provider.trim_end_matches(':')) { name } else { bare };
    let head = if model.len() == name.len() { "" } else { provider };
    let (base, _) = model.rsplit_once(':').unwrap_or((model, ""));
    let base =
        if is_version(base) { base.rsplit_once("-v").map_or(base, |(base, _)| base) } else { base };
    (base.len() < model.len()).then(|| format!("{head}{base}"))
}

fn is_version(name: &str) -> bool {
    name.rsplit_once("-v").is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Splits a name into the provider with its separator (`openai:`), which may be empty, and the
/// model.
fn split_with_separator(name: &str) -> (&str, &str) {
    let at = name.find([':', '/']).map_or(0, |at| at + 1);
    // What comes before the colon of `anthropic.claude-haiku-4-5-v1:0` is no provider.
    let provider = &name[..at];
    if is_version(provider.trim_end_matches([':', '/'])) || provider.contains('.') {
        ("", name)
    } else {
        (provider, &name[at..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_removes_its_part() {
        for (name, base) in [
            ("gpt-5.2-2025-12-11", "gpt-5.2"),
            ("openai:gpt-5.2-2025-12-11", "openai:gpt-5.2"),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic/claude-sonnet-4-5"),
            ("bedrock:us.anthropic.claude-opus-4-6-v1", "anthropic/claude-opus-4-6"),
            ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
            ("openrouter/openai/gpt-5:free", "openai/gpt-5"),
            ("models/gemini-2.5-pro", "gemini-2.5-pro"),
            ("ft:gpt-4o-mini-2024-07-18:acme::abc", "gpt-4o-mini"),
            ("openai:ft:gpt-4o:acme::abc", "openai:gpt-4o"),
            ("gemini-flash-latest", "gemini-flash"),
        ] {
            assert_eq!(other_spellings(name).pop().unwrap().0, base);
        }
    }

    #[test]
    fn names_of_other_models_stay() {
        for name in
            "gpt-3.5-turbo-0301 gpt-5.2 gpt-5-2 openai:gpt-4o mistral-large-2411 llama-3.1-8b - : a.b é-2024"
                .split(' ')
                .chain([""])
        {
            assert_eq!(other_spellings(name), [], "{name}");
        }
    }
}
