//! The ledger of calls: what was done, in order, and what came of it.

use super::acknowledgements::is_acknowledgement;
use super::answered_values::answered_values;
use super::call_effects::{CallWeight, only_reads};
use super::call_form::CallForm;
use super::call_likeness::{failure_of, is_written_before, signature_of, writes_document};
use super::call_lines::{LONG_EDIT, call_line, is_tool_call};
use super::call_outcomes::{
    FAILURE_SIGN, NOTHING_FOUND, counts_something, more_of_look, telling_line,
};
use super::call_worth::CallAge;
use super::commit_messages::{PUSH, commit_name, is_committed, is_push_refused, message_in_line};
use super::exchanges::{Exchange, Exchanges};
use super::fact::{Fact, FactKind};
use super::file_changes::FileChange;
use super::inline_scripts::is_bare_script;
use super::ledger_call::LedgerCall;
use super::patch_files::is_patch;
use super::path_ends::file_name;
use super::question_answers::asks_user;
use super::running_calls::{is_ended, running_id, running_note, runs_on};
use super::shell_lines::EDIT;
use super::todos::open_todos;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::labels::NO_OUTPUT;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::result_text::result_lines;
use crate::summary::extract::lexicon::shell_words::{
    FINDING_COMMANDS, INSTALLING_COMMANDS, REVERTING_COMMANDS, TRIVIAL_COMMANDS,
};
use crate::summary::extract::lexicon::tool_words::HARNESS_TOOLS;
use hashbrown::hash_map::EntryRef;
use hashbrown::{HashMap, HashSet};

/// Maximum length in bytes of a call that changes something, and of another.
const LONGEST_CHANGE: usize = 150;
const LONGEST_LOOK: usize = 100;
/// What a call is worth more for each older one like it.
const REPEATED_WORTH: i32 = 60;
/// What the newest edit of a file is worth more, and an older one less.
const NEWEST_EDIT_WORTH: i32 = 500;
const OLDER_EDIT_LOSS: i32 = 700;
/// What the newest commit is worth more: it says what is done. Each older one is worth half of that
/// more.
const NEWEST_COMMIT_WORTH: i32 = 4000;
const MOST_HALVINGS: u32 = 12;
/// What the last call of all is worth more.
const LAST_WORTH: i32 = 6000;
/// Number of calls, and the part of all calls, within which the newest edit goes before other calls.
const NEW_CALLS: usize = 8;
const NEW_PART: usize = 4;
/// What a call is worth more that took back all that was not committed.
const REVERT_WORTH: i32 = 3000;
/// Commands that show what is not committed.
const CHANGE_LOOKS: &[&str] = &["git status", "git diff"];
/// What a look is worth that tells how things stand.
const STATE_WORTH: i32 = 1500;
/// What a call is worth more whose output counts what passed: it says how far the work is.
const COUNTED_WORTH: i32 = 3500;
/// What an edit of long ago is worth less: the file says what became of it.
const OLD_EDIT_LOSS: i32 = 1000;
/// What a call is worth less of whose output no line says how it went.
const SILENT_LOSS: i32 = 2200;
/// What a search without hits is worth less.
const NOTHING_LOSS: i32 = 4500;
/// What a call is worth more that made something elsewhere: no file tells of it.
const OUTWARD_WORTH: i32 = 1200;
/// What a call is worth less that only installs what others wrote.
const INSTALL_LOSS: i32 = 1500;
/// What a failed call is worth less whose program worked since.
const OVER_LOSS: i32 = 1600;
/// A command that makes a folder: what is put there says more.
const MAKE_FOLDER: &str = "mkdir ";
/// Maximum length in bytes of the output of a script of which any line says something.
const SHORT_OUTPUT: usize = 400;
/// Maximum length in bytes of a file that is shown when it was read.
const SHORT_FILE: usize = 60;
/// Before the outcome of a call.
const OUTCOME: &str = " -> ";

