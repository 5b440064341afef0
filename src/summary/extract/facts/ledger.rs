//! The ledger of calls: what was done, in order, and what came of it.

use super::call_effects::{CallWeight, only_reads};
use super::call_lines::{call_line, is_tool_call};
use super::call_outcomes::{is_acknowledgement, telling_line};
use super::commit_messages::COMMIT_LABEL;
use super::edited_lines::shows_change;
use super::exchanges::{Exchange, Exchanges};
use super::fact::{Fact, FactKind};
use super::file_changes::FileChange;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lexicon::shell_words::{INSTALLING_COMMANDS, REVERTING_COMMANDS};
use hashbrown::hash_map::EntryRef;
use hashbrown::{HashMap, HashSet};

/// Maximum length in bytes of a call that changes something, and of another.
const LONGEST_CHANGE: usize = 150;
const LONGEST_LOOK: usize = 100;
/// Number of bytes at the start of a call that tell it from others.
const SIGNATURE: usize = 48;
/// What the newest edit of a file is worth more, and an older one less.
const NEWEST_EDIT_WORTH: i32 = 500;
const OLDER_EDIT_LOSS: i32 = 700;
/// What the newest commit is worth more: it says what is done. Each older one is worth half of that
/// more.
const NEWEST_COMMIT_WORTH: i32 = 4000;
const MOST_HALVINGS: u32 = 12;
/// What a call is worth less that only installs what others wrote.
const INSTALL_LOSS: i32 = 1500;
/// What a failed call is worth less whose program worked since.
const OVER_LOSS: i32 = 1600;
/// Minimum length in bytes of a line that is looked for in the calls before, and the number of these.
const LEAST_SCRIPTED: usize = 12;
const SEARCHED_CALLS: usize = 12;
/// Number of bytes of each that are searched.
const LONGEST_SEARCHED: usize = 32 * 1024;
/// A command that makes a folder: what is put there says more.
const MAKE_FOLDER: &str = "mkdir ";
/// Maximum length in bytes of a file that is shown when it was read.
const SHORT_FILE: usize = 60;
/// Before the outcome of a call.
const OUTCOME: &str = " -> ";

