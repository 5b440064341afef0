//! Looks up models by name, and suggests known names for one that is in no table.

use super::profiles::ProfileRelease;
use super::resolved_model::{KnownModel, ResolvedModel};
use super::row_search::{FoundRow, dated_row, exact_row};
use super::spelling::{SpellingRule, other_spellings, without_date};
use super::table::{EMBEDDED_ROWS, ModelRow, is_maker, maker_rank, split_provider};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// The most names that are remembered. A log has few; further ones are looked up each time.
const MAX_REMEMBERED: usize = 1000;

#[derive(Debug, Clone, Default)]
pub struct Models {
    custom_rows: Vec<ModelRow>,
    /// Knows only these rows, each by exactly its name.
    exact: bool,
    /// Names that were resolved before.
    resolved: Arc<Mutex<HashMap<String, Arc<ResolvedModel>>>>,
}

impl PartialEq for Models {
    fn eq(&self, other: &Self) -> bool {
        (&self.custom_rows, self.exact) == (&other.custom_rows, other.exact)
    }
}

impl Models {
    /// Adds the user's own rows to the embedded ones. They take precedence.
    pub fn with_rows(custom_rows: Vec<ModelRow>) -> Self {
        Self { custom_rows, exact: false, resolved: Arc::default() }
    }

    /// Returns the models that a release of Deep Agents knows, behind the user's own. As there, a
    /// name is known exactly as it is written, or not at all.
    pub fn with_profiles(&self, release: ProfileRelease) -> Self {
        let mut rows = self.custom_rows.clone();
        rows.extend(release.rows_beside(&self.custom_rows));
        Self { exact: release != ProfileRelease::None, ..Self::with_rows(rows) }
    }

    /// Returns all rows, sorted by provider and name, each once. The user's rows replace embedded
    /// ones of the same name.
    pub fn rows(&self) -> Vec<&ModelRow> {
        let mut rows: BTreeMap<(&str, &str), &ModelRow> = BTreeMap::new();
        let embedded = EMBEDDED_ROWS.iter().filter(|_| !self.exact);
        for row in embedded.chain(&self.custom_rows) {
            rows.insert((&row.provider, &row.name), row);
        }
        rows.into_values().collect()
    }

