//! Finds what a sentence of a list is about that only says `this file`: the name in the item above it.

use crate::summary::extract::lexicon::finding_words::SUBJECT_WORDS;

/// The most lines above a sentence that are searched, and the longest item in bytes that is a name.
const MOST_LINES: usize = 4;
const LONGEST_ITEM: usize = 110;
/// The most words before a sentence that label it: `Context: This file holds …`.
const LONGEST_LABEL: usize = 24;
/// Marks of code, and of stressed words.
const CODE_MARK: char = '`';

/// Returns the name that a sentence at byte `at` of `text` is about, if it does not name it. The sentence itself is
/// the second value, without its label.
pub(super) fn subject_of<'t>(
    text: &'t str,
    at: usize,
    sentence: &'t str,
) -> Option<(&'t str, &'t str)> {
    let said = without_label(sentence);
    let lower = said.to_ascii_lowercase();
    let speaks_of =
        |words: &&str| lower.starts_with(*words) || lower.contains(&format!(" {words}"));
    if !SUBJECT_WORDS.iter().any(speaks_of) || said.contains(CODE_MARK) && names_file(said) {
        return None;
    }
    let mut above = text[..at].lines().rev();
    // The line of the sentence itself may begin with the name.
    let same = text[..at].rsplit('\n').next().unwrap_or_default();
    if !same.is_empty() {
        above.next();
    }
    let lines = std::iter::once(same).chain(above.take(MOST_LINES));
    let name = lines
        .filter(|line| line.len() <= LONGEST_ITEM)
        .find_map(name_in)?;
    (!said.contains(name)).then_some((name, said))
}

/// Returns a sentence without the label before it.
fn without_label(sentence: &str) -> &str {
    match sentence.split_once(':') {
        Some((label, rest))
            if label.len() <= LONGEST_LABEL
                && !label.contains(CODE_MARK)
                && rest.starts_with(['*', ' ']) =>
        {
            rest.trim_start_matches(['*', ' '])
        }
        _ => sentence,
    }
}

/// Returns true if a sentence names a file.
fn names_file(sentence: &str) -> bool {
    sentence
        .split(CODE_MARK)
        .skip(1)
        .step_by(2)
        .any(|name| name.contains(['/', '.']))
}

/// Returns the first name in marks of code of a line.
fn name_in(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(CODE_MARK)?;
    let (name, _) = rest.split_once(CODE_MARK)?;
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_stands_in_the_item_above() {
        let text = "- **Related Test File:** `tests/test_pump.py`\n  - **Description:** This file holds the tests. While the file itself is not wrong, it needs more.\n";
        let about = |sentence: &str| {
            let at = text.find(sentence).unwrap();
            subject_of(text, at, &text[at..at + sentence.len()])
        };
        assert_eq!(
            about("While the file itself is not wrong, it needs more."),
            Some((
                "tests/test_pump.py",
                "While the file itself is not wrong, it needs more."
            ))
        );
        assert_eq!(
            about("Description:** This file holds the tests."),
            Some(("tests/test_pump.py", "This file holds the tests."))
        );
        assert_eq!(about("Related Test File:** `tests/test_pump.py`"), None);
    }
}
