//! Tells how much a sentence of a request says of what is wanted, wherever it stands.

use crate::summary::extract::facts::frame_rules::is_shouted_sentence;
use crate::summary::extract::facts::standing_wishes::WISHES;
use crate::summary::extract::labels::THEN;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::request_words::{
    ADDRESSES, ASIDE_WORDS, CONDITION_WORDS, CURE_WORDS, EXPECTATION_WORDS, GOAL_WORDS,
    ORDER_WORDS, PLACE_WORDS, READING_ORDERS, TASK_WORDS,
};
use std::sync::LazyLock;

/// What a line says that nobody needs.
pub(super) const NO_WORTH: i32 = -1000;
/// What the line of short replies says.
const REPLY_WORTH: i32 = 120;
/// Minimum length in bytes of a sentence that says something.
const LEAST_ANSWER: usize = 4;
/// Maximum length in bytes of the label of a line: `Project root: /srv/a`.
pub(super) const LONGEST_LABEL: usize = 24;
/// Maximum length in bytes of a line that states the version of a program.
const LONGEST_VERSION: usize = 160;

pub(super) static CONDITIONS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[CONDITION_WORDS]));
static ASIDES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[ASIDE_WORDS]));
pub(super) static TASKS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[TASK_WORDS]));
static PLACES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[PLACE_WORDS]));
static CURES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[CURE_WORDS]));
static GOALS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[GOAL_WORDS]));
static EXPECTATIONS: LazyLock<PhraseSearch> =
    LazyLock::new(|| PhraseSearch::new(&[EXPECTATION_WORDS]));

/// Labels of what is to be done about what stands before it.
const SOLUTION_LABELS: [&str; 6] = [
    "Fix:",
    "Fixes:",
    "Solution:",
    "Action:",
    "Required:",
    "Expected:",
];

/// Returns how much a sentence says of what is wanted, wherever it stands.
pub(super) fn sentence_worth(sentence: &str) -> i32 {
    // The answer to a field of a form: `No`.
    if sentence.len() < LEAST_ANSWER {
        return NO_WORTH;
    }
    if is_stack_line(sentence) {
        return NO_WORTH;
    }
    // What the user answered last decides.
    if sentence.starts_with(THEN) {
        return REPLY_WORTH;
    }
    let mut worth = 0;
    if WISHES.has_words(sentence) {
        worth += 45;
    }
    if CONDITIONS.has_words(sentence) {
        worth += 25;
    }
    if TASKS.has_words(sentence) {
        worth += 25;
    }
    if GOALS.has_words(sentence) {
        worth += 30;
    }
    if only_reads(sentence) && !WISHES.has_words(sentence) {
        worth -= 45;
    }
    if EXPECTATIONS.has_words(sentence) {
        worth += 20;
    }
    // Who tells how to mend it need not be sure.
    let tells_cure = CURES.has_words(sentence);
    let tells_place = PLACES.has_words(sentence);
    if tells_cure {
        worth += 50;
    }
    if tells_place {
        worth += 40;
    }
    if names_line(sentence) {
        worth += 40;
    } else if names_place(sentence) {
        worth += 15;
    }
    if is_order(sentence) && names_place(sentence) {
        worth += 30;
    }
    if SOLUTION_LABELS
        .iter()
        .any(|label| sentence.starts_with(label))
    {
        worth += 45;
    }
    if is_labelled(sentence) {
        worth += 60;
    }
    if is_shouted_sentence(sentence) {
        worth += 45;
    }
    if names_error(sentence) {
        worth += 35;
    }
    let is_aside = ASIDES.has_words(sentence) && !tells_cure && !tells_place;
    if is_aside {
        // `Maybe add a test` asks for one all the same.
        let asks = TASKS.has_words(sentence) || WISHES.has_words(sentence);
        worth -= if asks { 30 } else { 60 };
    } else if sentence.starts_with('>') {
        worth -= 30;
    }
    if defines_something(sentence) {
        worth = DEFINITION_WORTH;
    } else if sentence.ends_with(['{', '}', ';', '(', ')', '=']) || is_source_line(sentence) {
        worth -= 60;
    } else if is_statement(sentence) {
        worth -= 30;
    }
    if states_version(sentence) {
        worth -= 30;
    } else if worth == 0 && is_bare_version(sentence) {
        worth = BARE_VERSION_WORTH;
    }
    worth
}

