//! Folds the list in a report of the assistant into a line: what each item says first.

use super::expected_sections::is_expected_at;
use super::finding_sentences::STRESS_MARK;
use super::next_steps::steps_heading;
use crate::summary::extract::labels::{AGENT_REPORTED, LEFT_TO_DO, REPORTED};
use crate::summary::extract::lex::blocks::is_fence;
use crate::summary::extract::lex::clip::{CLIP_MARK, clip_line};
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::list_items::behind_list_mark;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::plan_words::{DENIED_WORDS, PROPOSAL_WORDS};
use crate::summary::extract::lexicon::request_words::ORDER_WORDS;
use hashbrown::HashSet;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Minimum number of items of a list that tells what was done.
const LEAST_ITEMS: usize = 3;
/// Minimum number of words of an item that tells something.
const LEAST_WORDS: usize = 3;
/// The least and the most bytes of an item, and the most of the line.
const LEAST_ITEM: usize = 56;
const LONGEST_ITEM: usize = 72;
const LONGEST_RECAP: usize = 330;
/// The same of the longer form, for room that nothing else needs.
const LONGEST_WIDE_ITEM: usize = 170;
const LONGEST_WIDE_RECAP: usize = 700;
const LONGEST_LEFT: usize = 200;
/// Number of spaces before an item from which on it belongs to the one above.
const SUB_INDENT: usize = 2;
/// Between items.
const ITEM_END: &str = "; ";

/// The items of a report on a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Recap {
    pub(super) text: String,
    /// The line with more of each item, if there is more.
    pub(super) longer: Option<String>,
}

impl Recap {
    /// Says that another agent reported it.
    pub(super) fn name_agent(&mut self) {
        for text in std::iter::once(&mut self.text).chain(&mut self.longer) {
            *text = text.replacen(REPORTED, AGENT_REPORTED, 1);
        }
    }
}

/// Returns the items of a report on a line, without the steps that are left to do. Returns `None` if it has
/// too few.
pub(super) fn recap_of(report: &str) -> Option<Recap> {
    let end = steps_heading(report).unwrap_or(report.len());
    let items = items_in(&report[..end]);
    // A list of samples, "Item 1" and "Item 2", or of sources tells nothing.
    let tells =
        |item: &&Cow<'_, str>| item.split_whitespace().count() >= LEAST_WORDS && !is_source(item);
    let telling = items.iter().filter(tells).count();
    let tells_enough =
        items.len() >= LEAST_ITEMS && telling * 2 >= items.len() && !is_plan(report, &items);
    if !tells_enough {
        return None;
    }
    let text = fold_items(REPORTED, &items, &NARROW);
    let longer = fold_items(REPORTED, &items, &WIDE)?;
    Some(match text {
        Some(text) => Recap {
            longer: (longer.len() > text.len()).then_some(longer),
            text,
        },
        None => Recap {
            text: longer,
            longer: None,
        },
    })
}

/// How long the items of a report may be on a line, in bytes.
struct RecapLimits {
    longest_item: usize,
    line: usize,
}

impl RecapLimits {
    /// Returns the maximum length in bytes of one of `count` items.
    fn longest_of(&self, count: usize) -> usize {
        (self.line / count.max(1)).clamp(LEAST_ITEM, self.longest_item)
    }
}

const NARROW: RecapLimits = RecapLimits {
    longest_item: LONGEST_ITEM,
    line: LONGEST_RECAP,
};
const WIDE: RecapLimits = RecapLimits {
    longest_item: LONGEST_WIDE_ITEM,
    line: LONGEST_WIDE_RECAP,
};
const LEFT: RecapLimits = RecapLimits {
    longest_item: LONGEST_ITEM,
    line: LONGEST_LEFT,
};

/// Returns true for an item that names where something can be read.
fn is_source(item: &str) -> bool {
    item.contains("](http")
        || item.contains(": http")
        || item.starts_with("http")
        || item.starts_with("[@")
}

/// Returns true if a report says at its beginning that it proposes something.
pub(super) fn announces_proposal(report: &str) -> bool {
    let is_heading = |line: &str| line.starts_with(['#', '<', '*']);
    report.lines().take(HEAD_LINES).any(|line| {
        let line = line.trim();
        // `Here is my recommendation:` announces one, too.
        (is_heading(line) || line.ends_with(':')) && PROPOSALS.has_words(line)
    })
}

