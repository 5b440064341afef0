//! Finds what a sentence of a list is about that only says `this file`: the name in the item above it.

use crate::summary::extract::lex::code_marks::{CODE_MARK, names_in_code};
use crate::summary::extract::lex::list_items::indent_of;
use crate::summary::extract::lexicon::finding_words::SUBJECT_WORDS;

/// The most lines above a sentence that are searched, and the longest item in bytes that is a name.
const MOST_LINES: usize = 6;
const LONGEST_ITEM: usize = 110;
/// Labels of a sentence that say nothing of it.
const NEUTRAL_LABELS: [&str; 6] = [
    "description",
    "context",
    "details",
    "explanation",
    "note",
    "reason",
];

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
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let indent = indent_of(&text[start..]);
    // The item that it belongs to stands less deep. Items beside it are about something else.
    let mut above = text[..start].lines().rev().take(MOST_LINES);
    let parent = above.find(|line| {
        !line.trim().is_empty() && (indent_of(line) < indent || line.starts_with('#'))
    })?;
    let name = name_of_item(parent)?;
    (!said.contains(name)).then_some((name, said))
}

/// Returns a sentence without a label before it that says nothing.
fn without_label(sentence: &str) -> &str {
    match sentence.split_once(':') {
        Some((label, rest)) => {
            let label = label.trim_matches(['*', ' ']).to_ascii_lowercase();
            let is_neutral = NEUTRAL_LABELS.contains(&label.as_str());
            if is_neutral {
                rest.trim_start_matches(['*', ' '])
            } else {
                sentence
            }
        }
        None => sentence,
    }
}

/// Returns true if a sentence names a file.
fn names_file(sentence: &str) -> bool {
    names_in_code(sentence).any(|name| name.contains(['/', '.']))
}

/// Returns the only name in marks of code of an item or a heading that ends with it: nothing else is said of it
/// there.
fn name_of_item(line: &str) -> Option<&str> {
    let item = line.trim();
    let is_item =
        item.starts_with(['-', '*', '#', '•']) || item.starts_with(|c: char| c.is_ascii_digit());
    if !is_item || item.len() > LONGEST_ITEM || item.matches(CODE_MARK).count() != 2 {
        return None;
    }
    let (_, rest) = item.split_once(CODE_MARK)?;
    let (name, behind) = rest.split_once(CODE_MARK)?;
    let ends_with_name = behind.trim_matches(['*', ':', ' ', ')', '.']).is_empty();
    (ends_with_name && !name.is_empty() && !name.contains(char::is_whitespace)).then_some(name)
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

    #[test]
    fn what_stands_beside_a_sentence_is_not_its_subject() {
        for text in [
            "- `src/reader.py` is ruled out.\n- src/writer.py: the culprit. This file fails because it is old.",
            "`tests/test_pump.py` passes.\nNext file, src/valve.c:\nThis file fails because it is old.",
            "I compared `old/pump.py` with `new/pump.py`. This file fails because it is old.",
        ] {
            let sentence = "This file fails because it is old.";
            assert_eq!(
                subject_of(text, text.find(sentence).unwrap(), sentence),
                None,
                "{text}"
            );
        }
        let refuted = "- `Pump.run`\n  - **Refuted:** this function must hold the lock";
        let sentence = "Refuted:** this function must hold the lock";
        let at = refuted.find(sentence).unwrap();
        let about = subject_of(refuted, at, &refuted[at..]);
        assert_eq!(about, Some(("Pump.run", sentence)));
    }
}
