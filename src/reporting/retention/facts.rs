//! The rule that tells facts among the identifiers that were needed later.
//!
//! A fact is something that the conversation alone tells: a model can't know it otherwise. Code holds
//! many identifiers that are none, such as names of a language, line numbers, or what is between
//! two quoted texts. The rule looks at who said an identifier and at what it was used for, and at no
//! list of words:
//!
//! - A number is a fact if the user wrote it, or a result gave it as a value of its own.
//! - A name with a `/`, an `@` or a digit, such as a path or an id, is one if it was said by anybody,
//!   or passed to a tool as a value or as a word of a command. What occurs only in programs that the
//!   assistant wrote is none, and neither is the end of a redirection.
//! - A word is one if it was also looked for later: in a value of one line, or, if it is a compound,
//!   in the words of the assistant. The name of a tool or of an argument is none.
//! - A phrase is one if the user wrote it, or if a result said it and it reads as words.

use crate::reading::transcript::Role;
use crate::reporting::retention::identifiers::{is_plain_word, normalize_identifier};
use crate::reporting::retention::passage::{Passage, PassageValue};
use crate::reporting::retention::word_search::{contains_each, first_occurrences};
use std::collections::{BTreeSet, HashSet};

/// The longest value of one line, in bytes, that is a search or a command and not a program.
const MAX_LINE: usize = 200;
/// The marks of code. A phrase that holds one was cut out of a program.
const CODE_MARKS: [char; 14] =
    ['(', ')', '{', '}', '[', ']', ';', '=', '<', '>', '|', '&', '$', '\\'];

/// The kind of an identifier, by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FactForm {
    Number,
    Name,
    Word,
    Phrase,
}

impl FactForm {
    fn of_identifier(identifier: &str) -> Self {
        // `</div>` and a route have the form of a path below the root.
        let is_root = |name: &str| !name.contains('/');
        if identifier.chars().all(|c| c.is_ascii_digit() || c == '.') {
            Self::Number
        } else if identifier.contains(char::is_whitespace) || identifier.contains(CODE_MARKS) {
            Self::Phrase
        } else if identifier.strip_prefix('/').is_some_and(is_root) {
            Self::Word
        } else if identifier.contains(['/', '@', '-']) || identifier.contains(char::is_numeric) {
            Self::Name
        } else {
            Self::Word
        }
    }
}

/// What is known about the identifiers of a conversation around a cut.
pub(super) struct Facts {
    user: String,
    /// The words of the user and of results.
    told: String,
    /// The words of the assistant before the cut, without programs.
    found: String,
    /// The values of their own that results gave.
    given: HashSet<String>,
    /// The values of arguments before the cut, and the words of those that are commands.
    passed: HashSet<String>,
    /// The names of tools and of their arguments, which the model sees anyway.
    tools: HashSet<String>,
    /// The values of arguments behind it.
    needed: HashSet<String>,
    /// The values of one line in later calls, as they are and in lowercase.
    lines: String,
    lower_lines: String,
    /// The words of the assistant behind the cut, without programs.
    prose: String,
}

impl Facts {
    /// Collects what is known from the compacted messages and those behind the cut.
    pub(super) fn new(compacted: &[Passage], future: &[Passage]) -> Self {
        let user = |passage: &&Passage| passage.role == Role::User;
        let told = |passage: &&Passage| user(passage) || passage.role.is_result();
        let results = compacted.iter().filter(|passage| passage.role.is_result());
        let given = results.flat_map(Passage::json_leaves);
        let later = || future.iter().filter(|passage| passage.role == Role::Assistant);
        let earlier = || compacted.iter().filter(|passage| passage.role == Role::Assistant);
        let lines = one_line_values(later()).collect::<Vec<_>>().join("\n");
        let words = one_line_values(earlier()).flat_map(command_words);
        Self {
            user: join(compacted.iter().filter(user).map(|passage| &passage.lower)),
            told: join(compacted.iter().filter(told).map(|passage| &passage.lower)),
            given: given.map(|leaf| normalize_identifier(&leaf.value)).collect(),
            found: prose(earlier()),
            passed: whole_values(earlier()).chain(words).collect(),
            needed: whole_values(later()).collect(),
            tools: tool_names(compacted).chain(tool_names(future)).collect(),
            lower_lines: lines.to_lowercase(),
            lines,
            prose: prose(later()),
        }
    }

