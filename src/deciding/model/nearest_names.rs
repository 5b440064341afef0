//! Suggests known names for one that is in no table.

use super::providers::{maker_rank, split_provider};
use super::spelling::without_date;
use super::table::ModelRow;
use std::collections::BTreeMap;

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
pub(super) fn nearest_names(rows: &[&ModelRow], name: &str) -> Vec<String> {
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
    use super::super::table::parse_limits;

    #[test]
    fn capitals_and_blanks_put_no_distance_between_names() {
        for name in ["GPT-5.2", "openai:GPT-5.2", " gpt-5.2 ", "Gpt-5. 2"] {
            assert_eq!(
                Models::default().resolve(name).nearest.first().map(String::as_str),
                Some("gpt-5.2"),
                "{name:?}"
            );
        }
        let nearest = &Models::default().resolve("openai:gpt-5.2-thinking").nearest;
        assert_eq!(nearest[0], "gpt-5.2", "{nearest:?}");
        let custom = Models::with_rows(
            parse_limits("provider\tmodel\tcontext\tinput\toutput\nhome\tMine-Own\t5000\n")
                .unwrap(),
        );
        assert_eq!(custom.resolve("mine-own").nearest, ["Mine-Own"]);
    }
}
