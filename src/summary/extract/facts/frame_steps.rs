//! Shortens the steps that a harness asks for.

use crate::summary::extract::lex::clip::floor_char;
use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::wish_words::BAN_WORDS;
use std::sync::LazyLock;

/// Minimum number of steps of a list, the maximum number of them that are shown, and the maximum length in bytes of
/// each and of the last.
const LEAST_STEPS: usize = 3;
const MOST_STEPS: usize = 6;
const LONGEST_STEP: usize = 46;
const LONGEST_LAST_STEP: usize = 60;
/// A word of the line before the steps.
const STEPS: &str = "steps";

/// Words of a clause that limits the one behind it.
pub(super) const CLAUSE_LIMITS: [&str; 12] = [
    "if", "unless", "but", "when", "except", "until", "while", "after", "before", "once", "where",
    "in",
];

/// Returns the steps that a frame asks for, as a numbered list, of a long one the last: nobody knows which of them
/// are done.
pub(super) fn asked_steps(frame: &str) -> Vec<String> {
    let (head, tail) = both_ends(frame);
    let lines = head.lines().chain(tail.lines()).map(str::trim);
    // Other lists are tips for the tools.
    let numbered: Vec<&str> = lines
        .skip_while(|line| !line.contains(STEPS))
        .filter(|line| is_step(line))
        .collect();
    if numbered.len() < LEAST_STEPS {
        return Vec::new();
    }
    let last = &numbered[numbered.len().saturating_sub(MOST_STEPS)..];
    let shortened = last.iter().enumerate().map(|(number, step)| {
        let is_last = number + 1 == last.len();
        let limit = if is_last {
            LONGEST_LAST_STEP
        } else {
            LONGEST_STEP
        };
        shorten_step(&shorten_hashes(step), limit)
    });
    shortened.collect()
}

/// Shortens the hashes of commits: their beginning is enough to name them.
fn shorten_hashes(step: &str) -> String {
    let words = step.split(' ').map(|word| {
        let hash = word.bytes().take_while(u8::is_ascii_hexdigit).count();
        if hash >= LONG_HASH {
            format!("{}{}", &word[..SHORT_HASH], &word[hash..])
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<String>>().join(" ")
}

/// Minimum length in bytes of a hash that is shortened, and the length of what is left.
const LONG_HASH: usize = 24;
const SHORT_HASH: usize = 10;

/// Shortens a step to its first clauses. Of a long one, the clause before them is left out: `Once you are
/// done, run all tests.`
fn shorten_step(step: &str, limit: usize) -> String {
    if step.len() <= limit {
        return fold_line(step, limit).into_owned();
    }
    let (number, text) = step.split_once(' ').unwrap_or(("", step));
    let text = without_condition(text);
    let text = STEP_OPENINGS
        .iter()
        .fold(text, |text, word| text.strip_prefix(word).unwrap_or(text));
    let room = limit.saturating_sub(number.len() + 1);
    let start = &text[..floor_char(text, room)];
    // Half of a prohibition forbids something else.
    if BANS.has_words(text) {
        return fold_line(&format!("{number} {text}"), LONGEST_BAN).into_owned();
    }
    let end = CLAUSE_ENDS
        .iter()
        .filter_map(|end| start.rfind(end))
        .filter(|end| *end >= room / 4)
        .max();
    // A condition alone asks for nothing.
    let is_condition = |end: &usize| begins_with_condition(text) && !text[..*end].contains(", ");
    match end.filter(|end| !is_condition(end)) {
        Some(end) => format!(
            "{number} {}",
            fold_line(text[..end].trim_end_matches(','), limit)
        ),
        None => fold_line(&format!("{number} {text}"), limit).into_owned(),
    }
}

/// Maximum length in bytes of a step that forbids something.
const LONGEST_BAN: usize = 120;
/// Searches for the words of such a step.
static BANS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[BAN_WORDS]));
/// What ends a clause of a step.
const CLAUSE_ENDS: [&str; 11] = [
    ". ",
    ", and ",
    ", ",
    " (",
    "? ",
    ": ",
    " and ",
    " to ",
    " by ",
    " using ",
    " so that ",
];

/// Words at the beginning of a step that ask for nothing.
const STEP_OPENINGS: [&str; 4] = [
    "As a first step, ",
    "it might be a good idea to ",
    "please ",
    "carefully ",
];

/// Returns a sentence without the clause that says when it holds: `Once you are done, run all tests`.
fn without_condition(sentence: &str) -> &str {
    // What others must have done first is a limit.
    ["Once you", "When you", "After you"]
        .iter()
        .find(|opening| sentence.starts_with(**opening))
        .and_then(|_| sentence.split_once(", "))
        .map_or(sentence, |(_, clause)| clause)
}

/// Returns true for a sentence that first says when it holds.
fn begins_with_condition(sentence: &str) -> bool {
    let first = sentence.split([' ', ',']).next().unwrap_or_default();
    CLAUSE_LIMITS
        .iter()
        .any(|limit| first.eq_ignore_ascii_case(limit))
}

/// Returns true for an item of a numbered list: `4. Run it again`.
pub(super) fn is_step(line: &str) -> bool {
    let number = line.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&number) && line[number..].starts_with(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_step_is_shortened_to_its_clauses() {
        assert_eq!(
            shorten_step(
                "6. Once you are done with it all, read the text again, and run all tests of it",
                40
            ),
            "6. read the text again"
        );
        assert_eq!(shorten_step("1. Look", 40), "1. Look");
        // Half of a prohibition forbids something else.
        let ban = "5. Do not stop to ask the user for any clarification, decide on your own";
        assert_eq!(shorten_step(ban, 40), ban);
        // A condition alone asks for nothing.
        let step = "3. After the owner of the repository has approved the change in writing, push the branch.";
        assert!(shorten_step(step, 76).ends_with('…'));
    }
}
