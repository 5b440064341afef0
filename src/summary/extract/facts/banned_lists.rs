//! Finds the lists of what the user forbids in long requests that newer ones follow: `Do NOT:` before `- delete
//! routes`. The request itself is shortened, and what it forbids still holds. In doubt there is none: a ban that
//! nobody made misleads more than one that is lost.

use super::fact::{Fact, FactKind};
use super::request_log::UserRequest;
use super::standing_wishes::is_withdrawn;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lex::blocks::is_fence;
use crate::summary::extract::lex::clip::{CLIP_MARK, clip_line};
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::list_items::{ListItem, indent_of};
use crate::summary::extract::lexicon::wish_words::{
    BAN_ENDS, BAN_EXCEPTIONS, BAN_OPENINGS, FOREIGN_MARKS,
};

/// Length in bytes from which on a request is shortened so far that its limits may be lost.
const LEAST_REQUEST: usize = 600;
/// Maximum number of lists, the newest, and minimum number of items of one.
const MOST_LISTS: usize = 2;
const LEAST_ITEMS: usize = 2;
/// Maximum length in bytes of a heading, and of a list on a line with little and with more room.
const LONGEST_HEADING: usize = 60;
const SHORT_LIST: usize = 170;
const LONGEST_LIST: usize = 280;
/// Between items.
const ITEM_END: &str = "; ";
/// What such a list is worth: as much as two wishes that stand alone.
const WORTH: i32 = 5200;

/// Returns the lists of what all requests but the newest forbid, newest first, each on a line.
pub(crate) fn banned_lists(requests: &[UserRequest<'_>]) -> Vec<Fact> {
    let [older @ .., _] = requests else {
        return Vec::new();
    };
    if SummaryRule::StandingWishes.is_off() {
        return Vec::new();
    }
    let mut facts = Vec::new();
    for (at, request) in older.iter().enumerate().rev() {
        let is_read = request.text.len() >= LEAST_REQUEST
            && !FOREIGN_MARKS.iter().any(|mark| request.text.contains(mark))
            && !is_withdrawn(request.message, requests);
        if !is_read {
            continue;
        }
        let later = &requests[at + 1..];
        let lists = lists_in(&request.text).into_iter();
        let standing = lists.filter(|list| !is_lifted(list, later));
        facts.extend(standing.map(|list| Fact {
            kind: FactKind::Constraint,
            text: list.on_a_line(SHORT_LIST),
            worth: WORTH,
            order: 0,
            heading: None,
            is_pinned: false,
            longer: Some(list.on_a_line(LONGEST_LIST)).filter(|line| line.len() > SHORT_LIST),
        }));
    }
    facts.truncate(MOST_LISTS);
    facts
}

/// A list of what is forbidden.
struct BannedList<'r> {
    heading: &'r str,
    items: Vec<String>,
}

impl BannedList<'_> {
    /// Writes the list on a line of about `longest` bytes, with those of its items that have room as a whole: the end
    /// of an item may say when it does not hold.
    fn on_a_line(&self, longest: usize) -> String {
        let mut line = format!("{}:", self.heading);
        let mut separator = " ";
        let mut is_cut = false;
        for item in &self.items {
            if line.len() + separator.len() + item.len() > longest {
                is_cut = true;
                continue;
            }
            line.push_str(separator);
            line.push_str(item);
            separator = ITEM_END;
        }
        // Without any item, the heading forbids nothing.
        if separator != ITEM_END
            && let Some(item) = self.items.first()
            && let Some(start) = clip_line(item, longest.saturating_sub(line.len() + 1))
        {
            return format!("{line} {start}");
        }
        if is_cut {
            line.push_str(CLIP_MARK);
        }
        line
    }
}

/// Returns true if a later request ends a list, or speaks of one of its items.
fn is_lifted(list: &BannedList<'_>, later: &[UserRequest<'_>]) -> bool {
    later.iter().any(|request| {
        let text = request.text.to_lowercase();
        BAN_ENDS.iter().any(|words| text.contains(words))
            || list
                .items
                .iter()
                .any(|item| text.contains(&item.to_lowercase()))
    })
}

/// Returns the lists below the headings of a request that forbid. Lists with items below items, whose sense hangs on
/// both, are left out.
fn lists_in(request: &str) -> Vec<BannedList<'_>> {
    let mut lists = Vec::new();
    let mut is_code = false;
    let mut lines = request.lines().peekable();
    while let Some(line) = lines.next() {
        is_code ^= is_fence(line.trim_start());
        let Some(heading) = forbidding_heading(line.trim()).filter(|_| !is_code) else {
            continue;
        };
        if lines.next_if(|line| line.trim().is_empty()).is_some() && lines.peek().is_none() {
            break;
        }
        let Some(first) = lines.peek().copied().and_then(ListItem::read) else {
            continue;
        };
        let mut items: Vec<String> = Vec::new();
        let mut is_flat = true;
        while let Some(line) = lines.next_if(|line| !line.trim().is_empty()) {
            match ListItem::read(line) {
                Some(item) if item.mark != first.mark => break,
                Some(item) => {
                    is_flat &= item.indent == first.indent;
                    items.push(fold_line(item.text, usize::MAX).into_owned());
                }
                // A line that goes on with the item above is indented.
                None if indent_of(line) > first.indent => {
                    if let Some(last) = items.last_mut() {
                        last.push(' ');
                        last.push_str(&fold_line(line.trim(), usize::MAX));
                    }
                }
                None => break,
            }
        }
        for item in &mut items {
            item.truncate(item.trim_end_matches(['.', ';', ',']).len());
        }
        items.retain(|item| !item.is_empty());
        if is_flat && items.len() >= LEAST_ITEMS {
            lists.push(BannedList { heading, items });
        }
    }
    lists
}

