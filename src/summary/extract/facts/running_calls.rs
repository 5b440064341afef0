//! Tells commands that go on while others run, and the calls that wait for them: Codex lets a command go on,
//! and a later call asks for what it printed since.

use super::call_form::CallForm;
use super::exchanges::{Exchange, Exchanges};
use crate::summary::extract::lex::argument_leaves::{LeafValue, visit_leaves};
use crate::summary::extract::lex::clip::floor_char;

/// Names of tools that wait for a command which goes on.
const WAITING_TOOLS: [&str; 2] = ["wait", "write_stdin"];
/// Keys of the number of such a command, and what its result says before it.
const RUN_KEYS: [&str; 2] = ["cell_id", "session_id"];
const RUN_MARKS: [&str; 2] = ["running with cell ID ", "running with session ID "];
/// The key of what is written to it.
const INPUT_KEY: &str = "chars";
/// Number of calls before the waiting one that are searched, and the bytes of a result that are.
const MOST_CALLS: usize = 24;
const LONGEST_SEARCHED: usize = 400;

/// Returns the index of the call that call number `index` waits for.
pub(super) fn awaited_call(exchanges: &Exchanges<'_>, index: usize) -> Option<usize> {
    let CallForm::Tool(call) = exchanges.all.get(index)?.call else {
        return None;
    };
    if !WAITING_TOOLS.contains(&call.name) {
        return None;
    }
    let (mut run, mut writes) = (None, false);
    visit_leaves(call.arguments, &mut |key, leaf| {
        if RUN_KEYS.contains(&key.name) {
            run = leaf.decode_start(LONGEST_SEARCHED);
        } else if key.name == INPUT_KEY {
            writes = matches!(leaf, LeafValue::String(text) if !text.is_empty());
        }
    });
    let run = run.filter(|_| !writes)?;
    let before = exchanges.all[..index].iter().enumerate().rev();
    before.take(MOST_CALLS).find_map(|(at, exchange)| {
        let result = exchange.result?;
        let start = &result[..floor_char(result, LONGEST_SEARCHED)];
        let is_run = RUN_MARKS.iter().any(|mark| {
            start.split_once(mark).is_some_and(|(_, rest)| {
                (rest.strip_prefix(run.as_ref()))
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
            })
        });
        is_run.then_some(at)
    })
}