    /// Returns what is known about a name: `provider:model`, `provider/model` or `model`.
    pub fn resolve(&self, name: &str) -> Arc<ResolvedModel> {
        if let Some(resolved) = self.lock_resolved().get(name) {
            return Arc::clone(resolved);
        }
        let model = self.lookup(name);
        // What comes before the colon of `anthropic.claude-…-v1:0` and `ft:gpt-4o:…` is no
        // provider.
        let provider = split_provider(name)
            .0
            .filter(|provider| !provider.contains('.') && !["ft", "models"].contains(provider))
            .map(str::to_owned)
            .or_else(|| model.as_ref().map(|model| model.provider.clone()))
            .or_else(|| self.lookup_any_spelling(name).map(|model| model.provider));
        let nearest = if model.is_none() { nearest_names(&self.rows(), name) } else { Vec::new() };
        let resolved = Arc::new(ResolvedModel { model, provider, nearest });
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
    pub fn lookup(&self, name: &str) -> Option<KnownModel> {
        if self.exact {
            let found = exact_row(&self.custom_rows, name, &[])?;
            return found.is_custom.then(|| self.known_model(found, Vec::new()))?;
        }
        self.lookup_any_spelling(name)
    }

    fn lookup_any_spelling(&self, name: &str) -> Option<KnownModel> {
        let others = other_spellings(name);
        let spellings: Vec<(&str, &[SpellingRule])> = std::iter::once((name, [].as_slice()))
            .chain(others.iter().map(|(name, rules)| (name.as_str(), rules.as_slice())))
            .collect();
        let exact = spellings
            .iter()
            .find_map(|(name, rules)| Some((exact_row(&self.custom_rows, name, rules)?, *rules)));
        let (found, rules) = exact.or_else(|| {
            spellings.iter().find_map(|(name, rules)| Some((dated_row(name)?, *rules)))
        })?;
        let rules = rules.iter().copied().chain(found.rule).collect();
        self.known_model(found, rules)
    }

    /// Returns the model of a row. The maker's limit counts in place of a reseller's greater one:
    /// many resellers leave the input limit out, or declare the context.
    fn known_model(&self, found: FoundRow<'_>, rules: Vec<SpellingRule>) -> Option<KnownModel> {
        let FoundRow { row, is_custom, .. } = found;
        let declared = row.limits.max_input_tokens()?;
        let makers_limit =
            if is_custom || is_maker(&row.provider) { None } else { self.makers_limit(&row.name) };
        let smaller = makers_limit.filter(|limit| *limit < declared);
        let mut limits = row.limits;
        limits.input = smaller.or(limits.input);
        Some(KnownModel {
            provider: row.provider.clone(),
            name: row.name.clone(),
            max_input_tokens: smaller.unwrap_or(declared),
            limits,
            is_custom,
            rules,
            resold: smaller.map(|_| declared),
        })
    }

    /// Returns the input limit of the maker's model of this name, or of another spelling of it.
    fn makers_limit(&self, name: &str) -> Option<u64> {
        let others = other_spellings(name);
        std::iter::once(name).chain(others.iter().map(|(name, _)| name.as_str())).find_map(|name| {
            let row = exact_row(&self.custom_rows, name, &[])?.row;
            row.limits.max_input_tokens().filter(|_| is_maker(&row.provider))
        })
    }
}

/// The most near names that a warning lists.
const MAX_NEAREST: usize = 3;
/// The least Jaro-Winkler similarity of a near name.
const MIN_SIMILARITY: f64 = 0.8;

/// How near a known name is to an unknown one.
struct Nearness {
    /// The bytes of the known name if the unknown one begins with it and goes on with a word of its
    /// own, as `gpt-5.2-thinking` does with `gpt-5.2`; else 0.
    prefix: usize,
    similarity: f64,
    /// The best rank of its providers.
    rank: usize,
}

/// Returns the known names that are nearest: first what the name begins with, then by spelling,
/// makers' before resellers'. Case and blanks are ignored.
fn nearest_names(rows: &[&ModelRow], name: &str) -> Vec<String> {
    let (_, bare) = split_provider(name);
    let bare = without_case_and_blanks(bare);
    let undated = without_date(&bare);
    let mut scored: BTreeMap<&str, Nearness> = BTreeMap::new();
    for row in rows {
        let known = without_case_and_blanks(&row.name);
        let rest = bare.strip_prefix(&known);
        let is_begun = rest.is_some_and(is_word_behind) || undated.as_deref() == Some(&*known);
        if !is_begun && strsim::jaro_winkler(&known, &bare) <= MIN_SIMILARITY {
            continue;
        }
        let nearness = scored.entry(&row.name).or_insert_with(|| Nearness {
            prefix: if is_begun { known.len() } else { 0 },
            similarity: strsim::normalized_levenshtein(&known, &bare),
            rank: usize::MAX,
        });
        nearness.rank = nearness.rank.min(maker_rank(row));
    }
    let mut scored: Vec<(&str, Nearness)> = scored.into_iter().collect();
    scored.sort_by(|(_, a), (_, b)| {
        (b.prefix.cmp(&a.prefix))
            .then(b.similarity.total_cmp(&a.similarity))
            .then(a.rank.cmp(&b.rank))
    });
    scored.into_iter().take(MAX_NEAREST).map(|(name, _)| name.to_owned()).collect()
}

/// Returns true if what follows a name leaves the model the same: nothing, or a word such as
/// `-thinking`. A number is another version.
fn is_word_behind(rest: &str) -> bool {
    let word = rest.strip_prefix(['-', ':', '@', '_']);
    rest.is_empty() || word.is_some_and(|word| word.starts_with(|c: char| c.is_alphabetic()))
}

fn without_case_and_blanks(name: &str) -> String {
    name.to_lowercase().replace(char::is_whitespace, "")
}

#[cfg(test)]
mod tests {
    use super::super::lookup::Models;
    use super::super::table::{ModelLimits, maker_rank, parse_limits};
    use super::*;

    fn limit(name: &str) -> Option<u64> {
        Models::default().lookup(name).map(|model| model.max_input_tokens)
    }

    fn provider(name: &str) -> Option<String> {
        Models::default().resolve(name).provider.clone()
    }

