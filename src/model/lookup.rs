//! Looks up models by name.

use super::providers::{is_maker, is_served_by, maker_rank, split_provider};
use super::spelling::{SpellingRule, other_spellings, without_date};
use super::table::{EMBEDDED_ROWS, ModelLimits, ModelRow};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The most near names that a warning lists.
const MAX_NEAREST: usize = 3;
/// The least Jaro-Winkler similarity of a near name.
const MIN_SIMILARITY: f64 = 0.8;
/// The most names that are remembered. A log has few; further ones are looked up each time.
const MAX_REMEMBERED: usize = 1000;

/// A model whose input limit is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownModel {
    /// The provider that serves it.
    pub provider: String,
    /// The name in its row.
    pub name: String,
    /// The most input tokens.
    pub max_input_tokens: u64,
    /// The limits that count. The input limit may be that of the maker.
    pub limits: ModelLimits,
    /// True if the row is in a table of the user's.
    pub own: bool,
    /// The rules that led from the given name to that of the row.
    pub rules: Vec<SpellingRule>,
    /// The input limit of the reseller's row, if that of the maker counts because it is smaller.
    pub resold: Option<u64>,
}

/// The model that a name means, if it is known, and the names near it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedModel {
    /// The model, if it is known.
    pub model: Option<KnownModel>,
    /// The provider before the `:` or `/` of the name; that of the model if there is none.
    pub provider: Option<String>,
    /// The nearest known names, if the name is not known.
    pub nearest: Vec<String>,
}

impl ResolvedModel {
    /// Says that no input limit is known for the name, and which known names are near.
    #[must_use]
    pub fn unknown_limit(&self, name: &str) -> String {
        let names: Vec<String> = self
            .nearest
            .iter()
            .map(|name| format!("{name:?}"))
            .collect();
        let nearest = match names.as_slice() {
            [] => String::new(),
            [name] => format!("; the nearest known is {name}"),
            names => format!("; the nearest known are {}", names.join(", ")),
        };
        format!(
            "no input limit is known for the model {name:?}{nearest}; give --max-input-tokens or --limits"
        )
    }
}

/// The embedded rows by model name.
static EMBEDDED: LazyLock<HashMap<&'static str, Vec<&'static ModelRow>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<&ModelRow>> = HashMap::new();
    for row in EMBEDDED_ROWS.iter() {
        index.entry(&row.name).or_default().push(row);
    }
    index
});

/// A row that a name leads to.
#[derive(Clone, Copy)]
struct FoundRow<'m> {
    row: &'m ModelRow,
    /// True if the row is in a table of the user's.
    own: bool,
    /// The rule that led to it beside those of the spelling.
    rule: Option<SpellingRule>,
}

/// A name to look up, and how a row must match it.
struct RowQuery<'n> {
    name: &'n str,
    provider: Option<&'n str>,
    rule: Option<SpellingRule>,
}

impl RowQuery<'_> {
    fn matches(&self, row: &ModelRow) -> bool {
        row.name == self.name && is_served_by(row, self.provider)
    }
}

/// All known models.
#[derive(Debug, Clone, Default)]
pub struct Models {
    own: Vec<ModelRow>,
    /// Names that were resolved before.
    resolved: Arc<Mutex<HashMap<String, Arc<ResolvedModel>>>>,
}

impl PartialEq for Models {
    fn eq(&self, other: &Self) -> bool {
        self.own == other.own
    }
}

impl Models {
    /// Adds the user's own rows to the embedded ones. They take precedence.
    #[must_use]
    pub fn with_rows(own: Vec<ModelRow>) -> Self {
        Self {
            own,
            resolved: Arc::default(),
        }
    }

    /// Returns all rows, sorted by provider and name, each once. Own rows replace embedded ones of
    /// the same name.
    #[must_use]
    pub fn rows(&self) -> Vec<&ModelRow> {
        let mut rows: BTreeMap<(&str, &str), &ModelRow> = BTreeMap::new();
        for row in EMBEDDED_ROWS.iter().chain(&self.own) {
            rows.insert((&row.provider, &row.name), row);
        }
        rows.into_values().collect()
    }

