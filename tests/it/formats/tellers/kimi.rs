//! Wire logs of Kimi CLI.

use super::json::{arguments, pairs};
use crate::formats::story::{Exchange, Story};
use serde_json::{Value, json};

pub(crate) fn kimi(story: &Story) -> Vec<Value> {
    let mut lines =
        vec![json!({"type": "metadata", "protocol_version": "1.4", "sessionId": "k-1"})];
    lines.extend(story.system.iter().map(
        |text| json!({"type": "config.update", "systemPrompt": text, "modelAlias": "k2", "time": 1}),
    ));
    for round in &story.rounds {
        lines.push(user("never mind"));
        lines.push(json!({"type": "context.undo", "count": 1, "time": 1}));
        lines.push(
            json!({"type": "turn.prompt", "input": [{"type": "text", "text": "a copy"}], "time": 1}),
        );
        lines.push(user(&round.ask));
        for (number, exchange) in round.exchanges.iter().enumerate() {
            push_exchange(&mut lines, exchange, &format!("s{number}"));
        }
        push_step(&mut lines, "last", &round.answer, Vec::new());
        lines.push(json!({"type": "usage.record", "usage": {"output": 1}, "time": 1}));
    }
    lines
}

fn user(text: &str) -> Value {
    json!({"type": "context.append_message", "message": {"role": "user", "content": [{"type": "text", "text": text}], "toolCalls": [], "origin": {"kind": "user"}}, "time": 1})
}

fn event(event: Value) -> Value {
    json!({"type": "context.append_loop_event", "event": event, "time": 1})
}

/// A step: its parts, and what happens before it ends.
fn push_step(lines: &mut Vec<Value>, step: &str, text: &str, before_end: Vec<Value>) {
    lines.push(event(json!({"type": "step.begin", "uuid": step, "turnId": "t"})));
    for part in [json!({"type": "think", "think": "hm"}), json!({"type": "text", "text": text})] {
        lines.push(event(json!({"type": "content.part", "stepUuid": step, "part": part})));
    }
    lines.extend(before_end);
    lines.push(event(json!({"type": "step.end", "uuid": step})));
}

fn push_exchange(lines: &mut Vec<Value>, exchange: &Exchange, step: &str) {
    let calls = exchange.calls.iter().map(|call| {
        event(json!({"type": "tool.call", "stepUuid": step, "toolCallId": call.id, "name": call.tool, "args": arguments(call)}))
    });
    let mut events: Vec<Value> = calls.collect();
    // What the user says meanwhile waits for the results.
    let words = exchange.beside.iter();
    events.extend(words.filter(|_| !exchange.results.is_empty()).map(|text| user(text)));
    events.extend(pairs(exchange).map(|(call, result)| {
        event(json!({"type": "tool.result", "toolCallId": call.id, "result": {"output": result}}))
    }));
    push_step(lines, step, exchange.say.as_deref().unwrap_or_default(), events);
}

pub(crate) fn kimi_context(story: &Story) -> Vec<Value> {
    let mut lines = vec![json!({"role": "_checkpoint", "id": 0})];
    let prompt = story.system.iter();
    lines.extend(prompt.map(|text| json!({"role": "_system_prompt", "content": text})));
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    for round in &story.rounds {
        lines.push(json!({"role": "user", "content": round.ask}));
        for exchange in &round.exchanges {
            let calls = exchange.calls.iter().map(|call| {
                json!({"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments(call).to_string()}})
            });
            let words = exchange.say.as_deref().unwrap_or_default();
            let calls: Vec<Value> = calls.collect();
            lines.push(json!({"role": "assistant", "content": text(words), "tool_calls": calls}));
            lines.push(json!({"role": "_usage", "token_count": 9}));
            lines.extend(pairs(exchange).map(|(call, result)| {
                json!({"role": "tool", "content": text(result), "tool_call_id": call.id})
            }));
            let words = exchange.beside.iter();
            let words = words.filter(|_| !exchange.results.is_empty());
            lines.extend(words.map(|words| json!({"role": "user", "content": words})));
        }
        lines.push(json!({"role": "assistant", "content": [{"type": "think", "think": "hm"}, {"type": "text", "text": round.answer}]}));
        lines.push(json!({"role": "_checkpoint", "id": 1}));
    }
    lines
}
