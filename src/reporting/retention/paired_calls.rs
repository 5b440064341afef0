//! The calls of compacted messages with their results, as the published metric pairs them. Its
//! patterns tell apart what harnesses write in the user's name: notes, and results of text actions.

use crate::reading::transcript::{Role, envelopes::trim_blanks};
use crate::reporting::retention::identifiers::compile_pattern;
use crate::reporting::retention::passage::{Passage, PassageCall};
use regex::Regex;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The text that stands for a result that the log does not have.
const NO_RESULT: &str = "[no result in the log]";

static CODE_FENCE: LazyLock<Regex> = LazyLock::new(|| compile_pattern(r"(?s)```\w*\n(.*?)```"));
static FUNCTION_TAG: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern(r"(?s)<function=(\w+)>(.*?)</function>"));
static PARAMETER_TAG: LazyLock<Regex> =
    LazyLock::new(|| compile_pattern(r"(?s)<parameter=(\w+)>(.*?)</parameter>"));

/// A call and its result.
pub(super) struct PairedCall<'p> {
    pub call: Cow<'p, PassageCall>,
    /// The text of the result, if there is any.
    pub result: Option<&'p str>,
}

impl PairedCall<'_> {
    fn is_open(&self) -> bool {
        self.result.is_none_or(|result| result == NO_RESULT)
    }

    /// Returns the result, unless the log says that it has none.
    pub(super) fn known_result(&self) -> Option<&str> {
        self.result.filter(|_| !self.is_open())
    }
}

/// Pairs the calls of messages with their results, in the order of the calls.
///
/// A result belongs to the last call of its id, else to the last call of all. A last code fence or
/// `<function=...>` in the text of a message without calls is a call; the user's next text result
/// answers it.
pub(super) fn pair_calls(passages: &[Passage]) -> Vec<PairedCall<'_>> {
    let mut pairing = CallPairing::default();
    for passage in passages {
        match passage.role {
            Role::Assistant => pairing.add_calls(passage),
            Role::Tool | Role::Function => pairing.add_result(passage),
            Role::User if is_text_result(&passage.text) => pairing.add_text_result(&passage.text),
            Role::User | Role::System | Role::Developer => {}
        }
    }
    pairing.outcomes
}

#[derive(Default)]
struct CallPairing<'p> {
    outcomes: Vec<PairedCall<'p>>,
    /// The open call of each id.
    by_id: HashMap<Option<&'p str>, usize>,
    /// The last text action that is open.
    text_action: Option<usize>,
}

impl<'p> CallPairing<'p> {
    fn add_calls(&mut self, passage: &'p Passage) {
        for call in &passage.calls {
            self.by_id.insert(call.id.as_deref(), self.outcomes.len());
            self.push_call(Cow::Borrowed(call));
        }
        if passage.calls.is_empty() {
            for action in text_actions(&passage.text) {
                self.text_action = Some(self.outcomes.len());
                self.push_call(Cow::Owned(action));
            }
        }
    }

    fn push_call(&mut self, call: Cow<'p, PassageCall>) {
        self.outcomes.push(PairedCall { call, result: None });
    }

    fn add_result(&mut self, passage: &'p Passage) {
        let last = self.outcomes.len().checked_sub(1);
        let answered = self.by_id.remove(&passage.answers.as_deref()).or(last);
        if let Some(at) = answered {
            self.outcomes[at].result = Some(&passage.text);
        }
    }

    fn add_text_result(&mut self, text: &'p str) {
        let Some(last) = self.outcomes.len().checked_sub(1) else {
            return;
        };
        let outcome = &mut self.outcomes[self.text_action.take().unwrap_or(last)];
        if outcome.is_open() {
            outcome.result = Some(text);
        }
    }
}

/// Returns the actions in a text: the code fence at its end, and the last function tag.
fn text_actions(text: &str) -> Vec<PassageCall> {
    let mut actions = Vec::new();
    let fence = CODE_FENCE.captures_iter(text).last();
    if let Some(fence) = fence.filter(|_| text.trim_end().ends_with("```")) {
        let (_, [command]) = fence.extract();
        let arguments = std::iter::once(("command", command.trim()));
        actions.push(PassageCall::from_text("", arguments));
    }
    if let Some(tag) = FUNCTION_TAG.captures_iter(text).last() {
        let (_, [name, parameters]) = tag.extract();
        let arguments = PARAMETER_TAG.captures_iter(parameters).map(|parameter| {
            let (_, [name, value]) = parameter.extract();
            (name, value)
        });
        actions.push(PassageCall::from_text(name, arguments));
    }
    actions
}

