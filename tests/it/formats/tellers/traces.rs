//! Traces, in which every call of a model repeats the history.

use super::json::{arguments, pairs};
use crate::formats::story::{Call, Story};
use serde_json::{Value, json};

/// A message as no trace spells it.
struct TracedMessage {
    role: &'static str,
    text: String,
    calls: Vec<Call>,
    answers: Option<&'static str>,
}

fn words(role: &'static str, text: &str) -> TracedMessage {
    TracedMessage { role, text: text.to_owned(), calls: Vec::new(), answers: None }
}

/// The messages of a story, and the number of messages before each answer.
fn history(story: &Story) -> (Vec<TracedMessage>, Vec<usize>) {
    let (mut messages, mut answers) = (Vec::new(), Vec::new());
    messages.extend(story.system.iter().map(|text| words("system", text)));
    for round in &story.rounds {
        messages.push(words("user", &round.ask));
        for exchange in &round.exchanges {
            answers.push(messages.len());
            messages.push(TracedMessage {
                calls: exchange.calls.clone(),
                ..words("assistant", exchange.say.as_deref().unwrap_or_default())
            });
            messages.extend(pairs(exchange).map(|(call, result)| TracedMessage {
                answers: Some(call.id),
                ..words("tool", result)
            }));
            if !exchange.results.is_empty() {
                messages.extend(exchange.beside.iter().map(|text| words("user", text)));
            }
        }
        answers.push(messages.len());
        messages.push(words("assistant", &round.answer));
    }
    (messages, answers)
}

fn with_parts(message: &TracedMessage) -> Value {
    let mut parts = Vec::new();
    match message.answers {
        Some(id) => {
            parts.push(json!({"type": "tool_call_response", "id": id, "response": message.text}));
        }
        None => parts.push(json!({"type": "text", "content": message.text})),
    }
    parts.extend(message.calls.iter().map(|call| json!({"type": "tool_call", "id": call.id, "name": call.tool, "arguments": arguments(call)})));
    json!({"role": message.role, "parts": parts})
}

/// A batch with a span of each call of a model, the later ones first, and one of the agent.
fn batches(spans: Vec<Value>) -> Vec<Value> {
    let batch = |span: Value| json!({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "agent"}, "spans": [span]}]}]});
    let work = json!({"traceId": "trace", "spanId": "work", "name": "work", "startTimeUnixNano": "1767225600000000000", "attributes": [{"key": "http.method", "value": {"stringValue": "GET"}}]});
    spans.into_iter().rev().chain([work]).map(batch).collect()
}

fn span(number: usize, attributes: Vec<(String, Value)>) -> Value {
    let attributes: Vec<Value> = attributes
        .into_iter()
        .map(|(key, value)| json!({"key": key, "value": {"stringValue": value}}))
        .collect();
    json!({"traceId": "trace", "spanId": format!("s{number}"), "name": "chat", "startTimeUnixNano": format!("17672256{number:011}"), "attributes": attributes})
}

pub(crate) fn otel(story: &Story) -> Vec<Value> {
    let (messages, answers) = history(story);
    let spans = answers.iter().enumerate().map(|(number, answer)| {
        let input: Vec<Value> = messages[..*answer].iter().map(with_parts).collect();
        let output = json!([with_parts(&messages[*answer])]);
        let attributes = [
            ("gen_ai.operation.name", json!("chat")),
            ("gen_ai.conversation.id", json!("t1")),
            ("gen_ai.request.model", json!("gpt-4.1")),
            ("gen_ai.input.messages", json!(Value::from(input).to_string())),
            ("gen_ai.output.messages", json!(output.to_string())),
        ];
        let attributes = attributes.map(|(key, value)| (key.to_owned(), value));
        span(number, attributes.to_vec())
    });
    batches(spans.collect())
}

pub(crate) fn otel_numbered(story: &Story) -> Vec<Value> {
    let (messages, answers) = history(story);
    let spans = answers.iter().enumerate().map(|(number, answer)| {
        let mut attributes = vec![("session.id".to_owned(), json!("t1"))];
        let mut add = |start: &str, number: usize, message: &TracedMessage| {
            let mut push = |key: &str, value: Value| {
                attributes.push((format!("{start}.{number}.{key}"), value));
            };
            push("role", json!(message.role));
            push("content", json!(message.text));
            if let Some(id) = message.answers {
                push("tool_call_id", json!(id));
            }
            for (place, call) in message.calls.iter().enumerate() {
                push(&format!("tool_calls.{place}.id"), json!(call.id));
                push(&format!("tool_calls.{place}.name"), json!(call.tool));
                push(&format!("tool_calls.{place}.arguments"), json!(arguments(call).to_string()));
            }
        };
        for (number, message) in messages[..*answer].iter().enumerate() {
            add("gen_ai.prompt", number, message);
        }
        add("gen_ai.completion", 0, &messages[*answer]);
        span(number, attributes)
    });
    batches(spans.collect())
}

pub(crate) fn langfuse(story: &Story) -> Vec<Value> {
    let (messages, answers) = history(story);
    let chat = |message: &TracedMessage| {
        let mut own = json!({"role": message.role, "content": message.text});
        if let Some(id) = message.answers {
            own["tool_call_id"] = json!(id);
        }
        if !message.calls.is_empty() {
            let call = |call: &Call| json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}});
            own["tool_calls"] = message.calls.iter().map(call).collect();
        }
        own
    };
    let generation = |(number, answer): (usize, &usize)| {
        let input: Vec<Value> = messages[..*answer].iter().map(chat).collect();
        json!({"id": format!("g{number}"), "type": "GENERATION", "traceId": format!("trace-{number}"), "sessionId": "t1", "startTime": format!("2026-01-01T{number:06}Z"), "model": "gpt-4.1", "input": {"messages": input}, "output": chat(&messages[*answer])})
    };
    let generations = answers.iter().enumerate().map(generation);
    let work =
        json!({"id": "w", "type": "SPAN", "traceId": "trace-0", "input": "a copy", "output": null});
    generations.rev().chain([work]).collect()
}
