//! A message as the metric reads it: its text, and its calls as names and values.

use crate::json::python_value::{PythonValue, parse_python_json};
use crate::json::{decode_literal, wtf8_to_str};
use crate::tokens::python;
use crate::transcript::Role;
use crate::transcript::view::TranscriptView;

/// A value in a call's arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentLeaf {
    /// Where it stands: `flights[0].flight_number`.
    pub path: String,
    /// The value as text.
    pub value: String,
}

/// A call as the metric reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassageCall {
    /// The tool's name.
    pub name: String,
    /// All values in its arguments, in order.
    pub leaves: Vec<ArgumentLeaf>,
}

/// A message as the metric reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Who speaks.
    pub role: Role,
    /// Its text, blocks on lines of their own.
    pub text: String,
    /// Its calls.
    pub calls: Vec<PassageCall>,
    /// Text and calls in lower case: what identifiers are looked for in.
    pub lower: String,
}

impl Passage {
    /// Message `index`, as the edits leave it.
    #[must_use]
    pub fn from_message(view: TranscriptView<'_, '_>, index: usize) -> Self {
        let message = view.message(index);
        let calls = message.calls.iter().enumerate().map(|(number, call)| {
            let name = call
                .name
                .map(|span| decode_literal(view.transcript.bytes(index, span)).into_owned())
                .unwrap_or_default();
            let json = view.call_arguments(index, number);
            let mut found = Vec::new();
            match parse_python_json(&json) {
                Some(value @ (PythonValue::Object(_) | PythonValue::Array(_))) => {
                    leaves(&value, String::new(), &mut found)
                }
                Some(value) => leaves(&value, "_".to_owned(), &mut found),
                None => found.push(ArgumentLeaf {
                    path: "_raw".to_owned(),
                    value: wtf8_to_str(&json).into_owned(),
                }),
            }
            PassageCall {
                name,
                leaves: found,
            }
        });
        Self::new(
            message.role,
            view.joined_text(index, "\n").into_owned(),
            calls.collect(),
        )
    }

    /// A message of this text and these calls.
    #[must_use]
    pub fn new(role: Role, text: String, calls: Vec<PassageCall>) -> Self {
        let mut passage = Self {
            role,
            text,
            calls,
            lower: String::new(),
        };
        passage.lower = passage.full_text().to_lowercase();
        passage
    }

    /// Text and calls.
    #[must_use]
    pub fn full_text(&self) -> String {
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

    /// The values of a text that is JSON.
    #[must_use]
    pub(super) fn json_leaves(&self) -> Vec<ArgumentLeaf> {
        let text = self.text.trim();
        let mut found = Vec::new();
        if text.starts_with(['{', '['])
            && text.ends_with(['}', ']'])
            && let Some(value) = parse_python_json(text.as_bytes())
        {
            leaves(&value, String::new(), &mut found);
        }
        found
    }
}

/// Adds all values with their paths; true, false and null are none.
fn leaves(value: &PythonValue<'_>, path: String, found: &mut Vec<ArgumentLeaf>) {
    match value {
        PythonValue::Object(entries) => {
            for entry in entries {
                let key = wtf8_to_str(&entry.key);
                leaves(
                    &entry.value,
                    if path.is_empty() {
                        key.into_owned()
                    } else {
                        format!("{path}.{key}")
                    },
                    found,
                );
            }
        }
        PythonValue::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(at, item)| leaves(item, format!("{path}[{at}]"), found)),
        PythonValue::Null | PythonValue::Bool(_) => {}
        PythonValue::String(wtf8) => found.push(ArgumentLeaf {
            path,
            value: wtf8_to_str(wtf8).into_owned(),
        }),
        PythonValue::Integer(_) | PythonValue::Float(_) => {
            let mut text = Vec::new();
            python::repr(value, &mut text);
            found.push(ArgumentLeaf {
                path,
                value: wtf8_to_str(&text).into_owned(),
            });
        }
    }
}