/// What the calls of a conversation are listed for.
pub(crate) struct LedgerScope<'s> {
    /// Indices of the calls that the records tell.
    pub(crate) told: &'s HashSet<usize>,
    /// Most results are records.
    pub(crate) is_tabular: bool,
    /// Number of messages of the conversation, and the index of the one that begins the current task.
    pub(crate) message_count: usize,
    pub(crate) begin: usize,
    /// The names of the files whose edits stand elsewhere.
    pub(crate) digested: &'s HashSet<String>,
    /// Maximum number of calls.
    pub(crate) most: usize,
    /// The messages that stay hold later calls.
    pub(crate) goes_on: bool,
}

/// Returns the calls that may be shown: the newest, those that change something and those that failed.
pub(crate) fn list_calls(calls: &Exchanges<'_>, scope: LedgerScope<'_>) -> Vec<Fact> {
    let mut ledger = Ledger {
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
        commits_later: false,
        undone: None,
    };
    for (index, exchange) in calls.all.iter().enumerate().rev() {
        if ledger.facts.len() >= ledger.scope.most {
            break;
        }
        ledger.observe(&LedgerCall::of(exchange, index, &ledger.scope, calls));
    }
    ledger.facts
}

/// The calls so far, newest first.
struct Ledger<'l, 'r> {
    calls: &'l Exchanges<'r>,
    scope: LedgerScope<'l>,
    facts: Vec<Fact>,
    /// Indices into `facts` by the beginnings of the lines.
    lines: HashMap<String, usize>,
    /// The programs, with their first operands, whose newer runs counted something.
    counted: HashSet<String>,
    /// A newer call counted tests.
    is_counted: bool,
    /// How newer calls failed.
    failures: HashSet<String>,
    /// The files that newer calls edited.
    edited: HashSet<String>,
    /// Number of looks, and of commits.
    looks: usize,
    commits: u32,
    /// A newer call made something elsewhere.
    is_outward_told: bool,
    /// A newer call commits, perhaps without a message.
    commits_later: bool,
    /// The folder in which a newer call took back all that was not committed. The inner value is `None`
    /// for any.
    undone: Option<Option<String>>,
}

