//! An object that is read as a message, with its place in the log for errors and edits.

use crate::base::foreign_text::quote_value;
use crate::reading::format::message_parts::is_incomplete;
use crate::reading::format::tree::JsonNode;
use crate::reading::format::usage::parse_usage;
use crate::reading::transcript::prelude::*;

type Result<T> = std::result::Result<T, RecordError>;

/// A node with its record and the path that errors name it by.
#[derive(Clone, Copy)]
pub(super) struct LocatedNode<'t> {
    pub(super) node: JsonNode<'t>,
    /// Index of the record.
    pub(super) record: usize,
    /// The path of the node in its record, such as `messages[3]`; `None` for the record itself.
    pub(super) path: Option<&'t str>,
}

impl<'t> LocatedNode<'t> {
    /// The root of a record.
    pub(super) fn record(node: JsonNode<'t>, record: usize) -> Self {
        Self { node, record, path: None }
    }

    /// Returns a message of this role without content, with the usage or state that the node
    /// reports.
    pub(super) fn new_message(self, role: Role) -> Message {
        let usage = self
            .node
            .get("usage")
            .filter(|usage| role == Role::Assistant && usage.is_kind(JsonKind::Object));
        Message {
            usage: usage.and_then(|usage| parse_usage(usage.bytes())).map(Box::new),
            incomplete: role.is_result() && is_incomplete(self.node),
            ..Message::new(self.record, self.node.span(), role)
        }
    }

    /// Returns the path of a field, for errors.
    pub(super) fn field_path(self, name: &str) -> String {
        match self.path {
            None => name.to_owned(),
            Some(path) => format!("{path}.{name}"),
        }
    }

    /// Returns the role that a key names, by a table of known names. Fails if the key is missing,
    /// is not a string or is not in the table.
    pub(super) fn read_role(self, key: &str, roles: &[(&str, Role)]) -> Result<Role> {
        let value =
            self.node.get(key).ok_or_else(|| self.node.missing_key(&self.field_path(key)))?;
        let name =
            value.as_text().ok_or_else(|| value.wrong_kind(&self.field_path(key), "a string"))?;
        if let Some((_, role)) = roles.iter().find(|(known, _)| *known == name) {
            return Ok(*role);
        }
        let known: Vec<&str> = roles.iter().map(|(known, _)| *known).collect();
        Err(RecordError::of_message(
            value.span().start,
            unknown_role_reason(&self.field_path(key), &name, &known),
        ))
    }

    /// Returns the content that a key holds (a string, or a list of blocks, each classified by
    /// `block_kind`) and the span of the value, if there is one. Fails if the value is anything
    /// else but null.
    pub(super) fn read_content(
        self,
        key: &str,
        mut block_kind: impl FnMut(JsonNode<'t>) -> BlockKind,
    ) -> Result<(Content, Option<Span>)> {
        let Some(value) = self.node.get(key) else {
            return Ok((Content::Absent, None));
        };
        let content = match value.kind() {
            JsonKind::String => Content::Text(value.span()),
            JsonKind::Null => Content::Absent,
            JsonKind::Array => {
                let mut blocks = Vec::new();
                for (number, block) in value.items().enumerate() {
                    let kind = match block.kind() {
                        JsonKind::String => BlockKind::Text(block.span()),
                        JsonKind::Object => block_kind(block),
                        _ => {
                            let path = format!("{}[{number}]", self.field_path(key));
                            return Err(block.wrong_kind(&path, "an object or a string"));
                        }
                    };
                    let span = block.span();
                    blocks.push(MessageBlock { span, kind });
                }
                content_of_blocks(blocks)
            }
            JsonKind::Object | JsonKind::Number | JsonKind::Bool => {
                return Err(value.wrong_kind(&self.field_path(key), "a string, a list or null"));
            }
        };
        Ok((content, Some(value.span())))
    }
}

/// Returns the content of a list of blocks; an empty list is no content.
pub(super) fn content_of_blocks(blocks: Vec<MessageBlock>) -> Content {
    if blocks.is_empty() { Content::Absent } else { Content::Blocks(blocks) }
}

/// Returns the text of the error that a role is not known.
pub(super) fn unknown_role_reason(path: &str, name: &str, known: &[&str]) -> String {
    let name = quote_value(name);
    format!("{path} is {name}, it must be one of {}", known.join(", "))
}
