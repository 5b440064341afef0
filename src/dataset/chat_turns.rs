//! The turns of a converted chat as single messages, as chat templates show them.

use crate::convert::chat::{AnswerUse, ChatCall, ChatTranscript, ChatTurn, join_turns};
use crate::convert::escaped_text::{EscapedText, join_texts};
use crate::convert::json_output::write_list;
use crate::convert::openai::write_called;
use crate::convert::tools::write_tool;
use crate::reading::json::{encode_wtf8_literal, write_literal};
use crate::reading::transcript::Role;

/// The separator between texts of one message.
const TEXT_SEPARATOR: &str = "\n\n";

/// Returns the turns of a chat in order, those of one message joined. Results stay apart.
pub(super) fn single_turns(chat: &ChatTranscript<'_>) -> Vec<ChatTurn> {
    let mut turns: Vec<ChatTurn> = join_turns(&chat.system).into_iter().collect();
    turns.extend(chat.groups.iter().flat_map(|group| joined_runs(group)).filter_map(join_turns));
    turns
}

/// Returns the turns of a group that are one message each.
pub(super) fn joined_runs(group: &[ChatTurn]) -> impl Iterator<Item = &[ChatTurn]> {
    group.chunk_by(|turn, next| {
        turn.role != Role::Tool && template_role(turn) == template_role(next)
    })
}

pub(super) fn is_trained(turn: &ChatTurn) -> bool {
    turn.training == Some(AnswerUse::Trained)
}

/// Returns the role that chat templates know.
pub(super) fn template_role(turn: &ChatTurn) -> &'static str {
    match turn.role {
        Role::Developer => Role::System.name(),
        Role::Function => Role::Tool.name(),
        role => role.name(),
    }
}

/// Returns the texts of a turn as one.
pub(super) fn turn_text(turn: &ChatTurn) -> EscapedText {
    join_texts(&turn.texts(), TEXT_SEPARATOR)
}

/// The spelling of the arguments of calls. Free text is a custom call for OpenAI, and the `input` of
/// an object for chat templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentForm {
    /// OpenAI's: a string of JSON, or a custom call.
    OpenAi,
    /// A string that holds an object.
    Text,
    /// An object, as chat templates want it.
    Object,
}

/// Appends a message of a chat: `{"role": ..., "content": ...}`, with the keys and values of `mask`.
pub(super) fn write_message(
    turn: &ChatTurn,
    arguments: ArgumentForm,
    mask: Option<(&str, &str)>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"role\": ");
    write_literal(template_role(turn), out);
    out.extend_from_slice(b", \"content\": ");
    turn_text(turn).write_literal(out);
    if let Some(name) = &turn.name {
        out.extend_from_slice(b", \"name\": ");
        name.write_literal(out);
    }
    if let Some(id) = &turn.answers {
        out.extend_from_slice(b", \"tool_call_id\": ");
        write_literal(id, out);
    }
    if !turn.calls.is_empty() {
        out.extend_from_slice(b", \"tool_calls\": ");
        write_list(&turn.calls, out, |call, out| {
            write_call(call, arguments, out);
        });
    }
    if let Some((key, value)) = mask {
        out.extend_from_slice(format!(", \"{key}\": {value}").as_bytes());
    }
    out.push(b'}');
}

fn write_call(call: &ChatCall, form: ArgumentForm, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"id\": ");
    write_literal(call.id.as_deref().unwrap_or_default(), out);
    if form == ArgumentForm::OpenAi {
        return write_called(call, out);
    }
    out.extend_from_slice(b", \"type\": \"function\", \"function\": {\"name\": ");
    call.name.write_literal(out);
    out.extend_from_slice(b", \"arguments\": ");
    write_arguments(call, form, out);
    out.extend_from_slice(b"}}");
}

/// Appends the arguments of a call. Blank ones are an empty object.
pub(super) fn write_arguments(call: &ChatCall, form: ArgumentForm, out: &mut Vec<u8>) {
    let is_blank = call.arguments.trim_ascii().is_empty();
    match form {
        ArgumentForm::Object => out.extend_from_slice(&call.argument_object_or_input()),
        // The string stays as it was logged.
        _ if call.is_object && !is_blank => {
            out.extend_from_slice(&encode_wtf8_literal(&call.arguments));
        }
        _ => out.extend_from_slice(&encode_wtf8_literal(&call.argument_object_or_input())),
    }
}

/// Returns the tools as a JSON list of functions, as OpenAI spells them. None if there are none.
pub(super) fn tool_list(chat: &ChatTranscript<'_>) -> Option<Vec<u8>> {
    if chat.tools.is_empty() {
        return None;
    }
    let mut list = Vec::new();
    write_list(&chat.tools, &mut list, |tool, out| {
        if tool.logged.is_some() {
            return write_tool(tool, "parameters", None, out);
        }
        out.extend_from_slice(b"{\"type\": \"function\", \"function\": ");
        write_tool(tool, "parameters", None, out);
        out.push(b'}');
    });
    Some(list)
}

/// Appends the opening of a row that names its thread.
pub(super) fn write_opening(chat: &ChatTranscript<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"thread_id\": ");
    write_literal(chat.thread_id, out);
}

/// Appends the column `tools` as a list.
pub(super) fn write_tools(chat: &ChatTranscript<'_>, out: &mut Vec<u8>) {
    if let Some(tools) = tool_list(chat) {
        out.extend_from_slice(b", \"tools\": ");
        out.extend_from_slice(&tools);
    }
}

/// Appends the column `tools` as a list, the other columns, and the end of the row.
pub(super) fn write_tools_and_end(chat: &ChatTranscript<'_>, out: &mut Vec<u8>) {
    write_tools(chat, out);
    chat.write_closing(out);
}

/// Appends the column `tools` as a string of JSON, the other columns, and the end of the row.
pub(super) fn write_tools_text_and_end(chat: &ChatTranscript<'_>, out: &mut Vec<u8>) {
    if let Some(tools) = tool_list(chat) {
        out.extend_from_slice(b", \"tools\": ");
        out.extend_from_slice(&encode_wtf8_literal(&tools));
    }
    chat.write_closing(out);
}
