//! Tells what a service answered to a call that made or changed something there: its state, its address, its number.

use crate::summary::extract::lex::clip::CLIP_MARK;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::json_tree::{ResultTree, parse_json_tree};
use crate::summary::extract::lex::result_text::read_result;
use crate::summary::extract::lexicon::argument_names::ANSWER_KEYS;
use std::borrow::Cow;

/// Maximum length in bytes of what is told, and of a value.
const LONGEST: usize = 130;
const LONGEST_VALUE: usize = 90;

/// Returns the values of a result in JSON by which what was made is found again: `id 7, url https://…`. Those of the
/// object itself count; where it has none, those of the first object in it. Empty if it is no JSON.
pub(super) fn answered_values(result: &str) -> String {
    let read = read_result(result);
    let Some(ResultTree::Object(members)) = parse_json_tree(&read.text) else {
        return String::new();
    };
    let of_root = told_values(&members);
    if !of_root.is_empty() {
        return of_root;
    }
    let inner = members.iter().find_map(|(_, value)| match value {
        ResultTree::Object(members) => Some(told_values(members)),
        _ => None,
    });
    inner.unwrap_or_default()
}

/// Returns the values of an object on a line.
fn told_values(members: &[(Cow<'_, str>, ResultTree<'_>)]) -> String {
    let mut told = ToldValues::default();
    for (key, value) in members {
        if let ResultTree::Text(value) = value
            && ANSWER_KEYS.contains(&key.as_ref())
        {
            told.add(key, value);
        }
    }
    told.line
}

/// The values that are told so far.
#[derive(Default)]
struct ToldValues<'v> {
    line: String,
    keys: Vec<&'v str>,
    values: Vec<String>,
}

impl<'v> ToldValues<'v> {
    /// Adds a value if there is room for it as a whole: half of an address leads nowhere.
    fn add(&mut self, key: &'v str, value: &str) {
        let value = fold_line(value, LONGEST_VALUE).into_owned();
        let separator = if self.line.is_empty() { "" } else { ", " };
        let cost = separator.len() + key.len() + 1 + value.len();
        let is_told = self.keys.contains(&key) || self.values.contains(&value);
        if value.is_empty()
            || value.ends_with(CLIP_MARK.trim_start())
            || is_told
            || self.line.len() + cost > LONGEST
        {
            return;
        }
        self.line.push_str(&format!("{separator}{key} {value}"));
        self.keys.push(key);
        self.values.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_service_answers_is_told_by_its_address() {
        assert_eq!(
            answered_values(
                r#"{"id": 7, "url": "https://example.org/pump", "size": 4, "html_url": "https://example.org/pump"}"#
            ),
            "id 7, url https://example.org/pump"
        );
        // The state of what it belongs to is not its own.
        assert_eq!(
            answered_values(
                r#"{"milestone": {"number": 3, "state": "closed"}, "number": 412, "state": "open"}"#
            ),
            "number 412, state open"
        );
        assert_eq!(
            answered_values(r#"{"made": {"number": 3}, "by": {"id": 4}}"#),
            "number 3"
        );
        assert_eq!(answered_values("made it"), "");
        let long = format!(r#"{{"url": "https://example.org/{}"}}"#, "x".repeat(200));
        assert_eq!(answered_values(&long), "");
    }
}
