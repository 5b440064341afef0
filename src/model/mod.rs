//! What a model accepts as input: names are looked up exactly, in the user's
//! own tables first, then in the embedded one (spec: formats, "Model limits");
//! and what its tokens cost.

mod prices;
mod spelling;
mod table;

pub use prices::{Price, Prices};
pub use spelling::Rule;
pub use table::{COLUMNS, Limits, LimitsError, ROWS, Row, RowError, origin, parse_limits};

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Providers that make their models, in the order of preference for a bare
/// model name. Others resell.
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

/// What else providers are called, by LangChain and by routers.
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

/// How many nearest names a warning names, and how near they must be.
const NEAREST: usize = 3;
const NEAR: f64 = 0.8;
/// How many names of a log are remembered. A log has few; what is beyond is looked up each time.
const REMEMBERED: usize = 1000;

/// A model that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Who serves it.
    pub provider: String,
    /// Its exact name in the table.
    pub name: String,
    /// The most input tokens it takes.
    pub max_input_tokens: u64,
    /// All limits that count; an input limit that is the maker's is among them.
    pub limits: Limits,
    /// Whether the row is of a file of the user's.
    pub own: bool,
    /// What led from the name that was asked for to the row's.
    pub rules: Vec<Rule>,
    /// What the row itself says of its input, where the limit is the maker's: that one is smaller.
    pub resold: Option<u64>,
}

/// What is known about a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The model.
    pub model: Option<Model>,
    /// The provider: what stands before the `:` or `/` of the name, else the table's.
    pub provider: Option<String>,
    /// Of a name that is not known, the nearest that are.
    pub nearest: Vec<String>,
}

impl Resolved {
    /// What to say of a name whose limit is not known.
    #[must_use]
    pub fn unknown_limit(&self, name: &str) -> String {
        let names: Vec<String> = self
            .nearest
            .iter()
            .map(|name| format!("{name:?}"))
            .collect();
        let nearest = match names.as_slice() {
            [] => String::new(),
            [one] => format!("; the nearest known is {one}"),
            names => format!("; the nearest known are {}", names.join(", ")),
        };
        format!(
            "no input limit is known for the model {name:?}{nearest}; give --max-input-tokens or --limits"
        )
    }
}

static EMBEDDED: LazyLock<HashMap<&'static str, Vec<&'static Row>>> =
    LazyLock::new(|| by_name(&ROWS));

fn by_name(rows: &[Row]) -> HashMap<&str, Vec<&Row>> {
    let mut index: HashMap<&str, Vec<&Row>> = HashMap::new();
    for row in rows {
        index.entry(&row.name).or_default().push(row);
    }
    index
}

/// All models that are known.
#[derive(Debug, Clone, Default)]
pub struct Models {
    own: Vec<Row>,
    known: Arc<Mutex<HashMap<String, Arc<Resolved>>>>,
}

impl PartialEq for Models {
    fn eq(&self, other: &Self) -> bool {
        self.own == other.own
    }
}

impl Models {
    /// The embedded table, and rows that go before it.
    #[must_use]
    pub fn with(own: Vec<Row>) -> Self {
        Self {
            own,
            known: Arc::default(),
        }
    }

    /// All rows, and whether each is the user's own; the user's go before embedded ones of the same name.
    #[must_use]
    pub fn rows(&self) -> Vec<(&Row, bool)> {
        let embedded = ROWS.iter().map(|row| (row, false));
        let mut rows: BTreeMap<(&str, &str), (&Row, bool)> = BTreeMap::new();
        for (row, own) in embedded.chain(self.own.iter().map(|row| (row, true))) {
            rows.insert((&row.provider, &row.name), (row, own));
        }
        rows.into_values().collect()
    }

