//! Trajectories of mini-SWE-agent that hold more than chat messages: a message that tells how the
//! run ended (`exit`), or answers and items of the Responses API. All others are OpenAI chats.

use crate::error::RecordError;
use crate::format::dialects::{OPENAI, RESPONSES};
use crate::format::journal::{EventPlace, Journal, JournalReader, JournalThread};
use crate::format::recognition::{Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;

/// Trajectories of mini-SWE-agent.
pub(super) struct MiniSweAgentJournal;

impl Journal for MiniSweAgentJournal {
    fn name(&self) -> &'static str {
        "mini-swe-agent"
    }

    fn help_line(&self) -> &'static str {
        "mini-SWE-agent trajectories with an exit message or Responses items: {\"messages\", \"info\", \"trajectory_format\"}"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let format = record
            .get("trajectory_format")
            .and_then(JsonNode::as_text)?;
        let differs = |message: JsonNode<'_>| is_end(message) || !message.has_key("role");
        let is_own =
            format.starts_with("mini-swe-agent") && record.items_of("messages").any(differs);
        is_own.then(|| {
            let why = "trajectory_format mini-swe-agent, and more than chat messages";
            Recognition::by_envelope(Shape::Conversation, why)
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(MiniSweAgentReader::default())
    }
}

/// Returns true if a message tells how the run ended.
fn is_end(message: JsonNode<'_>) -> bool {
    message.has_text("role", "exit")
}

/// The trajectories of a file.
#[derive(Default)]
struct MiniSweAgentReader {
    threads: Vec<JournalThread>,
}

impl JournalReader for MiniSweAgentReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let list = record
            .get("messages")
            .ok_or_else(|| record.missing_key("messages"))?
            .must_be(JsonKind::Array, "messages")?;
        let (dialect, key) = if list.items().all(|message| message.has_key("role")) {
            (OPENAI, "messages")
        } else {
            (RESPONSES, "input")
        };
        let mut thread = JournalThread::new(dialect, key, WriteMode::Nowhere, at);
        thread.id = record.non_empty_text("instance_id");
        let model = record.get_path(&["info", "config", "model", "model_name"]);
        thread.model = model.and_then(JsonNode::as_non_empty_text);
        for message in list.items().filter(|message| !is_end(*message)) {
            // An answer of the Responses API is a list of items.
            let output = message.get_kind("output", JsonKind::Array);
            match output.filter(|_| !message.has_key("role") && !message.has_key("type")) {
                Some(items) => items
                    .items()
                    .for_each(|item| push_json(&mut thread, item, at)),
                None => push_json(&mut thread, message, at),
            }
        }
        self.threads.extend(thread.into_only_thread());
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.threads
    }
}

fn push_json(thread: &mut JournalThread, node: JsonNode<'_>, at: usize) {
    thread.push_message(EventPlace::new(at, node.span()), &[node.bytes()]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    fn trajectory(messages: &str) -> String {
        format!(
            r#"{{"instance_id": "pump__7", "messages": [{{"role": "user", "content": "Fix it."}}, {messages}], "info": {{}}, "trajectory_format": "mini-swe-agent-1.1"}}"#
        )
    }

    #[test]
    fn chats_are_left_to_the_reader_of_chats() {
        let chat = trajectory(r#"{"role": "assistant", "content": "ls"}"#);
        assert!(!recognizes(&MiniSweAgentJournal, &chat));
    }

    #[test]
    fn the_end_of_a_run_is_no_message() {
        let log = trajectory(
            r#"{"role": "assistant", "content": "ls"}, {"role": "exit", "content": "Submitted"}"#,
        );
        assert!(recognizes(&MiniSweAgentJournal, &log));
        let threads = tell_threads(&MiniSweAgentJournal, &log);
        assert_eq!(threads[0].id.as_deref(), Some("pump__7"));
        assert_eq!(threads[0].messages, ["user: Fix it.", "assistant: ls"]);
    }

    #[test]
    fn answers_of_the_responses_api_are_items() {
        let log = trajectory(
            r#"{"object": "response", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}, {"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"}]}, {"type": "function_call_output", "call_id": "c", "output": "a.txt"}"#,
        );
        let threads = tell_threads(&MiniSweAgentJournal, &log);
        assert_eq!(
            threads[0].messages,
            [
                "user: Fix it.",
                "assistant: I look.",
                "assistant: [bash]",
                "tool: a.txt"
            ]
        );
    }
}