/// What a line of a list of versions says: less than any sentence.
const BARE_VERSION_WORTH: i32 = -12;
/// The most words of such a line.
const VERSION_WORDS: usize = 4;

/// Returns true for a name with a version and nothing else: `astropy 5.1`.
fn is_bare_version(line: &str) -> bool {
    let version = line.rsplit([' ', '-', '=']).next().unwrap_or_default();
    line.len() <= LONGEST_VERSION
        && line.split_whitespace().count() <= VERSION_WORDS
        && version.len() < line.len()
        && version.contains('.')
        && version
            .bytes()
            .next()
            .is_some_and(|b| b.is_ascii_digit() || b == b'v')
        && version.bytes().filter(u8::is_ascii_digit).count() * 2 >= version.len()
}

/// Returns true for an order that only leads to the work: `Alright, read @src/main.rs in full.`
fn only_reads(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let mut order = lower.as_str();
    for address in ADDRESSES {
        if let Some(rest) = order.strip_prefix(address)
            && rest.starts_with([' ', ','])
        {
            order = rest.trim_start_matches([' ', ',']);
        }
    }
    !order.contains(" and ") && READING_ORDERS.iter().any(|words| order.starts_with(words))
}

/// Returns true for a place in a stack as browsers and Node print it: `draw @ script.js:332`, `at draw (a.js:3:1)`.
fn is_stack_line(line: &str) -> bool {
    let ends_with_place = |text: &str| {
        let text = text.trim_end_matches(')');
        text.rsplit_once(':').is_some_and(|(before, number)| {
            !number.is_empty()
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && before.contains('.')
        })
    };
    let named = line
        .split_once(" @ ")
        .filter(|(name, _)| !name.contains(' '));
    let is_call = line
        .strip_prefix("at ")
        .is_some_and(|rest| !rest.ends_with('.'));
    (named.is_some() || is_call) && ends_with_place(line)
}

/// Returns true for a sentence that begins with what to do: `Read and follow SKILL.md`.
pub(super) fn is_order(sentence: &str) -> bool {
    let first = sentence.split([' ', ',', ':']).next().unwrap_or_default();
    ORDER_WORDS
        .iter()
        .any(|word| first.eq_ignore_ascii_case(word))
}

/// Returns true if a sentence names a file or something in code.
fn names_place(sentence: &str) -> bool {
    sentence.contains('`')
        || sentence.split_whitespace().any(|word| {
            let inner = word.get(1..).unwrap_or_default();
            word.contains(['/', '_'])
                || (inner.bytes().any(|byte| byte.is_ascii_uppercase())
                    && inner.bytes().any(|byte| byte.is_ascii_lowercase()))
        })
}