/// The beginnings of notes.
const NOTE_OPENINGS: &str = "\
    <environment_context|<system-reminder|<user_instructions|<local-command|<command-name|\
    <task-notification|Caveat: The messages below|[Request interrupted";
/// The length in code points from which a line is no prompt.
const MAX_PROMPT: usize = 80;
/// The beginnings of the prompts of a shell.
const PROMPT_OPENINGS: &[&str] = &["bash-", "root@"];

static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    compile_pattern(concat!(
        r"^(OBSERVATION:|Observation:|Result of search_|EXECUTION RESULT|\[[a-z_]+ for ",
        r"|\[[a-z_]+\] Result|<returncode>|Ran `|\[execute_command)"
    ))
});

/// Returns true if the text is a note of a harness and no request.
pub(super) fn is_note(text: &str) -> bool {
    let text = trim_blanks(text);
    NOTE_OPENINGS.split('|').any(|opening| text.starts_with(opening))
}

/// Returns true if the text is the result of a text action: it begins as one, or its last line is
/// the prompt of a shell.
pub(super) fn is_text_result(text: &str) -> bool {
    let text = trim_blanks(text);
    RESULT.is_match(text) || is_prompt(text.rsplit('\n').next().unwrap_or_default())
}

fn is_prompt(line: &str) -> bool {
    line.ends_with(['$', '#'])
        && PROMPT_OPENINGS.iter().any(|opening| line.starts_with(opening))
        && line.chars().count() < MAX_PROMPT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: Role, text: &str) -> Passage {
        Passage::said(role, text)
    }

    /// Returns the values of each call, ` -> ` and its result.
    fn paired(passages: &[Passage]) -> Vec<String> {
        let told = pair_calls(passages).into_iter().map(|outcome| {
            let values = outcome.call.leaves.iter().map(|leaf| leaf.value.as_str());
            format!("{} -> {:?}", values.collect::<Vec<_>>().join(" "), outcome.result)
        });
        told.collect()
    }

    #[test]
    fn results_go_to_the_call_of_their_id_or_to_the_last() {
        let call = |id: &str, path: &str| {
            let mut call = PassageCall::from_text("read", std::iter::once(("path", path)));
            call.id = Some(id.to_owned());
            call
        };
        let mut first = message(Role::Tool, "first");
        first.answers = Some("a".to_owned());
        let calls = vec![call("a", "a.rs"), call("b", "b.rs")];
        let passages = [
            Passage::new(Role::Assistant, String::new(), calls),
            first,
            message(Role::Tool, "second"),
        ];
        assert_eq!(paired(&passages), [r#"a.rs -> Some("first")"#, r#"b.rs -> Some("second")"#]);
    }

    #[test]
    fn actions_in_texts_are_answered_by_text_results() {
        let passages = [
            message(Role::Assistant, "I look.\n```bash\nls src\n```\n"),
            message(Role::User, "OBSERVATION:\nmain.rs"),
            message(Role::Assistant, "<function=edit><parameter=path>a.rs</parameter></function>"),
            message(Role::User, "Thanks"),
        ];
        let wanted = [r#"ls src -> Some("OBSERVATION:\nmain.rs")"#, "a.rs -> None"];
        assert_eq!(paired(&passages), wanted);
    }

    #[test]
    fn notes_and_results_are_told_apart_from_requests() {
        assert!(is_note(" <environment_context>\n<cwd>/a</cwd>"));
        assert!(is_note("[Request interrupted by user]"));
        assert!(!is_note("Explain <environment_context> to me"));
        for result in [
            "OBSERVATION:\nok",
            "[read_file for 'a.rs'] Result:",
            "[write_to_file] Result: saved",
            "Ran `ls`",
            "a.txt\nbash-$",
            "root@box:/repo#",
        ] {
            assert!(is_text_result(result), "{result}");
        }
        for request in ["[A] Result", "Please OBSERVATION: look", "cost: 5$"] {
            assert!(!is_text_result(request), "{request}");
        }
    }
}
