//! Trajectories of Harbor (ATIF, the Agent Trajectory Interchange Format): steps of a system, a
//! user and an agent; the results of an agent's calls are the observation of its step.

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

/// Trajectories in the format of Harbor.
pub(super) struct AtifJournal;

/// The beginning of the versions of the format.
const VERSION: &str = "ATIF-";

impl Journal for AtifJournal {
    fn name(&self) -> &'static str {
        "atif"
    }

    fn help_line(&self) -> &'static str {
        "Harbor trajectories: {\"schema_version\": \"ATIF-...\", \"session_id\", \"agent\", \"steps\": [...]}"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let first = record.items().next().unwrap_or(record);
        let version = first.get("schema_version").and_then(JsonNode::as_text)?;
        (version.starts_with(VERSION) && first.has_key("steps")).then(|| {
            Recognition::by_envelope(
                Shape::Conversation,
                "steps beside a schema_version ATIF-...",
            )
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        ExportReader::of_elements(build_thread)
    }
}

fn build_thread(trajectory: JsonNode<'_>, at: usize) -> Result<JournalThread, RecordError> {
    let steps = trajectory
        .get("steps")
        .ok_or_else(|| trajectory.missing_key("steps"))?
        .must_be(JsonKind::Array, "steps")?;
    let mut thread = JournalThread::new_excerpt(OPENAI, "messages", at);
    thread.id = trajectory.non_empty_text("session_id");
    let agent = trajectory.get("agent");
    thread.model = agent.and_then(|agent| agent.non_empty_text("model_name"));
    let tools = agent.and_then(|agent| agent.get_kind("tool_definitions", JsonKind::Array));
    if let Some(tools) = tools {
        thread.add_entry("tools", tools.bytes());
    }
    for step in steps.items() {
        if let Err(error) = push_step(&mut thread, step, at) {
            thread.unread.push((at, error));
        }
    }
    note_other_keys(&mut thread, at, trajectory, &["session_id", "steps"]);
    Ok(thread)
}

fn push_step(thread: &mut JournalThread, step: JsonNode<'_>, at: usize) -> Result<(), RecordError> {
    let role = match step.get("source").and_then(JsonNode::as_text).as_deref() {
        Some("system") => "system",
        Some("user") => "user",
        Some("agent") => "assistant",
        other => {
            let known = ["system", "user", "agent"];
            let reason = unknown_role_reason("source", other.unwrap_or(""), &known);
            return Err(RecordError::at(step.span().start, reason));
        }
    };
    let place = EventPlace::new(at, step.span());
    let mut element = MessageBuilder::new(role).with_place(place);
    if let Some(reasoning) = step.literal_bytes("reasoning_content") {
        element.push_reasoning(reasoning);
    }
    let message = step
        .get("message")
        .ok_or_else(|| unknown_content_error(step, "a step"))?;
    push_content(&mut element, message);
    for call in step.items_of("tool_calls") {
        element.push_call(
            call.literal_bytes("tool_call_id").unwrap_or(b"\"\""),
            call.literal_bytes("function_name").unwrap_or(b"\"\""),
            call.get("arguments"),
        );
    }
    let observation = step.get("observation").into_iter();
    let results: Vec<JsonNode<'_>> = observation
        .flat_map(|observation| observation.items_of("results"))
        .collect();
    if results.is_empty() {
        element.push_onto(thread);
    } else {
        element.push_if_said(thread);
    }
    for result in results {
        // What nobody called for is told to the agent by its surroundings.
        let mut element = match result.literal_bytes("source_call_id") {
            Some(id) => MessageBuilder::new_result(Some(id)),
            None => MessageBuilder::new("user"),
        };
        element.add_place(place);
        if let Some(content) = result.get("content") {
            push_content(&mut element, content);
        }
        element.push_onto(thread);
    }
    Ok(())
}

/// Adds a content: a text, or parts of text and images.
fn push_content(element: &mut MessageBuilder, content: JsonNode<'_>) {
    element.push_string(content);
    for part in content.items() {
        if let Some(text) = part.literal_bytes("text") {
            element.push_text(text);
        } else if let Some(path) = part.get_path(&["source", "path"])
            && part.has_text("type", "image")
        {
            element.push_image(path.bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::export_reader::rendered_thread;

    #[test]
    fn observations_answer_the_calls_of_their_step() {
        let trajectory = r#"{"schema_version": "ATIF-v1.6", "session_id": "s", "agent": {"name": "a", "model_name": "m"}, "steps": [
            {"step_id": 1, "source": "user", "message": [{"type": "text", "text": "Why?"}, {"type": "image", "source": {"media_type": "image/png", "path": "images/a.png"}}]},
            {"step_id": 2, "source": "agent", "message": "", "reasoning_content": "Look.", "tool_calls": [{"tool_call_id": "t", "function_name": "bash", "arguments": {"command": "ls"}}], "observation": {"results": [{"source_call_id": "t", "content": "a.txt"}, {"content": "Time is up."}]}}]}"#;
        assert_eq!(
            rendered_thread(build_thread, trajectory),
            [
                r#"{"role": "user", "content": [{"type": "text", "text": "Why?"}, {"type": "image_url", "image_url": {"url": "images/a.png"}}]}"#,
                r#"{"role": "assistant", "content": [{"type": "reasoning", "text": "Look."}], "tool_calls": [{"id": "t", "type": "function", "function": {"name": "bash", "arguments": {"command": "ls"}}}]}"#,
                r#"{"role": "tool", "tool_call_id": "t", "content": "a.txt"}"#,
                r#"{"role": "user", "content": "Time is up."}"#,
            ]
        );
    }
}
