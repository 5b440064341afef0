//! A needle: a literal, a regular expression, or several of them on one line of a summary, where
//! spellings that mean the same are made one.

use crate::base::unspaced::unspaced_class;
use fancy_regex::{Regex, RegexBuilder};
use serde::Deserialize;
use std::ops::Range;
use std::sync::LazyLock;

/// The most characters of a line that the members of a list may take up.
const MEMBERS_WITHIN: usize = 600;
/// The most bytes of a compiled pattern, and of what it keeps while it searches.
const MAX_PATTERN_BYTES: usize = 4 << 20;
/// The most steps back that a pattern with look-around may take on a line.
const MAX_STEPS_BACK: usize = 100_000;

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a needle is a string, or a list of strings on one line")]
pub(super) enum WrittenNeedle {
    One(String),
    OnOneLine(Vec<WrittenNeedle>),
}

#[derive(Debug)]
pub(super) enum Needle {
    /// A pattern, which a literal is, too.
    One(Box<Regex>),
    /// All of these on one line, near each other.
    OnOneLine(Vec<Needle>),
}

impl TryFrom<WrittenNeedle> for Needle {
    type Error = String;

    fn try_from(written: WrittenNeedle) -> Result<Self, String> {
        match written {
            WrittenNeedle::OnOneLine(members) if members.is_empty() => {
                Err("a list of needles is empty".to_owned())
            }
            WrittenNeedle::OnOneLine(members) => {
                let members: Result<_, _> = members.into_iter().map(Self::try_from).collect();
                Ok(Self::OnOneLine(members?))
            }
            WrittenNeedle::One(text) => match text.strip_prefix("re:") {
                Some(pattern) => compile(pattern),
                None => compile(&literal_pattern(&text)?),
            },
        }
    }
}

/// Compiles a pattern with limits: who wrote it needs no trust.
fn compile(pattern: &str) -> Result<Needle, String> {
    let regex = RegexBuilder::new(pattern)
        .case_insensitive(true)
        .backtrack_limit(MAX_STEPS_BACK)
        .delegate_size_limit(MAX_PATTERN_BYTES)
        .delegate_dfa_size_limit(MAX_PATTERN_BYTES)
        .build();
    let regex = regex.map_err(|error| unusable(pattern, &error))?;
    Ok(Needle::One(Box::new(regex)))
}

fn unusable(pattern: &str, error: &fancy_regex::Error) -> String {
    format!("the pattern {pattern:?} can't be used: {error}")
}

/// Returns the pattern of a literal: it begins where a word does, in scripts that show where, and if
/// it ends with a digit, the number ends there.
fn literal_pattern(text: &str) -> Result<String, String> {
    let lines: Vec<String> = fold_lines(text).into_iter().map(|line| line.text).collect();
    let folded = lines.join(" ");
    let (Some(first), Some(last)) = (folded.chars().next(), folded.chars().next_back()) else {
        return Err(format!("the needle {text:?} has no letter, digit or sign to look for"));
    };
    let before = if first.is_alphanumeric() {
        let unspaced = unspaced_class();
        format!(r"(?:(?={unspaced})|(?<![[^\W_]--{unspaced}]))")
    } else {
        String::new()
    };
    let behind = if last.is_numeric() { r"(?!\d|\.\d*[1-9])" } else { "" };
    Ok(format!("{before}{}{behind}", fancy_regex::escape(&folded)))
}

impl Needle {
    /// Returns the places of the needle on a line, in characters. Fails if a pattern takes too many
    /// steps.
    pub(super) fn places(&self, line: &str) -> Result<Vec<Range<usize>>, String> {
        match self {
            Self::One(regex) => {
                let found = regex.find_iter(line).map(|found| {
                    let found = found.map_err(|error| unusable(regex.as_str(), &error))?;
                    let start = line[..found.start()].chars().count();
                    Ok(start..start + found.as_str().chars().count())
                });
                found.collect()
            }
            Self::OnOneLine(members) => {
                let members: Result<Vec<_>, _> =
                    members.iter().map(|member| member.places(line)).collect();
                Ok(joined_places(&members?))
            }
        }
    }
}

/// Returns the stretches that hold a place of each member: for each place of the first member that
/// which grows least.
fn joined_places(members: &[Vec<Range<usize>>]) -> Vec<Range<usize>> {
    let Some((first, others)) = members.split_first() else {
        return Vec::new();
    };
    let grown = |stretch: &Range<usize>, place: &Range<usize>| {
        stretch.start.min(place.start)..stretch.end.max(place.end)
    };
    let joined = first.iter().filter_map(|place| {
        others.iter().try_fold(place.clone(), |stretch, places| {
            let nearest = places
                .iter()
                .min_by_key(|place| (grown(&stretch, place).len(), place.start, place.end))?;
            let stretch = grown(&stretch, nearest);
            (stretch.len() <= MEMBERS_WITHIN).then_some(stretch)
        })
    });
    joined.collect()
}

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
    use serde_json::json;

    fn needle(written: serde_json::Value) -> Result<Needle, String> {
        serde_json::from_value::<WrittenNeedle>(written).unwrap().try_into()
    }

    fn is_on(written: serde_json::Value, line: &str) -> bool {
        !needle(written).unwrap().places(line).unwrap().is_empty()
    }

    #[test]
    fn literals_are_whole_numbers_and_beginnings_of_words() {
        assert!(is_on(json!("86.0"), "costs 86.0 now") && is_on(json!("86"), "86.00"));
        for line in ["186.0", "86.05", "a86.0", "86.01"] {
            assert!(!is_on(json!("86.0"), line), "{line}");
        }
        assert!(is_on(json!("Cancel"), "cancelled") && !is_on(json!("cancel"), "uncancelled"));
        assert!(is_on(json!("1,234 `x`"), "1234 x") && is_on(json!("card_7"), "(card_7)"));
        assert!(is_on(json!("b"), "a_b"), "an underscore parts words");
    }

    #[test]
    fn words_begin_anywhere_where_no_blanks_part_them() {
        for (literal, line) in [
            ("证券", "我认为如证券等金融"),
            ("plan.md", "写到plan.md里"),
            ("カード", "新しいカード"),
            ("บัตร", "ใช้บัตรนี้"),
        ] {
            assert!(is_on(json!(literal), line), "{literal}");
        }
        assert!(!is_on(json!("plan.md"), "写到myplan.md里") && !is_on(json!("план"), "безплан"));
    }

    #[test]
    fn members_stand_on_one_line_near_each_other() {
        let both = || json!(["gift", "re:\\$?198(?! days)"]);
        assert!(is_on(both(), "198 on the gift card") && !is_on(both(), "gift 198 days"));
        assert!(is_on(both(), &format!("gift{}198", " ".repeat(MEMBERS_WITHIN - 7))));
        assert!(!is_on(both(), &format!("gift{}198", " ".repeat(MEMBERS_WITHIN - 6))));
    }

    #[test]
    fn odd_needles_are_refused_and_slow_ones_end() {
        for wrong in [json!("**"), json!([]), json!("re:("), json!("re:(?:a{1000}){1000}")] {
            assert!(needle(wrong.clone()).is_err(), "{wrong}");
        }
        let slow = needle(json!("re:(a|b|ab)*(?>c)")).unwrap();
        assert!(slow.places(&"ab".repeat(28)).is_err());
    }

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
