//! Values as Python's `str` writes them, and Python's notion of white space and letters.

use super::yaml::YamlValue;
use crate::deciding::tokens::python::{repr, repr_str};
use crate::reading::json::python_value::PythonValue;

/// Returns `str(value)`.
pub(super) fn python_str(value: &YamlValue) -> String {
    match value {
        YamlValue::Text(text) => text.clone(),
        value => python_repr(value),
    }
}

fn python_repr(value: &YamlValue) -> String {
    let mut out = Vec::new();
    match value {
        YamlValue::Null => return "None".to_owned(),
        YamlValue::Bool(flag) => return if *flag { "True" } else { "False" }.to_owned(),
        YamlValue::Integer(number) => return number.clone(),
        YamlValue::Float(number) => repr(&PythonValue::Float(*number), &mut out),
        YamlValue::Text(text) => repr_str(text.as_bytes(), &mut out),
        // Within a list Python shows its constructor; as a value of its own only its text.
        YamlValue::Time(text) => return text.clone(),
        YamlValue::List(items) => {
            let items: Vec<String> = items.iter().map(python_repr).collect();
            return format!("[{}]", items.join(", "));
        }
        YamlValue::Map(entries) => {
            let entries: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", python_repr(key), python_repr(value)))
                .collect();
            return format!("{{{}}}", entries.join(", "));
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns true for what Python's `str.isspace` knows as white space.
pub(super) fn is_python_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}
