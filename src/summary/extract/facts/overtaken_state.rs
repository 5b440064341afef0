//! Tells which lines of an earlier summary the work since has overtaken: a file that was broken and is
//! written anew, tests that failed and pass.

use super::call_effects::CallWeight;
use super::exchanges::Exchanges;
use super::file_changes::FileChange;
use super::final_todos::changes_in;
use super::path_ends::file_name;
use super::task_calls::closed_tasks;
use super::test_runs::passed_by_line;
use crate::summary::extract::lex::phrase_search::PhraseSearch;
use crate::summary::extract::lexicon::assistant_words::{FAILING_WORDS, PASSING_STATE_WORDS};
use crate::transcript::view::ViewedTurn;
use hashbrown::HashSet;
use std::sync::LazyLock;

static STATES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[PASSING_STATE_WORDS]));
static FAILURES: LazyLock<PhraseSearch> = LazyLock::new(|| PhraseSearch::new(&[FAILING_WORDS]));

/// What was done after an earlier summary.
pub(super) struct WorkSince<'t> {
    /// The names of the files that calls changed, and of those that they wrote as a whole.
    changed: HashSet<String>,
    written: HashSet<String>,
    /// The numbers of the tasks that calls closed.
    closed: Vec<String>,
    /// The summary and the messages after it.
    turns: &'t [ViewedTurn<'t>],
}

impl<'t> WorkSince<'t> {
    /// Collects what was done after message number `summary`, also in the messages that stay, `kept`.
    pub(super) fn collect(
        exchanges: &Exchanges<'_>,
        turns: &'t [ViewedTurn<'t>],
        summary: usize,
        kept: &[ViewedTurn<'_>],
    ) -> Self {
        let mut since = Self {
            changed: HashSet::new(),
            written: HashSet::new(),
            closed: closed_tasks(&turns[summary.min(turns.len())..]),
            turns: &turns[summary.min(turns.len())..],
        };
        let later = exchanges.all.iter().rev();
        let later = later.take_while(|call| call.message >= summary);
        let changes = later
            .filter(|call| !call.failed && call.weight() == CallWeight::Changes)
            .filter_map(|call| FileChange::of(call.call));
        for change in changes.chain(changes_in(kept)) {
            let name = file_name(&change.path).to_owned();
            if change.is_whole {
                since.written.insert(name.clone());
            }
            since.changed.insert(name);
        }
        since
    }

    /// Returns true if a line says how a file stood that was changed since, or that tests failed that pass.
    pub(super) fn ends_state(&self, line: &str) -> bool {
        (STATES.has_words(line) && names_any(line, &self.changed)) || self.ends_failure(line)
    }

    /// Returns true if a step names a file that was written anew since, or tests that pass by now.
    pub(super) fn ends_step(&self, step: &str) -> bool {
        // The tests of a file that is written anew may still be missing.
        let is_written = !step.contains(TESTS) && names_any(step, &self.written);
        is_written || self.closes(step) || self.ends_failure(step)
    }

    /// Returns true for a step like `Task #2 (in_progress): Wait for it` that a call closed.
    fn closes(&self, step: &str) -> bool {
        let number = step.split_once(TASK_MARK).map(|(_, rest)| rest);
        number.is_some_and(|rest| {
            self.closed.iter().any(|closed| {
                rest.strip_prefix(closed.as_str())
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
            })
        })
    }

    fn ends_failure(&self, line: &str) -> bool {
        FAILURES.has_words(line) && line.contains(TESTS) && self.tests_pass()
    }

    /// Returns true if the newest count of tests says that all passed.
    fn tests_pass(&self) -> bool {
        let newest_first = self.turns.iter().rev();
        let mut counts =
            newest_first.filter_map(|turn| turn.text.lines().rev().find_map(passed_by_line));
        counts.next() == Some(true)
    }
}

/// Before the number of a task.
const TASK_MARK: &str = "Task #";
/// A word of a line about tests.
const TESTS: &str = "test";

/// Returns true if a text names one of some files.
fn names_any(text: &str, files: &HashSet<String>) -> bool {
    !files.is_empty()
        && text
            .split(|c: char| c.is_whitespace() || matches!(c, '`' | '(' | ')' | ',' | ':' | '"'))
            .any(|word| files.contains(file_name(word.trim_end_matches('.'))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::{CallForm, CalledTool};
    use crate::summary::extract::tests::{call_turn, turn_of};
    use crate::transcript::Role;

    #[test]
    fn what_later_work_ended_is_over() {
        let mut exchanges = Exchanges::default();
        for (message, name, arguments) in [
            (
                1,
                "write",
                r#"{"path": "/srv/valve.html", "content": "<p>"}"#,
            ),
            (
                2,
                "edit",
                r#"{"path": "/srv/pump.c", "old_string": "a", "new_string": "b"}"#,
            ),
        ] {
            let index =
                exchanges.push_call(message, CallForm::Tool(CalledTool { name, arguments }));
            exchanges.set_result(index, "ok", false);
        }
        let turns = [
            turn_of(Role::User, "8 failed, 524 passed"),
            turn_of(Role::Assistant, "I wrote it."),
            turn_of(Role::Tool, "== 532 passed in 3s =="),
        ];
        let since = WorkSince::collect(&exchanges, &turns, 0, &[]);
        assert!(since.ends_state("The `valve.html` is currently broken"));
        assert!(since.ends_state("`pump.c` is in progress"));
        assert!(
            !since.ends_state("`pump.c` holds the pump") && !since.ends_state("mill.c is broken")
        );
        assert!(since.ends_step("Embed the data in `valve.html`"));
        assert!(
            !since.ends_step("Mend `pump.c`"),
            "an edit need not be the last one"
        );
        assert!(since.ends_step("Fix the 8 failing tests"));
        assert!(!since.ends_step("Add tests for `valve.html`"));
        let done = [
            turn_of(Role::User, "Tasks"),
            call_turn("TaskUpdate", r#"{"taskId": "2", "status": "completed"}"#),
        ];
        let since = WorkSince::collect(&Exchanges::default(), &done, 0, &[]);
        assert!(since.ends_step("Task #2 (in_progress): wait for the data"));
        assert!(!since.ends_step("Task #21: wait") && !since.ends_step("Answer issue #2"));
        let turns = [turn_of(Role::Tool, "== 1 failed, 531 passed ==")];
        assert!(
            !WorkSince::collect(&exchanges, &turns, 0, &[]).ends_step("Fix the 8 failing tests")
        );
    }
}