    #[test]
    fn the_input_limit_counts_not_the_window() {
        let all = |context, input, output| {
            Some(ModelLimits { context: Some(context), input, output: Some(output) })
        };
        let limits = |name| Models::default().lookup(name).map(|model| model.limits);
        assert_eq!(["openai:gpt-5.2", "gpt-4o"].map(limit), [Some(272_000), Some(128_000)]);
        assert_eq!(limits("openai:gpt-5.2"), all(400_000, Some(272_000), 128_000));
        assert_eq!(limits("gpt-4o"), all(128_000, None, 16_384));
        assert_eq!(provider("gpt-4o").as_deref(), Some("openai"));
    }

    #[test]
    fn names_are_exact_and_an_unknown_one_names_its_neighbours() {
        assert_eq!(["gpt-5-2", "GPT-5.2", "openai:gpt-5-2", "fake:gpt-4o"].map(limit), [None; 4]);
        let unknown = Models::default().resolve("openai:gpt-5-2");
        assert_eq!((unknown.nearest[0].as_str(), unknown.nearest.len()), ("gpt-5.2", 3));
        let told = unknown.unknown_limit("openai:gpt-5-2");
        assert!(told.contains("the nearest known are \"gpt-5.2\", "), "{told}");
        assert_eq!((provider("fake:fake").as_deref(), provider("fake")), (Some("fake"), None));
    }

    #[test]
    fn a_reseller_never_allows_more_than_the_maker() {
        let resold = "azure:gpt-5.1-codex-max azure_openai:gpt-5.1-codex-max azure/gpt-5.1-codex github-copilot:gpt-5.2 openrouter/openai/gpt-5.2";
        for name in resold.split(' ') {
            assert_eq!(limit(name), Some(272_000), "{name}");
        }
        let azure = Models::default().lookup("azure:gpt-5.1-codex-max").unwrap();
        assert_eq!((azure.resold, azure.limits.input), (Some(400_000), Some(272_000)));
        // Less is what it really takes.
        let taken = ["github-copilot:gpt-4.1", "gpt-4.1"].map(limit);
        assert_eq!(taken, [128_000, 1_047_576].map(Some));
        for row in EMBEDDED_ROWS.iter().filter(|row| maker_rank(row) == usize::MAX) {
            let by_maker =
                |other: &&ModelRow| other.name == row.name && maker_rank(other) < usize::MAX;
            if let Some(maker) = EMBEDDED_ROWS.iter().find(by_maker) {
                let name = format!("{}:{}", row.provider, row.name);
                assert!(limit(&name) <= maker.limits.max_input_tokens(), "{name}");
            }
        }
    }

    #[test]
    fn rows_of_the_user_go_first() {
        let custom_rows = parse_limits("provider\tmodel\tcontext\tinput\toutput\nazure\tgpt-5.2\t300000\t\t\nhome\tmine\t5000\n").unwrap();
        let models = Models::with_rows(custom_rows);
        let limit =
            |name| models.lookup(name).map(|model| (model.max_input_tokens, model.is_custom));
        assert_eq!(limit("azure:gpt-5.2"), Some((300_000, true)));
        assert_eq!((limit("mine"), limit("home/mine")), (Some((5000, true)), Some((5000, true))));
        assert_eq!(limit("openai:gpt-5.2"), Some((272_000, false)));
        let said = "what the user says goes before the table";
        assert_eq!(limit("gpt-5.2"), Some((300_000, true)), "{said}");
    }

    #[test]
    fn capitals_and_blanks_put_no_distance_between_names() {
        for name in ["GPT-5.2", "openai:GPT-5.2", " gpt-5.2 ", "Gpt-5. 2"] {
            assert_eq!(Models::default().resolve(name).nearest[0], "gpt-5.2", "{name:?}");
        }
        let nearest = &Models::default().resolve("openai:gpt-5.2-thinking").nearest;
        assert_eq!(nearest[0], "gpt-5.2", "{nearest:?}");
        let own = "provider\tmodel\tcontext\tinput\toutput\nhome\tMine-Own\t5000\n";
        let custom = Models::with_rows(parse_limits(own).unwrap());
        assert_eq!(custom.resolve("mine-own").nearest, ["Mine-Own"]);
    }
}
