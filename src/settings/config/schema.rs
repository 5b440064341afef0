//! `docs/config.schema.json`, the JSON schema of the configuration, held by a
//! test. `EPITOME_FIXTURES=overwrite cargo test --lib -- schema` writes it anew.

use super::config::Config;
use super::spelling::{CounterName, HeaderList};
use crate::deciding::policy::{
    Amount, CachePlace, CallPrice, Clause, Keep, PRESETS, Preset, SkillSource, SummarizerKind,
    Trigger,
};
use crate::deciding::tokens::{AUTO, COUNTERS, tokenizer_json};
use crate::summary::SUMMARIZERS;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;
use std::borrow::Cow;

const OVERWRITE: &str = "EPITOME_FIXTURES";
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/config.schema.json");

#[test]
fn the_schema_describes_the_configuration() {
    let generator =
        SchemaSettings::draft07().with_transform(RecursiveTransform(tidy_schema)).into_generator();
    let schema = generator.into_root_schema_for::<Config>();
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    if std::env::var(OVERWRITE).is_ok_and(|value| value == "overwrite") {
        std::fs::write(FILE, &text).unwrap();
    }
    let is_held = std::fs::read_to_string(FILE).is_ok_and(|held| held == text);
    assert!(is_held, "{FILE} is not the configuration's ({OVERWRITE}=overwrite writes it anew)");
}

/// Removes the null of optional keys, which is their default: TOML has none. Joins the lines of
/// descriptions.
fn tidy_schema(schema: &mut Schema) {
    schema.remove("default");
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(names)) = schema.get_mut("enum") {
        names.retain(|name| !name.is_null());
    }
    let Some(Value::Array(choices)) = schema.get_mut("anyOf") else {
        return;
    };
    choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
    if let [only] = choices.as_slice() {
        let reference = only.get("$ref").cloned();
        if let Some(reference) = reference {
            schema.remove("anyOf");
            schema.insert(
                "allOf".to_owned(),
                Value::Array(vec![serde_json::json!({ "$ref": reference })]),
            );
        }
    }
}

/// Describes types that are spelled by hand.
macro_rules! described {
    ($($type:ty, $name:literal, $generator:pat => $schema:expr;)*) => {
        $(impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        })*
    };
}

described! {
    Preset, "Preset", _ => {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        json_schema!({ "type": "string", "enum": names })
    };
    SkillSource, "SkillSource", _ => json_schema!({ "anyOf": [
        { "type": "string" },
        {
            "type": "object",
            "properties": { "path": { "type": "string" }, "label": { "type": "string" } },
            "required": ["path"],
            "additionalProperties": false
        }
    ] });
    CounterName, "CounterName", _ => {
        let names: Vec<&str> = COUNTERS
            .iter()
            .map(|kind| kind.name)
            .chain([AUTO])
            .collect();
        let file = format!("^{}", tokenizer_json::PREFIX);
        json_schema!({ "type": "string", "anyOf": [{ "enum": names }, { "pattern": file }] })
    };
    SummarizerKind, "SummarizerKind", _ => {
        let names: Vec<&str> = SUMMARIZERS
            .iter()
            .map(|entry| entry.name)
            .filter(|name| !name.starts_with("command:"))
            .collect();
        json_schema!({
            "type": "string",
            "anyOf": [{ "enum": names }, { "pattern": "^command:.*\\S" }]
        })
    };
    CallPrice, "CallPrice", _ => json_schema!({ "type": "string", "examples": ["1.75,14"] });
    CachePlace, "CachePlace", _ => json_schema!({ "type": "string" });
    HeaderList, "HeaderList", _ => json_schema!({ "type": "object", "additionalProperties": { "type": "string" } });
    Clause<Amount>, "Clause", _ => json_schema!({
        "type": "object",
        "properties": {
            "tokens": { "type": "integer", "minimum": 1 },
            "messages": { "type": "integer", "minimum": 1 },
            "fraction": { "type": "number", "exclusiveMinimum": 0, "maximum": 1 },
            "events": { "type": "integer", "minimum": 1 },
            "overflow": { "const": true }
        },
        "additionalProperties": false,
        "minProperties": 1
    });
    Trigger, "Trigger", generator => {
        let clause = generator.subschema_for::<Clause<Amount>>();
        json_schema!({ "anyOf": [{ "type": "array", "items": clause }, clause] })
    };
    Keep, "Keep", _ => json_schema!({
        "type": "object",
        "properties": {
            "tokens": { "type": "integer", "minimum": 0 },
            "messages": { "type": "integer", "minimum": 1 },
            "fraction": { "type": "number", "exclusiveMinimum": 0, "maximum": 1 },
            "turns": { "anyOf": [{ "type": "integer", "minimum": 0 }, { "const": "all" }] },
            "events": { "type": "integer", "minimum": 1 },
            "recent": { "type": "integer", "minimum": 0 },
            "characters": { "type": "number", "exclusiveMinimum": 0, "maximum": 1 },
            "half": { "const": true }
        },
        "additionalProperties": false,
        "minProperties": 1
    });
}
