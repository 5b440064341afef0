//! The ledger of calls: what was done, in order, and what came of it.

use super::call_form::CallForm;
use super::call_likeness::signature_of;
use super::call_outcomes::{FAILURE_SIGN, NOTHING_FOUND, counts_something};
use super::commit_messages::{PUSH, commit_name, is_committed, is_push_refused, message_in_line};
use super::exchanges::Exchanges;
use super::fact::{Fact, FactKind};
use super::ledger_call::LedgerCall;
use super::ledger_lines::{BEFORE_EDITS, OUTCOME, checks_files, commit_failure, longer_line};
use super::ledger_state::{CallLedger, LedgerScope};
use super::ledger_worth::NEW_CALLS;
use super::running_calls::{is_ended, running_id, running_note, runs_on};
use super::unlisted_calls::commits_work;
use crate::summary::extract::lex::result_text::result_lines;
use hashbrown::hash_map::EntryRef;
use hashbrown::{HashMap, HashSet};

/// What a call is worth more for each older one like it.
const REPEATED_WORTH: i32 = 60;
/// What a look is worth that tells how things stand.
const STATE_WORTH: i32 = 1500;
/// What a call is worth more whose output counts what passed: it says how far the work is.
const COUNTED_WORTH: i32 = 3500;
/// What a call is worth less of whose output no line says how it went.
const SILENT_LOSS: i32 = 2200;
/// What a search without hits is worth less.
const NOTHING_LOSS: i32 = 4500;
/// A command that makes a folder: what is put there says more.
const MAKE_FOLDER: &str = "mkdir ";

/// Returns the calls that may be shown: the newest, those that change something and those that failed.
pub(crate) fn list_calls(calls: &Exchanges<'_>, scope: LedgerScope<'_>) -> Vec<Fact> {
    let mut ledger = CallLedger {
        calls,
        scope,
        facts: Vec::new(),
        lines: HashMap::new(),
        counted: HashSet::new(),
        is_counted: false,
        failures: HashSet::new(),
        edited: HashSet::new(),
        looks: 0,
        commits: 0,
        is_outward_told: false,
        edits_later: false,
        commits_later: false,
        undone: None,
    };
    for (index, exchange) in calls.all.iter().enumerate().rev() {
        if ledger.facts.len() >= ledger.scope.most {
            break;
        }
        ledger.observe(&LedgerCall::of(exchange, index, &ledger.scope, calls));
        ledger.edits_later = ledger.edits_later || exchange.made_edit();
    }
    ledger.facts
}

impl CallLedger<'_, '_> {
    /// Lists a call, if it says something that newer ones do not.
    fn observe(&mut self, call: &LedgerCall<'_, '_>) {
        if self.passes_over(call) {
            return;
        }
        let mut line = self.line_of(call);
        let is_folder = line.starts_with(MAKE_FOLDER)
            && (call.exchange.whole_command()).is_some_and(only_makes_folders);
        if line.is_empty() || (is_folder && !call.exchange.failed && !call.is_last) {
            return;
        }
        // Each edit of a file is another one.
        let signature = match call.change {
            Some(_) => line.clone(),
            None => signature_of(&line, call.index).into_owned(),
        };
        // An older call like this one says nothing new.
        match self.lines.entry_ref(signature.as_str()) {
            EntryRef::Occupied(newer) => {
                self.facts[*newer.get()].worth += REPEATED_WORTH;
                return;
            }
            EntryRef::Vacant(free) => free.insert(self.facts.len()),
        };
        let message = message_in_line(&line).map(str::to_owned);
        let result = call.exchange.result.unwrap_or_default();
        let command = call.exchange.whole_command().unwrap_or_default();
        let is_commit = (message.as_deref())
            .is_some_and(|message| !call.exchange.failed && is_committed(command, result, message));
        let mut outcome = self.outcome_of(call, &line, is_commit);
        if is_commit && is_push_refused(result) {
            outcome = Some(format!("{FAILURE_SIGN}{PUSH} was refused"));
        } else if message.is_some() && !is_commit && outcome.is_none() {
            outcome = commit_failure(result);
        }
        // Of arguments that can't be read, the name of the tool says nothing.
        let is_bare =
            matches!(call.exchange.call, CallForm::Tool(tool) if tool.arguments.is_empty());
        if outcome.is_none() && !call.is_last && (is_bare || call.needs_outcome(&line)) {
            self.lines.remove(signature.as_str());
            return;
        }
        if let Some(outcome) = &outcome
            && self.is_said_by_newer(call, &line, outcome)
        {
            self.lines.remove(signature.as_str());
            return;
        }
        let has_outcome = outcome.is_some();
        let counts = outcome.as_deref().is_some_and(counts_something);
        let is_state = has_outcome && call.asks_for_state();
        let found_nothing = outcome.as_deref() == Some(NOTHING_FOUND);
        if is_commit
            && !self.commits_later
            && let Some(name) = message.and_then(|message| commit_name(result, &message))
        {
            line.push_str(&format!(" [{name}]"));
        }
        self.commits_later |= commits_work(call.exchange);
        let later = &self.calls.all[call.index + 1..];
        let id = running_id(result).filter(|id| !is_ended(later, id));
        let is_running =
            !call.exchange.failed && (id.is_some() || (!has_outcome && runs_on(command)));
        if is_running {
            line.push_str(OUTCOME);
            line.push_str(&running_note(id));
        }
        let longer = outcome
            .as_deref()
            .and_then(|outcome| longer_line(call, &line, outcome));
        if let Some(outcome) = outcome {
            line.push_str(OUTCOME);
            line.push_str(&outcome);
            if self.edits_later && checks_files(command) {
                line.push_str(BEFORE_EDITS);
            }
        }
        // The newest count of tests says how far the work is.
        let is_newest_count = counts && !self.is_counted;
        self.is_counted |= counts;
        let is_pinned = self.is_pinned(call, is_commit) || is_newest_count;
        let is_silent =
            !has_outcome && call.change.is_none() && result_lines(result).next().is_some();
        let by_outcome = if is_state || (is_running && self.age_of(call) <= NEW_CALLS) {
            STATE_WORTH
        } else if counts {
            COUNTED_WORTH
        } else if is_silent && !is_commit && !call.is_last {
            -SILENT_LOSS
        } else if found_nothing && !call.is_last {
            -NOTHING_LOSS
        } else {
            0
        };
        let worth = self.worth_of(call, is_commit) + by_outcome;
        self.facts.push(Fact {
            kind: FactKind::Call,
            text: line,
            worth,
            order: call.index,
            heading: None,
            is_pinned,
            longer,
        });
    }
}

/// Returns true for a command that makes folders, and perhaps looks what is in them.
fn only_makes_folders(command: &str) -> bool {
    let is_single = |part: &str| !part.contains([';', '|', '&', '\n', '<', '>', '`', '$']);
    let mut parts = command.split("&&").map(str::trim);
    parts.all(|part| {
        let first = part.split(' ').next().unwrap_or_default();
        is_single(part) && (part.starts_with(MAKE_FOLDER) || LOOKS.contains(&first))
    })
}

/// What such a command does besides.
const LOOKS: [&str; 3] = ["ls", "cd", "pwd"];
