//! Finds the values that the user gave line by line: `Bucket: nmfs-mra-media`.

use super::fact::{Fact, FactKind};
use super::request_log::UserRequest;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::wish_words::{BAN_WORDS, OUTDATED_WORDS};
use hashbrown::HashSet;
use std::sync::LazyLock;

/// Minimum number of such lines in a request. One alone may be prose.
const LEAST_LINES: usize = 2;
/// Maximum number of requests that are read, the newest.
const MOST_REQUESTS: usize = 40;
/// Maximum length in bytes of a name and of its value.
const LONGEST_NAME: usize = 40;
const LONGEST_VALUE: usize = 80;
/// Maximum number of words of a name, and of a value: a longer one is a sentence.
const MOST_NAME_WORDS: usize = 6;
const MOST_VALUE_WORDS: usize = 2;
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
    let [_, older @ .., newest] = requests else {
        return Vec::new();
    };
    let mut facts = Vec::new();
    // What is given again under the same name holds from then on.
    let mut names: Vec<&str> = newest
        .text
        .lines()
        .filter_map(given_value)
        .map(name_of)
        .collect();
    for request in older.iter().rev().take(MOST_REQUESTS) {
        let lines = request.text.lines();
        let given: Vec<&str> = lines
            .filter_map(given_value)
            .filter(|line| !names.contains(&name_of(line)))
            .collect();
        names.extend(given.iter().copied().map(name_of));
        // What is not to be used stands with the words that say so.
        let links = request.text.lines().filter_map(given_link);
        facts.extend(links.map(link_fact));
        if given.len() < LEAST_LINES || repeats_name(&given) || denies(&request.text) {
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
            longer: None,
        });
    }
    facts
}

/// Returns a short line with an address that the user gives: `https://mill.example/ is the url of the frontend`.
fn given_link(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
    let is_given = line.len() <= LONGEST_LINK_LINE
        && line.contains("https://")
        && !line.contains(['?', '{', '<', '"'])
        && line.split_whitespace().count() > 1
        && !DENIALS.has_words(line);
    is_given.then_some(line)
}

fn link_fact(line: &str) -> Fact {
    Fact {
        kind: FactKind::Constraint,
        text: fold_line(line, LONGEST_FACT).into_owned(),
        worth: LINK_WORTH,
        order: 0,
        heading: None,
        is_pinned: false,
        longer: None,
    }
}

/// Maximum length in bytes of a line with an address, and what it is worth.
const LONGEST_LINK_LINE: usize = 140;
const LINK_WORTH: i32 = 1500;

/// Returns the name before a value.
fn name_of(line: &str) -> &str {
    line.split_once(": ").map_or(line, |(name, _)| name)
}

/// Returns true if a name stands twice: what a program printed, not what the user gives.
fn repeats_name(given: &[&str]) -> bool {
    let names: HashSet<&str> = given.iter().copied().map(name_of).collect();
    names.len() < given.len()
}

/// Returns true if the line above the values of a request may say that they do not hold.
fn denies(request: &str) -> bool {
    let mut above = "";
    for line in request.lines().filter(|line| !line.trim().is_empty()) {
        if given_value(line).is_some() {
            return DENIALS.has_words(above);
        }
        above = line;
    }
    false
}

static DENIALS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[BAN_WORDS, OUTDATED_WORDS]));

/// Returns a line without its bullet, if it gives a value under a name.
fn given_value(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
    let (name, value) = line.split_once(": ")?;
    let value = value.trim().trim_matches('`');
    let is_name = (2..=LONGEST_NAME).contains(&name.len())
        && name.starts_with(char::is_alphabetic)
        && !name.contains(['.', ',', ';', '(', '"', '{'])
        && name.split_whitespace().count() <= MOST_NAME_WORDS;
    let is_value = (LEAST_VALUE..=LONGEST_VALUE).contains(&value.len())
        && value.split_whitespace().count() <= MOST_VALUE_WORDS
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
            "Do not use:\nOld host: mill-9.io\nOld port: 90-91",
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
