//! A message as the retention metric reads it: text, and calls as names and values.

use crate::deciding::tokens::python;
use crate::reading::json::python_value::{PythonEntry, PythonValue};
use crate::reading::json::{Span, decode_literal, python_parser::parse_python_json, wtf8_to_str};
use crate::reading::transcript::{Role, Transcript, view::TranscriptView};
use std::borrow::Cow;
use std::collections::HashMap;

/// A value in the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassageValue {
    /// The path of the value, such as `flights[0].flight_number`.
    pub path: String,
    pub value: String,
}

/// A call with the values of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassageCall {
    /// The id of the call, if the log has it.
    pub id: Option<String>,
    pub name: String,
    /// The values in the arguments, in order.
    pub leaves: Vec<PassageValue>,
    /// True if the arguments hold the redirection of a shell into a file.
    pub redirects: bool,
}

impl PassageCall {
    /// Creates a call from its arguments as JSON.
    fn from_json(id: Option<String>, name: String, json: &[u8]) -> Self {
        let arguments = wrapped_arguments(json);
        let mut leaves = Vec::new();
        push_leaves(&arguments, String::new(), &mut leaves);
        // A `>` is spelled plainly or as an escape.
        let has_sign = json.contains(&b'>') || memchr::memmem::find(json, b"\\u003").is_some();
        Self { id, name, leaves, redirects: has_sign && has_redirect(&arguments) }
    }

    /// Creates a call that the text of a message holds, from the names and values of its
    /// arguments. A repeated name keeps its place and gets the last value.
    pub(super) fn from_text<'t>(
        name: &str,
        arguments: impl Iterator<Item = (&'t str, &'t str)>,
    ) -> Self {
        let mut leaves: Vec<PassageValue> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (path, value) in arguments {
            let place = *places.entry(path).or_insert(leaves.len());
            match leaves.get_mut(place) {
                Some(leaf) => value.clone_into(&mut leaf.value),
                None => {
                    leaves.push(PassageValue { path: path.to_owned(), value: value.to_owned() })
                }
            }
        }
        let values = leaves.iter().map(|leaf| PythonValue::from_text(&leaf.value));
        Self {
            id: None,
            name: name.to_owned(),
            redirects: has_redirect(&PythonValue::Array(values.collect())),
            leaves,
        }
    }
}

/// The text and the calls of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passage {
    pub role: Role,
    /// The text, with a line end between blocks.
    pub text: String,
    pub calls: Vec<PassageCall>,
    /// The id of the call that the message answers, if the log has it.
    pub answers: Option<String>,
    /// The text and the calls in lowercase, to search for identifiers.
    pub lower: String,
}

impl Passage {
    /// Creates the passage of message `index`, with the edits of the view applied.
    pub(crate) fn from_message(view: TranscriptView<'_, '_>, index: usize) -> Self {
        let message = view.message(index);
        let calls = message.calls.iter().enumerate().map(|(number, call)| {
            let name = call
                .name
                .map(|span| decode_literal(view.transcript.bytes(index, span)).into_owned())
                .unwrap_or_default();
            let id =
                call.id.map(|span| decode_literal(view.transcript.bytes(index, span)).into_owned());
            PassageCall::from_json(id, name, &view.call_arguments(index, number))
        });
        let mut passage =
            Self::new(message.role, view.joined_text(index, "\n").into_owned(), calls.collect());
        let answers = view.transcript.answered_id(message);
        passage.answers = answers.map(Cow::into_owned);
        passage
    }

    /// Creates the passages of all messages as they were logged.
    pub(crate) fn all_logged(transcript: &Transcript<'_>) -> Vec<Self> {
        let view = TranscriptView::logged(transcript);
        (0..transcript.messages.len()).map(|index| Self::from_message(view, index)).collect()
    }

    /// Creates a passage from its parts.
    pub(crate) fn new(role: Role, text: String, calls: Vec<PassageCall>) -> Self {
        let mut passage = Self { role, text, calls, answers: None, lower: String::new() };
        passage.lower = passage.full_text().to_lowercase();
        passage
    }

    /// Creates a message without calls.
    #[cfg(test)]
    pub(crate) fn said(role: Role, text: &str) -> Self {
        Self::new(role, text.to_owned(), Vec::new())
    }