    /// Returns what is known about a name: `provider:model`, `provider/model` or `model`.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Arc<ResolvedModel> {
        if let Some(resolved) = self.lock_resolved().get(name) {
            return Arc::clone(resolved);
        }
        let model = self.lookup(name);
        // What stands before the colon of `anthropic.claude-…-v1:0` and `ft:gpt-4o:…` is no
        // provider.
        let provider = split_provider(name)
            .0
            .filter(|provider| !provider.contains('.') && !["ft", "models"].contains(provider))
            .map(str::to_owned)
            .or_else(|| model.as_ref().map(|model| model.provider.clone()));
        let nearest = if model.is_none() {
            self.nearest_names(name)
        } else {
            Vec::new()
        };
        let resolved = Arc::new(ResolvedModel {
            model,
            provider,
            nearest,
        });
        let mut remembered = self.lock_resolved();
        if remembered.len() < MAX_REMEMBERED {
            remembered.insert(name.to_owned(), Arc::clone(&resolved));
        }
        resolved
    }

    fn lock_resolved(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<ResolvedModel>>> {
        self.resolved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the model of this name; by another spelling if the name itself is in no table.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<KnownModel> {
        let others = other_spellings(name);
        let spellings: Vec<(&str, &[SpellingRule])> = std::iter::once((name, [].as_slice()))
            .chain(
                others
                    .iter()
                    .map(|(name, rules)| (name.as_str(), rules.as_slice())),
            )
            .collect();
        let exact = spellings
            .iter()
            .find_map(|(name, rules)| Some((self.exact_row(name, rules)?, *rules)));
        let (found, rules) = exact.or_else(|| {
            spellings
                .iter()
                .find_map(|(name, rules)| Some((dated_row(name)?, *rules)))
        })?;
        let rules = rules.iter().copied().chain(found.rule).collect();
        self.known_model(found, rules)
    }

    /// Returns the row of exactly this name, a spelling that `rules` led to: the provider's model,
    /// or else the model with that full name, such as `openai/gpt-oss-120b` at Groq. `:` and `/`
    /// mean the same. Of the rows of a bare name, the maker's comes first, then that with the
    /// smallest limit.
    fn exact_row(&self, name: &str, rules: &[SpellingRule]) -> Option<FoundRow<'_>> {
        let (provider, bare) = split_provider(name);
        let slashed = provider
            .map(|provider| format!("{provider}/{bare}"))
            .filter(|slashed| slashed != name);
        let mut queries = vec![RowQuery {
            name: bare,
            provider,
            rule: None,
        }];
        // A provider that was a prefix (`openai.`) is no part of a full name.
        if !rules.contains(&SpellingRule::Vendor) {
            queries.push(RowQuery {
                name,
                provider: None,
                rule: None,
            });
            queries.extend(slashed.as_deref().map(|name| RowQuery {
                name,
                provider: None,
                rule: Some(SpellingRule::ResellerName),
            }));
        }
        let own = queries.iter().find_map(|query| {
            let row = preferred_row(self.own.iter().filter(|row| query.matches(row)))?;
            Some((row, true, query.rule))
        });
        let found = own.or_else(|| {
            queries.iter().find_map(|query| {
                let rows = EMBEDDED.get(query.name)?.iter().copied();
                let row = preferred_row(rows.filter(|row| query.matches(row)))?;
                Some((row, false, query.rule))
            })
        });
        found.map(|(row, own, rule)| FoundRow { row, own, rule })
    }

    /// Returns the model of a row. The maker's limit counts in place of a reseller's greater one:
    /// many resellers leave the input limit out, or declare the context.
    fn known_model(&self, found: FoundRow<'_>, rules: Vec<SpellingRule>) -> Option<KnownModel> {
        let FoundRow { row, own, .. } = found;
        let declared = row.limits.max_input_tokens()?;
        let makers_limit = if own || is_maker(&row.provider) {
            None
        } else {
            self.makers_limit(&row.name)
        };
        let smaller = makers_limit.filter(|limit| *limit < declared);
        let mut limits = row.limits;
        limits.input = smaller.or(limits.input);
        Some(KnownModel {
            provider: row.provider.clone(),
            name: row.name.clone(),
            max_input_tokens: smaller.unwrap_or(declared),
            limits,
            own,
            rules,
            resold: smaller.map(|_| declared),
        })
    }

    /// Returns the input limit of the maker's model of this name, or of another spelling of it.
    fn makers_limit(&self, name: &str) -> Option<u64> {
        let others = other_spellings(name);
        std::iter::once(name)
            .chain(others.iter().map(|(name, _)| name.as_str()))
            .find_map(|name| {
                let row = self.exact_row(name, &[])?.row;
                row.limits
                    .max_input_tokens()
                    .filter(|_| is_maker(&row.provider))
            })
    }

    /// Returns the known names that are nearest, makers' before resellers'. Case and blanks are
    /// ignored.
    fn nearest_names(&self, name: &str) -> Vec<String> {
        let (_, bare) = split_provider(name);
        let bare = without_case_and_blanks(bare);
        // For each name its similarity and the best rank of its providers.
        let mut scored: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
        for row in self.rows() {
            let known = without_case_and_blanks(&row.name);
            if strsim::jaro_winkler(&known, &bare) <= MIN_SIMILARITY {
                continue;
            }
            let (_, rank) = scored
                .entry(&row.name)
                .or_insert_with(|| (strsim::normalized_levenshtein(&known, &bare), usize::MAX));
            *rank = (*rank).min(maker_rank(row));
        }
        let mut scored: Vec<(&str, (f64, usize))> = scored.into_iter().collect();
        scored
            .sort_by(|(_, (a, a_rank)), (_, (b, b_rank))| b.total_cmp(a).then(a_rank.cmp(b_rank)));
        scored
            .into_iter()
            .take(MAX_NEAREST)
            .map(|(name, _)| name.to_owned())
            .collect()
    }
}

