//! Finds the row of a table that a name means.

use super::spelling::{SpellingRule, without_date};
use super::table::{EMBEDDED_ROWS, ModelRow, is_maker, is_served_by, maker_rank, split_provider};
use std::collections::HashMap;
use std::sync::LazyLock;

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
pub(super) struct FoundRow<'m> {
    pub(super) row: &'m ModelRow,
    /// True if the row is in a table of the user's.
    pub(super) is_custom: bool,
    /// The rule that led to it beside those of the spelling.
    pub(super) rule: Option<SpellingRule>,
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

/// Returns the row of exactly this name, a spelling that `rules` led to: that of the provider's
/// model, or else of the model with that full name, such as `openai/gpt-oss-120b` at Groq. `:` and
/// `/` mean the same. Rows of the user go first. Of the rows of a bare name, the maker's comes
/// first, then that with the smallest limit.
pub(super) fn exact_row<'m>(
    custom_rows: &'m [ModelRow],
    name: &str,
    rules: &[SpellingRule],
) -> Option<FoundRow<'m>> {
    let (provider, bare) = split_provider(name);
    let slashed =
        provider.map(|provider| format!("{provider}/{bare}")).filter(|slashed| slashed != name);
    let mut queries = vec![RowQuery { name: bare, provider, rule: None }];
    // A provider that was a prefix (`openai.`) is no part of a full name.
    if !rules.contains(&SpellingRule::Vendor) {
        queries.push(RowQuery { name, provider: None, rule: None });
        queries.extend(slashed.as_deref().map(|name| RowQuery {
            name,
            provider: None,
            rule: Some(SpellingRule::ResellerName),
        }));
    }
    let custom = queries.iter().find_map(|query| {
        let row = preferred_row(custom_rows.iter().filter(|row| query.matches(row)))?;
        Some((row, true, query.rule))
    });
    let found = custom.or_else(|| {
        queries.iter().find_map(|query| {
            let rows = EMBEDDED.get(query.name)?.iter().copied();
            let row = preferred_row(rows.filter(|row| query.matches(row)))?;
            Some((row, false, query.rule))
        })
    });
    found.map(|(row, is_custom, rule)| FoundRow { row, is_custom, rule })
}

/// Returns the row with the smallest limit among a maker's rows that are this name and a date.
pub(super) fn dated_row(name: &str) -> Option<FoundRow<'static>> {
    let (provider, bare) = split_provider(name);
    let rows = EMBEDDED_ROWS.iter().filter(|row| {
        is_maker(&row.provider)
            && is_served_by(row, provider)
            && row.name.starts_with(bare)
            && without_date(&row.name).as_deref() == Some(bare)
    });
    preferred_row(rows).map(|row| FoundRow {
        row,
        is_custom: false,
        rule: Some(SpellingRule::OnlyDated),
    })
}

/// Returns the row that a name means among those with the name.
fn preferred_row<'m>(rows: impl Iterator<Item = &'m ModelRow>) -> Option<&'m ModelRow> {
    rows.min_by_key(|row| (maker_rank(row), row.limits.max_input_tokens()))
}

#[cfg(test)]
mod tests {
    use super::super::lookup::Models;
    use super::super::spelling::SpellingRule;
    use super::super::table::{EMBEDDED_ROWS, makers, parse_limits};
    use crate::base::test_table::rows;

    #[test]
    fn other_spellings_lead_to_the_base() {
        for [name, base] in rows(
            "
            gpt-5.2-2025-12-11 | gpt-5.2
            us.anthropic.claude-sonnet-4-5-20250929-v1:0 | us.anthropic.claude-sonnet-4-5-20250929-v1:0
            ca.anthropic.claude-sonnet-4-5-20250929-v1:0 | anthropic.claude-sonnet-4-5-20250929-v1:0
            bedrock:ca.anthropic.claude-sonnet-4-5-20250929-v1:0 | anthropic.claude-sonnet-4-5-20250929-v1:0
            claude-sonnet-4-6@20260301 | claude-sonnet-4-6
            google_genai:models/gemini-2.5-pro | gemini-2.5-pro
            claude-3-opus | claude-3-opus-20240229",
        ) {
            let found = Models::default().lookup(name).map(|model| model.name);
            assert_eq!(found.as_deref(), Some(base), "{name}");
        }
        // The snapshot of a day is another model where the table has it.
        let snapshot = Models::default().lookup("gpt-4o-2024-05-13").unwrap();
        assert_eq!(snapshot.limits.output, Some(4096));
    }

    #[test]
    fn a_colon_and_a_slash_part_alike() {
        let models = Models::default();
        let found = |name: &str| {
            models.lookup(name).map(|model| (model.provider, model.name, model.max_input_tokens))
        };
        let groq = found("groq:openai/gpt-oss-120b").unwrap();
        assert_eq!(groq.0, "groq");
        let same = "openai/gpt-oss-120b openai:gpt-oss-120b openai:gpt-oss-120b-2025-08-05 openrouter/openai/gpt-oss-120b:free";
        for name in same.split(' ') {
            assert_eq!(found(name).as_ref(), Some(&groq), "{name}");
        }
        let rules = models.lookup("openai:gpt-oss-120b").unwrap().rules;
        assert_eq!(rules, [SpellingRule::ResellerName]);
        // The prefix is Bedrock's, and OpenAI serves no such model.
        for server in ["openai:", "openai/", "groq:"] {
            assert_eq!(found(&format!("{server}openai.gpt-oss-120b")), None, "{server}");
        }
        assert_eq!(found("bedrock:openai.gpt-oss-120b").unwrap().0, "amazon-bedrock");
        assert_eq!(found("openai.gpt-oss-120b"), found("us.openai.gpt-oss-120b"));
        let table = "provider\tmodel\tcontext\tinput\toutput\nhome\topenai/gpt-4o\t5000\n";
        let custom = Models::with_rows(parse_limits(table).unwrap());
        let limit = |name| custom.lookup(name).unwrap().max_input_tokens;
        assert_eq!(["openai/gpt-4o", "openai:gpt-4o"].map(limit), [5000; 2]);
        // For every name of the table, whoever is put before it.
        for row in EMBEDDED_ROWS.iter() {
            for provider in makers().chain(["groq", "azure", "amazon-bedrock", "fake"]) {
                let [colon, slash] =
                    [':', '/'].map(|mark| found(&format!("{provider}{mark}{}", row.name)));
                assert_eq!(colon, slash, "{provider} {}", row.name);
            }
            if let Some((maker, bare)) = row.name.split_once('/') {
                assert_eq!(found(&format!("{maker}:{bare}")), found(&row.name), "{}", row.name);
            }
        }
    }

    #[test]
    fn every_row_is_found_by_its_own_name() {
        let models = Models::default();
        for row in EMBEDDED_ROWS.iter() {
            for mark in [':', '/'] {
                let name = format!("{}{mark}{}", row.provider, row.name);
                let found = models.resolve(&name);
                let model = found.model.as_ref().unwrap();
                let told = (&model.name, &model.provider, model.rules.len());
                assert_eq!(told, (&row.name, &row.provider, 0), "{name}");
                assert_eq!(found.provider.as_ref(), Some(&row.provider), "{name}");
            }
            assert!(models.lookup(&row.name).is_some(), "{}", row.name);
        }
    }
}
