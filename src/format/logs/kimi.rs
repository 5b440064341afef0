//! Wire logs of Kimi CLI (`wire.jsonl`): the events from which it restores its context. Messages
//! are appended whole; an answer is the parts and calls of a step. `kimi_context` replays what else
//! happens to the context: it is cleared, turns are undone, and a compaction replaces it.

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::journal::{EventPlace, JournalReader, JournalThread};
use crate::format::logs::kimi_context::{KimiContext, KimiMessage};
use crate::format::row::*;
use crate::format::tree::JsonNode;
use crate::json::JsonKind;
use crate::transcript::journal::WriteMode;

#[rustfmt::skip]
pub(in crate::format) const KIMI: LogRow = LogRow {
    name: "kimi",
    help: "Kimi CLI wire logs (wire.jsonl): context.append_message and context.append_loop_event; a step is an answer",
    evidence: &[
        event(WHY, &[is("type", "metadata"), has("protocol_version")]),
        event(WHY, &[is("type", "context.append_message"), has("message")]),
        event(WHY, &[is("type", "context.append_loop_event"), has("event")]),
        event(WHY, &[is("type", "context.apply_compaction"), has("summary")]),
        event(WHY, &[is("type", "context.undo"), has("count")]),
        event(WHY, &[is("type", "turn.prompt"), has("input")]),
        event(WHY, &[is("type", "config.update"), has("time")]),
        event(WHY, &[is("type", "usage.record"), has("usage")]),
        event(WHY, &[starts("type", TYPES), kind("time", &[JsonKind::Number, JsonKind::String])]),
    ],
    reads: Reads::Own(|| Box::new(KimiReader::default())),
};

const WHY: &str = "metadata, or a type context.*, turn.*, ...";
/// The beginnings of the types of further records, which all have a time.
const TYPES: &str = "context.|turn.|config.|prompt.|profile.|usage.|tools.|llm.|mcp.|permission.|plan_mode.\
                     |full_compaction.|file_history.|token_counting.";

/// A wire log, read record by record.
#[derive(Default)]
struct KimiReader {
    id: Option<String>,
    model: Option<String>,
    /// The last system prompt: its literal, and its place.
    prompt: Option<(Vec<u8>, EventPlace)>,
    context: KimiContext,
}