/// Returns the number under which a command goes on, as its result tells it.
pub(super) fn running_id(result: &str) -> Option<&str> {
    let start = &result[..floor_char(result, LONGEST_SEARCHED)];
    let marks = RUN_MARKS.iter().chain(&BACKGROUND_MARKS);
    let mut ids = marks.filter_map(|mark| {
        let (before, rest) = start.split_once(mark)?;
        // Any program may print such words within its output.
        let line = before.rsplit('\n').next().unwrap_or_default();
        let lines = before.lines().count();
        if lines > MOST_HEADING_LINES || !RUN_OPENINGS.contains(&line.trim_start()) {
            return None;
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        (end > 0).then(|| &rest[..end])
    });
    ids.next()
}

/// What stands before the marks on their line, and the number of lines down to it.
const RUN_OPENINGS: [&str; 3] = ["Process ", "Script ", "Command "];
const MOST_HEADING_LINES: usize = 5;

/// Returns true if a later call ends the command that goes on under a number.
pub(super) fn is_ended(later: &[Exchange<'_>], id: &str) -> bool {
    later.iter().any(|exchange| match exchange.call {
        CallForm::Tool(call) => {
            let name = call.name.to_ascii_lowercase();
            let ends = ENDING_WORDS.iter().any(|word| name.contains(word))
                || exchange.result.is_some_and(|result| {
                    let start = &result[..floor_char(result, LONGEST_SEARCHED)];
                    ENDED_MARKS.iter().any(|mark| start.contains(mark))
                });
            ends && names_id(call.arguments, id)
        }
        _ => false,
    })
}

/// Returns true if arguments hold a number that is no part of another.
fn names_id(arguments: &str, id: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    arguments.match_indices(id).any(|(at, _)| {
        !arguments[..at].ends_with(is_part) && !arguments[at + id.len()..].starts_with(is_part)
    })
}

/// What a harness says of a command that has ended.
const ENDED_MARKS: [&str; 4] = [
    "<status>completed",
    "<status>failed",
    "<status>killed",
    "Process exited",
];

/// What Claude Code says before the number of a command that goes on, and words of the tools that end one.
const BACKGROUND_MARKS: [&str; 1] = ["running in background with ID: "];
const ENDING_WORDS: [&str; 3] = ["kill", "stop", "terminate"];

/// Returns true for a command that goes on behind the ones that follow: `nohup make &`.
pub(super) fn runs_on(command: &str) -> bool {
    let last = command.trim_end();
    let mut parts = last.split(['&', ';', '|', '\n']);
    (last.ends_with('&') && !last.ends_with("&&"))
        || parts.any(|part| part.trim_start().starts_with(NO_HANGUP))
}

/// The program that lets another go on.
const NO_HANGUP: &str = "nohup ";

/// Returns the outcome of a command that goes on, with the number that it has.
pub(super) fn running_note(id: Option<&str>) -> String {
    match id {
        Some(id) => format!("(in the background: {id})"),
        None => "(in the background)".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::CalledTool;

    #[test]
    fn only_a_command_behind_the_others_goes_on() {
        for command in ["make &", "cd /srv && nohup make > log", "nohup make &\n"] {
            assert!(runs_on(command), "{command}");
        }
        for command in ["make &&", "make", "echo 'nohup is never used' > a.txt"] {
            assert!(!runs_on(command), "{command}");
        }
    }

    #[test]
    fn what_goes_on_has_a_number() {
        for (result, id) in [
            (
                "Process running with session ID 85147\nOutput:\n",
                Some("85147"),
            ),
            (
                "Command running in background with ID: bash_1. Output",
                Some("bash_1"),
            ),
            ("3 passed", None),
            ("docs: Command running in background with ID: bash_1", None),
        ] {
            assert_eq!(running_id(result), id);
        }
        let mut exchanges = Exchanges::default();
        let call = CalledTool {
            name: "KillShell",
            arguments: r#"{"shell_id": "bash_1"}"#,
        };
        exchanges.push_call(0, CallForm::Tool(call));
        assert!(is_ended(&exchanges.all, "bash_1") && !is_ended(&exchanges.all, "bash"));
        let call = CalledTool {
            name: "BashOutput",
            arguments: r#"{"bash_id": "bash_2"}"#,
        };
        let index = exchanges.push_call(1, CallForm::Tool(call));
        assert!(!is_ended(&exchanges.all, "bash_2"));
        exchanges.set_result(index, "<status>completed</status>", false);
        assert!(is_ended(&exchanges.all, "bash_2"));
    }

    #[test]
    fn a_wait_belongs_to_the_command_that_goes_on() {
        let mut exchanges = Exchanges::default();
        for (name, arguments, result) in [
            (
                "exec_command",
                r#"{"cmd": "cargo test"}"#,
                "Script running with cell ID 47\nOutput:\n",
            ),
            ("exec_command", r#"{"cmd": "ls"}"#, "a.rs"),
            ("wait", r#"{"cell_id": "47"}"#, "3 passed"),
            ("wait", r#"{"cell_id": 4}"#, "gone"),
            ("write_stdin", r#"{"session_id": 47, "chars": "y"}"#, "ok"),
        ] {
            let index = exchanges.push_call(0, CallForm::Tool(CalledTool { name, arguments }));
            exchanges.set_result(index, result, false);
        }
        let awaited: Vec<Option<usize>> = (0..5).map(|at| awaited_call(&exchanges, at)).collect();
        assert_eq!(awaited, [None, None, Some(0), None, None]);
    }
}
