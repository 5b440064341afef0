//! Logs of evaluations.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::{Call, Exchange, Story};
use serde_json::{Value, json};

/// What the user says beside results.
fn beside(exchange: &Exchange) -> Option<&String> {
    exchange.beside.as_ref().filter(|_| !exchange.results.is_empty())
}

pub(crate) fn inspect(story: &Story) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    let mut attachments = serde_json::Map::new();
    let mut say = |role: &str, content: Value, more: Value| {
        let mut message = json!({"id": format!("m{}", messages.len()), "role": role, "content": content, "source": "generate"});
        for (key, value) in more.as_object().unwrap() {
            message[key] = value.clone();
        }
        messages.push(message);
    };
    if let Some(text) = &story.system {
        say("system", json!(text), json!({}));
    }
    for round in &story.rounds {
        say("user", json!([{"type": "text", "text": round.ask}]), json!({}));
        for exchange in &round.exchanges {
            let call = |call: &Call| json!({"id": call.id, "function": call.tool, "arguments": arguments(call), "type": "function"});
            let calls: Vec<Value> = exchange.calls.iter().map(call).collect();
            let content = json!([{"type": "reasoning", "reasoning": "Look at the files.", "signature": "x"}, {"type": "text", "text": exchange.say.clone().unwrap_or_default()}]);
            say("assistant", content, json!({"tool_calls": calls}));
            for (call, result) in pairs(exchange) {
                let hash = format!("{:032x}", attachments.len());
                attachments.insert(hash.clone(), json!(result));
                say(
                    "tool",
                    json!(format!("attachment://{hash}")),
                    json!({"tool_call_id": call.id, "function": call.tool}),
                );
            }
            if let Some(text) = beside(exchange) {
                say("user", json!(text), json!({}));
            }
        }
        say("assistant", json!(round.answer), json!({}));
    }
    let sample = json!({"id": "x", "epoch": 1, "input": "a copy", "target": "", "messages": messages, "output": {"model": "openai/gpt-4.1"}, "attachments": attachments});
    let other = json!({"id": "x", "epoch": 2, "input": "a copy", "target": "", "messages": [{"role": "user", "content": "another epoch"}]});
    vec![
        json!({"version": 2, "status": "success", "eval": {"task": "pumps", "model": "openai/gpt-4.1"}, "samples": [sample, other]}),
    ]
}

pub(crate) fn tau2(story: &Story) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    let mut say = |mut message: Value| {
        message["turn_idx"] = json!(messages.len());
        message["timestamp"] = json!(STAMP);
        messages.push(message);
    };
    if let Some(text) = &story.system {
        say(json!({"role": "system", "content": text}));
    }
    for round in &story.rounds {
        say(
            json!({"role": "user", "content": null, "tool_calls": [{"id": "u", "name": "look", "arguments": {}, "requestor": "user"}]}),
        );
        say(
            json!({"id": "u", "role": "tool", "content": "seen", "requestor": "user", "error": false}),
        );
        say(json!({"role": "user", "content": round.ask, "tool_calls": null}));
        for exchange in &round.exchanges {
            let call = |call: &Call| json!({"id": call.id, "name": call.tool, "arguments": arguments(call), "requestor": "assistant"});
            let calls: Vec<Value> = exchange.calls.iter().map(call).collect();
            say(json!({"role": "assistant", "content": exchange.say, "tool_calls": calls}));
            for (call, result) in pairs(exchange) {
                say(
                    json!({"id": call.id, "role": "tool", "content": result, "requestor": "assistant", "error": false}),
                );
            }
            if let Some(text) = beside(exchange) {
                say(json!({"role": "user", "content": text}));
            }
        }
        say(json!({"role": "assistant", "content": round.answer, "tool_calls": null}));
    }
    let simulation = json!({"id": "s1", "task_id": "7", "trial": 0, "messages": messages, "termination_reason": "user_stop"});
    vec![json!({"timestamp": STAMP, "info": {}, "tasks": [], "simulations": [simulation]})]
}

pub(crate) fn atif(story: &Story) -> Vec<Value> {
    let mut steps: Vec<Value> = Vec::new();
    let mut step = |source: &str, message: &str, more: Value| {
        let mut step = json!({"step_id": steps.len() + 1, "timestamp": STAMP, "source": source, "message": message});
        for (key, value) in more.as_object().unwrap() {
            step[key] = value.clone();
        }
        steps.push(step);
    };
    if let Some(text) = &story.system {
        step("system", text, json!({}));
    }
    for round in &story.rounds {
        step("user", &round.ask, json!({}));
        for exchange in &round.exchanges {
            let call = |call: &Call| json!({"tool_call_id": call.id, "function_name": call.tool, "arguments": arguments(call)});
            let calls: Vec<Value> = exchange.calls.iter().map(call).collect();
            let results: Vec<Value> = pairs(exchange)
                .map(|(call, result)| json!({"source_call_id": call.id, "content": result}))
                .collect();
            step(
                "agent",
                exchange.say.as_deref().unwrap_or_default(),
                json!({"reasoning_content": "Look at the files.", "tool_calls": calls, "observation": {"results": results}}),
            );
            if let Some(text) = beside(exchange) {
                step("user", text, json!({}));
            }
        }
        step("agent", &round.answer, json!({"metrics": {"prompt_tokens": 7}}));
    }
    vec![
        json!({"schema_version": "ATIF-v1.6", "session_id": "a-1", "agent": {"name": "helper", "version": "1", "model_name": "gpt-4.1"}, "steps": steps}),
    ]
}
