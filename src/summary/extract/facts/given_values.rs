//! Finds the values that the user gave line by line: `Bucket: nmfs-mra-media`.

use super::fact::{Fact, FactKind};
use super::request_log::UserRequest;
use crate::summary::extract::lex::fold::fold_line;

/// Minimum number of such lines in a request. One alone may be prose.
const LEAST_LINES: usize = 2;
/// Maximum number of requests that are read, the newest.
const MOST_REQUESTS: usize = 40;
/// Maximum length in bytes of a name and of its value, and the maximum number of words of each.
const LONGEST_NAME: usize = 40;
const LONGEST_VALUE: usize = 80;
const MOST_WORDS: usize = 6;
/// Minimum length in bytes of a value that says something.
const LEAST_VALUE: usize = 4;
/// Maximum length in bytes of all values of a request.
const LONGEST_FACT: usize = 260;
/// What the values of the newest request are worth, and those of each older one less.
const WORTH: i32 = 3000;
const OLDER_LOSS: i32 = 400;
/// Between two values.
const VALUE_END: &str = "; ";

/// Returns the values that older requests give, newest first. The goal and the newest request stand for
/// themselves.
pub(crate) fn given_values(requests: &[UserRequest<'_>]) -> Vec<Fact> {
    let [_, older @ .., _] = requests else {
        return Vec::new();
    };
    let mut facts = Vec::new();
    for request in older.iter().rev().take(MOST_REQUESTS) {
        let given: Vec<&str> = request.text.lines().filter_map(given_value).collect();
        if given.len() < LEAST_LINES {
            continue;
        }
        let older = i32::try_from(facts.len()).unwrap_or(i32::MAX);
        facts.push(Fact {
            kind: FactKind::Constraint,
            text: fold_line(&given.join(VALUE_END), LONGEST_FACT).into_owned(),
            worth: WORTH.saturating_sub(OLDER_LOSS.saturating_mul(older)),
            order: 0,
            heading: None,
            is_pinned: false,
        });
    }
    facts
}

/// Returns a line without its bullet, if it gives a value under a name.
fn given_value(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
    let (name, value) = line.split_once(": ")?;
    let value = value.trim().trim_matches('`');
    let is_name = (2..=LONGEST_NAME).contains(&name.len())
        && name.starts_with(char::is_alphabetic)
        && !name.contains(['.', ',', ';', '(', '"', '{'])
        && name.split_whitespace().count() <= MOST_WORDS;
    let is_value = (LEAST_VALUE..=LONGEST_VALUE).contains(&value.len())
        && value.split_whitespace().count() <= 2
        && value.contains(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '/' | '@' | '.'))
        && !value.ends_with(['.', ',', ';', '{', ':'])
        && !value.contains("N/A");
    (is_name && is_value).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::request_log::RequestLog;
    use std::borrow::Cow;

    #[test]
    fn values_under_names_are_given() {
        let mut log = RequestLog::default();
        for (number, text) in [
            "Move the mill",
            "Here it goes:\n\n- New project: mill-dev-1\nNew bucket: mill-media\nPhase 1: Look at the pump.\nKey: N/A-1",
            "Note: see mill-dev-1",
            "Go on with the pump now",
        ]
        .into_iter()
        .enumerate()
        {
            log.push_request(Cow::Borrowed(text), number, false);
        }
        let given = given_values(log.current_task());
        let texts: Vec<&str> = given.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(texts, ["New project: mill-dev-1; New bucket: mill-media"]);
    }
}
