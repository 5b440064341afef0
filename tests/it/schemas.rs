//! What the program writes fits the JSON schemas in `docs/`.

use crate::harness::{Dir, tree};
use serde_json::Value;
use std::path::Path;

const REPORT: &str = include_str!("../../docs/report.schema.json");
const ORIGINALS: &str = include_str!("../../docs/originals.schema.json");
const DEMO: &[u8] = include_bytes!("../../fixtures/demo/sessions.jsonl");
/// Keywords that say nothing about a value.
const ANNOTATIONS: [&str; 6] =
    ["$schema", "definitions", "description", "format", "title", "default"];

#[test]
fn the_reports_of_all_fixtures_fit_their_schema() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut reports = 0;
    for (name, bytes) in tree(&fixtures) {
        if name.ends_with("report.json") {
            assert_fits(REPORT, &serde_json::from_slice(&bytes).unwrap(), &name);
            reports += 1;
        }
    }
    assert!(reports >= 50, "{reports}");
}

#[test]
fn reports_with_every_kind_of_figure_fit_their_schema() {
    for words in [
        "compact in.jsonl broken.jsonl -o out --report more.json --max-errors all",
        "compact in.jsonl -o out --trigger tokens=1000 --keep messages=6 --report more.json",
        "compact in.jsonl -o out --redact --max-tokens 3000",
        "compact in.jsonl -o out --to sharegpt",
        "convert in.jsonl -o out --to anthropic",
        "plan in.jsonl --report out/report.json",
    ] {
        let dir = Dir::new();
        dir.write("in.jsonl", DEMO).write("broken.jsonl", "{\"messages\": [}\n");
        dir.write("out/.keep", "");
        dir.epitome(words).run();
        for name in ["out/report.json", "more.json"] {
            if dir.exists(name) {
                let report = serde_json::from_str(&dir.read(name)).unwrap();
                assert_fits(REPORT, &report, words);
            }
        }
        assert!(dir.exists("out/report.json"), "{words}");
    }
}

#[test]
fn originals_and_manifest_fit_their_schema() {
    let dir = Dir::new();
    dir.write("in.jsonl", DEMO);
    dir.epitome("compact in.jsonl -o out").ok();
    dir.epitome("compact in.jsonl -o short --to openai").ok();
    for folder in ["out", "short"] {
        for line in dir.read(&format!("{folder}/originals/manifest.jsonl")).lines() {
            assert_fits(ORIGINALS, &serde_json::from_str(line).unwrap(), folder);
        }
        let originals = dir.bytes(&format!("{folder}/originals/in.jsonl.originals"));
        let heads = heads_of_originals(&originals);
        assert!(heads.len() >= 3, "{heads:?}");
        for head in heads {
            assert_fits(ORIGINALS, &head, folder);
        }
    }
}

/// Returns the lines of JSON in a file of originals, without the bytes between them.
fn heads_of_originals(mut bytes: &[u8]) -> Vec<Value> {
    let mut heads = Vec::new();
    while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
        let head: Value = serde_json::from_slice(&bytes[..end]).unwrap();
        let original = head.get("bytes").and_then(Value::as_u64);
        bytes = &bytes[end + 1..];
        if let Some(length) = original {
            bytes = &bytes[usize::try_from(length).unwrap() + 1..];
        }
        heads.push(head);
    }
    heads
}

#[test]
fn what_a_schema_refuses_is_found() {
    let schema = r#"{"type": "object", "required": ["a"], "additionalProperties": false,
        "properties": {"a": {"type": ["integer", "null"], "minimum": 0}, "b": {"enum": ["x"]}}}"#;
    let root = serde_json::from_str(schema).unwrap();
    let fault = |text: &str| find_fault(&root, &root, &serde_json::from_str(text).unwrap());
    assert_eq!(fault(r#"{"a": null, "b": "x"}"#), None);
    assert!(fault(r#"{"b": "x"}"#).is_some());
    assert!(fault(r#"{"a": 1, "c": 1}"#).is_some());
    assert!(fault(r#"{"a": "1"}"#).is_some());
    assert!(fault(r#"{"a": -1}"#).is_some());
    assert!(fault(r#"{"a": 1, "b": "y"}"#).is_some());
}

fn assert_fits(schema: &str, value: &Value, place: &str) {
    let root: Value = serde_json::from_str(schema).unwrap();
    let fault = find_fault(&root, &root, value);
    assert!(fault.is_none(), "{place}: {}", fault.unwrap_or_default());
}

/// Returns what is wrong with a value. Knows the keywords that our schemas use, and no other.
fn find_fault(root: &Value, schema: &Value, value: &Value) -> Option<String> {
    let Some(keywords) = schema.as_object() else {
        return (schema == &Value::Bool(false)).then(|| format!("{value} is refused"));
    };
    keywords.iter().find_map(|(keyword, wanted)| {
        let fits = match keyword.as_str() {
            "$ref" => {
                let name = wanted.as_str().unwrap().trim_start_matches("#/definitions/");
                return find_fault(root, &root["definitions"][name], value);
            }
            "properties" | "items" | "additionalProperties" => {
                return find_fault_inside(root, schema, value);
            }
            "type" => match wanted {
                Value::Array(names) => names.iter().any(|name| is_of_type(value, name)),
                name => is_of_type(value, name),
            },
            "uniqueItems" => {
                let items = value.as_array().unwrap();
                (1..items.len()).all(|index| !items[..index].contains(&items[index]))
            }
            "enum" => wanted.as_array().unwrap().contains(value),
            "const" => wanted == value,
            "minimum" => value.as_f64() >= wanted.as_f64() || !value.is_number(),
            "required" => wanted
                .as_array()
                .unwrap()
                .iter()
                .all(|name| !value.is_object() || value.get(name.as_str().unwrap()).is_some()),
            "allOf" => {
                let parts = wanted.as_array().unwrap();
                parts.iter().all(|part| find_fault(root, part, value).is_none())
            }
            "anyOf" | "oneOf" => {
                let choices = wanted.as_array().unwrap();
                choices.iter().any(|choice| find_fault(root, choice, value).is_none())
            }
            name => {
                assert!(ANNOTATIONS.contains(&name), "unknown keyword {name}");
                true
            }
        };
        (!fits).then(|| format!("{value} does not fit {keyword}: {wanted}"))
    })
}

fn find_fault_inside(root: &Value, schema: &Value, value: &Value) -> Option<String> {
    match value {
        Value::Object(members) => members.iter().find_map(|(name, member)| {
            let wanted = schema["properties"].get(name).or(schema.get("additionalProperties"))?;
            find_fault(root, wanted, member).map(|fault| format!("{name}: {fault}"))
        }),
        Value::Array(items) => {
            let wanted = schema.get("items")?;
            items.iter().find_map(|item| find_fault(root, wanted, item))
        }
        _ => None,
    }
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        other => panic!("unknown type {other}"),
    }
}