impl Ledger<'_, '_> {
    /// Lists a call, if it says something that newer ones do not.
    fn observe(&mut self, call: &LedgerCall<'_, '_>) {
        if self.passes_over(call) {
            return;
        }
        let mut line = self.line_of(call);
        let is_folder = line.starts_with(MAKE_FOLDER) && !line.contains("&&");
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

    /// Returns true if a newer call says what came of this one: why calls of a tool failed is said once, and
    /// what a program counted before is not so any more.
    fn is_said_by_newer(&mut self, call: &LedgerCall<'_, '_>, line: &str, outcome: &str) -> bool {
        if call.exchange.failed && !call.is_last && !self.failures.insert(failure_of(line, outcome))
        {
            return true;
        }
        let run = call.exchange.run().filter(|_| counts_something(outcome));
        run.is_some_and(|run| {
            let counted = run
                .operand
                .map(|operand| format!("{} {operand}", run.program));
            counted.is_some_and(|counted| !self.counted.insert(counted))
        })
    }

    /// Returns true for a call that another section tells, or that says nothing any more.
    fn passes_over(&mut self, call: &LedgerCall<'_, '_>) -> bool {
        let exchange = call.exchange;
        self.looks += usize::from(call.is_look);
        if exchange.only_waits || is_of_harness(exchange.call) {
            return true;
        }
        if call.is_last {
            return false;
        }
        // What the user answered stands with the wishes.
        if !exchange.failed && (asks_user(exchange.call) || is_trivial(exchange)) {
            return true;
        }
        let is_told = self.is_told(call) || exchange.keeps_tasks();
        // The messages that stay show that it works by now.
        if is_told || self.calls.works_now(exchange) {
            return true;
        }
        // What was changed before a commit is in it.
        if call.is_look && self.commits_later && exchange.runs_any(CHANGE_LOOKS) {
            return true;
        }
        // The files that were read stand in a section of their own.
        if call.is_look && (self.looks > self.scope.most / 2 || only_reads(exchange.call)) {
            return true;
        }
        // Why an edit did not work says nothing once there is another.
        if exchange.failed && exchange.changed_file().is_some() && self.calls.is_over(call.index) {
            return true;
        }
        // That files were changed stands with the files, and a patch of several shows no line of them.
        if !exchange.failed && is_patch(exchange.call.text()) && call.change.is_none() {
            return true;
        }
        // What edits added stands with their file; the newest one stands here, too.
        let is_digested = |change: &FileChange| {
            !self.edited.is_empty() && self.scope.digested.contains(file_name(&change.path))
        };
        if !exchange.failed && call.change.as_ref().is_some_and(is_digested) {
            return true;
        }
        // That a file was written as a whole stands with the files.
        if call.change.as_ref().is_some_and(|change| change.is_whole) {
            return true;
        }
        // A file that a shell writes from the lines below stands with the files, too.
        if !exchange.failed && exchange.whole_command().is_some_and(writes_document) {
            return true;
        }
        // How a program is called says nothing of what was done.
        self.is_undone(call) || (!exchange.failed && exchange.asks_for_help())
    }

    /// Returns true if the records tell a call. Among prose they may have no room for what was made elsewhere.
    fn is_told(&self, call: &LedgerCall<'_, '_>) -> bool {
        let is_of_prose = !self.scope.is_tabular && call.is_outward();
        self.scope.told.contains(&call.index) && !call.exchange.failed && !is_of_prose
    }

    /// Returns true if a newer call took back what a call changed.
    fn is_undone(&mut self, call: &LedgerCall<'_, '_>) -> bool {
        let exchange = call.exchange;
        let commits = commits_work(exchange);
        if let Some(folder) = &self.undone
            // What a program did elsewhere stays.
            && exchange.edits_files()
            && !commits
            && works_in(exchange, folder.as_deref())
        {
            return true;
        }
        if commits {
            self.undone = None;
        } else if reverts_all(exchange) {
            self.undone = Some(exchange.folder().map(str::to_owned));
        }
        false
    }

    fn line_of(&self, call: &LedgerCall<'_, '_>) -> String {
        let limit = if call.is_look {
            LONGEST_LOOK
        } else if call.change.is_some() && self.edited.is_empty() {
            // The newest edit is what the work is about.
            LONG_EDIT
        } else {
            LONGEST_CHANGE
        };
        let line = call_line(call.exchange.call, limit);
        // The file that is open stands only in the result.
        match (line.strip_prefix(EDIT), call.exchange.edited_open_file()) {
            (Some(change), Some(path)) => {
                let name = path.rsplit('/').next().unwrap_or(path);
                format!("{EDIT}{name} {change}")
            }
            _ => line,
        }
    }

    /// Returns what came of a call, unless its line says it already.
    fn outcome_of(&self, call: &LedgerCall<'_, '_>, line: &str, is_commit: bool) -> Option<String> {
        let exchange = call.exchange;
        let is_script = is_bare_script(line);
        let result = exchange.result?;
        if self.is_told(call) {
            return None;
        }
        // Of a longer file that was read, the first lines say nothing.
        if call.is_look && result.len() > SHORT_FILE && only_reads(exchange.call) {
            return None;
        }
        // How long a file is now says nothing that its name does not.
        if exchange.edited_open_file().is_some() && !exchange.failed {
            return None;
        }
        let is_scripted = |line: &str| {
            exchange.prints(line) || is_written_before(&self.calls.all, call.index, line)
        };
        let looks = call.weight == CallWeight::Looks;
        let outcome = telling_line(result, exchange.failed, looks, &is_scripted);
        let outcome = if outcome.is_empty() && call.is_outward() {
            answered_values(result)
        } else {
            outcome
        };
        // A search that finds nothing ends with this status.
        let found_nothing = exchange.failed
            && outcome == format!("{FAILURE_SIGN}exit 1")
            && exchange.runs_any(FINDING_COMMANDS);
        let outcome = if found_nothing {
            NO_OUTPUT.to_owned()
        } else {
            outcome
        };
        // A line of what a script read says nothing of what it found.
        if is_script
            && result.len() > SHORT_OUTPUT
            && !counts_something(&outcome)
            && !exchange.failed
        {
            return None;
        }
        // That an edit or a commit was made is what the line says without it.
        let says_more = exchange.failed
            || !is_commit && (!is_acknowledgement(&outcome) || !is_tool_call(exchange.call));
        let is_named = !is_script || outcome.contains(char::is_alphabetic);
        (is_named && says_more && !outcome.is_empty()).then_some(outcome)
    }

    /// Returns true for the newest commit, and for the newest edit and what was newly made elsewhere if that is
    /// not long ago.
    fn is_pinned(&self, call: &LedgerCall<'_, '_>, is_commit: bool) -> bool {
        let newest_commit = is_commit && self.commits == 0;
        let is_new = self.age_of(call) <= NEW_CALLS + self.calls.all.len() / NEW_PART;
        let newest_edit = call.change.is_some() && self.edited.is_empty();
        let newest_outward = call.is_outward() && !self.is_outward_told;
        newest_commit || ((newest_edit || newest_outward) && is_new)
    }

    /// Returns the number of later calls.
    fn age_of(&self, call: &LedgerCall<'_, '_>) -> usize {
        self.calls.all.len() - 1 - call.index
    }

    /// Returns what a call is worth. Takes note of the file that it edits and of a commit.
    fn worth_of(&mut self, call: &LedgerCall<'_, '_>, is_commit: bool) -> i32 {
        let exchange = call.exchange;
        let age = CallAge {
            age: self.age_of(call),
            message_count: self.scope.message_count,
            begin: self.scope.begin,
        };
        let mut worth = age.worth_of(exchange, call.weight);
        worth += if call.is_last { LAST_WORTH } else { 0 };
        if exchange.failed && !call.is_last && self.calls.is_over(call.index) {
            worth -= OVER_LOSS;
        }
        if is_commit && !SummaryRule::Commits.is_off() {
            worth += NEWEST_COMMIT_WORTH >> self.commits.min(MOST_HALVINGS);
            self.commits += 1;
        }
        if call.is_outward() {
            worth += OUTWARD_WORTH;
            self.is_outward_told = true;
        }
        if exchange.runs_any(INSTALLING_COMMANDS) {
            worth -= INSTALL_LOSS;
        }
        if reverts_all(exchange) && !self.commits_later {
            worth += REVERT_WORTH;
        }
        if let Some(change) = &call.change {
            worth += if self.edited.insert(change.path.clone()) {
                NEWEST_EDIT_WORTH
            } else {
                -OLDER_EDIT_LOSS
            };
            if age.age > NEW_CALLS {
                worth -= OLD_EDIT_LOSS;
            }
        }
        worth
    }
}

/// Returns the line of a call with more of what it showed than `outcome`. Returns `None` if there is no more.
fn longer_line(call: &LedgerCall<'_, '_>, line: &str, outcome: &str) -> Option<String> {
    let result = call.exchange.result.filter(|_| call.is_look)?;
    let more = more_of_look(result);
    (more.len() > outcome.len()).then(|| format!("{line}{OUTCOME}{more}"))
}

/// Returns the end of what was printed, which tells of a commit that was not made.
fn commit_failure(result: &str) -> Option<String> {
    let last = result_lines(result).next_back();
    last.map(|line| format!("{FAILURE_SIGN}{}", fold_line(line, LONGEST_LOOK)))
}

/// Returns true if a call took back all changes that are not committed.
fn reverts_all(exchange: &Exchange<'_>) -> bool {
    !exchange.failed && exchange.runs_any(REVERTING_COMMANDS)
}

/// Returns true if a call may have committed what was done before.
fn commits_work(exchange: &Exchange<'_>) -> bool {
    !exchange.failed && exchange.call.text().contains("git commit")
}

/// Returns true for a call by which an agent only handles its own tools or its list of todos.
fn is_of_harness(call: CallForm<'_>) -> bool {
    let CallForm::Tool(tool) = call else {
        return false;
    };
    HARNESS_TOOLS.contains(&tool.name) || open_todos(tool.arguments.as_bytes()).is_some()
}

/// Returns true if a call may have worked in a folder. `None` is any.
fn works_in(exchange: &Exchange<'_>, folder: Option<&str>) -> bool {
    folder.is_none_or(|folder| exchange.call.text().contains(folder))
}

/// Returns true for a single command that prepares others, or tells what is known: `chmod +x run.sh`.
fn is_trivial(exchange: &Exchange<'_>) -> bool {
    let is_single = |command: &str| !command.contains(['\n', ';', '&', '|', '>', '`']);
    exchange.runs_any(TRIVIAL_COMMANDS) && exchange.whole_command().is_some_and(is_single)
}
