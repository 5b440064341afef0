//! The text of a summary as needles see it: spellings that mean the same are made one.

use fancy_regex::Regex;
use std::sync::LazyLock;

/// The fewest words of a bare list.
const LIST_WORDS: usize = 15;
/// One word of so many in a list may be a stop word.
const WORDS_PER_STOP_WORD: usize = 25;
/// Words that sentences need and lists of names don't.
const STOP_WORDS: &str = " the a an and or of to in is are was were be for on with that this it as at by from not no but has have had do does will if i you your my we his her when which all after before than then into only so can could must should there what how ";
/// The commas of `1,234,567`.
static THOUSANDS: LazyLock<Regex> = LazyLock::new(|| regex(r"(?<=\d),(?=\d{3}(?!\d))"));
/// The label of a list of files.
static FILES: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"^[-* ]*(files )?(written|read|edited|modified|created|changed|files)\b")
});

#[expect(clippy::expect_used, reason = "both patterns are constants, and tested")]
fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is right")
}

/// What a line is for needles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// It relates what is on it.
    Text,
    /// It lists files, behind a label that says what was done to them.
    FileList,
    /// It is a bare list of names, which relates nothing.
    BareList,
}

/// A line of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoldedLine {
    pub text: String,
    pub kind: LineKind,
}

/// Returns the lines of a text that are not empty: in lowercase, with single spaces, without marks
/// of Markdown and commas in numbers, and with plain quotes and hyphens.
pub(super) fn fold_lines(text: &str) -> Vec<FoldedLine> {
    let plain: String = text.chars().filter_map(plain_character).collect();
    let plain = plain.to_lowercase();
    let plain = THOUSANDS.replace_all(&plain, "");
    let lines = plain.split('\n').filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let text = words.join(" ");
        let kind = match is_list(&text, &words) {
            false => LineKind::Text,
            true if FILES.is_match(&text).unwrap_or(false) => LineKind::FileList,
            true => LineKind::BareList,
        };
        (!words.is_empty()).then_some(FoldedLine { text, kind })
    });
    lines.collect()
}

fn plain_character(character: char) -> Option<char> {
    match character {
        '*' | '`' | '\\' => None,
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{201c}' | '\u{201d}' => Some('"'),
        '\u{2011}' | '\u{2013}' | '\u{2014}' => Some('-'),
        '\u{a0}' | '\u{23ce}' => Some(' '),
        other => Some(other),
    }
}

/// Returns true if a line has many words, hardly a stop word, and nothing that ends a sentence or
/// relates a name to a value.
fn is_list(line: &str, words: &[&str]) -> bool {
    let relates = ["|", "->", "=", "\": ", "{\"", ". ", "; ", "! ", "? "];
    let stops = words.iter().filter(|word| STOP_WORDS.contains(&format!(" {word} ")));
    words.len() >= LIST_WORDS
        && !relates.iter().any(|mark| line.contains(mark))
        && stops.count() * WORDS_PER_STOP_WORD < words.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_that_mean_the_same_are_one() {
        let lines = fold_lines(
            "A **B**\u{a0}`c`\t \u{201c}D\u{201d}\n \n1,234,567.50 \u{2014} 12,34 \u{2019}s",
        );
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["a b c \"d\"", "1234567.50 - 12,34 's"]);
    }

    #[test]
    fn lists_relate_nothing_unless_they_are_of_files() {
        let names: Vec<String> = (0..15).map(|number| format!("name_{number}")).collect();
        let names = names.join(" ");
        let kind = |line: &str| fold_lines(line)[0].kind;
        assert_eq!(kind(&names), LineKind::BareList);
        assert_eq!(kind(&format!("- Files written: {names}")), LineKind::FileList);
        assert_eq!(kind(&format!("- {names} of the")), LineKind::Text);
        for relating in ["| name_0", "a -> b", "key=value", "It failed. So"] {
            assert_eq!(kind(&format!("{names} {relating}")), LineKind::Text, "{relating}");
        }
        assert_eq!(kind("name_0 name_1"), LineKind::Text);
    }
}
