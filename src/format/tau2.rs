//! Simulations of tau2-bench: an agent, a simulated user, and calls of both. The conversation is
//! that of the agent: what the user does with tools of its own is no part of it.

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::export_reader::ExportReader;
use crate::format::journal::{EventPlace, Journal, JournalReader, JournalThread};
use crate::format::located_node::unknown_role_reason;
use crate::format::message_builder::{MessageBuilder, note_other_keys, unknown_content_error};
use crate::format::recognition::{Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;

/// Results of tau2-bench.
pub(super) struct Tau2Journal;

const ROLES: [&str; 4] = ["system", "user", "assistant", "tool"];
/// Keys of a simulation that are read.
const SIMULATION_KEYS: [&str; 4] = ["id", "task_id", "trial", "messages"];

impl Journal for Tau2Journal {
    fn name(&self) -> &'static str {
        "tau2"
    }

    fn help_line(&self) -> &'static str {
        "tau2-bench results: {\"simulations\": [{\"task_id\", \"trial\", \"messages\"}], \"tasks\", \"info\"}"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let is_results = record
            .items_of("simulations")
            .next()
            .is_some_and(is_simulation);
        (is_results || (is_simulation(record) && record.has_key("termination_reason"))).then(|| {
            Recognition::by_envelope(Shape::Conversation, "simulations with task_id and messages")
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        ExportReader::of_lists("simulations", build_thread)
    }
}

fn is_simulation(node: JsonNode<'_>) -> bool {
    node.has_key("task_id") && node.get_kind("messages", JsonKind::Array).is_some()
}

fn build_thread(simulation: JsonNode<'_>, at: usize) -> Result<JournalThread, RecordError> {
    let list = simulation
        .get("messages")
        .ok_or_else(|| simulation.missing_key("messages"))?
        .must_be(JsonKind::Array, "messages")?;
    let mut thread = JournalThread::new_excerpt(OPENAI, "messages", at);
    for message in list.items() {
        // Results of parallel calls may be one message.
        let several = message.get_kind("tool_messages", JsonKind::Array);
        let messages: Vec<JsonNode<'_>> = match several {
            Some(list) => list.items().collect(),
            None => vec![message],
        };
        for message in messages {
            if let Err(error) = push_message(&mut thread, message, at) {
                thread.unread.push((at, error));
            }
        }
    }
    let task = simulation.get("task_id").map(|id| {
        let number = || String::from_utf8_lossy(id.bytes());
        id.as_text().unwrap_or_else(number).into_owned()
    });
    thread.id = match (task, simulation.get("trial").and_then(JsonNode::as_u64)) {
        (Some(task), Some(trial)) => Some(format!("{task}-trial-{trial}")),
        (task, _) => task.or_else(|| simulation.non_empty_text("id")),
    };
    note_other_keys(&mut thread, at, simulation, &SIMULATION_KEYS);
    Ok(thread)
}

fn push_message(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    at: usize,
) -> Result<(), RecordError> {
    let role = message.get("role").and_then(JsonNode::as_text);
    let role = role.unwrap_or_default();
    let Some(role) = ROLES.iter().find(|known| **known == role) else {
        let reason = unknown_role_reason("role", &role, &ROLES);
        return Err(RecordError::at(message.span().start, reason));
    };
    let content = message
        .get("content")
        .ok_or_else(|| unknown_content_error(message, "a message"))?;
    if message.has_text("requestor", "user") {
        thread.note_left_out("results of the simulated user's calls".to_owned(), at);
        return Ok(());
    }
    let mut element = match *role {
        "tool" => MessageBuilder::new_result(message.literal_bytes("id")),
        role => MessageBuilder::new(role),
    };
    element.add_place(EventPlace::new(at, message.span()));
    element.push_value(content);
    element.set_failed(message.has_true("error"));
    let calls: Vec<JsonNode<'_>> = message
        .items_of("tool_calls")
        .filter(|call| !call.has_text("requestor", "user"))
        .collect();
    for call in calls.iter().filter(|_| *role == "assistant") {
        element.push_call(
            call.literal_bytes("id").unwrap_or(b"\"\""),
            call.literal_bytes("name").unwrap_or(b"\"\""),
            call.get("arguments"),
        );
    }
    if element.is_empty() && message.items_of("tool_calls").next().is_some() {
        thread.note_left_out("calls of the simulated user".to_owned(), at);
        return Ok(());
    }
    if *role == "assistant" {
        element.set_usage(message.get("usage"));
    }
    element.push_onto(thread);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::export_reader::rendered_thread;

    #[test]
    fn what_the_user_calls_is_no_part_of_the_conversation() {
        let simulation = r#"{"id": "s", "task_id": "mms_1", "trial": 2, "messages": [
            {"role": "assistant", "content": "Turn it off.", "tool_calls": null},
            {"role": "user", "content": null, "tool_calls": [{"id": "u", "name": "toggle", "arguments": {}, "requestor": "user"}]},
            {"role": "tool", "id": "u", "content": "off", "requestor": "user", "error": false},
            {"role": "user", "content": "It is off."},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "name": "look_up", "arguments": {"line": 1}, "requestor": "assistant"}]},
            {"role": "tool", "tool_messages": [{"id": "a", "role": "tool", "content": "no line", "requestor": "assistant", "error": true}]}]}"#;
        assert_eq!(
            rendered_thread(build_thread, simulation),
            [
                r#"{"role": "assistant", "content": "Turn it off."}"#,
                r#"{"role": "user", "content": "It is off."}"#,
                r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look_up", "arguments": {"line": 1}}}]}"#,
                r#"{"role": "tool", "tool_call_id": "a", "content": "no line", "is_error": true}"#,
            ]
        );
    }
}
