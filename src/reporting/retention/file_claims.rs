//! Judges the files that a summary lists as read or written by what the calls on them came to.

use crate::base::text::first_chars;
use crate::reading::transcript::envelopes::{is_blank, trim_blanks};
use crate::reporting::retention::paired_calls::{PairedCall, pair_calls};
use crate::reporting::retention::passage::{Passage, PassageCall};
use crate::reporting::retention::word_search::visit_occurrences;
use crate::reporting::retention::{identifiers::compile_pattern, ratio::KeptRatio};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The code points at the beginning of a result in which a failure is searched.
const FAILURE_START: usize = 300;
/// The code points at the end of a result in which an exit code is searched.
const FAILURE_END: usize = 300;
/// Tools that run a command line.
const SHELLS: &[&str] = &[
    "", "shell", "bash", "run", "execute_bash", "run_shell_command", "execute_command",
    "exec_command",
];
/// Commands that say nothing about what a command line does.
const SETTING_COMMANDS: &[&str] = &["cd", "echo", "set", "export"];
/// The beginnings of the names of tools that search.
const SEARCH_OPENINGS: &[&str] = &["search", "find", "list", "glob", "grep"];

static SEARCH: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(
        r"(?i)^(find|find_file|grep|glob|rg|ls|list|list_\w+|search\w*|locate|mkdir|tree|goto|scroll_\w+)$",
    )
});
static STEP_END: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"&&|;|\n"));
static OBSERVATION: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern(r"^(OBSERVATION|Observation):\s*"));
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(concat!(
        r"(?i)^\W*(error\b|fatal|\w*error:)|no such file|no matches found|not found|does not exist",
        r"|cannot (access|open|find)|permission denied|is a directory",
        r#"|"exit_code": ?[1-9]|exit code:? [1-9]"#
    ))
});
static EXIT_CODE: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r#""exit_code": ?[1-9]"#));
static SHOWN_FILE: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"\[File: (\S+) \("));
/// A line that lists files as read or written.
static LISTED: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(r"(?im)^\s*(?:[-*] )?(?:files )?(?:read|written|edited|modified): (.+)$")
});
static PATH: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"[\w-]/|\.\w{1,6}$"));

/// The calls of compacted messages, and the files that an editor showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileOutcomes {
    calls: Vec<JudgedCall>,
    shown: BTreeSet<String>,
    /// The same, each with its characters in reverse order.
    shown_reversed: BTreeSet<String>,
    /// Their lengths in bytes.
    shown_lengths: BTreeSet<usize>,
}

/// A call, judged by its result.
#[derive(Debug, Clone, PartialEq, Eq)]
struct JudgedCall {
    /// The name and the values, in lowercase.
    text: String,
    /// True if it failed, or only looked for names.
    came_to_nothing: bool,
}

impl FileOutcomes {
    /// Judges the calls of messages.
    pub(super) fn from_passages(passages: &[Passage]) -> Self {
        let texts: Vec<&str> = passages.iter().map(|passage| &*passage.text).collect();
        let text = texts.join("\n");
        let shown: BTreeSet<String> = SHOWN_FILE
            .captures_iter(&text)
            .map(|shown| {
                let (_, [file]) = shown.extract();
                file.to_owned()
            })
            .collect();
        Self {
            calls: pair_calls(passages).iter().map(JudgedCall::new).collect(),
            shown_reversed: shown.iter().map(|file| file.chars().rev().collect()).collect(),
            shown_lengths: shown.iter().map(String::len).collect(),
            shown,
        }
    }

    /// Counts the paths that a summary lists as read or written, and those that nothing read or
    /// wrote: calls name them, but all of these came to nothing.
    pub(super) fn false_claims(&self, summary: &str) -> KeptRatio {
        let claims = listed_paths(summary);
        let names: Vec<String> = claims.iter().map(|path| file_name(path)).collect();
        let outcomes = self.outcomes_of(&names);
        KeptRatio::from_kept(
            claims.iter().zip(outcomes).map(|(path, outcome)| {
                outcome == Some(CallsOutcome::Nothing) && !self.was_shown(path)
            }),
        )
    }

    /// Returns what the calls that name each file came to; none if no call names it.
    fn outcomes_of(&self, names: &[String]) -> Vec<Option<CallsOutcome>> {
        let mut text = String::new();
        let mut ends = Vec::with_capacity(self.calls.len());
        for call in &self.calls {
            text.push_str(&call.text);
            text.push('\n');
            ends.push(text.len());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut outcomes = vec![None; names.len()];
        visit_occurrences(&names, &text, |name, at| {
            let call = &self.calls[ends.partition_point(|end| *end <= at)];
            if !call.came_to_nothing {
                outcomes[name] = Some(CallsOutcome::Something);
            }
            outcomes[name].get_or_insert(CallsOutcome::Nothing);
        });
        outcomes
    }

    fn was_shown(&self, path: &str) -> bool {
        let tail = path.trim_start_matches(['…', '.', '/']);
        let reversed: String = tail.chars().rev().collect();
        let mut with_tail = self.shown_reversed.range(reversed.clone()..);
        with_tail.next().is_some_and(|shown| shown.starts_with(&reversed))
            || self
                .shown_lengths
                .range(..=path.len())
                .filter_map(|length| path.get(path.len() - length..))
                .any(|ending| self.shown.contains(ending))
    }
}

/// What the calls on a file came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallsOutcome {
    /// All of them failed, or only looked for names.
    Nothing,
    /// One of them read or wrote.
    Something,
}

