//! Traces of OpenTelemetry with spans of model calls: the conventions for generative AI
//! (`gen_ai.input.messages`, before it events of the span or `gen_ai.prompt.N.*`), and those of
//! Vercel's AI SDK (`ai.prompt.messages`). Every call repeats the history, so the last of each
//! conversation is read.

use crate::error::RecordError;
use crate::format::dialects::OPENAI;
use crate::format::journal::{EventPlace, JournalReader, JournalThread};
use crate::format::logs::last_call::{CallRank, LastCalls};
use crate::format::logs::otel_attributes::{SpanAttributes, is_trace_record, span_value, spans_of};
use crate::format::logs::otel_events::{has_message_events, push_event_messages};
use crate::format::logs::otel_messages::{is_used, push_call_messages, used_attributes};
use crate::format::message_builder::note_other_keys;
use crate::format::row::*;
use crate::format::tree::JsonNode;
use crate::json::JsonKind;

#[rustfmt::skip]
pub(in crate::format) const OTEL: LogRow = LogRow {
    name: "otel",
    help: "OpenTelemetry traces of model calls: OTLP JSON or one span a line, with gen_ai.* or ai.* attributes; the last call of each conversation",
    evidence: &[
        conversation("spans with attributes", &[If::Of(at("0"), &[If::Own(is_trace_record)])]),
        event("spans with attributes", &[If::Own(is_trace_record)]),
    ],
    reads: Reads::Own(|| Box::new(OtelReader::default())),
};

/// Attributes that name the conversation.
const THREAD_NAMES: [&str; 7] = [
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "ai.telemetry.metadata.threadId",
    "ai.telemetry.metadata.sessionId",
    "ai.telemetry.metadata.chatId",
    "traceloop.association.properties.session_id",
];
const MODEL_NAMES: [&str; 5] = [
    "gen_ai.request.model",
    "gen_ai.response.model",
    "ai.model.id",
    "ai.response.model",
    "llm.model_name",
];
const START_KEYS: [&str; 4] = [
    "startTimeUnixNano",
    "start_time",
    "startTime",
    "timeUnixNano",
];
/// Operations of agents around the calls of their models.
const OUTER_OPERATIONS: [&str; 3] = ["invoke_agent", "create_agent", "invoke_workflow"];

/// The last model call of each conversation, found span by span.
#[derive(Default)]
struct OtelReader {
    calls: LastCalls<JournalThread>,
    /// The index of the first record with a call that is not the last.
    first_earlier: Option<usize>,
}

impl JournalReader for OtelReader {
    fn observe_record(&mut self, at: usize, record: JsonNode<'_>) -> Result<(), RecordError> {
        let mut result = Ok(());
        let spans = spans_of(record);
        let is_alone = spans.len() == 1;
        for span in spans {
            result = result.and(self.observe_span(at, span, is_alone));
        }
        result
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        let earlier = self.calls.earlier;
        let mut threads: Vec<JournalThread> =
            self.calls.into_calls().map(|(_, thread)| thread).collect();
        if let (Some(first), Some(at)) = (threads.first_mut(), self.first_earlier) {
            for _ in 0..earlier {
                first.note_left_out("model calls before the last".to_owned(), at);
            }
        }
        threads
    }
}

impl OtelReader {
    fn observe_span(
        &mut self,
        at: usize,
        span: JsonNode<'_>,
        is_alone: bool,
    ) -> Result<(), RecordError> {
        let mut attributes = SpanAttributes::of_span(span);
        if used_attributes(&attributes).is_none() {
            if !has_message_events(span) {
                return Ok(());
            }
            attributes = SpanAttributes::of_holder(span);
        }
        let trace = span_value(span, &["traceId", "trace_id"]);
        let conversation = attributes
            .first_text(&THREAD_NAMES)
            .or_else(|| trace?.as_non_empty_text());
        let operation = attributes.first_text(&["gen_ai.operation.name"]);
        let is_model = is_model_call(&attributes, operation.as_deref());
        // Agents that work side by side have conversations of their own.
        let agent = attributes.first_text(&["gen_ai.agent.id", "gen_ai.agent.name"]);
        let thread_id = match (conversation, agent.filter(|_| is_model)) {
            (Some(conversation), Some(agent)) => Some(format!("{conversation}/{agent}")),
            (conversation, _) => conversation,
        };
        let time = span_value(span, &START_KEYS);
        let time = time.map_or_else(String::new, |time| {
            let text = time.as_text();
            text.unwrap_or_else(|| String::from_utf8_lossy(time.bytes()))
                .into_owned()
        });
        let rank = CallRank { is_model, time };
        let earlier = self.calls.earlier;
        if self.calls.is_last(&thread_id, &rank) {
            let mut thread = build_thread(span, &attributes, at)?;
            if thread.len() == 0 {
                return Ok(());
            }
            thread.id.clone_from(&thread_id);
            self.calls.insert(thread_id, rank, is_alone, thread);
        } else {
            self.calls.note_earlier(is_alone);
        }
        if self.calls.earlier > earlier {
            self.first_earlier.get_or_insert(at);
        }
        Ok(())
    }
}

/// Returns true if a span is the call of a model, not the work of an agent around it.
fn is_model_call(attributes: &SpanAttributes<'_>, operation: Option<&str>) -> bool {
    match operation {
        Some(operation) => !OUTER_OPERATIONS.contains(&operation),
        // The AI SDK repeats the prompt in the span around its calls.
        None => {
            attributes.text("ai.prompt.messages").is_some()
                || attributes.text("ai.prompt").is_none()
        }
    }
}