    /// What is known about a name: `provider:model`, `provider/model` or `model`.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Arc<Resolved> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resolved) = known().get(name) {
            return Arc::clone(resolved);
        }
        let model = self.lookup(name);
        // What stands before the colon of `anthropic.claude-…-v1:0` and `ft:gpt-4o:…` is no provider.
        let named = split(name)
            .0
            .filter(|provider| !provider.contains('.') && !["ft", "models"].contains(provider));
        let provider = named
            .map(str::to_owned)
            .or_else(|| model.as_ref().map(|model| model.provider.clone()));
        let nearest = if model.is_none() {
            self.nearest(name)
        } else {
            Vec::new()
        };
        let resolved = Arc::new(Resolved {
            model,
            provider,
            nearest,
        });
        let mut known = known();
        if known.len() < REMEMBERED {
            known.insert(name.to_owned(), Arc::clone(&resolved));
        }
        resolved
    }

    /// The model of that name; by another spelling, if the name itself is in no table.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<Model> {
        let others = spelling::others(name);
        let named = std::iter::once((name, [].as_slice()));
        let bases: Vec<(&str, &[Rule])> = named
            .chain(
                others
                    .iter()
                    .map(|(name, rules)| (name.as_str(), rules.as_slice())),
            )
            .collect();
        let exact = || {
            bases
                .iter()
                .find_map(|(base, rules)| Some((self.exact(base, rules)?, *rules)))
        };
        let dated = || {
            bases.iter().find_map(|(base, rules)| {
                self.dated(base)
                    .map(|(row, own)| ((row, own, Some(Rule::OnlyDated)), *rules))
            })
        };
        let ((row, own, last), rules) = exact().or_else(dated)?;
        self.model(row, own, rules.iter().copied().chain(last).collect())
    }

    /// The row of exactly this name, that `rules` led to: the provider's model, else one whose own name it is, as
    /// `openai/gpt-oss-120b` at Groq; a `:` and a `/` mean the same. A bare name means the maker's; else the smallest limit.
    fn exact(&self, name: &str, rules: &[Rule]) -> Option<(&Row, bool, Option<Rule>)> {
        let (provider, bare) = split(name);
        let slashed = provider
            .map(|provider| format!("{provider}/{bare}"))
            .filter(|slashed| slashed != name);
        // A provider that was a prefix (`openai.`) is one: with its model it is nobody's own name.
        let is_whole = !rules.contains(&Rule::Vendor);
        let named = [(bare, provider, None)].into_iter();
        let whole = [(Some(name), None), (slashed.as_deref(), Some(Rule::Id))]
            .into_iter()
            .filter(|_| is_whole);
        let named: Vec<(&str, Option<&str>, Option<Rule>)> = named
            .chain(whole.filter_map(|(name, rule)| Some((name?, None, rule))))
            .collect();
        let own = |name: &str, provider: Option<&str>| {
            best(
                self.own
                    .iter()
                    .filter(|row| row.name == name && served_by(row, provider)),
            )
        };
        let embedded = |name: &str, provider: Option<&str>| {
            best(
                EMBEDDED
                    .get(name)?
                    .iter()
                    .copied()
                    .filter(|row| served_by(row, provider)),
            )
        };
        let own = || {
            named
                .iter()
                .find_map(|(name, provider, rule)| Some((own(name, *provider)?, true, *rule)))
        };
        own().or_else(|| {
            named
                .iter()
                .find_map(|(name, provider, rule)| Some((embedded(name, *provider)?, false, *rule)))
        })
    }

    /// Of a maker's rows that are this name and a date, the one with the smallest limit.
    fn dated(&self, name: &str) -> Option<(&Row, bool)> {
        let (provider, bare) = split(name);
        let made = ROWS.iter().filter(|row| {
            FIRST_PARTIES.contains(&row.provider.as_str()) && served_by(row, provider)
        });
        let rows = made.filter(|row| {
            row.name.starts_with(bare) && spelling::without_date(&row.name).as_deref() == Some(bare)
        });
        best(rows).map(|row| (row, false))
    }

    /// A reseller's row never says more than the maker's: many leave the input limit out, or name the context.
    fn model(&self, row: &Row, own: bool, rules: Vec<Rule>) -> Option<Model> {
        let declared = row.limits.max_input_tokens()?;
        let mut limits = row.limits;
        let makers = if own || FIRST_PARTIES.contains(&row.provider.as_str()) {
            None
        } else {
            self.makers(&row.name)
        };
        let smaller = makers.filter(|makers| *makers < declared);
        limits.input = smaller.or(limits.input);
        Some(Model {
            provider: row.provider.clone(),
            name: row.name.clone(),
            max_input_tokens: smaller.unwrap_or(declared),
            limits,
            own,
            rules,
            resold: smaller.map(|_| declared),
        })
    }

    /// The input limit of the maker's model of this name, or of another spelling of it.
    fn makers(&self, name: &str) -> Option<u64> {
        let spelled = std::iter::once(name.to_owned())
            .chain(spelling::others(name).into_iter().map(|(name, _)| name));
        spelled.into_iter().find_map(|name| {
            let (row, ..) = self.exact(&name, &[])?;
            row.limits
                .max_input_tokens()
                .filter(|_| FIRST_PARTIES.contains(&row.provider.as_str()))
        })
    }

    /// The known models whose names are nearest; makers' before resellers'. Capitals and blanks put no distance between two names.
    fn nearest(&self, name: &str) -> Vec<String> {
        let plain = |name: &str| name.to_lowercase().replace(char::is_whitespace, "");
        let (_, bare) = split(name);
        let bare = &plain(bare);
        let rows = self.rows();
        let mut scored: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
        for (row, _) in &rows {
            let known = plain(&row.name);
            if strsim::jaro_winkler(&known, bare) <= NEAR {
                continue;
            }
            let place = scored
                .entry(&row.name)
                .or_insert_with(|| (strsim::normalized_levenshtein(&known, bare), usize::MAX));
            place.1 = place.1.min(party(row));
        }
        let mut scored: Vec<(&str, (f64, usize))> = scored.into_iter().collect();
        scored.sort_by(|(_, a), (_, b)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored
            .into_iter()
            .take(NEAREST)
            .map(|(name, _)| name.to_owned())
            .collect()
    }
}