/// Returns the last step of a path, in lowercase.
fn file_name(path: &str) -> String {
    let last_step = path.trim_end_matches('/').rsplit('/').next();
    last_step.unwrap_or_default().to_lowercase()
}

impl JudgedCall {
    fn new(outcome: &PairedCall<'_>) -> Self {
        let call = &*outcome.call;
        let values: Vec<&str> = call.leaves.iter().map(|leaf| &*leaf.value).collect();
        let has_failed = outcome.known_result().is_some_and(is_failure);
        Self {
            text: format!("{} {}", call.name, values.join(" ")).to_lowercase(),
            came_to_nothing: is_search(call) || (has_failed && !call.redirects),
        }
    }
}

/// Returns true if a call only looks for names (find, grep, ls) or makes a folder. A command line
/// is judged by the first word of each step.
fn is_search(call: &PassageCall) -> bool {
    let name = call.name.to_lowercase();
    if !SHELLS.contains(&name.as_str()) {
        return SEARCH.is_match(&name)
            || SEARCH_OPENINGS.iter().any(|opening| name.starts_with(opening));
    }
    let command = command_line(call);
    let mut steps = STEP_END
        .split(&command)
        .filter_map(|step| step.split(is_blank).find(|word| !word.is_empty()))
        .filter(|word| !SETTING_COMMANDS.contains(word))
        .peekable();
    let has_steps = steps.peek().is_some();
    let are_searches =
        steps.all(|word| SEARCH.is_match(word.rsplit('/').next().unwrap_or_default()));
    has_steps && are_searches && !command.contains('>')
}

/// Returns the command line in the arguments of a call, without the call of the shell itself.
fn command_line(call: &PassageCall) -> String {
    let key = ["command", "cmd"].into_iter().find(|key| {
        call.leaves.iter().any(|leaf| {
            leaf.path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        })
    });
    let Some(key) = key else {
        return String::new();
    };
    if let Some(leaf) = call.leaves.iter().find(|leaf| leaf.path == key) {
        return leaf.value.clone();
    }
    let list = format!("{key}[");
    let words: Vec<&str> = call
        .leaves
        .iter()
        .filter(|leaf| leaf.path.starts_with(&list))
        .map(|leaf| leaf.value.as_str())
        .collect();
    match words.as_slice() {
        [_, "-lc" | "-c", rest @ ..] if !rest.is_empty() => rest.join(" "),
        words => words.join(" "),
    }
}

/// Returns true if a result says that its call failed.
fn is_failure(result: &str) -> bool {
    let result = OBSERVATION.replace(trim_blanks(result), "");
    let start = first_chars(&result, FAILURE_START);
    let end = result
        .char_indices()
        .nth_back(FAILURE_END - 1)
        .map_or(&*result, |(start, _)| &result[start..]);
    FAILURE.is_match(start) || EXIT_CODE.is_match(end)
}

/// Returns the paths that a summary lists as read or written.
fn listed_paths(summary: &str) -> BTreeSet<&str> {
    LISTED
        .captures_iter(summary)
        .flat_map(|line| {
            let (_, [paths]) = line.extract();
            paths.split(is_blank)
        })
        .map(|path| path.trim_matches(['`', ',', ';']))
        .filter(|path| PATH.is_match(path))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::transcript::Role;

    fn call(name: &str, key: &str, value: &str) -> Passage {
        Passage::calling(name, &[(key, value)])
    }

    fn result(text: &str) -> Passage {
        Passage::said(Role::Tool, text)
    }

    #[test]
    fn paths_whose_calls_failed_or_searched_are_false() {
        let outcomes = FileOutcomes::from_passages(&[
            call("read_file", "path", "src/gone.rs"),
            result("Error: no such file"),
            call("find_file", "name", "found.rs"),
            result("1 match: src/found.rs"),
            call("bash", "command", "cd /repo && grep -n x src/seen.rs"),
            result("3: x"),
            call("edit_file", "path", "src/main.rs"),
            result("saved"),
            call("bash", "command", "make > build.log"),
            result("{\"output\": \"\", \"exit_code\": 2}"),
            call("open", "path", "lib.rs"),
            result("Error: too long\n[File: /repo/lib.rs (900 lines total)]"),
        ]);
        let claims = |summary: &str| {
            let KeptRatio { kept, total } = outcomes.false_claims(summary);
            (kept, total)
        };
        assert_eq!(claims("read: src/gone.rs found.rs seen.rs src/main.rs"), (3, 4));
        assert_eq!(claims("- Files written: `build.log`, /repo/lib.rs unknown.rs"), (0, 3));
        assert_eq!(claims("read them all; src/gone.rs"), (0, 0));
    }

    #[test]
    fn command_lines_are_judged_by_their_steps() {
        let is_search_line = |line: &str| is_search(&call("bash", "command", line).calls[0]);
        assert!(is_search_line("cd /a; /usr/bin/find . -name x && ls"));
        assert!(!is_search_line("ls; cat a.rs"));
        assert!(!is_search_line("ls > files.txt"));
        assert!(!is_search_line("cd /a"));
        let words = [("command[0]", "bash"), ("command[1]", "-lc"), ("command[2]", "rg x")];
        let shell = PassageCall::from_text("shell", words.into_iter());
        assert!(is_search(&shell));
    }
}
