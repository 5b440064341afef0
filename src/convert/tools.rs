//! Tool schemas: every dialect says the same (a name, a description, a JSON
//! schema) under other keys.

use crate::convert::literal::{EscapedText, embedded};
use crate::format::tree::{JsonNode, JsonTree};
use crate::json::JsonKind;

/// One tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolSchema {
    /// Its name.
    pub name: EscapedText,
    /// What it is for.
    pub description: Option<EscapedText>,
    /// The JSON schema of its arguments, on one line.
    pub schema: Option<Vec<u8>>,
    /// Whether the target takes it as it is logged: then this is all there is of it, on one line.
    pub is_taken: bool,
    /// That line.
    pub json: Vec<u8>,
}

/// The tools in a list of them, and what of it has no place in [`ToolSchema`]: paths and hosted tools. Those that a
/// target `takes` as they are need no place.
#[must_use]
pub fn read(list: &[u8], takes: impl Fn(JsonNode<'_>) -> bool) -> (Vec<ToolSchema>, Vec<String>) {
    let (mut tools, mut left) = (Vec::new(), Vec::new());
    let Ok(tree) = JsonTree::new(list) else {
        return (tools, vec!["tools".to_owned()]);
    };
    for tool in tree.root().items() {
        if takes(tool) {
            tools.push(ToolSchema {
                is_taken: true,
                json: line(tool),
                ..ToolSchema::default()
            });
            continue;
        }
        // Gemini lists the functions of one tool.
        match tool
            .get("functionDeclarations")
            .or_else(|| tool.get("function_declarations"))
            .filter(|own| own.is_kind(JsonKind::Array))
        {
            Some(declared) => declared
                .items()
                .for_each(|own| one(own, &mut tools, &mut left)),
            None => one(tool, &mut tools, &mut left),
        }
    }
    (tools, left)
}

fn one(tool: JsonNode<'_>, tools: &mut Vec<ToolSchema>, left: &mut Vec<String>) {
    let wrapped = ["function", "toolSpec"]
        .into_iter()
        .find_map(|key| tool.get(key).filter(|own| own.is_kind(JsonKind::Object)));
    let own = wrapped.unwrap_or(tool);
    let text = |key: &str| {
        own.get(key)
            .filter(|node| node.is_kind(JsonKind::String))
            .map(|node| EscapedText::of_literal(node.bytes()))
    };
    let kind = tool.get("type").and_then(JsonNode::as_text);
    let is_function = kind
        .as_deref()
        .is_none_or(|kind| matches!(kind, "function" | "custom"));
    let Some(name) = text("name").filter(|_| is_function) else {
        let name = own
            .get("name")
            .or(tool.get("type"))
            .and_then(JsonNode::as_text)
            .or_else(|| tool.entries().next().map(|_| "without a name".into()));
        return left.push(format!(
            "tool {}",
            name.unwrap_or_else(|| "that is no object".into())
        ));
    };
    let schema = [
        "parameters",
        "input_schema",
        "inputSchema",
        "parametersJsonSchema",
    ]
    .into_iter()
    .find_map(|key| own.get(key));
    let schema = schema
        .map(|schema| schema.get("json").unwrap_or(schema))
        .filter(|schema| schema.is_kind(JsonKind::Object));
    for (key, value) in own.entries() {
        let key = EscapedText::of_literal(key.slice(own.record_bytes()));
        let said = [
            "name",
            "description",
            "parameters",
            "input_schema",
            "inputSchema",
            "parametersJsonSchema",
            "type",
        ]
        .contains(&key.decoded().as_ref());
        if !said && !value.is_kind(JsonKind::Null) {
            left.push(format!("tools[].{}", key.decoded()));
        }
    }
    tools.push(ToolSchema {
        name,
        description: text("description"),
        schema: schema.map(line),
        ..ToolSchema::default()
    });
}

fn line(node: JsonNode<'_>) -> Vec<u8> {
    embedded(node.bytes())
}

/// `{"name", "description", SCHEMA}`: how all but the key of the schema is spelled everywhere.
pub fn write(tool: &ToolSchema, schema_key: &str, default_schema: Option<&str>, out: &mut Vec<u8>) {
    if tool.is_taken {
        return out.extend_from_slice(&tool.json);
    }
    out.extend_from_slice(b"{\"name\": ");
    tool.name.write(out);
    if let Some(description) = &tool.description {
        out.extend_from_slice(b", \"description\": ");
        description.write(out);
    }
    if let Some(schema) = tool.schema.as_deref().or(default_schema.map(str::as_bytes)) {
        out.extend_from_slice(format!(", \"{schema_key}\": ").as_bytes());
        out.extend_from_slice(schema);
    }
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_tool_is_read_in_every_dialect() {
        let want = ToolSchema {
            name: "ls".into(),
            description: Some("Lists.".into()),
            schema: Some(br#"{"type": "object"}"#.to_vec()),
            ..ToolSchema::default()
        };
        for spelled in [
            r#"[{"type": "function", "function": {"name": "ls", "description": "Lists.", "parameters": {"type": "object"}}}]"#,
            r#"[{"type": "function", "name": "ls", "description": "Lists.", "parameters": {"type": "object"}}]"#,
            r#"[{"name": "ls", "description": "Lists.", "input_schema": {"type": "object"}}]"#,
            r#"[{"functionDeclarations": [{"name": "ls", "description": "Lists.", "parameters": {"type": "object"}}]}]"#,
            r#"[{"toolSpec": {"name": "ls", "description": "Lists.", "inputSchema": {"json": {"type": "object"}}}}]"#,
        ] {
            let (tools, left) = read(spelled.as_bytes(), |_| false);
            assert_eq!(left, [""; 0], "{spelled}");
            assert_eq!(tools, std::slice::from_ref(&want), "{spelled}");
        }
    }

    #[test]
    fn what_has_no_place_is_named() {
        let (tools, left) =
            read(br#"[{"type": "web_search", "user_location": {}}, {"googleSearch": {}}, {"name": "a", "strict": true, "cache_control": null}, 1]"#, |_| false);
        assert_eq!(tools.len(), 1);
        assert_eq!(
            left,
            [
                "tool web_search",
                "tool without a name",
                "tools[].strict",
                "tool that is no object"
            ]
        );
    }
}
