//! Suggests known names for one that is in no table.

use super::providers::{maker_rank, split_provider};
use super::table::ModelRow;
use std::collections::BTreeMap;

/// The most near names that a warning lists.
const MAX_NEAREST: usize = 3;
/// The least Jaro-Winkler similarity of a near name.
const MIN_SIMILARITY: f64 = 0.8;

/// Returns the known names that are nearest, makers' before resellers'. Case and blanks are
/// ignored.
pub(super) fn nearest_names(rows: &[&ModelRow], name: &str) -> Vec<String> {
    let (_, bare) = split_provider(name);
    let bare = without_case_and_blanks(bare);
    // For each name its similarity and the best rank of its providers.
    let mut scored: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for row in rows {
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
    scored.sort_by(|(_, (a, a_rank)), (_, (b, b_rank))| b.total_cmp(a).then(a_rank.cmp(b_rank)));
    scored
        .into_iter()
        .take(MAX_NEAREST)
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn without_case_and_blanks(name: &str) -> String {
    name.to_lowercase().replace(char::is_whitespace, "")
}

#[cfg(test)]
mod tests {
    use super::super::lookup::Models;
    use super::super::table::parse_limits;

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
        let custom = Models::with_rows(
            parse_limits("provider\tmodel\tcontext\tinput\toutput\nhome\tMine-Own\t5000\n")
                .unwrap(),
        );
        assert_eq!(custom.resolve("mine-own").nearest, ["Mine-Own"]);
    }
}
