//! Messages as frameworks write them.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::{Call, Story};
use serde_json::{Value, json};

pub(crate) fn pydantic_ai(story: &Story) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    let mut request: Vec<Value> = story
        .system
        .iter()
        .map(|text| json!({"part_kind": "system-prompt", "content": text, "timestamp": STAMP}))
        .collect();
    let mut respond = |request: &mut Vec<Value>, parts: Vec<Value>| {
        messages.push(json!({"kind": "request", "parts": std::mem::take(request)}));
        messages.push(json!({"kind": "response", "parts": parts, "model_name": "gpt-4.1", "timestamp": STAMP, "usage": {"input_tokens": 7, "output_tokens": 3}}));
    };
    for round in &story.rounds {
        request.push(json!({"part_kind": "user-prompt", "content": round.ask, "timestamp": STAMP}));
        for exchange in &round.exchanges {
            let mut parts = vec![json!({"part_kind": "thinking", "content": "Look at the files."})];
            parts.extend(
                exchange.say.iter().map(|text| json!({"part_kind": "text", "content": text})),
            );
            let call = |call: &Call| json!({"part_kind": "tool-call", "tool_name": call.tool, "args": arguments(call).to_string(), "tool_call_id": call.id});
            parts.extend(exchange.calls.iter().map(call));
            respond(&mut request, parts);
            request.extend(pairs(exchange).map(|(call, result)| json!({"part_kind": "tool-return", "tool_name": call.tool, "content": result, "tool_call_id": call.id})));
            request.extend(
                exchange
                    .beside
                    .iter()
                    .filter(|_| !exchange.results.is_empty())
                    .map(|text| json!({"part_kind": "user-prompt", "content": [text]})),
            );
        }
        let answer = vec![json!({"part_kind": "text", "content": round.answer})];
        respond(&mut request, answer);
    }
    vec![json!({"id": "p-1", "messages": messages})]
}

pub(crate) fn autogen(story: &Story) -> Vec<Value> {
    let mut lines: Vec<Value> = Vec::new();
    let mut say = |kind: &str, source: &str, content: Value| {
        lines.push(json!({"thread_id": "p-1", "source": source, "models_usage": null, "metadata": {}, "content": content, "type": kind}));
    };
    if let Some(text) = &story.system {
        say("SystemMessage", "host", json!(text));
    }
    for round in &story.rounds {
        say("TextMessage", "user", json!(round.ask));
        for exchange in &round.exchanges {
            say("SelectSpeakerEvent", "host", json!(["helper"]));
            if let Some(text) = &exchange.say {
                say("TextMessage", "helper", json!(text));
            }
            let call = |call: &Call| json!({"id": call.id, "name": call.tool, "arguments": arguments(call).to_string()});
            let calls: Vec<Value> = exchange.calls.iter().map(call).collect();
            say("ToolCallRequestEvent", "helper", json!(calls));
            let results: Vec<Value> = pairs(exchange)
                .map(|(call, result)| json!({"call_id": call.id, "name": call.tool, "content": result, "is_error": false}))
                .collect();
            say("ToolCallExecutionEvent", "helper", json!(results));
            for text in exchange.beside.iter().filter(|_| !exchange.results.is_empty()) {
                say("TextMessage", "user", json!(text));
            }
        }
        say("TextMessage", "helper", json!(round.answer));
    }
    lines
}
