//! The ledger of calls: what was done, in order, and what came of it.

use super::call_effects::{CallWeight, only_reads};
use super::call_lines::{call_line, is_tool_call};
use super::call_outcomes::{is_acknowledgement, telling_line};
use super::commit_messages::COMMIT_LABEL;
use super::exchanges::Exchange;
use super::fact::{Fact, FactKind};
use super::file_changes::FileChange;
use crate::summary::extract::ablation::SummaryRule;
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
/// A command that makes a folder: what is put there says more.
const MAKE_FOLDER: &str = "mkdir ";
/// Maximum length in bytes of a file that is shown when it was read.
const SHORT_FILE: usize = 60;
/// Before the outcome of a call.
const OUTCOME: &str = " -> ";

/// Returns the calls that may be shown, at most `most` of them: the newest, those that change
/// something and those that failed. `told` holds the calls that the records tell.
pub(crate) fn list_calls(
    exchanges: &[Exchange<'_>],
    told: &HashSet<usize>,
    message_count: usize,
    begin: usize,
    most: usize,
) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut lines: HashMap<String, usize> = HashMap::new();
    let mut edited: HashSet<String> = HashSet::new();
    let (mut looks, mut commits) = (0, 0);
    for (index, exchange) in exchanges.iter().enumerate().rev() {
        if facts.len() >= most {
            break;
        }
        let weight = exchange.weight();
        let is_last = index + 1 == exchanges.len();
        if told.contains(&index) && !exchange.failed && !is_last {
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
            .map(|result| telling_line(result, exchange.failed, weight == CallWeight::Looks))
            .filter(|outcome| !outcome.is_empty())
            // That an edit or a commit was made is what the line says without it.
            .filter(|outcome| {
                exchange.failed
                    || !is_commit && (!is_acknowledgement(outcome) || !is_tool_call(exchange.call))
            });
        // A look without what it showed says nothing to go on from.
        if is_look && !is_last && outcome.is_none() && exchange.result.is_some() {
            lines.remove(&line[..signature]);
            continue;
        }
        if let Some(outcome) = outcome {
            line.push_str(OUTCOME);
            line.push_str(&outcome);
        }
        let age = exchanges.len() - 1 - index;
        let mut worth = worth_of(exchange, weight, age, message_count, begin);
        if is_commit && !exchange.failed && !SummaryRule::Commits.is_off() {
            worth += NEWEST_COMMIT_WORTH >> commits.min(MOST_HALVINGS);
            commits += 1;
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