    /// Creates an answer that only calls a tool.
    #[cfg(test)]
    pub(crate) fn calling(tool: &str, arguments: &[(&str, &str)]) -> Self {
        let call = PassageCall::from_text(tool, arguments.iter().copied());
        Self::new(Role::Assistant, String::new(), vec![call])
    }

    /// Returns the text, followed by a line for each call.
    pub(crate) fn full_text(&self) -> String {
        let mut full = self.text.clone();
        for call in &self.calls {
            let values: Vec<String> =
                call.leaves.iter().map(|leaf| format!("{}={}", leaf.path, leaf.value)).collect();
            full.push_str(&format!("\n{} {}", call.name, values.join(" ")));
        }
        full
    }

    /// Returns the values of the text if it is a JSON object or array, else none.
    pub(super) fn json_leaves(&self) -> Vec<PassageValue> {
        let text = self.text.trim();
        let mut leaves = Vec::new();
        if text.starts_with(['{', '['])
            && text.ends_with(['}', ']'])
            && let Some(value) = parse_python_json(text.as_bytes())
        {
            push_leaves(&value, String::new(), &mut leaves);
        }
        leaves
    }
}

/// Returns the arguments of a call as an object or a list.
///
/// A value outside of both is put under the key `_`, arguments that are no JSON under `_raw`.
fn wrapped_arguments(json: &[u8]) -> PythonValue<'_> {
    let (key, value) = match parse_python_json(json) {
        Some(value @ (PythonValue::Object(_) | PythonValue::Array(_))) => return value,
        Some(value) => ("_", value),
        None => ("_raw", PythonValue::String(Cow::Borrowed(json))),
    };
    PythonValue::Object(vec![PythonEntry {
        key: Cow::Borrowed(key.as_bytes()),
        value,
        span: Span::default(),
    }])
}

/// Appends all strings and numbers in a value, with their paths.
fn push_leaves(value: &PythonValue<'_>, path: String, leaves: &mut Vec<PassageValue>) {
    match value {
        PythonValue::Object(entries) => {
            for entry in entries {
                let key = wtf8_to_str(&entry.key);
                let entry_path =
                    if path.is_empty() { key.into_owned() } else { format!("{path}.{key}") };
                push_leaves(&entry.value, entry_path, leaves);
            }
        }
        PythonValue::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                push_leaves(item, format!("{path}[{at}]"), leaves);
            }
        }
        PythonValue::Null | PythonValue::Bool(_) => {}
        PythonValue::String(wtf8) => {
            leaves.push(PassageValue { path, value: wtf8_to_str(wtf8).into_owned() })
        }
        PythonValue::Integer(_) | PythonValue::Float(_) => {
            let mut text = Vec::new();
            python::repr(value, &mut text);
            leaves.push(PassageValue { path, value: wtf8_to_str(&text).into_owned() });
        }
    }
}

/// The file that swallows all output.
const NULL_FILE: &str = "/dev/null";

/// Returns true if the arguments of a call hold a redirection into a file (`> FILE`, `>> FILE`).
///
/// The arguments are searched as Python prints them, because the published metric does so: a line
/// end in a string is a backslash and a letter there.
fn has_redirect(arguments: &PythonValue<'_>) -> bool {
    let mut printed = Vec::new();
    python::repr(arguments, &mut printed);
    let printed = wtf8_to_str(&printed);
    printed.match_indices('>').any(|(at, _)| is_redirect(&printed, at))
}

/// Returns true if the `>` at byte `at` redirects: it is no arrow, comparison or descriptor, and a
/// file follows.
fn is_redirect(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    if before.is_some_and(|c| c.is_ascii_digit() || "&>=-".contains(c)) {
        return false;
    }
    let behind = &text[at + 1..];
    let target = behind.strip_prefix('>').unwrap_or(behind).trim_start();
    target.chars().next().is_some_and(|first| !"&>=".contains(first))
        && !target.starts_with(NULL_FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirections_into_files_are_found() {
        let redirects = |command: &str| {
            has_redirect(&PythonValue::Array(vec![PythonValue::from_text(command)]))
        };
        for command in ["cat > a.txt", "echo x >> log", "cat >\nb", "sort >out"] {
            assert!(redirects(command), "{command}");
        }
        for command in ["ls 2>/dev/null", "ls > /dev/null", "a -> b", "x >= 1", "run >&2", "plain"]
        {
            assert!(!redirects(command), "{command}");
        }
    }
}
