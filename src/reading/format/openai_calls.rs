//! The tool calls of OpenAI chat messages.

use crate::reading::format::openai_content::MessagePath;
use crate::reading::format::prelude::*;
use crate::reading::format::sharegpt_calls::calls_in_string;
use crate::reading::json::python_parser::parse_python_object;
use crate::reading::json::repr_length::literal_repr_length;

pub(super) fn read_calls(scanner: &mut Scanner<'_>, path: MessagePath) -> Result<Vec<ToolCall>> {
    let mut calls = Vec::new();
    scanner.read_array(|s| {
        calls.push(read_call(s, path, calls.len())?);
        Ok(())
    })?;
    Ok(calls)
}

/// Reads call `number` of the list.
fn read_call(s: &mut Scanner<'_>, path: MessagePath, number: usize) -> Result<ToolCall> {
    let (start, kind) = (s.position(), s.peek_kind()?);
    let list = || path.field_path("tool_calls");
    if kind != JsonKind::Object {
        let path = format!("{}[{number}]", list());
        return Err(kind.wrong(start, &path, "an object"));
    }
    let (mut id, mut call, mut flat) = (None, None, ToolCall::default());
    let mut has_other = false;
    let span = s.read_object(|s, key| {
        match (key, s.peek_kind()?) {
            (b"id" | b"tool_call_id" | b"call_id", JsonKind::String) => {
                id = Some(s.read_string()?);
            }
            (b"function" | b"custom", JsonKind::Object) => call = Some(read_function(s, false)?),
            (b"type" | b"index", _) => drop(s.skip_value()?),
            (key, kind) => has_other |= !read_call_field(s, key, kind, &mut flat)?,
        }
        Ok(())
    })?;
    let call = call.unwrap_or(flat);
    if call.name.is_none() && (has_other || call.arguments.is_some()) {
        let reason = format!("{}[{number}] names no tool under a key that is known", list());
        return Err(RecordError::at(start, reason));
    }
    Ok(ToolCall { span, id, ..call })
}

/// Reads `tool_calls` that are no list: a call alone, or a string that holds the list as JSON.
pub(super) fn read_odd_calls(
    scanner: &mut Scanner<'_>,
    path: MessagePath,
) -> Result<Vec<ToolCall>> {
    let (start, kind) = (scanner.position(), scanner.peek_kind()?);
    if kind == JsonKind::Object {
        return Ok(vec![read_call(scanner, path, 0)?]);
    }
    let span = scanner.skip_value()?;
    let text = decode_literal_wtf8(span.slice(scanner.bytes()));
    if matches!(text.trim_ascii(), b"" | b"[]" | b"null") {
        return Ok(Vec::new());
    }
    let calls = calls_in_string(scanner.bytes(), span, None);
    if calls.is_empty() {
        let reason = "is a string that holds no calls, it must be a list of calls";
        let path = path.field_path("tool_calls");
        return Err(RecordError::at(start, format!("{path} {reason}")));
    }
    Ok(calls)
}

/// Reads `{"name", "arguments"}`, or `{"name", "input"}` of a custom tool, whose input is free
/// text.
pub(super) fn read_function(scanner: &mut Scanner<'_>, legacy: bool) -> Result<ToolCall> {
    let mut call = ToolCall { legacy, ..ToolCall::default() };
    call.span = scanner.read_object(|s, key| {
        let kind = s.peek_kind()?;
        read_call_field(s, key, kind, &mut call).map(drop)
    })?;
    Ok(call)
}

/// Reads the value of a key of a call, in the spelling of any program. Returns false if the key is
/// not known; its value is passed over.
fn read_call_field(
    s: &mut Scanner<'_>,
    key: &[u8],
    kind: JsonKind,
    call: &mut ToolCall,
) -> Result<bool> {
    // A spelling of other programs doesn't stand in for what is there.
    let is_taken = match key {
        b"function" | b"tool_name" | b"function_name" | b"tool" => call.name.is_some(),
        b"args" | b"parameters" | b"tool_input" | b"input" => call.arguments.is_some(),
        _ => false,
    };
    if is_taken {
        s.skip_value()?;
        return Ok(true);
    }
    match (key, kind) {
        (b"name" | b"function" | b"tool_name" | b"function_name" | b"tool", JsonKind::String) => {
            call.name = Some(s.read_string()?);
        }
        (b"input", JsonKind::String) => call.arguments = Some(s.read_string()?),
        (b"arguments" | b"args" | b"parameters" | b"tool_input", JsonKind::String) => {
            let span = s.read_string()?;
            call.arguments = Some(span);
            call.repr_points = literal_repr_length(s.bytes(), span);
            call.valid = call.repr_points.is_some()
                || parse_python_object(&decode_literal_wtf8(span.slice(s.bytes()))).is_some();
        }
        (b"arguments" | b"args" | b"parameters" | b"input" | b"tool_input", JsonKind::Object) => {
            call.arguments = Some(s.skip_value()?);
            (call.valid, call.repr_points) = (true, None);
        }
        _ => {
            s.skip_value()?;
            return Ok(kind == JsonKind::Null);
        }
    }
    Ok(true)
}