/// Returns true for a plan: a heading says so, or most items say what to do, not what was done.
fn is_plan(report: &str, items: &[Cow<'_, str>]) -> bool {
    let orders = items.iter().filter(|item| {
        let first = item
            .trim_start_matches(['*', '`'])
            .split([' ', ':', '*'])
            .next();
        first.is_some_and(|first| {
            ORDER_WORDS
                .iter()
                .any(|word| first.eq_ignore_ascii_case(word))
        })
    });
    announces_proposal(report) || orders.count() * 2 > items.len()
}

/// Searches for words of the heading of a plan.
static PROPOSALS: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[PROPOSAL_WORDS]));

/// Number of lines among which such a heading stands.
const HEAD_LINES: usize = 10;

/// Returns the steps that a report leaves to do on a line. Returns `None` if it names none.
pub(super) fn left_to_do(report: &str) -> Option<String> {
    let items = items_in(&report[steps_heading(report)?..]);
    fold_items(LEFT_TO_DO, &items, &LEFT)
}

/// Returns the items of the lists in a text.
fn items_in(text: &str) -> Vec<Cow<'_, str>> {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        is_code ^= is_fence(line.trim_start());
        !is_code
    });
    let mut items: Vec<Cow<'_, str>> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    for (line, item) in lines.filter_map(|line| Some((line, item_of(line)?))) {
        let place = line.as_ptr().addr() - text.as_ptr().addr();
        let tells =
            !is_expected_at(text, place) && !is_count(&item) && !item.ends_with(['?', '？']);
        // What was done in two places is said once.
        if tells && seen.insert(item.to_string()) {
            items.push(item);
        }
    }
    items
}

/// Returns true for an item that only counts: `Total messages: 212`.
fn is_count(item: &str) -> bool {
    item.rsplit_once(':').is_some_and(|(_, value)| {
        let value = value.trim_matches([' ', '*', '`', '.', '%']);
        !value.is_empty()
            && value
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b',')
    })
}

/// Writes the first words of items on a line within `limits`. Of many, the first words of each say more than
/// all of a few. Returns `None` if no item tells anything.
fn fold_items(label: &str, items: &[Cow<'_, str>], limits: &RecapLimits) -> Option<String> {
    let room = limits.line;
    let longest = limits.longest_of(items.len());
    let mut recap = label.to_owned();
    let mut is_cut = false;
    for item in items {
        let item = without_addresses(&item.replace(STRESS_MARK, ""));
        let folded = fold_line(&item, usize::MAX);
        let Some(item) = clip_line(folded.trim_end_matches(['.', ':']), longest) else {
            continue;
        };
        if !item.chars().any(char::is_alphanumeric) {
            continue;
        }
        // `Added …` tells nothing.
        if item.ends_with(CLIP_MARK) && item.split_whitespace().count() <= LEAST_WORDS + 1 {
            is_cut = true;
            continue;
        }
        let is_first = recap.len() == label.len();
        let separator = if is_first { "" } else { ITEM_END };
        if recap.len() + separator.len() + item.len() > room {
            let end = recap.strip_suffix(CLIP_MARK).unwrap_or(&recap).len();
            recap.truncate(end);
            recap.push_str(CLIP_MARK);
            return Some(recap);
        }
        recap.push_str(separator);
        recap.push_str(&item);
    }
    if recap.len() == label.len() {
        return None;
    }
    if is_cut {
        recap.push_str(ITEM_END);
        recap.push_str(CLIP_MARK.trim_start());
    }
    Some(recap)
}

/// Returns a text with the texts of its links, without where they lead: `[pump.rs](/srv/pump.rs)`.
fn without_addresses(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](")
        && let Some((words, link)) = before.rsplit_once('[')
        && let Some((_, behind)) = after.split_once(')')
    {
        plain.push_str(words);
        plain.push_str(link);
        rest = behind;
    }
    plain.push_str(rest);
    plain
}

/// Returns the text of an item that belongs to no other.
fn item_of(line: &str) -> Option<Cow<'_, str>> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() >= SUB_INDENT {
        return None;
    }
    let item = match text.strip_prefix('|') {
        Some(row) => told_by_row(row)?,
        None => Cow::Borrowed(behind_list_mark(text)?.strip_prefix(' ')?.trim()),
    };
    item.contains(char::is_alphanumeric).then_some(item)
}

