//! Tells what a service answered to a call that made or changed something there: its state, its address, its number.

use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lex::clip::CLIP_MARK;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::result_text::read_result;
use crate::summary::extract::lexicon::argument_names::ANSWER_KEYS;

/// Maximum length in bytes of what is told, and of a value.
const LONGEST: usize = 130;
const LONGEST_VALUE: usize = 90;

/// Returns the values of a result in JSON by which what was made is found again: `id 7, url https://…`. Empty if it
/// is none.
pub(super) fn answered_values(result: &str) -> String {
    let read = read_result(result);
    let text = read.text.trim_start();
    let mut told = String::new();
    if !text.starts_with('{') {
        return told;
    }
    let mut seen: Vec<String> = Vec::new();
    visit_leaves(text, &mut |key, value| {
        if !ANSWER_KEYS.contains(&key.name) {
            return;
        }
        let Some(value) = value.decode().filter(|value| !value.is_empty()) else {
            return;
        };
        let value = fold_line(&value, LONGEST_VALUE).into_owned();
        let separator = if told.is_empty() { "" } else { ", " };
        let cost = separator.len() + key.name.len() + 1 + value.len();
        // Half of an address leads nowhere.
        if value.ends_with(CLIP_MARK.trim_start())
            || seen.contains(&value)
            || told.len() + cost > LONGEST
        {
            return;
        }
        told.push_str(&format!("{separator}{} {value}", key.name));
        seen.push(value);
    });
    told
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
        assert_eq!(answered_values("made it"), "");
        let long = format!(r#"{{"url": "https://example.org/{}"}}"#, "x".repeat(200));
        assert_eq!(answered_values(&long), "");
    }
}
