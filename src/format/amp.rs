//! Threads of Amp (`~/.local/share/amp/threads/T-*.json`): one object, whose messages are
//! Anthropic's but for the results of tools, which hold the run of the tool. A summary stands for
//! the messages before it.

use crate::error::RecordError;
use crate::format::dialects::ANTHROPIC;
use crate::format::journal::{ElementMark, EventPlace, Journal, JournalReader, JournalThread};
use crate::format::recognition::{Recognition, Shape};
use crate::format::tree::JsonNode;
use crate::json::{JsonKind, encode_wtf8_literal};
use crate::transcript::journal::WriteMode;

/// Threads of Amp.
pub(super) struct AmpJournal;

/// Keys of a run that may hold what the model was told; the first that is not null does.
const RUN_KEYS: [&str; 5] = ["result", "error", "reason", "toRejectReason", "progress"];

impl Journal for AmpJournal {
    fn name(&self) -> &'static str {
        "amp"
    }

    fn help_line(&self) -> &'static str {
        "Amp threads (~/.local/share/amp/threads): {\"v\", \"id\", \"messages\": [{\"messageId\", \"role\", \"content\"}]}"
    }

    fn write_mode(&self) -> WriteMode {
        WriteMode::Nowhere
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let first = record.items_of("messages").next()?;
        let is_message = ["messageId", "role", "content"]
            .iter()
            .all(|key| first.has_key(key));
        let id = record.get("id").and_then(JsonNode::as_text);
        let is_thread = id.is_some_and(|id| id.starts_with("T-"))
            || (record.has_key("v") && record.has_key("created"));
        (is_message && is_thread).then(|| {
            Recognition::by_envelope(Shape::Conversation, "a thread of messages with messageId")
        })
    }

    fn new_reader(&self) -> Box<dyn JournalReader> {
        Box::new(AmpReader::default())
    }
}

/// The threads of a file.
#[derive(Default)]
struct AmpReader {
    threads: Vec<JournalThread>,
}

impl JournalReader for AmpReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let list = record
            .get("messages")
            .ok_or_else(|| record.missing_key("messages"))?
            .must_be(JsonKind::Array, "messages")?;
        let mut thread = JournalThread::new(ANTHROPIC, "messages", WriteMode::Nowhere, at);
        thread.id = record.non_empty_text("id");
        let messages: Vec<JsonNode<'_>> = list.items().collect();
        let summary = messages
            .iter()
            .rposition(|message| summary_text(*message).is_some());
        for message in &messages[summary.unwrap_or(0)..] {
            push_message(&mut thread, *message, at)?;
        }
        self.threads.extend(thread.into_only_thread());
        Ok(())
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.threads
    }
}

/// Returns the literal of the summary that a message holds.
fn summary_text(message: JsonNode<'_>) -> Option<&[u8]> {
    let mut blocks = message.items_of("content");
    let summary = blocks.find(|block| block.has_text("type", "summary"))?;
    let inner = summary.get("summary").unwrap_or(summary);
    inner
        .as_literal()
        .map(|literal| literal.slice(inner.record_bytes()))
        .or_else(|| inner.literal_bytes("summary"))
        .or_else(|| inner.literal_bytes("text"))
}

fn push_message(
    thread: &mut JournalThread,
    message: JsonNode<'_>,
    at: usize,
) -> Result<(), RecordError> {
    let place = EventPlace::new(at, message.span());
    if let Some(text) = summary_text(message) {
        thread.push_element(
            ElementMark::Summary,
            vec![place],
            &[b"{\"role\": \"user\", \"content\": ", text, b"}"],
        );
        return Ok(());
    }
    let is_turn = message.has_text("role", "user") || message.has_text("role", "assistant");
    if !is_turn {
        // Information for the screen; a conversion lists it as left out.
        let role = message.non_empty_text("role");
        role.ok_or_else(|| message.missing_key("messages[].role"))?;
        return Ok(());
    }
    let content = message
        .get("content")
        .ok_or_else(|| message.missing_key("messages[].content"))?;
    let content = if content.is_kind(JsonKind::Array) {
        let blocks: Vec<Vec<u8>> = content.items().map(render_block).collect();
        [b"[".as_slice(), &blocks.join(b", ".as_slice()), b"]"].concat()
    } else {
        content.bytes().to_vec()
    };
    let usage = message.get_kind("usage", JsonKind::Object);
    let model = usage.and_then(|usage| usage.non_empty_text("model"));
    thread.model = model.or(thread.model.take());
    thread.push_message(
        place,
        &[
            b"{\"role\": ",
            message.bytes_or_null("role"),
            b", \"content\": ",
            &content,
            &usage.map(render_usage).unwrap_or_default(),
            b"}",
        ],
    );
    Ok(())
}

