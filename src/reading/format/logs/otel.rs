//! Traces of OpenTelemetry with spans of model calls: the conventions for generative AI
//! (`gen_ai.input.messages`, before it events of the span or `gen_ai.prompt.N.*`), and those of
//! Vercel's AI SDK (`ai.prompt.messages`). Every call repeats the history, so the last of each
//! conversation is read.

use crate::reading::format::logs::last_call::{CallRank, LastCalls};
use crate::reading::format::logs::otel_attributes::{
    SpanAttributes, is_trace_record, span_value, spans_of,
};
use crate::reading::format::logs::otel_messages::{conventions_of, is_used};
use crate::reading::format::logs::otel_pieces::{has_message_events, push_event_messages};
use crate::reading::format::row::prelude::*;

#[rustfmt::skip]
pub(crate) const OTEL: LogRow = LogRow {
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
    "gen_ai.request.model", "gen_ai.response.model", "ai.model.id", "ai.response.model",
    "llm.model_name",
];
const START_KEYS: [&str; 4] = ["startTimeUnixNano", "start_time", "startTime", "timeUnixNano"];
/// Operations of agents around the calls of their models.
const OUTER_OPERATIONS: [&str; 3] = ["invoke_agent", "create_agent", "invoke_workflow"];

/// The last model call of each conversation, found span by span.
#[derive(Default)]
struct OtelReader {
    calls: LastCalls,
}

impl JournalReader for OtelReader {
    fn observe_record(&mut self, record: JsonNode<'_>) -> Result<()> {
        let mut result = Ok(());
        let spans = spans_of(record);
        let is_alone = spans.len() == 1;
        for span in spans {
            result = result.and(self.observe_span(span, is_alone));
        }
        result
    }

    fn into_threads(self: Box<Self>, _: &[&[u8]]) -> Vec<JournalThread> {
        self.calls.into_threads("model calls before the last")
    }
}

impl OtelReader {
    fn observe_span(&mut self, span: JsonNode<'_>, is_alone: bool) -> Result<()> {
        let mut attributes = SpanAttributes::of(span.items_of("events").chain([span]));
        if conventions_of(&attributes).is_none() {
            if !has_message_events(span) {
                return Ok(());
            }
            attributes = SpanAttributes::of([span]);
        }
        let trace = span_value(span, &["traceId", "trace_id"]);
        let conversation =
            attributes.first_text(&THREAD_NAMES).or_else(|| trace?.as_non_empty_text());
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
            text.unwrap_or_else(|| String::from_utf8_lossy(time.bytes())).into_owned()
        });
        let rank = CallRank { is_model, time };
        self.calls.offer(is_alone, thread_id, rank, || build_thread(span, &attributes), span)
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

fn build_thread(span: JsonNode<'_>, attributes: &SpanAttributes<'_>) -> Result<JournalThread> {
    let mut thread = JournalThread::new_excerpt(OPENAI);
    thread.model = attributes.first_text(&MODEL_NAMES);
    let id = span_value(span, &["traceId", "trace_id"]).unwrap_or(span);
    if id.is_kind(JsonKind::String) {
        thread.add_entry("trace_id", id.bytes());
    }
    let start = span.span().start;
    let conventions = conventions_of(attributes);
    let used = conventions.map_or(&[] as &[&str], |conventions| conventions.used);
    match conventions {
        None => push_event_messages(&mut thread, span, attributes.place),
        Some(conventions) => (conventions.push)(&mut thread, attributes)
            .map_err(|reason| RecordError::at(start, reason))?,
    }
    let names = attributes.names().into_iter();
    for name in names.filter(|name| !is_used(used, name)) {
        thread.note_left_out(name, span.record_index());
    }
    let ids = ["traceId", "trace_id", "context", "attributes"];
    let ids = if used.is_empty() { [ids.as_slice(), &["events"]].concat() } else { ids.to_vec() };
    note_other_keys(&mut thread, span, &ids);
    if let Some(context) = span.get("context") {
        note_other_keys(&mut thread, context, &ids);
    }
    Ok(thread)
}