/// Returns a heading that begins with a ban and says nothing that limits it, without its marks.
fn forbidding_heading(line: &str) -> Option<&str> {
    let is_heading = line.starts_with("##") || line.trim_end_matches('*').ends_with([':', '：']);
    let heading = line.trim_matches(['#', '*', ' ', ':', '：']);
    let lower = heading.to_lowercase();
    let forbids = is_heading
        && !line.starts_with("# ")
        && heading.len() <= LONGEST_HEADING
        && BAN_OPENINGS
            .iter()
            .any(|opening| begins_with(&lower, opening))
        && !lower
            .split(|c: char| !c.is_alphabetic())
            .any(|word| BAN_EXCEPTIONS.iter().any(|begin| word.starts_with(begin)));
    forbids.then_some(heading)
}

/// Returns true if a text begins with these words.
fn begins_with(text: &str, words: &str) -> bool {
    let ends_word = |rest: &str| !words.is_ascii() || !rest.starts_with(char::is_alphanumeric);
    text.strip_prefix(words).is_some_and(ends_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::request_log::RequestLog;
    use std::borrow::Cow;

    /// Returns the lists of a long request that holds `part`, before newer ones.
    fn lists_before(part: &str, newer: &[&str]) -> Vec<String> {
        let long = format!(
            "Audit the mill.\n{}\n{part}",
            "Look at each of its wheels. ".repeat(24)
        );
        let mut log = RequestLog::default();
        log.push_request(Cow::Borrowed(&long), 0, false);
        for (number, text) in newer.iter().enumerate() {
            log.push_request(Cow::Borrowed(text), number + 1, false);
        }
        let facts = banned_lists(log.current_task());
        facts.into_iter().map(|fact| fact.text).collect()
    }

    const DOORS: &[&str] = &["Now the doors, please."];

    #[test]
    fn lists_below_a_ban_are_told_on_a_line() {
        let part = "## LIMITS\n\nDo NOT:\n- stop the wheel.\n- delete doors,\n  unless Ann agrees\n\n**Do:**\n- oil it\n- paint it\n";
        let wanted = ["Do NOT: stop the wheel; delete doors, unless Ann agrees"];
        assert_eq!(lists_before(part, DOORS), wanted);
        assert!(
            lists_before(part, &[]).is_empty(),
            "the newest stands for itself"
        );
        let bold = "**Você não pode, sem que eu autorize:**\n* apagar\n* mover\n1. Leia\n2. Teste";
        assert_eq!(
            lists_before(bold, DOORS),
            ["Você não pode, sem que eu autorize: apagar; mover"]
        );
        let long = format!(
            "Never:\n- {}\n- stop\n- go",
            "delete the tables of the mill ".repeat(10)
        );
        assert_eq!(lists_before(&long, DOORS), ["Never: stop; go …"]);
    }

    #[test]
    fn what_forbids_nothing_or_is_not_the_users_is_none() {
        for part in [
            "Don't forget to:\n- stop\n- go",
            "Do not stop until you have:\n- oiled it\n- run it",
            "Things that do not work:\n- the pump\n- the mill",
            "Do not do this yet:\n- stop\n- go",
            "Não se esqueça de:\n- parar\n- testar",
            "Never:\n- one item",
            "Never:\n- src, but:\n  - src/a.rs\n- tests",
            "Do not touch:\n-\n-\n",
            "Never use more than:\n2.5 GB of memory\n5.5 s of time",
            "```\nNever:\n- stop\n- go\n```",
            "\"\"\"\nYou must not:\n- read\n- write\n\"\"\"",
            "# do not run as root:\n- name: a\n- name: b",
        ] {
            assert!(lists_before(part, DOORS).is_empty(), "{part}");
        }
    }

    #[test]
    fn a_list_ends_when_a_later_request_speaks_of_it() {
        let part = "Do NOT:\n- push to main\n- delete the doors";
        for newer in [
            "Push to main now.",
            "The list from before no longer applies.",
            "actually, can you revert that?",
        ] {
            assert!(lists_before(part, &[newer, DOORS[0]]).is_empty(), "{newer}");
        }
        assert_eq!(lists_before(part, &["Good.", DOORS[0]]).len(), 1);
    }
}
