//! Finds the commands that were run again and again: how the work is checked.

use super::call_effects::{changing_parts, is_file_program};
use super::call_failures::is_refusal;
use super::call_form::CallForm;
use super::call_lines::is_shell_name;
use super::exchanges::Exchange;
use super::fact::{Fact, FactKind};
use super::path_ends::shorten_paths;
use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::labels::RUN_OFTEN;
use crate::summary::extract::lex::clip::CLIP_MARK;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lexicon::shell_words::INSTALLING_COMMANDS;
use crate::summary::extract::lexicon::tool_words::FOLDER_WORDS;
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;

/// Minimum number of runs of a command.
const LEAST_RUNS: usize = 4;
/// Maximum number of commands. The second was run half as often as the first or more.
const MOST_COMMANDS: usize = 2;
/// Maximum length in bytes of a command.
const LONGEST_COMMAND: usize = 70;
/// The worth of the line.
const WORTH: i32 = 9000;

/// Returns the line that names the commands that were run most. Returns `None` if none was run often.
pub(crate) fn frequent_commands(exchanges: &[Exchange<'_>]) -> Option<Fact> {
    if SummaryRule::FrequentCommands.is_off() {
        return None;
    }
    let mut runs: HashMap<String, CommandRuns> = HashMap::new();
    for (number, exchange) in exchanges.iter().enumerate() {
        let CallForm::Tool(call) = exchange.call else {
            continue;
        };
        let was_refused = exchange.result.is_some_and(is_refusal);
        let Some(command) =
            (exchange.whole_command()).filter(|_| is_shell_name(call.name) && !was_refused)
        else {
            continue;
        };
        let folder = exchange.folder().unwrap_or_default();
        for part in changing_parts(command).filter(|part| is_check(part)) {
            let program = format!("{folder} {}", what_runs(part));
            let runs = runs.entry(program).or_default();
            runs.observe(part, number);
        }
    }
    let mut often: Vec<(String, CommandRuns)> = runs
        .into_iter()
        .filter(|(_, runs)| runs.count >= LEAST_RUNS && runs.says_what_ran())
        .collect();
    often.sort_by(|(command, runs), (other, others)| {
        (others.count, others.last, command).cmp(&(runs.count, runs.last, other))
    });
    // The same may have been run in several folders.
    let mut shown = HashSet::new();
    often.retain(|(_, runs)| shown.insert(runs.shown().into_owned()));
    let least = often.first().map_or(0, |(_, runs)| runs.count / 2);
    often.retain(|(_, runs)| runs.count >= least);
    let shown = often.iter().take(MOST_COMMANDS).map(|(_, runs)| {
        let shown = runs.shown();
        let command = shorten_paths(&shown);
        format!(
            "`{}` (x{})",
            fold_line(&command, LONGEST_COMMAND),
            runs.count
        )
    });
    let shown = shown.collect::<Vec<String>>().join(", ");
    (!shown.is_empty()).then(|| Fact {
        kind: FactKind::Call,
        text: format!("{RUN_OFTEN}{shown}"),
        worth: WORTH,
        order: 0,
        heading: None,
        is_pinned: true,
        longer: None,
    })
}

/// Returns true for a command that can check the work: a short one that changes no text itself.
fn is_check(part: &str) -> bool {
    let program = part.split(' ').next().unwrap_or_default();
    part.len() <= LONGEST_COMMAND
        // Which script it ran stands below it.
        && !part.ends_with(STANDARD_INPUT)
        && !part.contains(['\'', '"', '$', '<', '>'])
        && !is_file_program(program)
        && !FOLDER_WORDS.contains(&program)
        && !INSTALLING_COMMANDS
            .iter()
            .any(|install| part.starts_with(install))
}

/// The word for a script that a program reads from its input.
const STANDARD_INPUT: &str = " -";

/// Returns what a command runs: the program with its sub-command or script, `npm run check` of `npm run
/// check --quiet`.
fn what_runs(command: &str) -> &str {
    let mut end = 0;
    let mut is_complete = false;
    for (number, word) in command.split(' ').enumerate() {
        if is_complete || (number > 0 && word.starts_with('-') && word != MODULE) {
            break;
        }
        is_complete = number > 0 && !RUNNING_WORDS.contains(&word);
        end += word.len() + usize::from(number > 0);
    }
    &command[..end]
}

/// The option of Python before a module, and words before the name of what is run.
const MODULE: &str = "-m";
const RUNNING_WORDS: [&str; 3] = [MODULE, "run", "exec"];

/// How often something was run.
#[derive(Debug, Clone, Default)]
struct CommandRuns {
    /// Number of calls that ran it.
    count: usize,
    /// Index of the last of these calls, and its command.
    last: usize,
    newest: String,
    /// It was run with other options or on other files before.
    varies: bool,
}

impl CommandRuns {
    /// Takes note of a command of call number `call`.
    fn observe(&mut self, command: &str, call: usize) {
        self.count += usize::from(self.count == 0 || self.last != call);
        self.last = call;
        self.varies |= self.count > 1 && command != self.newest;
        command.clone_into(&mut self.newest);
    }

    /// Returns false for runs of which only the program is the same: `python3`.
    fn says_what_ran(&self) -> bool {
        !self.varies || what_runs(&self.newest).contains(' ')
    }

    /// Returns the command, or what is the same in all runs.
    fn shown(&self) -> Cow<'_, str> {
        let same = what_runs(&self.newest);
        if self.varies && same.len() < self.newest.len() {
            Cow::Owned(format!("{same}{CLIP_MARK}"))
        } else {
            Cow::Borrowed(&self.newest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::CalledTool;
    use crate::summary::extract::facts::exchanges::Exchanges;

    #[test]
    fn what_was_run_often_is_named_with_its_count() {
        let mut exchanges = Exchanges::default();
        let mut run = |command: &'static str| {
            let call = CalledTool {
                name: "bash",
                arguments: command,
            };
            exchanges.push_call(0, CallForm::Tool(call));
        };
        for _ in 0..4 {
            run(r#"{"command": "cd /srv && npm run check 2>&1 | tail -5"}"#);
            run(r#"{"command": "ls -la"}"#);
            run(r#"{"command": "git add -A"}"#);
        }
        run(r#"{"command": "cd /srv && npm run check && npm run check"}"#);
        run(r#"{"command": "cat > a.sh <<'EOF'\nnpm run check\nEOF"}"#);
        run(r#"{"command": "npm test"}"#);
        for _ in 0..6 {
            run("{\"command\": \"python3 - <<'EOF'\\nprint(1)\\nEOF\"}");
        }
        let line = frequent_commands(&exchanges.all).map(|fact| fact.text);
        assert_eq!(line.as_deref(), Some("run often: `npm run check` (x5)"));
        assert!(frequent_commands(&exchanges.all[..3]).is_none());
    }

    #[test]
    fn a_command_is_known_by_its_script() {
        for (command, wanted) in [
            ("npm run check --quiet", "npm run check"),
            ("python -m pytest tests/a.py", "python -m pytest"),
            ("python a.py x", "python a.py"),
            ("make -j4", "make"),
            ("pytest", "pytest"),
        ] {
            assert_eq!(what_runs(command), wanted);
        }
    }

    #[test]
    fn what_varies_is_named_by_what_is_the_same() {
        let mut exchanges = Exchanges::default();
        for command in [
            r#"{"command": "cargo test --lib pump"}"#,
            r#"{"command": "cargo test --lib valve"}"#,
            r#"{"command": "cargo test"}"#,
            r#"{"command": "cargo test --doc"}"#,
        ] {
            let call = CalledTool {
                name: "bash",
                arguments: command,
            };
            exchanges.push_call(0, CallForm::Tool(call));
        }
        let mut others = Exchanges::default();
        for name in ["a", "b", "c", "d"] {
            let arguments = match name {
                "a" => r#"{"command": "paru -S pump"}"#,
                "b" => r#"{"command": "paru -Ss valve"}"#,
                "c" => r#"{"command": "mkdir -p /srv/a"}"#,
                _ => r#"{"command": "paru -S mill"}"#,
            };
            for _ in 0..2 {
                let call = CalledTool {
                    name: "bash",
                    arguments,
                };
                others.push_call(0, CallForm::Tool(call));
            }
        }
        let fact = frequent_commands(&exchanges.all);
        assert_eq!(fact.unwrap().text, "run often: `cargo test …` (x4)");
        assert!(frequent_commands(&others.all).is_none());
    }
}
