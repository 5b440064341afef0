//! Trajectories of mini-SWE-agent that hold more than chat messages: a message that tells how the
//! run ended (`exit`), or answers and items of the Responses API. All others are OpenAI chats.

use crate::error::RecordError;
use crate::format::dialects::{OPENAI, RESPONSES};
use crate::format::journal::{EventPlace, JournalThread};
use crate::format::row::*;
use crate::format::tree::JsonNode;
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;

#[rustfmt::skip]
pub(in crate::format) const MINI_SWE_AGENT: LogRow = LogRow {
    name: "mini-swe-agent",
    help: "mini-SWE-agent trajectories with an exit message or Responses items: {\"messages\", \"info\", \"trajectory_format\"}",
    evidence: &[conversation("trajectory_format mini-swe-agent, and more than chat messages", &[
        starts("trajectory_format", "mini-swe-agent"),
        If::Some(at("messages"), &[If::Any(&[is("role", "exit"), none("role")])]),
    ])],
    reads: Reads::Records(build_thread),
};

fn build_thread(record: JsonNode<'_>, at_record: usize) -> Result<JournalThread, RecordError> {
    let list = listed(record, "messages")?;
    let (dialect, key) = if list.items().all(|message| message.has_key("role")) {
        (OPENAI, "messages")
    } else {
        (RESPONSES, "input")
    };
    let mut thread = JournalThread::new(dialect, key, WriteMode::Nowhere, at_record);
    thread.id = record.non_empty_text("instance_id");
    thread.model = at("info.config.model.model_name").text(record);
    let mut push = |node: JsonNode<'_>| {
        thread.push_message(EventPlace::new(at_record, node.span()), &[node.bytes()]);
    };
    // A message `exit` tells how the run ended.
    for message in list
        .items()
        .filter(|message| !message.has_text("role", "exit"))
    {
        // An answer of the Responses API is a list of items.
        let output = message.get_kind("output", JsonKind::Array);
        match output.filter(|_| hold(&[none("role|type")], message)) {
            Some(items) => items.items().for_each(&mut push),
            None => push(message),
        }
    }
    Ok(thread)
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
        assert!(!recognizes(&MINI_SWE_AGENT, &chat));
    }

    #[test]
    fn the_end_of_a_run_is_no_message() {
        let log = trajectory(
            r#"{"role": "assistant", "content": "ls"}, {"role": "exit", "content": "Submitted"}"#,
        );
        assert!(recognizes(&MINI_SWE_AGENT, &log));
        let threads = tell_threads(&MINI_SWE_AGENT, &log);
        assert_eq!(threads[0].id.as_deref(), Some("pump__7"));
        assert_eq!(threads[0].messages, ["user: Fix it.", "assistant: ls"]);
    }

    #[test]
    fn answers_of_the_responses_api_are_items() {
        let log = trajectory(
            r#"{"object": "response", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}, {"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"}]}, {"type": "function_call_output", "call_id": "c", "output": "a.txt"}"#,
        );
        let threads = tell_threads(&MINI_SWE_AGENT, &log);
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
