//! Sessions and streams of the Gemini CLI.

use super::json::{STAMP, arguments, pairs};
use crate::formats::story::{Call, Story};
use serde_json::{Value, json};

pub(crate) fn gemini_cli(story: &Story) -> Vec<Value> {
    let mut lines =
        vec![json!({"sessionId": "g1", "projectHash": "abc", "startTime": STAMP, "kind": "main"})];
    let mut number = 0;
    let mut say = |kind: &str, mut message: Value| {
        number += 1;
        (message["id"], message["timestamp"], message["type"]) =
            (json!(format!("m{number}")), json!(STAMP), json!(kind));
        if kind == "gemini" {
            // Written again as it grows.
            lines.push(json!({"id": message["id"], "timestamp": STAMP, "type": "gemini", "content": "not yet", "model": "gemini-2.5-pro"}));
        }
        lines.push(message);
        lines.push(json!({"id": format!("i{number}"), "timestamp": STAMP, "type": "info", "content": "for the screen"}));
        lines.push(
            json!({"id": "back", "timestamp": STAMP, "type": "user", "content": "never mind"}),
        );
        lines.push(json!({"$rewindTo": "back"}));
        lines.push(json!({"$set": {"lastUpdated": STAMP}}));
    };
    for round in &story.rounds {
        say("user", json!({"content": [{"text": round.ask}]}));
        for exchange in &round.exchanges {
            let call = |(number, call): (usize, &Call)| {
                let mut own = json!({"id": call.id, "name": call.tool, "args": arguments(call), "status": "success"});
                if let Some(result) = exchange.results.get(number) {
                    own["result"] = json!([{"functionResponse": {"id": call.id, "name": call.tool, "response": {"output": result}}}]);
                }
                own
            };
            let calls: Vec<Value> = exchange.calls.iter().enumerate().map(call).collect();
            say(
                "gemini",
                json!({"content": exchange.say.clone().unwrap_or_default(), "toolCalls": calls, "model": "gemini-2.5-pro"}),
            );
            for text in exchange.beside.iter().filter(|_| !exchange.results.is_empty()) {
                say("user", json!({"content": text}));
            }
        }
        say("gemini", json!({"content": round.answer, "model": "gemini-2.5-pro"}));
    }
    lines
}

pub(crate) fn gemini_stream(story: &Story) -> Vec<Value> {
    let mut lines = vec![
        json!({"type": "init", "timestamp": STAMP, "session_id": "g1", "model": "gemini-2.5-pro"}),
    ];
    let say = |role: &str, text: &str| {
        let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
        let pieces = [&text[..half], &text[half..]];
        pieces.map(|piece| json!({"type": "message", "timestamp": STAMP, "role": role, "content": piece, "delta": true}))
    };
    for round in &story.rounds {
        lines.extend(say("user", &round.ask));
        for exchange in &round.exchanges {
            exchange.say.iter().for_each(|text| lines.extend(say("assistant", text)));
            let call = |call: &Call| json!({"type": "tool_use", "tool_name": call.tool, "tool_id": call.id, "parameters": arguments(call)});
            lines.extend(exchange.calls.iter().map(call));
            lines.extend(pairs(exchange).map(|(call, result)| json!({"type": "tool_result", "tool_id": call.id, "status": "success", "output": result})));
            exchange
                .beside
                .iter()
                .filter(|_| !exchange.results.is_empty())
                .for_each(|text| lines.extend(say("user", text)));
        }
        lines.extend(say("assistant", &round.answer));
    }
    lines.push(json!({"type": "result", "status": "success", "stats": {"total_tokens": 13}}));
    lines
}
