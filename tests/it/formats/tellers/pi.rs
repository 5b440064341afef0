//! Sessions of pi, also with branches.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::{Call, Story};
use serde_json::{Value, json};

fn pi_messages(story: &Story) -> Vec<Value> {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let mut messages = Vec::new();
    for round in &story.rounds {
        messages.push(json!({"role": "user", "content": text(&round.ask), "timestamp": 1}));
        for exchange in &round.exchanges {
            let mut blocks: Vec<Value> =
                exchange.say.iter().map(|text| json!({"type": "text", "text": text})).collect();
            blocks.extend(exchange.calls.iter().map(|call| json!({"type": "toolCall", "id": call.id, "name": call.tool, "arguments": arguments(call)})));
            messages.push(json!({"role": "assistant", "content": blocks, "model": "claude-opus-4-5", "stopReason": "toolUse"}));
            let result = |(call, result): (&Call, &String)| json!({"role": "toolResult", "toolCallId": call.id, "toolName": call.tool, "content": text(result)});
            messages.extend(pairs(exchange).map(result));
            let beside = exchange.beside.iter().filter(|_| !exchange.results.is_empty());
            messages.extend(beside.map(|words| json!({"role": "user", "content": words})));
        }
        messages.push(json!({"role": "assistant", "content": text(&round.answer), "model": "claude-opus-4-5", "stopReason": "stop"}));
    }
    messages
}

pub(crate) fn pi(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "session", "id": "p1", "timestamp": STAMP, "cwd": "/srv/app", "modelId": "claude-opus-4-5"}),
    ];
    for message in pi_messages(story) {
        lines.push(
            json!({"type": "thinking_level_change", "timestamp": STAMP, "thinkingLevel": "off"}),
        );
        lines.push(json!({"type": "message", "timestamp": STAMP, "message": message}));
    }
    lines
}

pub(crate) fn pi_tree(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "p1", "timestamp": STAMP, "cwd": "/srv/app"}),
    ];
    let mut last = Value::Null;
    for (number, message) in pi_messages(story).into_iter().enumerate() {
        let id = json!(format!("e{number}"));
        // A branch that is left.
        let dead = json!({"role": "user", "content": "never mind"});
        lines.push(json!({"type": "message", "id": format!("d{number}"), "parentId": last, "timestamp": STAMP, "message": dead}));
        lines.push(json!({"type": "message", "id": id, "parentId": last, "timestamp": STAMP, "message": message}));
        last = id;
    }
    lines
}