    /// Returns the facts among `identifiers`.
    pub(super) fn among<'i>(&self, identifiers: &[&'i str]) -> BTreeSet<&'i str> {
        let texts = [&self.user, &self.told, &self.found, &self.prose];
        let [user, told, found, prose] = texts.map(|text| contains_each(identifiers, text));
        let lines = first_occurrences(identifiers, &self.lower_lines);
        let is_fact = |(at, identifier): (usize, &&'i str)| {
            let identifier = *identifier;
            let known = told[at] || found[at] || self.passed.contains(identifier);
            let is_fact = match FactForm::of_identifier(identifier) {
                FactForm::Number => user[at] || self.given.contains(identifier),
                FactForm::Name => known,
                FactForm::Word => {
                    let is_compound = identifier.contains(['_', '.']);
                    let is_sought = self.needed.contains(identifier)
                        || lines[at].is_some_and(|start| self.is_name_in_line(identifier, start))
                        || (is_compound && prose[at]);
                    known && is_sought && !self.tools.contains(identifier)
                }
                FactForm::Phrase => user[at] || (told[at] && reads_as_words(identifier)),
            };
            is_fact.then_some(identifier)
        };
        identifiers.iter().enumerate().filter_map(is_fact).collect()
    }

    /// Returns true if an identifier in the lines, at this place, is no plain word there.
    fn is_name_in_line(&self, identifier: &str, start: usize) -> bool {
        let spelled = self.lines.get(start..start + identifier.len());
        !is_plain_word(spelled.unwrap_or(identifier))
    }
}

fn call_values<'p>(
    passages: impl Iterator<Item = &'p Passage>,
) -> impl Iterator<Item = &'p PassageValue> {
    let calls = passages.flat_map(|passage| &passage.calls);
    calls.flat_map(|call| &call.leaves)
}

fn whole_values<'p>(passages: impl Iterator<Item = &'p Passage>) -> impl Iterator<Item = String> {
    call_values(passages).map(|leaf| normalize_identifier(&leaf.value))
}

/// Returns the values that are searches and commands, not programs.
fn one_line_values<'p>(
    passages: impl Iterator<Item = &'p Passage>,
) -> impl Iterator<Item = &'p str> {
    let values = call_values(passages).map(|leaf| leaf.value.as_str());
    values.filter(|value| value.len() <= MAX_LINE && !value.contains('\n'))
}

/// Returns the words of a command, without those that output is written to.
fn command_words(command: &str) -> impl Iterator<Item = String> + '_ {
    let mut is_target = false;
    let words = command.split_whitespace().filter(move |word| {
        let is_last = std::mem::replace(&mut is_target, word.ends_with('>'));
        !is_last && !word.contains('>')
    });
    words.map(normalize_identifier)
}

/// Returns the words of messages, in lowercase and without programs.
fn prose<'p>(passages: impl Iterator<Item = &'p Passage>) -> String {
    let texts = passages.map(|passage| without_programs(&passage.text));
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the names of the tools that were called, and of their arguments, in lowercase.
fn tool_names(passages: &[Passage]) -> impl Iterator<Item = String> {
    let calls = passages.iter().flat_map(|passage| &passage.calls);
    calls.flat_map(|call| {
        let steps = call.leaves.iter().flat_map(|leaf| leaf.path.split('.'));
        let names = steps.chain([call.name.as_str()]);
        names.map(str::to_lowercase).collect::<HashSet<String>>()
    })
}

fn join<'t>(texts: impl Iterator<Item = &'t String>) -> String {
    texts.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// Returns the lowercase text without fenced blocks.
fn without_programs(text: &str) -> String {
    let mut is_program = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_program ^= is_fence;
        !is_fence && !is_program
    });
    lines.collect::<Vec<_>>().join("\n").to_lowercase()
}

/// Returns true if a phrase begins and ends with a word and holds no code.
fn reads_as_words(phrase: &str) -> bool {
    phrase.starts_with(char::is_alphanumeric)
        && phrase.ends_with(char::is_alphanumeric)
        && !phrase.contains(CODE_MARKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(name: &'static str, value: &'static str) -> Passage {
        Passage::calling("run", &[(name, value)])
    }

    /// The facts of a conversation about a sea port.
    #[test]
    fn facts_are_told_from_what_any_model_knows() {
        let compacted = [
            Passage::said(
                Role::User,
                "Berth the Alma at quay 4711, ship id IMO-9074729, and mail harbour@sea.org.",
            ),
            called("command", "grep -n 150 tests/tide.py 2> /dev/null"),
            Passage::said(
                Role::Tool,
                r#"{"depth": 830, "note": "see line 150 of HTTP useState BerthPlan berth_plan \"Gate closed\" \" && echo \""}"#,
            ),
            called("path", "plans/alma.toml"),
        ];
        let future = [
            called("command", "grep -rn BerthPlan plans"),
            called("source", "useState(830)\nHTTP"),
            Passage::said(Role::Assistant, "The berth_plan says HTTP.\n```\nuse_state\n```"),
        ];
        let names: Vec<&str> =
            "4711|150|830|imo-9074729|harbour@sea.org|/dev/null|plans/alma.toml|\
            tests/tide.py|http|usestate|berthplan|berth_plan|gate closed| && echo |use_state"
                .split('|')
                .collect();
        let facts = Facts::new(&compacted, &future).among(&names);
        let wanted = "4711|830|imo-9074729|harbour@sea.org|plans/alma.toml|tests/tide.py|berthplan|\
            berth_plan|gate closed";
        assert_eq!(facts, BTreeSet::from_iter(wanted.split('|')));
    }
}