/// Returns the row with the smallest limit among a maker's rows that are this name and a date.
fn dated_row(name: &str) -> Option<FoundRow<'static>> {
    let (provider, bare) = split_provider(name);
    let rows = EMBEDDED_ROWS.iter().filter(|row| {
        is_maker(&row.provider)
            && is_served_by(row, provider)
            && row.name.starts_with(bare)
            && without_date(&row.name).as_deref() == Some(bare)
    });
    preferred_row(rows).map(|row| FoundRow {
        row,
        own: false,
        rule: Some(SpellingRule::OnlyDated),
    })
}

/// Returns the row that a name means among those with the name.
fn preferred_row<'m>(rows: impl Iterator<Item = &'m ModelRow>) -> Option<&'m ModelRow> {
    rows.min_by_key(|row| (maker_rank(row), row.limits.max_input_tokens()))
}

fn without_case_and_blanks(name: &str) -> String {
    name.to_lowercase().replace(char::is_whitespace, "")
}

#[cfg(test)]
mod tests {
    use super::super::providers::makers;
    use super::super::table::parse_limits;
    use super::*;

    fn limit(name: &str) -> Option<u64> {
        Models::default()
            .lookup(name)
            .map(|model| model.max_input_tokens)
    }

    fn provider(name: &str) -> Option<String> {
        Models::default().resolve(name).provider.clone()
    }

    #[test]
    fn the_input_limit_counts_not_the_window() {
        let all = |context, input, output| {
            Some(ModelLimits {
                context: Some(context),
                input,
                output: Some(output),
            })
        };
        let limits = |name| Models::default().lookup(name).map(|model| model.limits);
        assert_eq!(
            (limit("openai:gpt-5.2"), limits("openai:gpt-5.2")),
            (Some(272_000), all(400_000, Some(272_000), 128_000))
        );
        assert_eq!(
            (limit("gpt-4o"), limits("gpt-4o")),
            (Some(128_000), all(128_000, None, 16_384))
        );
        assert_eq!(provider("gpt-4o").as_deref(), Some("openai"));
    }