/// The row that a name means among those that bear it.
fn best<'r>(rows: impl Iterator<Item = &'r Row>) -> Option<&'r Row> {
    rows.min_by_key(|row| (party(row), row.limits.max_input_tokens()))
}

/// The place of a provider among those that make models; resellers come last.
fn party(row: &Row) -> usize {
    FIRST_PARTIES
        .iter()
        .position(|party| *party == row.provider)
        .unwrap_or(FIRST_PARTIES.len())
}

fn served_by(row: &Row, provider: Option<&str>) -> bool {
    provider.is_none_or(|provider| {
        let known = ALIASES
            .iter()
            .find(|(alias, _)| *alias == provider)
            .map_or(provider, |(_, known)| known);
        row.provider == known || row.provider == provider
    })
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
            Some(Limits {
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
        let own = Models::with(
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
        for row in ROWS.iter().filter(|row| party(row) == FIRST_PARTIES.len()) {
            let Some(maker) = ROWS
                .iter()
                .find(|other| other.name == row.name && party(other) < FIRST_PARTIES.len())
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
            Some(vec![Rule::Id])
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
        let own = Models::with(
            parse_limits("provider\tmodel\tcontext\tinput\toutput\nhome\topenai/gpt-4o\t5000\n")
                .unwrap(),
        );
        assert_eq!(
            ["openai/gpt-4o", "openai:gpt-4o"]
                .map(|name| own.lookup(name).map(|model| model.max_input_tokens)),
            [Some(5000); 2]
        );
        // For every name of the table, whoever is put before it.
        for row in ROWS.iter() {
            for provider in FIRST_PARTIES
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
        for row in ROWS.iter() {
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
        let models = Models::with(own);
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
