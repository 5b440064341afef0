//! Messages of Vercel's AI SDK as its user interface keeps them (`UIMessage`): one a line, a list,
//! or a list under `messages`. The messages of a line each belong to the chat of their `chatId`.

use crate::format::journal::{Journal, JournalReader};
use crate::format::message_list_reader::{MessageListReader, recognize_messages};
use crate::format::recognition::Recognition;
use crate::format::tree::JsonNode;
use crate::format::vercel_ui_messages::{is_ui_message, push_ui_message};
use crate::transcript::journal::WriteMode;

/// Messages of the AI SDK.
pub(super) struct VercelUiJournal;

impl Journal for VercelUiJournal {
    fn name(&self) -> &'static str {
        "vercel-ui"
    }

    fn help_line(&self) -> &'static str {
        "Vercel AI SDK UIMessages: {\"id\", \"role\", \"parts\": [...]}, one a line, a list, or {\"messages\": [...]}"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        recognize_messages(record, is_ui_message, "messages with parts of a type")
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(MessageListReader::new(push_ui_message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::message_list_reader::rendered_threads;

    #[test]
    fn each_step_is_a_message_and_each_result_another() {
        let threads = rendered_threads(
            push_ui_message,
            &[
                r#"{"id": "c", "messages": [{"id": "m", "role": "assistant", "parts": [{"type": "step-start"}, {"type": "reasoning", "text": "Look."}, {"type": "tool-find", "toolCallId": "t", "state": "output-available", "input": {"q": "oil"}, "output": {"rows": 2}}, {"type": "text", "text": "Hot."}]}]}"#,
            ],
        );
        assert_eq!(
            threads[0],
            [
                r#"{"role": "assistant", "content": [{"type": "reasoning", "text": "Look."}], "tool_calls": [{"id": "t", "type": "function", "function": {"name": "find", "arguments": {"q": "oil"}}}]}"#,
                r#"{"role": "tool", "tool_call_id": "t", "content": "{\"rows\": 2}"}"#,
                r#"{"role": "assistant", "content": "Hot."}"#,
            ]
        );
    }

    #[test]
    fn lines_of_several_chats_are_several_threads() {
        let line = |chat: &str| {
            format!(
                r#"{{"id": "m", "chatId": "{chat}", "role": "user", "parts": [{{"type": "text", "text": "Why?"}}]}}"#
            )
        };
        let threads = rendered_threads(push_ui_message, &[&line("a"), &line("b"), &line("a")]);
        let lengths: Vec<usize> = threads.iter().map(Vec::len).collect();
        assert_eq!(lengths, [2, 1]);
    }

    #[test]
    fn calls_of_version_4_and_errors_are_read() {
        let threads = rendered_threads(
            push_ui_message,
            &[
                r#"{"messages": [{"role": "assistant", "content": "", "parts": [{"type": "tool-invocation", "toolInvocation": {"state": "result", "toolCallId": "t", "toolName": "find", "args": {}, "result": "a"}}, {"type": "dynamic-tool", "toolName": "stop", "toolCallId": "u", "state": "output-error", "input": {}, "errorText": "no"}]}]}"#,
            ],
        );
        assert_eq!(
            threads[0][1..],
            [
                r#"{"role": "tool", "tool_call_id": "t", "content": "a"}"#,
                r#"{"role": "tool", "tool_call_id": "u", "content": "no", "is_error": true}"#,
            ]
        );
    }
}
