//! Tells commands that go on while others run, and the calls that wait for them: Codex lets a command go on,
//! and a later call asks for what it printed since.

use super::call_form::CallForm;
use super::exchanges::Exchanges;
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

/// Returns true for a command that goes on behind the ones that follow: `nohup make &`.
pub(super) fn runs_on(command: &str) -> bool {
    let last = command.trim_end();
    let mut parts = last.split(['&', ';', '|', '\n']);
    (last.ends_with('&') && !last.ends_with("&&"))
        || parts.any(|part| part.trim_start().starts_with(NO_HANGUP))
}

/// The program that lets another go on, and the outcome of such a call.
const NO_HANGUP: &str = "nohup ";
pub(super) const RUNS_ON: &str = "(in the background)";

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