    #[test]
    fn names_are_exact_and_an_unknown_one_names_its_neighbours() {
        assert_eq!(
            (
                limit("gpt-5-2"),
                limit("GPT-5.2"),
                limit("openai:gpt-5-2"),
                limit("fake:gpt-4o")
            ),
            (None, None, None, None)
        );
        let unknown = Models::default().resolve("openai:gpt-5-2");
        assert_eq!(unknown.nearest.first().map(String::as_str), Some("gpt-5.2"));
        assert_eq!(unknown.nearest.len(), 3);
        assert!(
            unknown
                .unknown_limit("openai:gpt-5-2")
                .contains("the nearest known are \"gpt-5.2\", ")
        );
        assert_eq!(
            (provider("fake:fake").as_deref(), provider("fake")),
            (Some("fake"), None)
        );
    }

    #[test]
    fn capitals_and_blanks_put_no_distance_between_names() {
        for name in ["GPT-5.2", "openai:GPT-5.2", " gpt-5.2 ", "Gpt-5. 2"] {
            assert_eq!(
                Models::default()
                    .resolve(name)
                    .nearest
                    .first()
                    .map(String::as_str),
                Some("gpt-5.2"),
                "{name:?}"
            );
        }
        let own = Models::with_rows(
            parse_limits("provider\tmodel\tcontext\tinput\toutput\nhome\tMine-Own\t5000\n")
                .unwrap(),
        );
        assert_eq!(own.resolve("mine-own").nearest, ["Mine-Own"]);
    }

    #[test]
    fn a_reseller_never_allows_more_than_the_maker() {
        for name in [
            "azure:gpt-5.2",
            "azure_openai:gpt-5.2",
            "azure/gpt-5.1-codex",
            "github-copilot:gpt-5.4",
            "openrouter/openai/gpt-5.2",
        ] {
            assert_eq!(limit(name), Some(272_000), "{name}");
        }
        let azure = Models::default().lookup("azure:gpt-5.2").unwrap();
        assert_eq!(
            (azure.resold, azure.limits.input),
            (Some(400_000), Some(272_000))
        );
        // Less is what it really takes.
        assert_eq!(
            (limit("azure:claude-opus-4-6"), limit("claude-opus-4-6")),
            (Some(200_000), Some(1_000_000))
        );
        for row in EMBEDDED_ROWS
            .iter()
            .filter(|row| maker_rank(row) == makers().len())
        {
            let Some(maker) = EMBEDDED_ROWS
                .iter()
                .find(|other| other.name == row.name && maker_rank(other) < makers().len())
            else {
                continue;
            };
            let name = format!("{}:{}", row.provider, row.name);
            assert!(limit(&name) <= maker.limits.max_input_tokens(), "{name}");
        }
    }