/// Returns the calls that may be shown, at most `most` of them: the newest, those that change
/// something and those that failed. `told` holds the calls that the records tell.
pub(crate) fn list_calls(
    calls: &Exchanges<'_>,
    told: &HashSet<usize>,
    message_count: usize,
    begin: usize,
    most: usize,
) -> Vec<Fact> {
    let exchanges = &calls.all;
    let mut facts: Vec<Fact> = Vec::new();
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut edited: HashSet<String> = HashSet::new();
    let (mut looks, mut commits) = (0, 0);
    // The folder in which a later call took back all that was not committed.
    let mut undone: Option<Option<String>> = None;
    for (index, exchange) in exchanges.iter().enumerate().rev() {
        if facts.len() >= most {
            break;
        }
        let weight = exchange.weight();
        let is_last = index + 1 == exchanges.len();
        if told.contains(&index) && !exchange.failed && !is_last {
            continue;
        }
        // The messages that stay show that it works by now.
        if !is_last && calls.works_now(exchange) {
            continue;
        }
        let is_look = weight == CallWeight::Looks && !exchange.failed;
        looks += usize::from(is_look);
        // The files that were read stand in a section of their own.
        if is_look && !is_last && (looks > most / 2 || only_reads(exchange.call)) {
            continue;
        }
        let change = (weight == CallWeight::Changes && !exchange.failed)
            .then(|| FileChange::of(exchange.call))
            .flatten();
        // That a file was written as a whole stands with the files.
        if change.as_ref().is_some_and(|change| change.is_whole) && !is_last {
            continue;
        }
        if let Some(folder) = &undone
            && weight == CallWeight::Changes
            && !commits_work(exchange)
            && works_in(exchange, folder.as_deref())
        {
            continue;
        }
        if commits_work(exchange) {
            undone = None;
        } else if reverts_all(exchange) {
            undone = Some(exchange.folder());
        }
        // How a program is called says nothing of what was done.
        if !is_last && !exchange.failed && exchange.asks_for_help() {
            continue;
        }
        let is_folder = |line: &str| line.starts_with(MAKE_FOLDER) && !line.contains("&&");
        let limit = if is_look {
            LONGEST_LOOK
        } else {
            LONGEST_CHANGE
        };
        let mut line = call_line(exchange.call, limit);
        if line.is_empty() || (is_folder(&line) && !exchange.failed && !is_last) {
            continue;
        }
        let signature = line.chars().take(SIGNATURE).map(char::len_utf8).sum();
        // An older call like this one says nothing new.
        match lines.entry_ref(&line[..signature]) {
            EntryRef::Occupied(newer) => {
                facts[*newer.get()].worth += 60;
                continue;
            }
            EntryRef::Vacant(free) => free.insert(facts.len()),
        };
        let is_commit = line.contains(COMMIT_LABEL);
        let outcome = exchange
            .result
            .filter(|_| !told.contains(&index) || exchange.failed)
            // Of a longer file that was read, the first lines say nothing.
            .filter(|result| !is_look || result.len() <= SHORT_FILE || !only_reads(exchange.call))
            .map(|result| {
                let is_scripted = |line: &str| is_written_before(exchanges, index, line);
                let looks = weight == CallWeight::Looks;
                telling_line(result, exchange.failed, looks, &is_scripted)
            })
            .filter(|outcome| !outcome.is_empty())
            // That an edit or a commit was made is what the line says without it.
            .filter(|outcome| {
                exchange.failed
                    || !is_commit && (!is_acknowledgement(outcome) || !is_tool_call(exchange.call))
            });
        // A look without what it showed says nothing to go on from, nor an edit without a line.
        let says_nothing = if is_look {
            exchange.result.is_some()
        } else {
            change.is_some()
                && !exchange.failed
                && is_tool_call(exchange.call)
                && !shows_change(&line)
        };
        if says_nothing && !is_last && outcome.is_none() {
            lines.remove(&line[..signature]);
            continue;
        }
        if let Some(outcome) = outcome {
            line.push_str(OUTCOME);
            line.push_str(&outcome);
        }
        let age = exchanges.len() - 1 - index;
        let mut worth = worth_of(exchange, weight, age, message_count, begin);
        if exchange.failed && !is_last && calls.is_over(index) {
            worth -= OVER_LOSS;
        }
        if is_commit && !exchange.failed && !SummaryRule::Commits.is_off() {
            worth += NEWEST_COMMIT_WORTH >> commits.min(MOST_HALVINGS);
            commits += 1;
        }
        if exchange.runs_any(INSTALLING_COMMANDS) {
            worth -= INSTALL_LOSS;
        }
        if let Some(change) = change {
            worth += if edited.insert(change.path) {
                NEWEST_EDIT_WORTH
            } else {
                -OLDER_EDIT_LOSS
            };
        }
        facts.push(Fact {
            kind: FactKind::Call,
            text: line,
            worth,
            order: index,
            heading: None,
        });
    }
    facts
}

/// Returns true if a line of the result of a call stands in an earlier call: what a script prints in any
/// case, like `All done`, says nothing of how it went.
fn is_written_before(exchanges: &[Exchange<'_>], index: usize, line: &str) -> bool {
    if line.len() < LEAST_SCRIPTED {
        return false;
    }
    let newest = exchanges[..index].iter().rev().take(SEARCHED_CALLS);
    let finder = memchr::memmem::Finder::new(line);
    let mut texts = newest.map(|exchange| exchange.call.text().as_bytes());
    texts.any(|text| {
        finder
            .find(&text[..text.len().min(LONGEST_SEARCHED)])
            .is_some()
    })
}

/// Returns true if a call took back all changes that are not committed.
fn reverts_all(exchange: &Exchange<'_>) -> bool {
    !exchange.failed && exchange.runs_any(REVERTING_COMMANDS)
}

/// Returns true if a call may have committed what was done before.
fn commits_work(exchange: &Exchange<'_>) -> bool {
    !exchange.failed && exchange.call.text().contains("git commit")
}

/// Returns true if a call may have worked in a folder. `None` is any.
fn works_in(exchange: &Exchange<'_>, folder: Option<&str>) -> bool {
    folder.is_none_or(|folder| exchange.call.text().contains(folder))
}

fn worth_of(
    exchange: &Exchange<'_>,
    weight: CallWeight,
    age: usize,
    message_count: usize,
    begin: usize,
) -> i32 {
    let recency = (exchange.message + 1) * 1800 / message_count.max(1);
    let by_weight = match weight {
        CallWeight::Changes => 2800,
        CallWeight::Unknown => 700,
        CallWeight::Looks => 0,
    };
    i32::try_from(recency).unwrap_or(i32::MAX)
        + by_weight
        + if exchange.failed { 700 } else { 0 }
        + match age {
            0 => 6000,
            1 => 1200,
            _ => 0,
        }
        - if exchange.message < begin { 2500 } else { 0 }
}