/// Returns true if a sentence names a line of a file: `src/a.py#L40`.
fn names_line(sentence: &str) -> bool {
    let mut places = sentence.match_indices("#L");
    places.any(|(at, mark)| sentence[at + mark.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns true for a line of code that defines something: of code without marks around it, these say most.
/// `class names must stay:` is prose.
fn defines_something(line: &str) -> bool {
    let defined = DEFINING_WORDS
        .iter()
        .find_map(|word| line.strip_prefix(word));
    let behind = defined.map(|rest| {
        rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_')
            .trim_start_matches(' ')
    });
    line.ends_with([':', '{']) && behind.is_some_and(|rest| rest.starts_with(['(', ':', '{', '<']))
}

/// The words that such a line begins with, and what it says.
const DEFINING_WORDS: [&str; 5] = ["def ", "class ", "async def ", "fn ", "function "];
const DEFINITION_WORTH: i32 = 0;

/// Returns true for a line of code without marks around it that only goes on. `Return only what changed` is an
/// order, and `timeout = 40` may be one.
pub(super) fn is_statement(line: &str) -> bool {
    let begins_with = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    let is_short = line.split(' ').count() <= MOST_STATEMENT_WORDS;
    if line.ends_with(['.', '?', '!']) {
        return false;
    }
    matches!(line, "pass" | "else:" | "try:" | "return")
        || line.starts_with("self.")
        || (begins_with(&["from "]) && line.contains(" import "))
        || (begins_with(&["import "]) && (is_short || line.contains(" as ")))
        || (begins_with(&["return ", "raise ", "yield "])
            && (is_short || line.contains(['(', '_'])))
        || (begins_with(&["if ", "elif ", "for ", "while ", "with "])
            && line.ends_with(':')
            && line.contains(['(', '_', '[', '=']))
        || line
            .split_once(" = ")
            .is_some_and(|(name, value)| !name.contains(' ') && value.contains(['(', '[', '{']))
}

/// The most words of a statement that has no signs of code.
const MOST_STATEMENT_WORDS: usize = 2;

/// Returns true for a line of code as a traceback prints it: `72 if not isinstance(other, Q):`.
fn is_source_line(sentence: &str) -> bool {
    sentence.ends_with(':') && sentence.contains('(')
}

/// Returns true for the version of a program: `- Python version: 3.7`.
fn states_version(sentence: &str) -> bool {
    sentence.len() <= LONGEST_VERSION
        && sentence.to_ascii_lowercase().contains("version")
        && sentence
            .rsplit([' ', ':'])
            .next()
            .is_some_and(|value| value.starts_with(|c: char| c.is_ascii_digit() || c == 'v'))
}

/// Returns true for the message of an error: `KeyError: 'a'`.
pub(super) fn names_error(line: &str) -> bool {
    // pytest marks the lines of an error.
    let line = line.strip_prefix("E ").map_or(line, str::trim_start);
    let name = line.split_once(": ").map_or("", |(name, _)| name);
    !name.contains(' ') && (name.ends_with("Error") || name.ends_with("Exception"))
}

/// Returns true for a label with what an agent looks up: `Project root: /srv/a`.
fn is_labelled(sentence: &str) -> bool {
    sentence.split_once(": ").is_some_and(|(label, value)| {
        label.len() <= LONGEST_LABEL && !value.trim().contains(' ') && value.contains('/')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_without_marks_is_told_from_orders() {
        for line in [
            "return response",
            "raise InvalidPump()",
            "import numpy as np",
            "if pump is not None and pump in mill.PUMP_MAP:",
            "state = local()",
            "name = mill.PUMPS[7]",
        ] {
            assert!(is_statement(line), "{line}");
        }
        for line in [
            "return only what changed",
            "raise the limit of the mill",
            "import the rows of the table and keep their order",
            "for each file:",
            "timeout = 40",
        ] {
            assert!(!is_statement(line), "{line}");
        }
        assert!(defines_something("class Pump(Wheel):") && defines_something("def run(self):"));
        assert!(!defines_something("class names must never change:"));
    }

    #[test]
    fn a_name_with_a_version_says_less_than_a_sentence() {
        assert!(is_bare_version("astropy 5.1") && is_bare_version("- numpy==1.24.1"));
        assert!(!is_bare_version("Use the API of 5.1 for all of the pumps"));
        assert!(
            sentence_worth("maybe add a test for the pump")
                > sentence_worth("maybe it is the pump")
        );
    }

    #[test]
    fn a_goal_says_more_than_what_leads_to_it() {
        let goal = "I want you to find out how the mill can be untangled.";
        assert!(sentence_worth(goal) > sentence_worth("Alright, read @src/mill.rs in full."));
        assert!(!only_reads("Read the log and mend the mill."));
    }

    #[test]
    fn places_in_a_stack_are_known() {
        for line in [
            "draw @ script.js:332",
            "at draw (src/a.js:3:1)",
            "at a.js:7",
        ] {
            assert!(is_stack_line(line), "{line}");
        }
        for line in [
            "Meet me @ 10:30",
            "at last it works",
            "write to a@b.c:7",
            "at line 7 of a.js.",
        ] {
            assert!(!is_stack_line(line), "{line}");
        }
    }
}