/// Renders a block: a result of a tool as one of Anthropic, any other as it is.
fn render_block(block: JsonNode<'_>) -> Vec<u8> {
    let run = block.get("run");
    let Some(run) = run.filter(|_| block.has_text("type", "tool_result")) else {
        return block.bytes().to_vec();
    };
    let mut values = RUN_KEYS.iter().filter_map(|key| run.get(key));
    let told = values.find(|value| !value.is_kind(JsonKind::Null));
    let has_failed = ["error", "cancelled", "rejected-by-user"]
        .iter()
        .any(|status| run.has_text("status", status));
    let failure: &[u8] = if has_failed {
        b", \"is_error\": true"
    } else {
        b""
    };
    let id = block
        .literal_bytes("toolUseID")
        .unwrap_or_else(|| block.bytes_or_null("tool_use_id"));
    [
        b"{\"type\": \"tool_result\", \"tool_use_id\": ".as_slice(),
        id,
        b", \"content\": ",
        &told.map_or_else(|| run.bytes_or_null("status").to_vec(), render_told),
        failure,
        b"}",
    ]
    .concat()
}

/// Renders what a run returned: a text, the only text of an object, or its JSON as text.
fn render_told(value: JsonNode<'_>) -> Vec<u8> {
    let mut entries = value.entries();
    let text = match (entries.next(), entries.next()) {
        (Some((_, only)), None) => only,
        _ => value,
    };
    match text.as_literal() {
        Some(literal) => literal.slice(value.record_bytes()).to_vec(),
        None => encode_wtf8_literal(value.bytes()),
    }
}

/// Renders the usage of an answer as an entry, under Anthropic's names.
fn render_usage(usage: JsonNode<'_>) -> Vec<u8> {
    let tokens = |key| usage.get(key).and_then(JsonNode::as_u64).unwrap_or(0);
    format!(
        ", \"usage\": {{\"input_tokens\": {}, \"output_tokens\": {}, \"cache_read_input_tokens\": {}, \"cache_creation_input_tokens\": {}}}",
        tokens("inputTokens"),
        tokens("outputTokens"),
        tokens("cacheReadInputTokens"),
        tokens("cacheCreationInputTokens"),
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    fn thread(messages: &str) -> String {
        format!(r#"{{"v": 5, "id": "T-1", "created": 1, "messages": [{messages}]}}"#)
    }

    const ASK: &str =
        r#"{"role": "user", "messageId": 0, "content": [{"type": "text", "text": "Why?"}]}"#;

    #[test]
    fn threads_are_told_by_the_ids_of_their_messages() {
        assert!(recognizes(&AmpJournal, &thread(ASK)));
        for record in [
            format!(r#"{{"conversationId": "c", "messages": [{ASK}]}}"#),
            r#"{"v": 5, "id": "T-1", "created": 1, "messages": [{"role": "user", "content": "x"}]}"#
                .to_owned(),
        ] {
            assert!(!recognizes(&AmpJournal, &record), "{record}");
        }
    }

    #[test]
    fn runs_become_results() {
        let result = |number: usize, run: &str| {
            format!(
                r#"{{"role": "user", "messageId": {number}, "content": [{{"type": "tool_result", "toolUseID": "t", "run": {run}}}]}}"#
            )
        };
        let messages = [
            ASK.to_owned(),
            r#"{"role": "assistant", "messageId": 1, "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}, "complete": true}]}"#.to_owned(),
            result(2, r#"{"status": "done", "result": "61 C"}"#),
            result(3, r#"{"status": "done", "result": {"content": "61 C"}}"#),
            result(4, r#"{"status": "done", "result": {"output": "61 C", "exitCode": 0}}"#),
            result(5, r#"{"status": "error", "error": {"message": "denied"}}"#),
            result(6, r#"{"status": "cancelled"}"#),
        ];
        let threads = tell_threads(&AmpJournal, &thread(&messages.join(", ")));
        assert_eq!(threads[0].id.as_deref(), Some("T-1"));
        assert_eq!(
            threads[0].messages[2..],
            [
                "tool: 61 C",
                "tool: 61 C",
                "tool: {\"output\": \"61 C\", \"exitCode\": 0}",
                "tool: denied",
                "tool: cancelled"
            ]
        );
    }

    #[test]
    fn a_summary_stands_for_what_came_before_it() {
        let summary = r#"{"role": "info", "messageId": 1, "content": [{"type": "summary", "summary": {"type": "message", "summary": "In short."}}]}"#;
        let bash = r#"{"role": "info", "messageId": 2, "content": [{"type": "manual_bash_invocation", "args": {"cmd": "ls"}}]}"#;
        let messages = [ASK, summary, bash, ASK].join(", ");
        let threads = tell_threads(&AmpJournal, &thread(&messages));
        assert_eq!(threads[0].messages, ["user: In short.", "user: Why?"]);
    }
}
