//! Finds what the assistant said comes next: the steps below a heading like `Next steps:`.

use crate::summary::extract::lex::excerpt::both_ends;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::list_items::behind_list_mark;
use crate::summary::extract::lexicon::assistant_words::NEXT_HEADINGS;
use crate::summary::extract::lexicon::request_words::AGREEMENTS;
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

/// The part of the messages, the newest, in which steps still count, and the least number of them.
const NEWEST_PART: usize = 10;
const LEAST_MESSAGES: usize = 12;
/// Maximum number of steps, and the maximum length of each in bytes.
const MOST_STEPS: usize = 6;
const LONGEST_STEP: usize = 90;
/// Maximum length in bytes of a heading.
const LONGEST_HEADING: usize = 48;
/// Minimum length in bytes of a step.
const LEAST_STEP: usize = 6;

/// Returns the steps that the assistant named last, oldest first. Empty if there are none.
pub(super) fn find_next_steps(turns: &[ViewedTurn<'_>]) -> Vec<String> {
    let newest = (turns.len() / NEWEST_PART).max(LEAST_MESSAGES);
    for turn in turns.iter().rev().take(newest) {
        // What the user said since may refuse the steps.
        let is_refusal = turn.role == Role::User && !agrees(&turn.text);
        if is_refusal || turn.earlier_summary {
            break;
        }
        if turn.role != Role::Assistant {
            continue;
        }
        let (head, tail) = both_ends(&turn.text);
        let steps = [tail, head].map(steps_in);
        if let Some(steps) = steps.into_iter().find(|steps| !steps.is_empty()) {
            return steps;
        }
        // A reply without calls tells that they are done.
        if turn.calls.is_empty() {
            break;
        }
    }
    Vec::new()
}

/// Returns true if the user only says to go on: each word agrees.
fn agrees(text: &str) -> bool {
    let text = text.trim();
    let mut words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .peekable();
    let agrees = |word: &str| {
        AGREEMENTS
            .iter()
            .any(|agreement| word.eq_ignore_ascii_case(agreement))
    };
    text.len() <= LONGEST_AGREEMENT && words.peek().is_some() && words.all(agrees)
}

/// Maximum length in bytes of an agreement.
const LONGEST_AGREEMENT: usize = 24;

/// Returns the steps below the last heading of a text that announces some.
fn steps_in(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let Some(heading) = lines.iter().rposition(|line| is_heading(line)) else {
        return Vec::new();
    };
    let items = lines[heading + 1..].iter().map_while(|line| item_of(line));
    items
        .take(MOST_STEPS)
        .map(|item| fold_line(item, LONGEST_STEP).into_owned())
        .collect()
}

/// Returns the place of the last heading of a text that announces steps which are left to do.
pub(super) fn steps_heading(text: &str) -> Option<usize> {
    let mut start = 0;
    let mut found = None;
    for line in text.split('\n') {
        if is_heading(line.trim()) {
            found = Some(start);
        }
        start += line.len() + 1;
    }
    found
}

/// Returns true for a heading like `**Next steps:**` or `## Remaining`.
fn is_heading(line: &str) -> bool {
    let text = line.trim_matches(['#', '*', '_', ' ', ':', '：']);
    let is_marked = text.len() < line.len();
    is_marked
        && text.len() <= LONGEST_HEADING
        && NEXT_HEADINGS.iter().any(|heading| {
            text.get(..heading.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(heading))
        })
}

/// Returns the text of the item of a list.
fn item_of(line: &str) -> Option<&str> {
    let item = behind_list_mark(line)?.trim_matches(['*', ' ']);
    // What has its box ticked is done.
    (item.len() >= LEAST_STEP && !item.starts_with("[x]")).then_some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stand_below_their_heading() {
        let text = "WP16 is done.\n\n**Next steps:**\n1. Remove `main.ts`\n2. **Write the code map**\n\nShall I go on?";
        assert_eq!(steps_in(text), ["Remove `main.ts`", "Write the code map"]);
        assert_eq!(
            steps_in("## Remaining\n- tests of the pump"),
            ["tests of the pump"]
        );
        assert!(steps_in("Next I look at it.\n- a long item").is_empty());
    }
}