/// Returns what a row of a table says: its cells behind the name in the first one, or the first cell that says something
/// where that is none. Returns `None` if there is none, or if a short cell says that it is not so: `Deploy it | failed`.
fn told_by_row(row: &str) -> Option<Cow<'_, str>> {
    let row = row.trim_end().trim_end_matches('|');
    let is_told = |cell: &&str| cell.split_whitespace().count() >= LEAST_WORDS;
    let told = row.split('|').find(is_told)?.trim();
    let denies = |cell: &str| {
        cell.trim() != told
            && cell.split_whitespace().count() <= LONGEST_STATUS
            && DENIED.has_words(cell)
    };
    if row.split('|').any(denies) {
        return None;
    }
    let mut cells = row.split('|').map(str::trim);
    let name = cells.next().unwrap_or_default();
    if name == told || !name.contains(char::is_alphabetic) {
        return Some(Cow::Borrowed(told));
    }
    // Which of its columns is so now, only the head of the table tells.
    let values: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
    Some(Cow::Owned(format!("{name}: {}", values.join(" / "))))
}

/// Searches for the words of such a cell, and its maximum number of words.
static DENIED: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[DENIED_WORDS]));
const LONGEST_STATUS: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_no_report() {
        let done = "- the valve mended\n- the pump painted\n- mill oiled";
        assert!(recap_of("- Item 1\n- Item 2\n- Item 3").is_none());
        assert!(recap_of(done).is_some());
        assert!(recap_of(&format!("# Plan of the mill\n\n{done}")).is_none());
        assert!(recap_of("- Create a valve\n- **Use** a pump\n- mill oiled").is_none());
        assert_eq!(recap_of(&format!("{done}\n- mill oiled")), recap_of(done));
    }

    #[test]
    fn rows_of_a_table_are_items() {
        let named = "| Place | State |\n|---|---|\n| Valve | closed at last |\n| Pump | painted in red |\n| Mill | ❌ torn down again | in May |\n| Wheel | oiled for good |\n";
        assert_eq!(
            recap_of(named).unwrap().text,
            format!(
                "{REPORTED}Valve: closed at last; Pump: painted in red; Mill: ❌ torn down again / in May; Wheel: oiled for good"
            )
        );
        let report = "## Scan\n| # | Fault | Place |\n|---|---|---|\n| 1 | The valve never closes | `a.rs` |\n| 2 | The pump has no lid | `b.rs` |\n| 3 | The wheel of the mill is dry | `c.rs` |\n";
        assert_eq!(
            recap_of(report).unwrap().text,
            format!(
                "{REPORTED}The valve never closes; The pump has no lid; The wheel of the mill is dry"
            )
        );
    }

    #[test]
    fn counts_questions_and_what_is_expected_are_no_report() {
        let told = "- the valve closes at last\n- the pump is painted in red\n- the wheel is oiled for good\n";
        let others = "- Total of all wheels: 212\n- Did the wheel turn again?\n\n## Expected results\n- the dam holds in spring\n";
        assert_eq!(recap_of(&format!("{told}{others}")), recap_of(told));
        // What does not fit says nothing: `Added …`.
        let long = format!("{told}- Added `{}` to it all\n", "x".repeat(90));
        assert!(recap_of(&long).unwrap().text.ends_with("for good; …"));
    }

    #[test]
    fn a_list_of_sources_is_no_report() {
        let sources = "- [@mill2026] — the mill of old\n- [@pump2025] — the pump of it\n- [@wheel2024] — the wheel is dry\n";
        assert_eq!(recap_of(sources), None);
    }

    #[test]
    fn what_a_report_leaves_is_told() {
        let report = "- built\n\n## Next steps\n1. Run `make pump`\n2. **Push** it\n";
        assert_eq!(
            left_to_do(report).unwrap(),
            "Left to do then: Run `make pump`; Push it"
        );
        assert!(left_to_do("- built\n- painted").is_none());
        assert!(left_to_do("- built\n\n## Next steps\nNone.").is_none());
    }

    #[test]
    fn a_report_is_folded_by_its_items() {
        let report = "All is done.\n\n1. **Valve**: it opens again.\n   - by hand\n2. **Pump**: `pump.rs` runs at half its speed, because the wheel of the mill turns too fast in spring.\n* Mill [painted](/srv/mill.md) twice\n```\n- no item\n```\n\n## Next steps\n- test it";
        assert_eq!(
            recap_of(report).unwrap().text,
            "Reported: Valve: it opens again; Pump: `pump.rs` runs at half its speed, because the wheel of the …; Mill painted twice"
        );
        assert!(recap_of("- one\n- two\n\n**Remaining:**\n- three\n- four").is_none());
        let items = (0..40).map(|number| format!("- item {number} that is rather long\n"));
        let recap = recap_of(&items.collect::<String>()).unwrap().text;
        assert!(recap.len() <= LONGEST_RECAP + CLIP_MARK.len(), "{recap}");
    }
}
