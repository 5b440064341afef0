//! The results of a look-up: a model whose limit is known, or the names near an unknown one.

use super::spelling::SpellingRule;
use super::table::ModelLimits;
use crate::base::foreign_text::quote_value;

/// A model whose input limit is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownModel {
    pub provider: String,
    /// The name in its row.
    pub name: String,
    /// The most input tokens.
    pub max_input_tokens: u64,
    /// The limits that count. The input limit may be that of the maker.
    pub limits: ModelLimits,
    /// True if the row is in a table of the user's.
    pub is_custom: bool,
    /// The rules that led from the given name to that of the row.
    pub rules: Vec<SpellingRule>,
    /// The input limit of the reseller's row, if that of the maker counts because it is smaller.
    pub resold: Option<u64>,
}

/// The model that a name means, if it is known, and the names near it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedModel {
    pub model: Option<KnownModel>,
    /// The provider before the `:` or `/` of the name; by default that of the model.
    pub provider: Option<String>,
    /// The nearest known names, if the name is not known.
    pub nearest: Vec<String>,
}

/// The beginning of the warning about a model that is not known.
const UNKNOWN_LIMIT: &str = "no input limit is known for the model";

/// Returns true for the warning that a model's limit is not known. Then the triggers are not the
/// ones that the user may expect, so that a quiet run says it, too.
pub(crate) fn is_unknown_limit(warning: &str) -> bool {
    warning.starts_with(UNKNOWN_LIMIT)
}

impl ResolvedModel {
    /// Says that no input limit is known for the name, and which known names are near.
    pub fn unknown_limit(&self, name: &str) -> String {
        let names: Vec<String> = self.nearest.iter().map(|name| format!("{name:?}")).collect();
        let nearest = match names.as_slice() {
            [] => String::new(),
            [name] => format!("; the nearest known is {name}"),
            names => format!("; the nearest known are {}", names.join(", ")),
        };
        let name = quote_value(name);
        format!("{UNKNOWN_LIMIT} {name}{nearest}; give --max-input-tokens or --limits")
    }
}