    #[test]
    fn other_spellings_lead_to_the_base() {
        let names = [
            ("gpt-5.2-2025-12-11", "gpt-5.2"),
            (
                "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            ),
            (
                "ca.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "anthropic.claude-sonnet-4-5-20250929-v1:0",
            ),
            (
                "bedrock:ca.anthropic.claude-sonnet-4-5-20250929-v1:0",
                "anthropic.claude-sonnet-4-5-20250929-v1:0",
            ),
            ("claude-sonnet-4-6@20260301", "claude-sonnet-4-6"),
            ("google_genai:models/gemini-2.5-pro", "gemini-2.5-pro"),
            ("claude-3-opus", "claude-3-opus-20240229"),
        ];
        for (name, base) in names {
            assert_eq!(
                Models::default()
                    .lookup(name)
                    .map(|model| model.name)
                    .as_deref(),
                Some(base),
                "{name}"
            );
        }
        // The snapshot of a day is another model where the table has it.
        assert_eq!(
            Models::default()
                .lookup("gpt-4o-2024-05-13")
                .and_then(|model| model.limits.output),
            Some(4096)
        );
    }

    #[test]
    fn a_colon_and_a_slash_part_alike() {
        let models = Models::default();
        let found = |name: &str| {
            models
                .lookup(name)
                .map(|model| (model.provider, model.name, model.max_input_tokens))
        };
        let groq = found("groq:openai/gpt-oss-120b").unwrap();
        assert_eq!(groq.0, "groq");
        for name in [
            "openai/gpt-oss-120b",
            "openai:gpt-oss-120b",
            "openai:gpt-oss-120b-2025-08-05",
            "openrouter/openai/gpt-oss-120b:free",
        ] {
            assert_eq!(found(name).as_ref(), Some(&groq), "{name}");
        }
        assert_eq!(
            models
                .lookup("openai:gpt-oss-120b")
                .map(|model| model.rules),
            Some(vec![SpellingRule::ResellerName])
        );
        // The prefix is Bedrock's, and OpenAI serves no such model.
        for name in [
            "openai:openai.gpt-oss-120b",
            "openai/openai.gpt-oss-120b",
            "groq:openai.gpt-oss-120b",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
        assert_eq!(
            found("bedrock:openai.gpt-oss-120b")
                .map(|(provider, ..)| provider)
                .as_deref(),
            Some("amazon-bedrock")
        );
        assert_eq!(
            found("openai.gpt-oss-120b"),
            found("us.openai.gpt-oss-120b")
        );
        let own = Models::with_rows(
            parse_limits("provider\tmodel\tcontext\tinput\toutput\nhome\topenai/gpt-4o\t5000\n")
                .unwrap(),
        );
        assert_eq!(
            ["openai/gpt-4o", "openai:gpt-4o"]
                .map(|name| own.lookup(name).map(|model| model.max_input_tokens)),
            [Some(5000); 2]
        );
        // For every name of the table, whoever is put before it.
        for row in EMBEDDED_ROWS.iter() {
            for provider in makers()
                .iter()
                .chain(&["groq", "azure", "amazon-bedrock", "fake"])
            {
                let [colon, slash] =
                    [':', '/'].map(|mark| found(&format!("{provider}{mark}{}", row.name)));
                assert_eq!(colon, slash, "{provider} {}", row.name);
            }
            if let Some((maker, bare)) = row.name.split_once('/') {
                assert_eq!(
                    found(&format!("{maker}:{bare}")),
                    found(&row.name),
                    "{}",
                    row.name
                );
            }
        }
    }

    #[test]
    fn every_row_is_found_by_its_own_name() {
        let models = Models::default();
        for row in EMBEDDED_ROWS.iter() {
            for name in [
                format!("{}:{}", row.provider, row.name),
                format!("{}/{}", row.provider, row.name),
            ] {
                let found = models.resolve(&name);
                let model = found.model.as_ref().unwrap();
                assert_eq!(
                    (&model.name, &model.provider, model.rules.len()),
                    (&row.name, &row.provider, 0),
                    "{name}"
                );
                assert_eq!(found.provider.as_ref(), Some(&row.provider), "{name}");
            }
            assert!(models.lookup(&row.name).is_some(), "{}", row.name);
        }
    }

    #[test]
    fn rows_of_the_user_go_first() {
        let own = parse_limits("provider\tmodel\tcontext\tinput\toutput\nazure\tgpt-5.2\t300000\t\t\nhome\tmine\t5000\n").unwrap();
        let models = Models::with_rows(own);
        let limit = |name| {
            models
                .lookup(name)
                .map(|model| (model.max_input_tokens, model.own))
        };
        assert_eq!(limit("azure:gpt-5.2"), Some((300_000, true)));
        assert_eq!(
            (limit("mine"), limit("home/mine")),
            (Some((5000, true)), Some((5000, true)))
        );
        assert_eq!(limit("openai:gpt-5.2"), Some((272_000, false)));
        assert_eq!(
            limit("gpt-5.2"),
            Some((300_000, true)),
            "what the user says goes before the table"
        );
    }
}
