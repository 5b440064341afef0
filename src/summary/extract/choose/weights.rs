//! The learnt weights: a table of numbers by name. `epitome fit` writes such tables.

use super::candidate::{KIND_NAMES, Kind};
use crate::base::error::describe_toml_error;
use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The features of a name, in order.
#[rustfmt::skip]
pub(crate) const NAME_FEATURES: [&str; 34] = [
    "count", "messages", "recency", "distance", "first", "in_call", "by_user", "by_assistant", "in_result",
    "result_only", "path", "file", "address", "date", "number", "mixed", "code", "capitals", "quoted",
    "has_key", "last_4", "last_10", "length", "crowd", "line_crowd", "key_of_argument", "key_rate",
    "kind_rate", "in_goal", "in_newest", "in_failure", "kept_folder", "linked", "used",
];
/// The features of a line, in order. The kinds of lines go before.
#[rustfmt::skip]
pub(crate) const LINE_FEATURES: [&str; 44] = [
    "goal", "newest", "request", "constraint", "call", "row", "finding", "error", "earlier", "recency",
    "distance", "position", "from_end", "last_4", "last_10", "tokens", "names", "needed", "most_needed",
    "words", "new_words", "kept_words", "goal_words", "newest_words", "rarity", "path", "number", "marks",
    "beyond_ascii", "question", "binding", "around", "failed", "changes", "runs", "repeats", "tells",
    "announces", "code", "newest_of_kind", "siblings", "item", "ends_turn", "sentences",
];

/// The value of a feature that is there in full.
pub(crate) const FULL: i32 = 1000;

/// The weights of names, of lines and of kinds of lines, in thousandths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Weights {
    /// Log odds that a name is needed again: the constant, then a weight for each feature.
    pub names: [i32; NAME_FEATURES.len() + 1],
    /// The logarithm of how many rare words of a line are used later, in the same form.
    pub lines: [i32; LINE_FEATURES.len() + 1],
    /// What a reader gains from a used word of each kind of line.
    pub readers: [i32; KIND_NAMES.len()],
}

/// The name of the constant.
const CONSTANT: &str = "constant";

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    names: BTreeMap<String, f64>,
    lines: BTreeMap<String, f64>,
    readers: BTreeMap<String, f64>,
}

static EMBEDDED: LazyLock<Option<Weights>> =
    LazyLock::new(|| Weights::parse(include_str!("weights.toml")).ok());

impl Weights {
    pub(crate) fn embedded() -> &'static Self {
        static NONE: Weights = Weights {
            names: [0; NAME_FEATURES.len() + 1],
            lines: [0; LINE_FEATURES.len() + 1],
            readers: [1000; KIND_NAMES.len()],
        };
        // A test holds that they can be parsed.
        EMBEDDED.as_ref().unwrap_or(&NONE)
    }

    /// Parses a table.
    ///
    /// # Errors
    /// Fails if the text is not a table of weights, or lacks one.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let tables: Tables = toml::from_str(text).map_err(|error| {
            anyhow!("it is not a table of weights: {}", describe_toml_error(text, &error))
        })?;
        Ok(Self {
            names: read_table("names", tables.names, &with_constant(&NAME_FEATURES))?,
            lines: read_table("lines", tables.lines, &with_constant(&LINE_FEATURES))?,
            readers: read_table("readers", tables.readers, &KIND_NAMES)?,
        })
    }

    pub(crate) fn render(&self) -> String {
        let mut text = String::new();
        push_table(
            "names",
            &with_constant::<{ NAME_FEATURES.len() }, { NAME_FEATURES.len() + 1 }>(&NAME_FEATURES),
            &self.names,
            &mut text,
        );
        push_table(
            "lines",
            &with_constant::<{ LINE_FEATURES.len() }, { LINE_FEATURES.len() + 1 }>(&LINE_FEATURES),
            &self.lines,
            &mut text,
        );
        push_table("readers", &KIND_NAMES, &self.readers, &mut text);
        text
    }

    /// Returns what a reader gains from a kind of line.
    pub(crate) fn reader(&self, kind: Kind) -> i64 {
        i64::from(self.readers[kind as usize])
    }
}

fn with_constant<const N: usize, const M: usize>(names: &[&'static str; N]) -> [&'static str; M] {
    std::array::from_fn(|at| if at == 0 { CONSTANT } else { names[at - 1] })
}

fn read_table<const N: usize>(
    table: &'static str,
    mut values: BTreeMap<String, f64>,
    names: &[&'static str; N],
) -> Result<[i32; N]> {
    let mut weights = [0; N];
    for (weight, name) in weights.iter_mut().zip(names) {
        let value = values.remove(*name);
        let value = value.with_context(|| format!("it has no weight {name:?} in [{table}]"))?;
        if !(-100.0..=100.0).contains(&value) {
            bail!("the weight {name:?} is not between -100 and 100");
        }
        *weight = (value * 1000.0).round() as i32;
    }
    match values.into_keys().next() {
        Some(name) => bail!("[{table}] has the unknown weight {name:?}"),
        None => Ok(weights),
    }
}

fn push_table(table: &str, names: &[&str], weights: &[i32], out: &mut String) {
    use std::fmt::Write;
    let _ = writeln!(out, "{}[{table}]", if out.is_empty() { "" } else { "\n" });
    for (name, weight) in names.iter().zip(weights) {
        let _ = writeln!(out, "{name} = {:.3}", f64::from(*weight) / 1000.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_weights_are_a_table() {
        let weights = Weights::parse(include_str!("weights.toml")).unwrap();
        assert_eq!(Weights::parse(&weights.render()).unwrap(), weights);
    }

    #[test]
    fn other_tables_are_refused() {
        let good = Weights::embedded().render();
        for (bad, message) in [
            ("x = 1".to_owned(), "not a table of weights"),
            (good.replace("\nrecency =", "\nrecent ="), "no weight"),
            (good.clone() + "other = 1.0\n", "unknown weight"),
            (good.replacen("constant = ", "constant = 1000.0 # ", 1), "not between"),
        ] {
            let error = Weights::parse(&bad).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
