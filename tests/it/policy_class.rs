//! The Python class of a policy: made of the schema of the configuration and of the values that the
//! program prints, so that it has each key with its type and its default.
//!
//! `EPITOME_FIXTURES=overwrite cargo test --test it -- policy_class` writes it anew.

use crate::expected::overwrites;
use crate::harness::Dir;
use serde_json::Value;
use std::fs;
use std::path::Path;

const FILE: &str = "python/epitome/_policy.py";
const HEAD: &str = r#""""The policy of a compaction, typed. Made of ``docs/config.schema.json``: don't edit it."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Dict, List, Literal, Optional, Union


def _toml(value: Any) -> str:
    """Returns a value as TOML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _settings(table: Any, prefix: str = "") -> List[str]:
    """Returns ``--set=KEY=VALUE`` for each key that has a value."""
    words = []
    for field in fields(table):
        value = getattr(table, field.name)
        if is_dataclass(value):
            words += _settings(value, f"{prefix}{field.name}.")
        elif value is not None:
            words.append(f"--set={prefix}{field.name}={_toml(value)}")
    return words
"#;
const TAIL: &str = r#"
    def arguments(self) -> List[str]:
        """Returns the command-line arguments that set this policy."""
        return _settings(self)
"#;

#[test]
fn the_python_class_of_a_policy_has_each_key_with_its_type_and_default() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(root.join("docs/config.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let printed = Dir::new().epitome("stream --print-config").ok();
    let defaults: Value = toml::from_str(printed.stdout()).unwrap();
    let mut text = HEAD.to_owned();
    let tables = schema["properties"].as_object().unwrap().iter();
    for (key, property) in tables {
        let kind = resolve(&schema, property);
        if kind.get("properties").is_some() {
            let about = format!("The table ``[{key}]``: {}", lower_first(about(property)));
            text += &class(&schema, &class_name(key), &about, kind, &defaults[key]);
        }
    }
    let about = "A policy. What is not set is the preset's.";
    text += &class(&schema, "Policy", about, &schema, &defaults);
    text += TAIL;
    let path = root.join(FILE);
    if overwrites() {
        fs::write(&path, &text).unwrap();
    }
    let held = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        held == text,
        "{FILE} is not that of the schema (EPITOME_FIXTURES=overwrite writes it anew)"
    );
}

/// Returns what a property refers to.
fn resolve<'s>(schema: &'s Value, property: &'s Value) -> &'s Value {
    let reference = property.get("$ref").or_else(|| property.pointer("/allOf/0/$ref"));
    let Some(reference) = reference.and_then(Value::as_str) else {
        return property;
    };
    schema.pointer(reference.trim_start_matches('#')).unwrap()
}

/// Returns the name of a table's class. That of the counts of a record is taken.
fn class_name(key: &str) -> String {
    match key {
        "count" => "CountedParts".to_owned(),
        key => key[..1].to_uppercase() + &key[1..],
    }
}

fn about(property: &Value) -> &str {
    property["description"].as_str().unwrap_or_default()
}

fn lower_first(text: &str) -> String {
    text[..1].to_lowercase() + &text[1..]
}

fn class(schema: &Value, name: &str, about_class: &str, table: &Value, defaults: &Value) -> String {
    let mut text =
        format!("\n\n@dataclass(frozen=True)\nclass {name}:\n    \"\"\"{about_class}\"\"\"\n\n");
    for (key, property) in table["properties"].as_object().unwrap() {
        let kind = resolve(schema, property);
        let is_table =
            kind.get("properties").is_some() && defaults[key].is_object() && name == "Policy";
        let (python, default) =
            if is_table || (name == "Policy" && kind["additionalProperties"] == false) {
                (class_name(key), String::new())
            } else {
                (python_type(schema, property), default_note(&defaults[key]))
            };
        let about = about(property).replace('\\', "\\\\");
        text +=
            &format!("    {key}: Optional[{python}] = None\n    \"\"\"{about}{default}\"\"\"\n");
    }
    text
}

/// Returns the note on the value of the preset `deepagents`, unless it is long.
fn default_note(default: &Value) -> String {
    let default = default.to_string();
    match default.as_str() {
        "null" => String::new(),
        long if long.len() > 60 => String::new(),
        default => format!(" ``deepagents``: ``{default}``."),
    }
}

fn python_type(schema: &Value, property: &Value) -> String {
    let kind = resolve(schema, property);
    if let Some(names) = choices(kind) {
        return format!("Literal[{}]", names.join(", "));
    }
    match kind["type"].as_str() {
        Some("integer") => "int".to_owned(),
        Some("number") => "float".to_owned(),
        Some("boolean") => "bool".to_owned(),
        Some("string") => "str".to_owned(),
        Some("array") => format!("List[{}]", python_type(schema, &kind["items"])),
        Some("object") => "Dict[str, Any]".to_owned(),
        _ => match kind["anyOf"].as_array() {
            Some(kinds) => {
                let kinds = kinds.iter().map(|kind| python_type(schema, kind));
                format!("Union[{}]", kinds.collect::<Vec<_>>().join(", "))
            }
            None => "Any".to_owned(),
        },
    }
}

/// Returns the values of a kind that names all of them.
fn choices(kind: &Value) -> Option<Vec<String>> {
    if let Some(value) = kind.get("const") {
        return value.as_str().map(|value| vec![format!("\"{value}\"")]);
    }
    if let Some(values) = kind["enum"].as_array() {
        return values
            .iter()
            .map(|value| Some(value.as_str()?.to_owned()))
            .map(|value| value.map(|value| format!("\"{value}\"")))
            .collect();
    }
    let kinds: Option<Vec<Vec<String>>> = kind["oneOf"].as_array()?.iter().map(choices).collect();
    kinds.map(|kinds| kinds.concat())
}
