//! The tool calls of OpenAI chat messages.

use crate::error::RecordError;
use crate::format::message_path::MessagePath;
use crate::json::python_parser::parse_python_object;
use crate::json::repr_length::literal_repr_length;
use crate::json::{JsonKind, Scanner, decode_literal_wtf8};
use crate::transcript::ToolCall;

type Result<T> = std::result::Result<T, RecordError>;

/// Reads the list `tool_calls`.
pub(super) fn read_calls(
    bytes: &[u8],
    scanner: &mut Scanner<'_>,
    path: MessagePath,
) -> Result<Vec<ToolCall>> {
    let mut calls = Vec::new();
    scanner.read_array(|s| {
        let kind = s.peek_kind()?;
        if kind != JsonKind::Object {
            let list = path.field_path("tool_calls");
            return Err(RecordError::at(
                s.position(),
                format!(
                    "{list}[{}] is {}, it must be an object",
                    calls.len(),
                    kind.noun()
                ),
            ));
        }
        let (mut id, mut call) = (None, None);
        let span = s.read_object(|s, key| {
            match (key, s.peek_kind()?) {
                (b"id", JsonKind::String) => id = Some(s.read_string()?),
                (b"function" | b"custom", JsonKind::Object) => {
                    call = Some(read_function(bytes, s, false)?)
                }
                _ => drop(s.skip_value()?),
            }
            Ok(())
        })?;
        calls.push(ToolCall {
            span,
            id,
            ..call.unwrap_or_default()
        });
        Ok(())
    })?;
    Ok(calls)
}

/// Reads `{"name", "arguments"}`, or `{"name", "input"}` of a custom tool, whose input is free
/// text.
pub(super) fn read_function(
    bytes: &[u8],
    scanner: &mut Scanner<'_>,
    legacy: bool,
) -> Result<ToolCall> {
    let mut call = ToolCall {
        legacy,
        ..ToolCall::default()
    };
    call.span = scanner.read_object(|s, key| {
        match (key, s.peek_kind()?) {
            (b"name", JsonKind::String) => call.name = Some(s.read_string()?),
            (b"arguments", JsonKind::String) => {
                let span = s.read_string()?;
                call.arguments = Some(span);
                call.repr_points = literal_repr_length(bytes, span);
                call.valid = call.repr_points.is_some()
                    || parse_python_object(&decode_literal_wtf8(span.slice(bytes))).is_some();
            }
            (b"arguments", JsonKind::Object) => {
                (call.arguments, call.valid) = (Some(s.skip_value()?), true)
            }
            (b"input", JsonKind::String) => call.arguments = Some(s.read_string()?),
            _ => drop(s.skip_value()?),
        }
        Ok(())
    })?;
    Ok(call)
}