impl JournalReader for KimiReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let place = EventPlace::new(at, record.span());
        let kind = record.get("type").and_then(JsonNode::as_text);
        match kind.as_deref().unwrap_or_default() {
            "metadata" => {
                let mut ids = ["sessionId", "session_id"].iter();
                self.id = ids.find_map(|key| record.non_empty_text(key));
            }
            "context.append_message" => {
                let message = record
                    .get("message")
                    .ok_or_else(|| record.missing_key("message"))?
                    .must_be(JsonKind::Object, "message")?;
                self.context
                    .append(KimiMessage::from_logged(message, place)?);
            }
            "context.append_loop_event" => {
                let event = record
                    .get("event")
                    .ok_or_else(|| record.missing_key("event"))?
                    .must_be(JsonKind::Object, "event")?;
                self.context.observe_loop_event(event, place);
            }
            "context.apply_compaction" => self.context.apply_compaction(record, place)?,
            "context.undo" => {
                let count = record.get("count").and_then(JsonNode::as_u64);
                self.context.undo(count.unwrap_or(1));
            }
            "context.clear" => self.context.clear(),
            _ => {
                let models = ["modelAlias", "model"].iter();
                let mut models = models.filter_map(|key| record.non_empty_text(key));
                self.model = models.next().or(self.model.take());
                let prompt = record.literal_bytes("systemPrompt");
                self.prompt = prompt
                    .map(|literal| (literal.to_vec(), place))
                    .or(self.prompt.take());
            }
        }
        Ok(())
    }

    fn into_threads(self: Box<Self>, records: &[&[u8]]) -> Vec<JournalThread> {
        let last = records.len().saturating_sub(1);
        let mut thread = JournalThread::new(OPENAI, "messages", WriteMode::Nowhere, last);
        (thread.id, thread.model) = (self.id, self.model);
        let messages = self.context.into_messages();
        if messages.is_empty() {
            return Vec::new();
        }
        if let Some((literal, place)) = self.prompt {
            thread.push_message(
                place,
                &[b"{\"role\": \"system\", \"content\": ", &literal, b"}"],
            );
        }
        for message in messages {
            let json = message.render();
            thread.push_element(message.mark, message.places, &[&json]);
        }
        thread.into_only_thread()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::journal::{recognizes, tell_threads};

    fn message(role: &str, text: &str, more: &str) -> String {
        format!(
            r#"{{"type": "context.append_message", "message": {{"role": "{role}", "content": [{{"type": "text", "text": "{text}"}}], "toolCalls": []{more}}}, "time": 1}}"#
        )
    }

    fn event(event: &str) -> String {
        format!(r#"{{"type": "context.append_loop_event", "event": {event}, "time": 1}}"#)
    }

    fn messages(log: &[String]) -> Vec<String> {
        tell_threads(&KIMI, &log.join("\n")).remove(0).messages
    }

    #[test]
    fn records_are_told_from_those_of_codex() {
        for record in [
            r#"{"type": "metadata", "protocol_version": "1.4"}"#,
            r#"{"type": "turn.prompt", "input": []}"#,
            r#"{"type": "turn.ended", "time": 3}"#,
        ] {
            assert!(recognizes(&KIMI, record), "{record}");
        }
        for record in [r#"{"type": "turn.started"}"#, r#"{"type": "metadata"}"#] {
            assert!(!recognizes(&KIMI, record), "{record}");
        }
    }

    #[test]
    fn a_step_is_an_answer_and_messages_wait_for_its_results() {
        let log = [
            r#"{"type": "config.update", "systemPrompt": "Help.", "modelAlias": "k2", "time": 1}"#
                .to_owned(),
            message("user", "Why?", ""),
            event(r#"{"type": "step.begin", "uuid": "s1"}"#),
            event(
                r#"{"type": "content.part", "stepUuid": "s1", "part": {"type": "think", "think": "Hm."}}"#,
            ),
            event(
                r#"{"type": "content.part", "stepUuid": "s1", "part": {"type": "text", "text": "I look."}}"#,
            ),
            event(
                r#"{"type": "tool.call", "stepUuid": "s1", "toolCallId": "c", "name": "Read", "args": {"path": "a"}}"#,
            ),
            message("user", "Hurry.", ""),
            event(r#"{"type": "tool.result", "toolCallId": "c", "result": {"output": "61 C"}}"#),
            event(r#"{"type": "step.end", "uuid": "s1"}"#),
            event(r#"{"type": "step.begin", "uuid": "s2"}"#),
            event(r#"{"type": "step.end", "uuid": "s2"}"#),
        ];
        assert_eq!(
            messages(&log),
            [
                "system: Help.",
                "user: Why?",
                "assistant: I look. [Read]",
                "tool: 61 C",
                "user: Hurry."
            ]
        );
    }

    #[test]
    fn a_result_behind_the_end_of_its_step_is_read() {
        let log = [
            message("user", "Why?", ""),
            event(r#"{"type": "step.begin", "uuid": "s1"}"#),
            event(
                r#"{"type": "tool.call", "stepUuid": "s1", "toolCallId": "c", "name": "Read", "args": {}}"#,
            ),
            event(r#"{"type": "step.end", "uuid": "s1", "finishReason": "tool_use"}"#),
            message("user", "Hurry.", ""),
            event(r#"{"type": "tool.result", "toolCallId": "c", "result": {"output": "61 C"}}"#),
        ];
        assert_eq!(
            messages(&log),
            [
                "user: Why?",
                "assistant: [Read]",
                "tool: 61 C",
                "user: Hurry."
            ]
        );
    }

    #[test]
    fn turns_are_undone_and_the_context_is_cleared() {
        let injection = r#", "origin": {"kind": "injection"}"#;
        let mut log = vec![
            message("user", "one", ""),
            message("assistant", "1", ""),
            message("user", "two", ""),
            message("user", "a reminder", injection),
            r#"{"type": "context.undo", "count": 1}"#.to_owned(),
        ];
        assert_eq!(messages(&log), ["user: one", "assistant: 1"]);
        log.push(r#"{"type": "context.clear", "time": 1}"#.to_owned());
        log.push(message("user", "three", ""));
        assert_eq!(messages(&log), ["user: three"]);
    }

    #[test]
    fn a_compaction_keeps_what_the_user_said_or_what_followed() {
        let mut log = vec![
            message("user", "one", ""),
            message("assistant", "1", ""),
            message("user", "two", ""),
            message("assistant", "2", ""),
            r#"{"type": "context.apply_compaction", "summary": "short", "contextSummary": "In short.", "compactedCount": 4, "keptUserMessageCount": 1}"#.to_owned(),
            message("user", "three", ""),
        ];
        assert_eq!(
            messages(&log),
            ["user: two", "user: In short.", "user: three"]
        );
        log[4] = r#"{"type": "context.apply_compaction", "summary": "short", "compactedCount": 3}"#
            .to_owned();
        assert_eq!(
            messages(&log),
            ["user: short", "assistant: 2", "user: three"]
        );
    }
}
