//! A message as the retention metric reads it: text, and calls as names and values.

use crate::json::python_parser::parse_python_json;
use crate::json::python_value::PythonValue;
use crate::json::{decode_literal, wtf8_to_str};
use crate::tokens::python;
use crate::transcript::Role;
use crate::transcript::view::TranscriptView;

/// A value in the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassageValue {
    /// The path of the value, such as `flights[0].flight_number`.
    pub path: String,
    /// The value as text.
    pub value: String,
}

/// A call with the values of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassageCall {
    /// The name of the tool.
    pub name: String,
    /// The values in the arguments, in order.
    pub leaves: Vec<PassageValue>,
}

/// The text and the calls of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passage {
    /// The role of the message.
    pub role: Role,
    /// The text, with a line end between blocks.
    pub text: String,
    /// The calls.
    pub calls: Vec<PassageCall>,
    /// The text and the calls in lowercase, to search for identifiers.
    pub lower: String,
}

impl Passage {
    /// Creates the passage of message `index`, with the edits of the view applied.
    #[must_use]
    pub(crate) fn from_message(view: TranscriptView<'_, '_>, index: usize) -> Self {
        let message = view.message(index);
        let calls = message.calls.iter().enumerate().map(|(number, call)| {
            let name = call
                .name
                .map(|span| decode_literal(view.transcript.bytes(index, span)).into_owned())
                .unwrap_or_default();
            PassageCall {
                name,
                leaves: argument_leaves(&view.call_arguments(index, number)),
            }
        });
        Self::new(
            message.role,
            view.joined_text(index, "\n").into_owned(),
            calls.collect(),
        )
    }

    /// Creates a passage from its parts.
    #[must_use]
    pub(crate) fn new(role: Role, text: String, calls: Vec<PassageCall>) -> Self {
        let mut passage = Self {
            role,
            text,
            calls,
            lower: String::new(),
        };
        passage.lower = passage.full_text().to_lowercase();
        passage
    }

    /// Returns the text, followed by a line for each call.
    #[must_use]
    pub(crate) fn full_text(&self) -> String {
        let mut full = self.text.clone();
        for call in &self.calls {
            let values: Vec<String> = call
                .leaves
                .iter()
                .map(|leaf| format!("{}={}", leaf.path, leaf.value))
                .collect();
            full.push_str(&format!("\n{} {}", call.name, values.join(" ")));
        }
        full
    }

    /// Returns the values of the text if it is a JSON object or array, else none.
    #[must_use]
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

/// Returns the values in the arguments of a call.
///
/// A value outside of an object or array has the path `_`. Arguments that are no
/// JSON are a single value with the path `_raw`.
fn argument_leaves(json: &[u8]) -> Vec<PassageValue> {
    let mut leaves = Vec::new();
    match parse_python_json(json) {
        Some(value @ (PythonValue::Object(_) | PythonValue::Array(_))) => {
            push_leaves(&value, String::new(), &mut leaves);
        }
        Some(value) => push_leaves(&value, "_".to_owned(), &mut leaves),
        None => leaves.push(PassageValue {
            path: "_raw".to_owned(),
            value: wtf8_to_str(json).into_owned(),
        }),
    }
    leaves
}

/// Appends all strings and numbers in a value, with their paths.
fn push_leaves(value: &PythonValue<'_>, path: String, leaves: &mut Vec<PassageValue>) {
    match value {
        PythonValue::Object(entries) => {
            for entry in entries {
                let key = wtf8_to_str(&entry.key);
                let entry_path = if path.is_empty() {
                    key.into_owned()
                } else {
                    format!("{path}.{key}")
                };
                push_leaves(&entry.value, entry_path, leaves);
            }
        }
        PythonValue::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                push_leaves(item, format!("{path}[{at}]"), leaves);
            }
        }
        PythonValue::Null | PythonValue::Bool(_) => {}
        PythonValue::String(wtf8) => leaves.push(PassageValue {
            path,
            value: wtf8_to_str(wtf8).into_owned(),
        }),
        PythonValue::Integer(_) | PythonValue::Float(_) => {
            let mut text = Vec::new();
            python::repr(value, &mut text);
            leaves.push(PassageValue {
                path,
                value: wtf8_to_str(&text).into_owned(),
            });
        }
    }
}
