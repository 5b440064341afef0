//! Other spellings of a model's name. A name is looked up as it stands; only if
//! it is in no table, one rule after the other takes off what does not make
//! another model of it, and what is left is looked up again, exactly
//! (spec: formats, "Model limits").

/// What a rule took off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// `models/` and `ft:…:…` around the model.
    Wrapping,
    /// A router before `provider/model`.
    Route,
    /// `us.` before `anthropic.claude-…`.
    Region,
    /// `anthropic.` before `claude-…`.
    Vendor,
    /// `-v1:0`, `@20250929` and `:free` at the end.
    Version,
    /// `-2025-12-11`, `-20250929` and `-latest` at the end.
    Date,
    /// Nothing: the model is known by dated names only.
    OnlyDated,
    /// Nothing: `openai:gpt-oss-120b` is no model of OpenAI's interface, but `openai/gpt-oss-120b` is one's name at a reseller.
    Id,
}

impl Rule {
    /// The rule, for people.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Wrapping => "without `models/` or `ft:` around it",
            Self::Route => "without the router before it",
            Self::Region => "without its region",
            Self::Vendor => "without the maker's prefix",
            Self::Version => "without its version or variant",
            Self::Date => "without its date",
            Self::OnlyDated => "of the spellings with a date, the one with the smallest limit",
            Self::Id => "as a name that resellers have for it",
        }
    }
}

/// Regions that Bedrock puts before a name.
const REGIONS: [&str; 10] = [
    "us", "eu", "apac", "ap", "au", "jp", "ca", "sa", "us-gov", "global",
];
/// Makers that Bedrock puts before a name.
const VENDORS: [&str; 9] = [
    "anthropic",
    "amazon",
    "meta",
    "mistral",
    "cohere",
    "deepseek",
    "openai",
    "qwen",
    "moonshotai",
];

/// Applies a rule; none where it has nothing to take off.
type Step = fn(&str) -> Option<String>;

/// The spellings to look up after the name itself, each with the rules that led to it.
#[must_use]
pub(super) fn others(name: &str) -> Vec<(String, Vec<Rule>)> {
    let steps: [(Rule, Step); 6] = [
        (Rule::Wrapping, unwrapped),
        (Rule::Route, without_route),
        (Rule::Region, without_region),
        (Rule::Vendor, without_vendor),
        (Rule::Version, without_version),
        (Rule::Date, without_date),
    ];
    let mut found: Vec<(String, Vec<Rule>)> = Vec::new();
    let mut rules = Vec::new();
    let mut current = name.to_owned();
    for (rule, step) in steps {
        if let Some(next) = step(&current).filter(|next| !next.is_empty()) {
            rules.push(rule);
            found.push((next.clone(), rules.clone()));
            current = next;
        }
    }
    found
}

/// A name without its date, if it has one.
#[must_use]
pub(super) fn without_date(name: &str) -> Option<String> {
    if let Some(base) = name.strip_suffix("-latest") {
        return Some(base.to_owned());
    }
    let digits = |text: &str, count: usize| {
        text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (base, last) = name.rsplit_once('-')?;
    if digits(last, 8) {
        return Some(base.to_owned());
    }
    let (base, month) = base.rsplit_once('-')?;
    let (base, year) = base.rsplit_once('-')?;
    (digits(year, 4) && digits(month, 2) && digits(last, 2)).then(|| base.to_owned())
}

fn unwrapped(name: &str) -> Option<String> {
    let (provider, bare) = parted(name);
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

/// `openrouter/openai/gpt-5`: what is left names its provider itself.
fn without_route(name: &str) -> Option<String> {
    let (route, rest) = parted(name);
    (!route.is_empty() && rest.contains('/')).then(|| rest.to_owned())
}

fn without_region(name: &str) -> Option<String> {
    let (provider, bare) = parted(name);
    let (region, rest) = bare.split_once('.')?;
    let is_vendor = rest
        .split_once('.')
        .is_some_and(|(vendor, _)| VENDORS.contains(&vendor));
    (REGIONS.contains(&region) && is_vendor).then(|| format!("{provider}{rest}"))
}

/// The maker's prefix becomes the provider, whoever serves it.
fn without_vendor(name: &str) -> Option<String> {
    let (_, bare) = parted(name);
    let (vendor, rest) = bare.split_once('.')?;
    VENDORS
        .contains(&vendor)
        .then(|| format!("{vendor}/{rest}"))
}

fn without_version(name: &str) -> Option<String> {
    if let Some((base, _)) = name.rsplit_once('@') {
        return Some(base.to_owned());
    }
    let (provider, bare) = parted(name);
    // `-v1:0`: a colon there parts no provider.
    let whole = if is_version(provider.trim_end_matches(':')) {
        name
    } else {
        bare
    };
    let head = if whole.len() == name.len() {
        ""
    } else {
        provider
    };
    let (base, _) = whole.rsplit_once(':').unwrap_or((whole, ""));
    let base = if is_version(base) {
        base.rsplit_once("-v").map_or(base, |(base, _)| base)
    } else {
        base
    };
    (base.len() < whole.len()).then(|| format!("{head}{base}"))
}

fn is_version(name: &str) -> bool {
    name.rsplit_once("-v").is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The provider with what separates it (`openai:`), and the model.
fn parted(name: &str) -> (&str, &str) {
    let at = name.find([':', '/']).map_or(0, |at| at + 1);
    // In `anthropic.claude-haiku-4-5-v1:0` and `gpt-oss:free` nothing stands before the colon that is a provider.
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
    fn rules_take_off_one_thing_each() {
        let last = |name: &str| others(name).pop().map(|(name, _)| name).unwrap_or_default();
        assert_eq!(last("gpt-5.2-2025-12-11"), "gpt-5.2");
        assert_eq!(last("openai:gpt-5.2-2025-12-11"), "openai:gpt-5.2");
        assert_eq!(
            last("us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
            "anthropic/claude-sonnet-4-5"
        );
        assert_eq!(
            last("bedrock:us.anthropic.claude-opus-4-6-v1"),
            "anthropic/claude-opus-4-6"
        );
        assert_eq!(last("claude-sonnet-4-5@20250929"), "claude-sonnet-4-5");
        assert_eq!(last("openrouter/openai/gpt-5:free"), "openai/gpt-5");
        assert_eq!(last("models/gemini-2.5-pro"), "gemini-2.5-pro");
        assert_eq!(last("ft:gpt-4o-mini-2024-07-18:acme::abc"), "gpt-4o-mini");
        assert_eq!(last("openai:ft:gpt-4o:acme::abc"), "openai:gpt-4o");
        assert_eq!(last("gemini-flash-latest"), "gemini-flash");
    }

    #[test]
    fn what_makes_another_model_stays() {
        for name in [
            "gpt-3.5-turbo-0301",
            "gpt-5.2",
            "gpt-5-2",
            "openai:gpt-4o",
            "mistral-large-2411",
            "llama-3.1-8b",
            "",
            "-",
            ":",
            "a.b",
            "é-2024",
        ] {
            assert_eq!(others(name), [], "{name}");
        }
    }
}