fn build_thread(
    span: JsonNode<'_>,
    attributes: &SpanAttributes<'_>,
    at: usize,
) -> Result<JournalThread, RecordError> {
    let mut thread = JournalThread::new_excerpt(OPENAI, "messages", at);
    thread.model = attributes.first_text(&MODEL_NAMES);
    // The messages are JSON within strings: the trace's id stands for their places.
    let id = span_value(span, &["traceId", "trace_id"]).unwrap_or(span);
    if id.is_kind(JsonKind::String) {
        thread.add_entry("trace_id", id.bytes());
    }
    let place = EventPlace::new(at, id.span());
    let start = span.span().start;
    let used = used_attributes(attributes).unwrap_or_default();
    if used.is_empty() {
        push_event_messages(&mut thread, span, place);
    } else {
        push_call_messages(&mut thread, attributes, place)
            .map_err(|reason| RecordError::at(start, reason))?;
    }
    let names = attributes.names().into_iter();
    for name in names.filter(|name| !is_used(used, name)) {
        thread.note_left_out(name.to_owned(), at);
    }
    let ids = ["traceId", "trace_id", "context", "attributes"];
    let ids = if used.is_empty() {
        [ids.as_slice(), &["events"]].concat()
    } else {
        ids.to_vec()
    };
    note_other_keys(&mut thread, at, span, &ids);
    if let Some(context) = span.get("context") {
        note_other_keys(&mut thread, at, context, &ids);
    }
    Ok(thread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tree::JsonTree;

    fn threads_of(records: &[&str]) -> Vec<JournalThread> {
        let mut reader = OtelReader::default();
        for (at, record) in records.iter().enumerate() {
            let tree = JsonTree::new(record.as_bytes()).unwrap();
            reader.observe_record(at, tree.root()).unwrap();
        }
        Box::new(reader).into_threads(&[])
    }

    fn call(time: u64, attributes: &str) -> String {
        format!(
            r#"{{"traceId": "t", "spanId": "s", "startTimeUnixNano": "{time}", "attributes": {{{attributes}}}}}"#
        )
    }

    #[test]
    fn the_last_call_of_each_conversation_is_read() {
        let chat = |id: &str, text: &str| {
            let messages = format!(
                r#"[{{\"role\": \"user\", \"parts\": [{{\"type\": \"text\", \"content\": \"{text}\"}}]}}]"#
            );
            format!(r#""gen_ai.conversation.id": "{id}", "gen_ai.input.messages": "{messages}""#)
        };
        let threads = threads_of(&[
            &call(1, &chat("a", "one")),
            &call(3, &chat("a", "three")),
            &call(2, &chat("a", "two")),
            &call(1, &chat("b", "other")),
            &call(9, r#""http.method": "GET""#),
        ]);
        let rendered: Vec<Vec<String>> = threads
            .iter()
            .map(JournalThread::rendered_elements)
            .collect();
        assert_eq!(
            rendered,
            [
                [r#"{"role": "user", "content": "three"}"#],
                [r#"{"role": "user", "content": "other"}"#]
            ]
        );
        assert_eq!(threads[0].id.as_deref(), Some("a"));
    }

    #[test]
    fn the_older_conventions_are_read() {
        let older = call(
            1,
            r#""gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Why?", "gen_ai.prompt.1.role": "assistant", "gen_ai.prompt.1.tool_calls.0.id": "c", "gen_ai.prompt.1.tool_calls.0.name": "find", "gen_ai.prompt.1.tool_calls.0.arguments": "{}", "gen_ai.prompt.2.role": "tool", "gen_ai.prompt.2.tool_call_id": "c", "gen_ai.prompt.2.content": "a", "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Hot.""#,
        );
        let sdk = r#"{"traceId": "u", "spanId": "s", "attributes": {"ai.prompt.messages": "[{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": \"Why?\"}]}]", "ai.response.text": "", "ai.response.toolCalls": "[{\"toolCallId\": \"c\", \"toolName\": \"find\", \"input\": {}}]"}}"#;
        let threads = threads_of(&[&older, sdk]);
        assert_eq!(
            threads[0].rendered_elements(),
            [
                r#"{"role": "user", "content": "Why?"}"#,
                r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "find", "arguments": "{}"}}]}"#,
                r#"{"role": "tool", "tool_call_id": "c", "content": "a"}"#,
                r#"{"role": "assistant", "content": "Hot."}"#,
            ]
        );
        assert_eq!(
            threads[1].rendered_elements(),
            [
                r#"{"role": "user", "content": "Why?"}"#,
                r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "find", "arguments": {}}}]}"#,
            ]
        );
    }

    #[test]
    fn messages_of_openinference_are_read() {
        let span = call(
            1,
            r#""openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.contents.0.message_content.type": "text", "llm.input_messages.0.message.contents.0.message_content.text": "Why?", "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c", "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "find", "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": "{}""#,
        );
        assert_eq!(
            threads_of(&[&span])[0].rendered_elements(),
            [
                r#"{"role": "user", "content": "Why?"}"#,
                r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "find", "arguments": "{}"}}]}"#,
            ]
        );
    }

    #[test]
    fn messages_that_were_cut_are_an_error() {
        let cut = call(1, r#""gen_ai.input.messages": "[{\"role\": \"us""#);
        let tree = JsonTree::new(cut.as_bytes()).unwrap();
        let error = OtelReader::default().observe_record(0, tree.root());
        assert!(error.unwrap_err().reason.contains("gen_ai.input.messages"));
    }
}
