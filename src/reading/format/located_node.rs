//! An object that is read as a message, with its place in the log for errors and edits.

use crate::base::foreign_text::quote_value;
use crate::reading::format::message_parts::is_incomplete;
use crate::reading::format::tree::JsonNode;
use crate::reading::format::usage::parse_usage;
use crate::reading::transcript::prelude::*;

type Result<T> = std::result::Result<T, RecordError>;

/// The names of roles, separated by `|`. One that is not the role's own is spelled `NAME=ROLE`.
#[derive(Clone, Copy)]
pub(super) struct RoleNames(pub(super) &'static str);

impl RoleNames {
    fn entries(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.split('|').map(|entry| entry.split_once('=').unwrap_or((entry, entry)))
    }

    /// Returns the role with this name.
    pub(super) fn role_of(self, name: &str) -> Option<Role> {
        let (_, role) = self.entries().find(|(known, _)| *known == name)?;
        Role::from_name(role.as_bytes())
    }
}

/// A node with the path that errors name it by.
#[derive(Clone, Copy)]
pub(super) struct LocatedNode<'t> {
    pub(super) node: JsonNode<'t>,
    /// The path of the node in its record, such as `messages[3]`; `None` for the record itself.
    pub(super) path: Option<&'t str>,
}

impl<'t> LocatedNode<'t> {
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
            ..Message::new(self.node.record_index(), self.node.span(), role)
        }
    }

    /// Returns the path of a field, for errors.
    pub(super) fn field_path(self, name: &str) -> String {
        match self.path {
            None => name.to_owned(),
            Some(path) => format!("{path}.{name}"),
        }
    }

    /// Returns the role that a key names. Fails if the key is missing, is not a string or is not
    /// among the names.
    pub(super) fn read_role(self, key: &str, roles: RoleNames) -> Result<Role> {
        let path = self.field_path(key);
        let value = self.node.need_at(key, &path)?;
        let name = value.as_text().ok_or_else(|| value.wrong_kind(&path, "a string"))?;
        roles.role_of(&name).ok_or_else(|| {
            let known: Vec<&str> = roles.entries().map(|(known, _)| known).collect();
            let reason = unknown_role_reason(&path, &name, &known);
            RecordError::of_message(value.span().start, reason)
        })
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
