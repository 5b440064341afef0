//! Tool definitions. All formats hold a name, a description and a JSON schema, under other keys.

use crate::convert::escaped_text::{EscapedText, embed_json};
use crate::reading::format::tree::{JsonNode, JsonTree};
use crate::reading::json::{JsonKind, push_json};

/// The keys of the JSON schema of the arguments.
const SCHEMA_KEYS: [&str; 4] =
    ["parameters", "input_schema", "inputSchema", "parametersJsonSchema"];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ToolSchema {
    pub name: EscapedText,
    pub description: Option<EscapedText>,
    /// The JSON schema of the arguments, on one line.
    pub schema: Option<Vec<u8>>,
    /// The whole definition on one line, if the target accepts it as it is logged.
    pub logged: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
pub(super) struct ToolList {
    pub tools: Vec<ToolSchema>,
    /// Paths and hosted tools that have no place in [`ToolSchema`].
    pub left_out: Vec<String>,
}

/// Reads a JSON array of tools.
///
/// Tools for which `accepts` is true are kept as they are logged.
pub(super) fn read_tools(json: &[u8], accepts: impl Fn(JsonNode<'_>) -> bool) -> ToolList {
    let mut list = ToolList::default();
    let Ok(tree) = JsonTree::new(json) else {
        list.left_out.push("tools".to_owned());
        return list;
    };
    for tool in tree.root().items() {
        if accepts(tool) {
            list.tools.push(ToolSchema {
                logged: Some(embed_json(tool.bytes())),
                ..ToolSchema::default()
            });
            continue;
        }
        // Gemini lists several functions in one tool.
        let declarations = tool
            .get("functionDeclarations")
            .or_else(|| tool.get("function_declarations"))
            .filter(|functions| functions.is_kind(JsonKind::Array));
        match declarations {
            Some(functions) => functions.items().for_each(|function| list.add_tool(function)),
            None => list.add_tool(tool),
        }
    }
    list
}

impl ToolList {
    /// Adds a tool in the spelling of any format.
    fn add_tool(&mut self, tool: JsonNode<'_>) {
        let function = ["function", "toolSpec"]
            .into_iter()
            .find_map(|key| tool.get_kind(key, JsonKind::Object))
            .unwrap_or(tool);
        let kind = tool.get_text("type");
        let is_function = kind.as_deref().is_none_or(|kind| matches!(kind, "function" | "custom"));
        let Some(name) = string_value(function, "name").filter(|_| is_function) else {
            return self.left_out.push(format!("tool {}", tool_label(tool, function)));
        };
        for (key, value) in function.entries() {
            let key = EscapedText::from_literal(key.slice(function.record_bytes()));
            let key = key.decoded();
            let is_read = matches!(key.as_ref(), "name" | "description" | "type")
                || SCHEMA_KEYS.contains(&key.as_ref());
            if !is_read && !value.is_kind(JsonKind::Null) {
                self.left_out.push(format!("tools[].{key}"));
            }
        }
        self.tools.push(ToolSchema {
            name,
            description: string_value(function, "description"),
            schema: SCHEMA_KEYS
                .into_iter()
                .find_map(|key| function.get(key))
                .map(|schema| schema.get("json").unwrap_or(schema))
                .filter(|schema| schema.is_kind(JsonKind::Object))
                .map(|schema| embed_json(schema.bytes())),
            logged: None,
        });
    }
}

/// Returns the value of a key if it is a string.
fn string_value(node: JsonNode<'_>, key: &str) -> Option<EscapedText> {
    node.get_kind(key, JsonKind::String).map(|value| EscapedText::from_literal(value.bytes()))
}

/// Returns a name for a tool that can't be read.
fn tool_label(tool: JsonNode<'_>, function: JsonNode<'_>) -> String {
    function
        .get("name")
        .or(tool.get("type"))
        .and_then(JsonNode::as_text)
        .or_else(|| tool.entries().next().map(|_| "without a name".into()))
        .unwrap_or_else(|| "that is not an object".into())
        .into_owned()
}

/// Appends `{"name": ..., "description": ..., SCHEMA_KEY: ...}`, or the definition as logged.
///
/// `default_schema` is the JSON for a tool without a schema.
pub(crate) fn write_tool(
    tool: &ToolSchema,
    schema_key: &str,
    default_schema: Option<&str>,
    out: &mut Vec<u8>,
) {
    if let Some(logged) = &tool.logged {
        return out.extend_from_slice(logged);
    }
    push_json(out, r#"{"name": $"#, &[&tool.name.literal()]);
    if let Some(description) = &tool.description {
        push_json(out, r#", "description": $"#, &[&description.literal()]);
    }
    if let Some(schema) = tool.schema.as_deref().or(default_schema.map(str::as_bytes)) {
        push_json(out, r#", "$": $"#, &[schema_key.as_bytes(), schema]);
    }
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_read_in_every_format() {
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
            let ToolList { tools, left_out } = read_tools(spelled.as_bytes(), |_| false);
            assert_eq!(left_out, [""; 0], "{spelled}");
            assert_eq!(tools, std::slice::from_ref(&want), "{spelled}");
        }
    }

    #[test]
    fn fields_without_a_place_are_named() {
        let ToolList { tools, left_out } =
            read_tools(br#"[{"type": "web_search", "user_location": {}}, {"googleSearch": {}}, {"name": "a", "strict": true, "cache_control": null}, 1]"#, |_| false);
        assert_eq!(tools.len(), 1);
        let named = "tool web_search|tool without a name|tools[].strict|tool that is not an object";
        assert_eq!(left_out.join("|"), named);
    }
}
