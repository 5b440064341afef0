//! The schema of a row, for those who read rows into tables.

use crate::running::stream::row::ROW_VERSION;
use crate::settings::cli::SchemaLanguage;
use serde_json::{Map, Value, json};

enum FieldType {
    Integer,
    Flag,
    Text,
    /// A string, or an object with the key `base64`.
    Bytes,
    /// Any JSON. Tables hold its text.
    Json,
    JsonList,
    Objects(&'static [RowField]),
    Object(&'static [RowField]),
}

struct RowField {
    name: &'static str,
    holds: FieldType,
    /// False if the field may be null or absent.
    is_required: bool,
    meaning: &'static str,
}

const fn required(name: &'static str, holds: FieldType, meaning: &'static str) -> RowField {
    RowField { name, holds, is_required: true, meaning }
}

const fn optional(name: &'static str, holds: FieldType, meaning: &'static str) -> RowField {
    RowField { name, holds, is_required: false, meaning }
}

const REMOVED: [RowField; 2] = [
    required("name", FieldType::Text, "The path below an archive directory"),
    required("text", FieldType::Bytes, "The contents"),
];

const INPUT: [RowField; 3] = [
    required("at", FieldType::Integer, "Their offset in the input"),
    required("len", FieldType::Integer, "Their number"),
    required("sha256", FieldType::Text, "Their SHA-256, in hex"),
];

const UNDO: [RowField; 4] = [
    required("at", FieldType::Integer, "The offset of the new bytes in the record"),
    required("len", FieldType::Integer, "The number of new bytes"),
    optional("bytes", FieldType::Bytes, "The bytes that were there"),
    optional("input", FieldType::Object(&INPUT), "Their place in the input (--undo reference)"),
];

const FIELDS: [RowField; 15] = [
    required("v", FieldType::Integer, "The version of the row"),
    required("line", FieldType::Integer, "The first line of the record in the stream, from 1"),
    required("lines", FieldType::Integer, "The number of lines that the record takes"),
    required("unit", FieldType::Text, "line, thread or document"),
    required("status", FieldType::Text, "compacted, unchanged or failed"),
    optional("thread_id", FieldType::Text, "The thread id of its first conversation"),
    optional("format", FieldType::Text, "The name of its format"),
    optional("record", FieldType::Bytes, "The record as it leaves"),
    optional("removed", FieldType::Objects(&REMOVED), "The archive files of what was removed"),
    optional("undo", FieldType::Objects(&UNDO), "What restores the input from the record"),
    optional("report", FieldType::Json, "The entry of its first conversation in a report"),
    required("more_reports", FieldType::JsonList, "The entries of further conversations"),
    optional("column", FieldType::Integer, "The column of the error, if a single byte caused it"),
    optional("error", FieldType::Text, "The first error"),
    required("over_limit", FieldType::Flag, "True if a result still exceeds a limit"),
];

/// Renders the schema of a row.
pub(crate) fn render_schema(language: SchemaLanguage) -> String {
    match language {
        SchemaLanguage::Spark => render_spark_fields(&FIELDS, " ") + "\n",
        SchemaLanguage::Arrow => {
            let fields = arrow_fields(&FIELDS);
            format!("{:#}\n", json!({ "version": ROW_VERSION, "fields": fields }))
        }
        SchemaLanguage::Json => {
            let mut schema = Map::new();
            schema.insert("$schema".to_owned(), json!("http://json-schema.org/draft-07/schema#"));
            schema.insert("title".to_owned(), json!("A row of epitome stream"));
            schema.extend(json_object(&FIELDS));
            if let Some(version) = schema.get_mut("properties") {
                version["v"]["const"] = json!(ROW_VERSION);
            }
            format!("{:#}\n", Value::Object(schema))
        }
    }
}

fn render_spark_fields(fields: &[RowField], between: &str) -> String {
    let fields =
        fields.iter().map(|field| format!("{}{between}{}", field.name, spark_type(&field.holds)));
    fields.collect::<Vec<_>>().join(", ")
}

fn spark_type(holds: &FieldType) -> String {
    match holds {
        FieldType::Integer => "BIGINT".to_owned(),
        FieldType::Flag => "BOOLEAN".to_owned(),
        FieldType::Text | FieldType::Bytes | FieldType::Json => "STRING".to_owned(),
        FieldType::JsonList => "ARRAY<STRING>".to_owned(),
        FieldType::Object(fields) => format!("STRUCT<{}>", render_spark_fields(fields, ": ")),
        FieldType::Objects(fields) => {
            format!("ARRAY<STRUCT<{}>>", render_spark_fields(fields, ": "))
        }
    }
}

fn arrow_fields(fields: &[RowField]) -> Vec<Value> {
    let fields = fields.iter().map(|field| {
        let mut arrow = arrow_type(&field.holds);
        arrow["name"] = json!(field.name);
        arrow["nullable"] = json!(!field.is_required);
        arrow
    });
    fields.collect()
}

fn arrow_type(holds: &FieldType) -> Value {
    match holds {
        FieldType::Integer => json!({ "type": "int64" }),
        FieldType::Flag => json!({ "type": "bool" }),
        FieldType::Text | FieldType::Bytes | FieldType::Json => json!({ "type": "string" }),
        FieldType::JsonList => json!({ "type": "list", "items": { "type": "string" } }),
        FieldType::Object(fields) => json!({ "type": "struct", "fields": arrow_fields(fields) }),
        FieldType::Objects(fields) => {
            let items = json!({ "type": "struct", "fields": arrow_fields(fields) });
            json!({ "type": "list", "items": items })
        }
    }
}

fn json_object(fields: &[RowField]) -> Map<String, Value> {
    let properties = fields.iter().map(|field| {
        let mut schema = json_type(&field.holds);
        if !field.is_required {
            schema = json!({ "anyOf": [schema, { "type": "null" }] });
        }
        schema["description"] = json!(field.meaning);
        (field.name.to_owned(), schema)
    });
    let required = fields.iter().filter(|field| field.is_required);
    let required: Vec<&str> = required.map(|field| field.name).collect();
    let object = json!({
        "type": "object",
        "properties": properties.collect::<Map<String, Value>>(),
        "required": required,
        "additionalProperties": false,
    });
    match object {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn json_type(holds: &FieldType) -> Value {
    match holds {
        FieldType::Integer => json!({ "type": "integer", "minimum": 0 }),
        FieldType::Flag => json!({ "type": "boolean" }),
        FieldType::Text => json!({ "type": "string" }),
        FieldType::Bytes => json!({ "anyOf": [
            { "type": "string" },
            {
                "type": "object",
                "properties": { "base64": { "type": "string" } },
                "required": ["base64"],
                "additionalProperties": false,
            },
        ] }),
        FieldType::Json => json!({ "type": "object" }),
        FieldType::JsonList => json!({ "type": "array", "items": { "type": "object" } }),
        FieldType::Object(fields) => Value::Object(json_object(fields)),
        FieldType::Objects(fields) => {
            json!({ "type": "array", "items": Value::Object(json_object(fields)) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporting::report::TranscriptStatus;
    use crate::running::stream::piece_reader::PieceKind;
    use crate::running::stream::row::{InputPlace, RemovedFile, RowUndo, StreamRow};
    use std::path::Path;

    fn names(fields: &[RowField]) -> Vec<&str> {
        fields.iter().map(|field| field.name).collect()
    }

    fn keys(value: &Value) -> Vec<&str> {
        value.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn the_schema_has_the_fields_of_a_row() {
        let bytes = |text: &str| Vec::from(text).into();
        let row = StreamRow {
            v: ROW_VERSION,
            line: 1,
            lines: 1,
            unit: PieceKind::Line,
            status: TranscriptStatus::Failed,
            thread_id: None,
            format: None,
            record: Some(bytes("")),
            removed: Some(vec![RemovedFile {
                name: Path::new("large_tool_results/t/c").try_into().unwrap(),
                text: bytes(""),
            }]),
            undo: Some(vec![RowUndo {
                at: 0,
                len: 0,
                bytes: Some(bytes("")),
                input: Some(InputPlace { at: 0, len: 0, sha256: String::new() }),
            }]),
            report: None,
            more_reports: Vec::new(),
            column: None,
            error: None,
            over_limit: false,
        };
        let row = serde_json::to_value(&row).unwrap();
        assert_eq!(keys(&row), names(&FIELDS));
        assert_eq!(keys(&row["removed"][0]), names(&REMOVED));
        assert_eq!(keys(&row["undo"][0]), names(&UNDO));
        assert_eq!(keys(&row["undo"][0]["input"]), names(&INPUT));
    }
}
