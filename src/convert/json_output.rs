//! Writes the JSON that the targets share.

use crate::convert::chat::{ChatCall, ChatPart, ChatTranscript, ChatTurn, join_turns};
use crate::convert::escaped_text::EscapedText;
use crate::convert::tools::{ToolSchema, write_tool};
use crate::reading::transcript::prelude::*;

impl ChatTranscript<'_> {
    /// Appends the beginning of the record: `{"THREAD_KEY": ..., "model": ...`.
    pub(super) fn write_opening(&self, thread_key: &str, out: &mut Vec<u8>) {
        let id = encode_literal(self.thread_id);
        push_json(out, r#"{"$": $"#, &[thread_key.as_bytes(), &id]);
        if let Some(model) = self.model {
            push_json(out, r#", "model": $"#, &[&encode_literal(model)]);
        }
    }

    /// Appends the further fields of the record, and its end.
    pub(crate) fn write_closing(&self, out: &mut Vec<u8>) {
        write_fields(&self.record_fields, out);
        out.push(b'}');
    }

    /// Writes the chat as a list of messages, one for each group, and functions. Returns their
    /// number.
    pub(super) fn write_messages(
        &self,
        out: &mut Vec<u8>,
        write_message: impl FnMut(&ChatTurn, &mut Vec<u8>),
    ) -> usize {
        self.write_opening("thread_id", out);
        out.extend_from_slice(b", \"messages\": ");
        let groups = self.groups.iter();
        let turns: Vec<ChatTurn> = groups.filter_map(|group| join_turns(group)).collect();
        write_list(&turns, out, write_message);
        self.write_tools("tools", out, |tool, out| {
            let mut json = Vec::new();
            write_tool(tool, "parameters", None, &mut json);
            match tool.logged {
                Some(_) => out.extend_from_slice(&json),
                None => push_json(out, r#"{"type": "function", "function": $}"#, &[&json]),
            }
        });
        self.write_closing(out);
        turns.len()
    }

    /// Appends the list of tools under a key, unless there are none.
    pub(super) fn write_tools(
        &self,
        key: &str,
        out: &mut Vec<u8>,
        write_tool: impl FnMut(&ToolSchema, &mut Vec<u8>),
    ) {
        if self.tools.is_empty() {
            return;
        }
        out.extend_from_slice(format!(", \"{key}\": ").as_bytes());
        write_list(&self.tools, out, write_tool);
    }
}

/// Appends further keys and values of an object.
pub(super) fn write_fields(fields: &[(EscapedText, Vec<u8>)], out: &mut Vec<u8>) {
    for (key, value) in fields {
        push_json(out, ", $: $", &[&key.literal(), value]);
    }
}

/// Appends an array.
pub(crate) fn write_list<T>(
    items: &[T],
    out: &mut Vec<u8>,
    mut write_item: impl FnMut(&T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (place, item) in items.iter().enumerate() {
        out.extend_from_slice(if place > 0 { b", " } else { b"" });
        write_item(item, out);
    }
    out.push(b']');
}

/// Writes a call among the blocks of a content.
pub(super) type WriteCall = fn(&ChatCall, &mut Vec<u8>);

/// Appends the content of a turn: a literal if it is one text, else a list of blocks.
///
/// Without `write_call` the calls are left out.
pub(super) fn write_content(turn: &ChatTurn, out: &mut Vec<u8>, write_call: Option<WriteCall>) {
    let parts: Vec<&ChatPart> = turn
        .parts
        .iter()
        .filter(|part| write_call.is_some() || !matches!(part, ChatPart::Call(_)))
        .collect();
    match parts.as_slice() {
        [] if turn.role == Role::Assistant => out.extend_from_slice(b"null"),
        [] => out.extend_from_slice(b"\"\""),
        [ChatPart::Text(text)] => text.write_literal(out),
        parts => write_list(parts, out, |part, out| match part {
            ChatPart::Text(text) => {
                push_json(out, r#"{"type": "text", "text": $}"#, &[&text.literal()]);
            }
            ChatPart::Block(block) => out.extend_from_slice(block),
            ChatPart::Call(number) => {
                if let Some(write_call) = write_call {
                    write_call(&turn.calls[*number], out);
                }
            }
        }),
    }
}
